// The line of least squares by Cramer's rule for the normal equations, in plain numbers.
#pragma once

#include <vector>

namespace likely::testing {

struct PlainLine {
  double phi0, phi1;
};

// sum_i (phi0 + phi1 x_i - y_i)^2
inline double plain_squares(const PlainLine& line, const std::vector<double>& x,
                            const std::vector<double>& y) {
  double total = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double error = line.phi0 + line.phi1 * x[i] - y[i];
    total += error * error;
  }
  return total;
}

// The line at which that is least.
inline PlainLine plain_best_line(const std::vector<double>& x, const std::vector<double>& y) {
  double n = 0.0, sx = 0.0, sy = 0.0, sxx = 0.0, sxy = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    n += 1.0;
    sx += x[i];
    sy += y[i];
    sxx += x[i] * x[i];
    sxy += x[i] * y[i];
  }
  const double det = n * sxx - sx * sx;
  return {(sxx * sy - sx * sxy) / det, (n * sxy - sx * sy) / det};
}

}  // namespace likely::testing
