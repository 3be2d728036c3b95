#include "likely/prob/uniform.hpp"

#include <fmt/format.h>

#include "likely/ops/reduce.hpp"
#include "likely/prob/support.hpp"

namespace likely {

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
  return detail::zero_density(x * 0.0 - log(high - low), outside);
}

Tensor Uniform::rsample(Rng rng, const Shape& shape) const {
  return rng.uniform(joined(shape, batch_shape()), 0.0, 1.0, low.dtype()) * (high - low) + low;
}

Tensor Uniform::sample(Rng rng, const Shape& shape) const { return stop_gradient(rsample(rng, shape)); }

Tensor Uniform::mean() const { return low * 0.5 + high * 0.5; }

Tensor Uniform::variance() const { return square(high - low) / 12.0; }

Tensor Uniform::entropy() const { return log(high - low); }

Tensor Uniform::cdf(const Tensor& x) const { return clip((x - low) / (high - low), 0.0, 1.0); }

}  // namespace likely
