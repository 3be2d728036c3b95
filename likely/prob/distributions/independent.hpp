// Independent: several answers as one.
#pragma once

#include <utility>
#include <vector>

#include "likely/core/parts.hpp"
#include "likely/ops/reduce.hpp"
#include "likely/ops/rng.hpp"
#include "likely/prob/distributions/parameters.hpp"
#include "likely/prob/divergences/kl.hpp"

namespace likely {

namespace detail {

// The last `count` of the axes: {-count, ..., -1}.
std::vector<int> last_axes(int count);
void check_independent(int axes, const Shape& batch);
void check_same_axes(int p, int q);

}  // namespace detail

// The last `axes` axes of the batch of `base` become part of one event: log-probabilities add up (5.25). So
// Independent(Normal(mean, 1.0), 1) is a distribution of vectors. Refuses axes that `base` does not have.
template <class Base>
class Independent {
 public:
  Base base;

  Independent(Base base_given, int axes) : base(std::move(base_given)), axes_(axes) {
    detail::check_independent(axes, base.batch_shape());
  }

  Shape batch_shape() const {
    const Shape all = base.batch_shape();
    return all.sub(0, all.rank() - axes_);
  }
  Shape event_shape() const {
    const Shape all = base.batch_shape();
    return joined(all.sub(all.rank() - axes_, all.rank()), base.event_shape());
  }
  int axes() const { return axes_; }

  Tensor log_prob(const Tensor& x) const { return sum_over_event(base.log_prob(x)); }
  Tensor sample(Rng rng, const Shape& shape = {}) const { return base.sample(rng, shape); }
  Tensor rsample(Rng rng, const Shape& shape = {}) const requires detail::Reparameterised<Base> {
    return base.rsample(rng, shape);
  }
  Tensor mean() const { return base.mean(); }
  Tensor variance() const { return base.variance(); }
  Tensor entropy() const { return sum_over_event(base.entropy()); }

  // One number for each event, from one for each of its parts.
  Tensor sum_over_event(const Tensor& x) const { return axes_ == 0 ? x : sum(x, detail::last_axes(axes_)); }

  LIKELY_PARTS(base)

 private:
  int axes_;
};

template <class P, class Q>
Tensor kl(const Independent<P>& p, const Independent<Q>& q) {
  detail::check_same_axes(p.axes(), q.axes());
  return p.sum_over_event(kl(p.base, q.base));
}

}  // namespace likely
