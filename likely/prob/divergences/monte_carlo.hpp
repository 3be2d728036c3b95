// What has no closed form, as means over samples.
#pragma once

#include <cstdint>

#include "likely/core/tensor.hpp"
#include "likely/ops/arithmetic.hpp"
#include "likely/ops/reduce.hpp"
#include "likely/ops/rng.hpp"
#include "likely/prob/distributions/parameters.hpp"

namespace likely {

namespace detail {

void check_samples(const char* name, std::int64_t samples);

// Reparameterised where the distribution can be, so that estimates are differentiable in its parameters.
template <class Distribution>
Tensor draws(const Distribution& p, const Rng& rng, const Shape& shape) {
  if constexpr (Reparameterised<Distribution>) {
    return p.rsample(rng, shape);
  } else {
    return p.sample(rng, shape);
  }
}

}  // namespace detail

// The mean of log p(x) - log q(x) over samples x of p: an unbiased estimate of kl(p, q) with an error that
// falls as 1 / sqrt(samples). One number for each element of the batch. Its gradient is unbiased where p has
// rsample; otherwise it misses how the samples depend on p. Refuses samples < 1.
template <class P, class Q>
Tensor kl_monte_carlo(const P& p, const Q& q, std::int64_t samples, const Rng& rng) {
  detail::check_samples("kl_monte_carlo", samples);
  const Tensor x = detail::draws(p, rng, {samples});
  return mean(p.log_prob(x) - q.log_prob(x), 0);
}

// The mean of -log p(x) over samples x of p. Refuses samples < 1.
template <class P>
Tensor entropy_monte_carlo(const P& p, std::int64_t samples, const Rng& rng) {
  detail::check_samples("entropy_monte_carlo", samples);
  return -mean(p.log_prob(detail::draws(p, rng, {samples})), 0);
}

}  // namespace likely
