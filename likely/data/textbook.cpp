#include "likely/data/textbook.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "likely/core/create.hpp"

namespace likely::data {

namespace {

std::vector<double> draw_places(const char* operation, std::int64_t rows, double low, double high, Rng& rng) {
  if (rows < 1) refuse(operation, "at least one row is needed, got " + std::to_string(rows));
  if (!(low < high)) {
    refuse(operation, "low must be below high, got " + std::to_string(low) + " and " + std::to_string(high));
  }
  return rng.uniform({rows}, low, high, DType::f64).to_vector<double>();
}

// y = f(x) + stddev(x) Normal(0, 1)
template <class Function, class Deviation>
Dataset noisy(const char* operation, std::int64_t rows, double low, double high, Rng rng, const Function& f,
              const Deviation& stddev) {
  const std::vector<double> x = draw_places(operation, rows, low, high, rng);
  const double least = std::min(stddev(low), stddev(high));  // it is linear
  if (!(least >= 0.0)) refuse(operation, "the noise must not be negative, got " + std::to_string(least));
  std::vector<double> y = rng.normal({rows}, 0.0, 1.0, DType::f64).to_vector<double>();
  for (std::size_t i = 0; i < y.size(); ++i) y[i] = f(x[i]) + stddev(x[i]) * y[i];
  return {tensor(x, {rows, 1}).to(DType::f32), tensor(y, {rows, 1}).to(DType::f32)};
}

}  // namespace

double PiecewiseFunction::operator()(double x) const {
  double y = phi0;
  for (std::size_t d = 0; d < phi.size(); ++d) y += phi[d] * std::max(0.0, theta0[d] + theta1[d] * x);
  return y;
}

Dataset line_data(std::int64_t rows, Rng rng, const LineOptions& o) {
  return noisy(
      "line_data", rows, o.low, o.high, rng, [&](double x) { return o.phi0 + o.phi1 * x; },
      [&](double) { return o.noise; });
}

Dataset piecewise_data(std::int64_t rows, Rng rng, const PiecewiseOptions& o) {
  return noisy("piecewise_data", rows, o.low, o.high, rng, o.f, [&](double) { return o.noise; });
}

Dataset heteroscedastic_data(std::int64_t rows, Rng rng, const HeteroscedasticOptions& o) {
  return noisy("heteroscedastic_data", rows, o.low, o.high, rng, o.f,
               [&](double x) { return o.noise + o.noise_slope * x; });
}

Dataset binary_data(std::int64_t rows, Rng rng, const BinaryOptions& o) {
  const std::vector<double> x = draw_places("binary_data", rows, o.low, o.high, rng);
  const std::vector<double> chance = rng.uniform({rows}, 0.0, 1.0, DType::f64).to_vector<double>();
  std::vector<std::int64_t> y;
  for (std::size_t i = 0; i < x.size(); ++i)
    y.push_back(chance[i] < 1.0 / (1.0 + std::exp(-o.f(x[i]))) ? 1 : 0);
  return {tensor(x, {rows, 1}).to(DType::f32), tensor(y)};
}

Dataset gabor_data(std::int64_t rows, Rng rng, const GaborOptions& o) {
  const auto f = [&](double x) {
    const double u = o.phi0 + 0.06 * o.phi1 * x;
    return std::sin(u) * std::exp(-u * u / 32.0);
  };
  return noisy("gabor_data", rows, o.low, o.high, rng, f, [&](double) { return o.noise; });
}

}  // namespace likely::data
