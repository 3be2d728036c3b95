// Transformed: what becomes of a distribution when its numbers are mapped.
#pragma once

#include <type_traits>
#include <utility>

#include "likely/core/parts.hpp"
#include "likely/ops/arithmetic.hpp"
#include "likely/ops/rng.hpp"
#include "likely/prob/distributions/bijections.hpp"
#include "likely/prob/divergences/kl.hpp"

namespace likely {

namespace detail {

void check_map_fits(const Shape& mapped, const Shape& shape);
Tensor zeros_of(const Shape& shape, const Tensor& like);
// y, and a number of the range where there is none: what is outside takes no part in any derivative.
Tensor put_inside(const Tensor& y, const Tensor& outside, const Tensor& inner);
// The base's log-probabilities less the log-slopes summed over the event, -inf for events outside.
Tensor changed_log_prob(const Tensor& base, const Tensor& log_slope, const Tensor& outside, int event_rank);
Tensor changed_cdf(const Tensor& base, const Tensor& rises, const Tensor& y, const Tensor& outside,
                   const Tensor& inner);
Tensor sum_over_event(const Tensor& x, int event_rank);

}  // namespace detail

// y = map(x) for x of the base distribution: p(y) = p(x) / |dy/dx|. Transformed(Normal(0.0, 1.0), TanhMap()).
// The map is one of bijections.hpp or your own, element by element; a Transformed may be the base of another.
// Its parameters must broadcast to the base's batch and event, else it is refused.
template <class Base, class Map>
class Transformed {
 public:
  Base base;
  Map map;

  Transformed(Base base_given, Map map_given) : base(std::move(base_given)), map(std::move(map_given)) {
    const Shape shape = joined(base.batch_shape(), base.event_shape());
    detail::check_map_fits(map.log_slope(detail::zeros_of(shape, Tensor())).shape(), shape);
  }

  Shape batch_shape() const { return base.batch_shape(); }
  Shape event_shape() const { return base.event_shape(); }

  Tensor log_prob(const Tensor& y) const {
    const Tensor outside = map.outside(y);
    const Tensor x = map.inverse(detail::put_inside(y, outside, inner(y)));
    return detail::changed_log_prob(base.log_prob(x), map.log_slope(x), outside, event_shape().rank());
  }
  Tensor sample(Rng rng, const Shape& shape = {}) const { return map.forward(base.sample(rng, shape)); }
  Tensor rsample(Rng rng, const Shape& shape = {}) const requires detail::Reparameterised<Base> {
    return map.forward(base.rsample(rng, shape));
  }
  Tensor cdf(const Tensor& y) const requires detail::HasCdf<Base> {
    const Tensor outside = map.outside(y);
    const Tensor x = map.inverse(detail::put_inside(y, outside, inner(y)));
    return detail::changed_cdf(base.cdf(x), map.rises(x), y, outside, inner(y));
  }
  // Of an affine map; for other maps these have no closed form.
  Tensor mean() const requires std::is_same_v<Map, Affine> { return map.forward(base.mean()); }
  Tensor variance() const requires std::is_same_v<Map, Affine> {
    return base.variance() * map.scale * map.scale;
  }
  Tensor entropy() const requires std::is_same_v<Map, Affine> {
    const Tensor slopes = map.log_slope(base.variance());
    return base.entropy() + detail::sum_over_event(slopes, event_shape().rank());
  }

  LIKELY_PARTS(base, map)

 private:
  Tensor inner(const Tensor& y) const { return map.forward(detail::zeros_of(y.shape(), y)); }
};

// The same map of two distributions leaves their divergence as it is. (Of maps with parameters nobody knows
// whether they are the same.)
template <class P, class Q, class Map>
requires std::is_base_of_v<RisingBijection, Map> Tensor kl(const Transformed<P, Map>& p,
                                                           const Transformed<Q, Map>& q) {
  return kl(p.base, q.base);
}

}  // namespace likely
