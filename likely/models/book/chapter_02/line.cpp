#include "likely/models/book/chapter_02/line.hpp"

#include <cmath>
#include <vector>

#include "likely/core/create.hpp"
#include "likely/ops/arithmetic.hpp"
#include "likely/ops/reduce.hpp"
#include "likely/ops/view.hpp"

namespace likely::book {

namespace {

void check_same_shape(const char* operation, const char* what, const Tensor& a, const Tensor& y) {
  if (!(a.shape() == y.shape())) {
    refuse(operation, std::string(what) + " and y must have one shape, got " + a.shape().string() + " and " +
                          y.shape().string());
  }
}

}  // namespace

Tensor line(const Tensor& x, const Tensor& phi0, const Tensor& phi1) { return phi0 + phi1 * x; }

Tensor least_squares(const Tensor& f, const Tensor& y) {
  check_same_shape("least_squares", "f", f, y);
  if (y.size() == 0) refuse("least_squares", "there is nothing to sum");
  return sum(square(f - y));
}

Line::Line(double phi0, double phi1, DType dtype) : phi(tensor({phi0, phi1}, dtype)) {}

Tensor Line::operator()(const Tensor& x) const { return line(x, select(phi, 0, 0), select(phi, 0, 1)); }

Line fit_line(const Tensor& x, const Tensor& y) {
  constexpr const char* kName = "fit_line";
  check_same_shape(kName, "x", x, y);
  const std::vector<double> xs = x.to_vector<double>();
  const std::vector<double> ys = y.to_vector<double>();
  double mean_x = 0.0, mean_y = 0.0;
  for (std::size_t i = 0; i < xs.size(); ++i) {
    if (!std::isfinite(xs[i]) || !std::isfinite(ys[i]))
      refuse(kName, "x and y must be finite, got " + std::to_string(xs[i]) + " and " + std::to_string(ys[i]) +
                        " at " + std::to_string(i));
    mean_x += xs[i];
    mean_y += ys[i];
  }
  const double count = static_cast<double>(xs.size());
  mean_x /= count;
  mean_y /= count;
  double covariance = 0.0, variance = 0.0;
  bool differs = false;
  for (std::size_t i = 0; i < xs.size(); ++i) {
    covariance += (xs[i] - mean_x) * (ys[i] - mean_y);
    variance += (xs[i] - mean_x) * (xs[i] - mean_x);
    differs = differs || xs[i] != xs[0];
  }
  if (!differs || !(variance > 0.0)) refuse(kName, "x must have two different values");
  const double phi1 = covariance / variance;
  return Line(mean_y - phi1 * mean_x, phi1, is_floating(x.dtype()) ? x.dtype() : DType::f32);
}

}  // namespace likely::book
