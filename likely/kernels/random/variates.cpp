#include "likely/kernels/random/variates.hpp"

#include <cmath>
#include <numbers>

#include "likely/kernels/special/density.hpp"

namespace likely::kernels {

namespace {

double odd_multiple(std::uint32_t low, std::uint32_t high) {
  const std::uint64_t bits = low | std::uint64_t{high} << 32;
  return static_cast<double>((bits >> 11) | 1) * 0x1p-53;
}

std::int64_t poisson_by_inversion(double rate, ElementSource& source) {
  double probability = std::exp(-rate);
  double left = source.uniform();
  std::int64_t k = 0;
  // Far in the tail rounding may leave something over: the probabilities have vanished by then.
  while (left > probability && probability > 0.0) {
    left -= probability;
    ++k;
    probability *= rate / static_cast<double>(k);
  }
  return k;
}

std::int64_t poisson_by_rejection(double rate, ElementSource& source) {
  const double b = 0.931 + 2.53 * std::sqrt(rate);
  const double a = -0.059 + 0.02483 * b;
  const double inverse_alpha = 1.1239 + 1.1328 / (b - 3.4);
  const double v_r = 0.9277 - 3.6224 / (b - 2.0);
  const double log_rate = std::log(rate);
  while (true) {
    const double u = source.uniform() - 0.5;
    const double v = source.uniform();
    const double us = 0.5 - std::abs(u);
    const double k = std::floor((2.0 * a / us + b) * u + rate + 0.43);
    if (us >= 0.07 && v <= v_r) return static_cast<std::int64_t>(k);
    if (k < 0.0 || (us < 0.013 && v > us)) continue;
    const double height = std::log(v) + std::log(inverse_alpha) - std::log(a / (us * us) + b);
    if (height <= log_poisson(0, k, log_rate, rate)) return static_cast<std::int64_t>(k);
  }
}

}  // namespace

double ElementSource::uniform() {
  if (has_spare_) {
    has_spare_ = false;
    return spare_;
  }
  const PhiloxBlock block = philox_block(key_, next_++);
  spare_ = odd_multiple(block[2], block[3]);
  has_spare_ = true;
  return odd_multiple(block[0], block[1]);
}

double ElementSource::normal() {
  const double radius = std::sqrt(-2.0 * std::log(uniform()));
  return radius * std::cos(2.0 * std::numbers::pi * uniform());
}

double log_gamma_variate(double alpha, ElementSource& source) {
  // G(alpha) = G(alpha + 1) U^(1 / alpha) brings small shapes where the method holds.
  const double boost = alpha < 1.0 ? std::log(source.uniform()) / alpha : 0.0;
  const double d = (alpha < 1.0 ? alpha + 1.0 : alpha) - 1.0 / 3.0;
  const double c = 1.0 / std::sqrt(9.0 * d);
  while (true) {
    const double x = source.normal();
    const double root = 1.0 + c * x;
    if (root <= 0.0) continue;
    const double v = root * root * root;
    if (std::log(source.uniform()) < 0.5 * x * x + d - d * v + d * std::log(v)) {
      return std::log(d) + std::log(v) + boost;
    }
  }
}

std::int64_t poisson_variate(double rate, ElementSource& source) {
  return rate < 10.0 ? poisson_by_inversion(rate, source) : poisson_by_rejection(rate, source);
}

}  // namespace likely::kernels
