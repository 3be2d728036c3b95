#include "likely/prob/distributions/transformed.hpp"

#include <fmt/format.h>

#include "likely/core/create.hpp"
#include "likely/ops/reduce.hpp"
#include "likely/prob/distributions/independent.hpp"
#include "likely/prob/distributions/support.hpp"

namespace likely::detail {

void check_map_fits(const Shape& mapped, const Shape& shape) {
  if (mapped == shape) return;
  refuse("Transformed", fmt::format("the map makes {} of the distribution's batch and event {}",
                                    mapped.string(), shape.string()));
}

Tensor zeros_of(const Shape& shape, const Tensor& like) {
  const bool floating = like.defined() && is_floating(like.dtype());
  return constant(shape, 0.0, floating ? like.dtype() : DType::f32);
}

Tensor put_inside(const Tensor& y, const Tensor& outside, const Tensor& inner) {
  return where(outside, stop_gradient(inner), y);
}

Tensor sum_over_event(const Tensor& x, int event_rank) {
  return event_rank == 0 ? x : sum(x, last_axes(event_rank));
}

Tensor changed_log_prob(const Tensor& base, const Tensor& log_slope, const Tensor& outside, int event_rank) {
  const Tensor any_outside = event_rank == 0 ? outside : any(outside, last_axes(event_rank));
  return zero_density(base - sum_over_event(log_slope, event_rank), any_outside);
}

Tensor changed_cdf(const Tensor& base, const Tensor& rises, const Tensor& y, const Tensor& outside,
                   const Tensor& inner) {
  const Tensor below = where(rises, base, 1.0 - base);
  return where(outside, cast(y > inner, below.dtype()), below);
}

}  // namespace likely::detail
