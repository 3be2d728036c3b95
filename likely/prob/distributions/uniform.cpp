#include "likely/prob/distributions/uniform.hpp"

#include <fmt/format.h>

#include "likely/core/create.hpp"
#include "likely/ops/reduce.hpp"
#include "likely/prob/distributions/standardized.hpp"
#include "likely/prob/distributions/support.hpp"

namespace likely {

namespace {

// 1, and 1/2 where high - low is too large for its type: numbers in such units, which are exact, are not.
Tensor unit_of(const Uniform& law) { return where(is_finite(law.high - law.low), ones_like(law.low), 0.5); }

}  // namespace

Uniform::Uniform(const Parameter& low_given, const Parameter& high_given) {
  auto parameters = detail::checked(
      "Uniform", {{"low", low_given, detail::Domain::finite}, {"high", high_given, detail::Domain::finite}});
  low = std::move(parameters[0]);
  high = std::move(parameters[1]);
  const Tensor empty = low >= high;
  if (empty.size() > 0 && any(empty).item() != 0.0) {
    const std::int64_t i = static_cast<std::int64_t>(argmax(empty.to(DType::i64)).item());
    const auto at = [&](const Tensor& x) {
      return expand(x.with_track({}), empty.shape()).to_vector<double>()[static_cast<std::size_t>(i)];
    };
    refuse("Uniform", fmt::format("low must be below high, got {} and {}{}", at(low), at(high),
                                  empty.rank() == 0 ? "" : " at " + index_of(empty.shape(), i).string()));
  }
}

Uniform Uniform::from_unconstrained(const Parameter& low, const Tensor& raw_width) {
  const Tensor width = detail::positive_from(raw_width);
  return {low, low.as(width.dtype()) + width};
}

Tensor Uniform::log_prob(const Tensor& x) const {
  const Tensor outside = logical_or(x<low, x> high);
  // The product lets a NaN through.
  return detail::zero_density(x * 0.0 - entropy(), outside);
}

Tensor Uniform::rsample(Rng rng, const Shape& shape) const {
  const Tensor share = rng.uniform(joined(shape, batch_shape()), 0.0, 1.0, low.dtype());
  const Tensor width = high - low;
  if (detail::all_finite(width)) return share * width + low;
  const Tensor unit = unit_of(*this);
  return (share * (high * unit - low * unit) + low * unit) / unit;
}

Tensor Uniform::sample(Rng rng, const Shape& shape) const { return stop_gradient(rsample(rng, shape)); }

Tensor Uniform::mean() const { return low * 0.5 + high * 0.5; }

Tensor Uniform::variance() const { return square(high - low) / 12.0; }

Tensor Uniform::entropy() const {
  const auto plain = [](const Tensor& a, const Tensor& b) { return log(b - a); };
  const auto wide = [](const Tensor& a, const Tensor& b) {
    return log(b * 0.5 - a * 0.5) + std::numbers::ln2;
  };
  return detail::with_care(plain, wide, low, high);
}

Tensor Uniform::cdf(const Tensor& x) const {
  const Tensor width = high - low;
  if (detail::all_finite(width)) return clip(detail::standardized(x, low, width), 0.0, 1.0);
  const Tensor unit = unit_of(*this);
  return clip((x * unit - low * unit) / (high * unit - low * unit), 0.0, 1.0);
}

}  // namespace likely
