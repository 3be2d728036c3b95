#include "likely/prob/distributions/beta.hpp"

#include "likely/core/dispatch.hpp"
#include "likely/ops/activation.hpp"
#include "likely/ops/reduce.hpp"
#include "likely/ops/reparameterize.hpp"
#include "likely/ops/special.hpp"
#include "likely/ops/special_densities.hpp"
#include "likely/prob/distributions/support.hpp"

namespace likely {

Beta::Beta(const Parameter& alpha_given, const Parameter& beta_given) {
  auto parameters = detail::checked("Beta", {{"alpha", alpha_given, detail::Domain::positive},
                                             {"beta", beta_given, detail::Domain::positive}});
  alpha = std::move(parameters[0]);
  beta = std::move(parameters[1]);
}

Beta Beta::from_unconstrained(const Tensor& raw_alpha, const Tensor& raw_beta) {
  return {detail::positive_from(raw_alpha), detail::positive_from(raw_beta)};
}

Tensor Beta::log_prob(const Tensor& x) const {
  const Tensor outside = logical_or(x <= 0.0, x >= 1.0);
  const Tensor v = masked_fill(detail::floating(x, alpha), outside, 0.5);
  const Tensor log_density = detail::zero_density(detail::log_beta_density(alpha, beta, v), outside);
  const Tensor zero = x == 0.0, one = x == 1.0;
  if (any(logical_or(zero, one)).item() == 0.0) return log_density;
  const Tensor at_zero = masked_fill(detail::floating(x, alpha), x != 0.0, 0.0);
  const Tensor at_one = masked_fill(detail::floating(x, alpha), x != 1.0, 1.0);
  const Tensor from_zero =
      detail::with_end(log_density, zero, alpha, log(beta) + (beta - 1.0) * log1p(-at_zero));
  return detail::with_end(from_zero, one, beta, log(alpha) + (alpha - 1.0) * log(at_one));
}

Tensor Beta::rsample(Rng rng, const Shape& shape) const {
  const Shape full = joined(shape, batch_shape());
  const Tensor x = sigmoid(random_logit_beta(rng, expand(alpha, full), expand(beta, full)));
  const detail::FloatingLimits limits = detail::limits_of("Beta", x.dtype());
  return clip(x, limits.least_normal, limits.below_one);
}

Tensor Beta::sample(Rng rng, const Shape& shape) const { return stop_gradient(rsample(rng, shape)); }

Tensor Beta::mean() const { return alpha / (alpha + beta); }

Tensor Beta::variance() const {
  const Tensor total = alpha + beta;
  return (alpha / total) * (beta / total) / (total + 1.0);
}

Tensor Beta::entropy() const {
  const Tensor total = alpha + beta;
  return detail::gamma_entropy(0, alpha) + detail::gamma_entropy(0, beta) - detail::gamma_entropy(0, total) -
         digamma(total);
}

Tensor Beta::cdf(const Tensor& x) const {
  return incomplete_beta(alpha, beta, clip(detail::floating(x, alpha), 0.0, 1.0));
}

}  // namespace likely
