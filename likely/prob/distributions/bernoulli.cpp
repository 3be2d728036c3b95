#include "likely/prob/distributions/bernoulli.hpp"

#include <limits>

#include "likely/ops/activation.hpp"
#include "likely/ops/arithmetic.hpp"
#include "likely/ops/compare.hpp"
#include "likely/ops/loss.hpp"
#include "likely/ops/view.hpp"

namespace likely {

Bernoulli::Bernoulli(const Parameter& logits_given)
    : logits(detail::checked("Bernoulli", {{"logits", logits_given, detail::Domain::finite}})[0]) {}

Bernoulli Bernoulli::from_probabilities(const Parameter& probabilities) {
  return Bernoulli(logit(detail::checked(
      "Bernoulli", {{"probabilities", probabilities, detail::Domain::inner_probability}})[0]));
}

Tensor Bernoulli::log_prob(const Tensor& x) const {
  if (x.dtype() != DType::boolean) detail::check_domain("Bernoulli", "x", x, detail::Domain::probability);
  const Shape shape = broadcast_shapes("Bernoulli", x.shape(), logits.shape());
  return -binary_cross_entropy_from_logits(expand(logits, shape), expand(x, shape),
                                           {.reduction = Reduction::none});
}

Tensor Bernoulli::sample(Rng rng, const Shape& shape) const {
  return rng.bernoulli(expand(sigmoid(logits), joined(shape, batch_shape())));
}

Tensor Bernoulli::mean() const { return sigmoid(logits); }

Tensor Bernoulli::variance() const { return sigmoid(logits) * sigmoid(-logits); }

Tensor Bernoulli::entropy() const {
  // Both terms are positive: nothing cancels, however sure the answer is.
  return sigmoid(logits) * softplus(-logits) + sigmoid(-logits) * softplus(logits);
}

Tensor Bernoulli::cdf(const Tensor& x) const {
  const Tensor p = where(x < 0.0, 0.0, where(x >= 1.0, 1.0, sigmoid(-logits)));
  return where(x == x, p, std::numeric_limits<double>::quiet_NaN());
}

}  // namespace likely
