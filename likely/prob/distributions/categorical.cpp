#include "likely/prob/distributions/categorical.hpp"

#include "likely/core/create.hpp"
#include "likely/ops/arithmetic.hpp"
#include "likely/ops/compare.hpp"
#include "likely/ops/cumulative.hpp"
#include "likely/ops/index.hpp"
#include "likely/ops/loss.hpp"
#include "likely/ops/math.hpp"
#include "likely/ops/reduce.hpp"
#include "likely/ops/rows.hpp"
#include "likely/ops/softmax.hpp"
#include "likely/ops/view.hpp"

namespace likely {

namespace {

void check_labels(const Tensor& labels) {
  if (labels.dtype() != DType::i64) {
    refuse("Categorical", "labels must be i64, got " + std::string(name_of(labels.dtype())));
  }
}

// values[..., label] for each label, where the labels and the rows of values broadcast.
Tensor pick(const Tensor& values, const Tensor& labels) {
  const Shape batch = values.shape().sub(0, values.rank() - 1);
  const Shape shape = broadcast_shapes("Categorical", batch, labels.shape());
  return squeeze(gather(expand(values, joined(shape, {values.shape().back()})), -1,
                        unsqueeze(expand(labels, shape), -1)),
                 -1);
}

}  // namespace

Categorical::Categorical(Tensor logits_given) : logits(std::move(logits_given)) {
  detail::check_rows("Categorical", "logits", logits);
}

Categorical Categorical::from_probabilities(const Tensor& probabilities) {
  detail::check_rows("Categorical", "probabilities", probabilities);
  detail::check_domain("Categorical", "probabilities", probabilities, detail::Domain::not_negative);
  const Tensor totals = sum(probabilities, -1);
  detail::check_domain("Categorical", "the sum of each row of probabilities", totals,
                       detail::Domain::positive);
  return Categorical(log(probabilities));
}

Tensor Categorical::log_prob(const Tensor& labels) const {
  check_labels(labels);
  if (labels.shape() == batch_shape()) {
    return -softmax_cross_entropy(logits, labels, {.reduction = Reduction::none});
  }
  return pick(log_softmax(logits), labels);
}

Tensor Categorical::sample(Rng rng, const Shape& shape) const {
  return rng.categorical(expand(logits, joined(shape, logits.shape())));
}

Tensor Categorical::probabilities() const { return softmax(logits); }

Tensor Categorical::mean() const { return sum(softmax(logits) * arange(classes(), logits.dtype()), -1); }

Tensor Categorical::variance() const {
  const Tensor distance = arange(classes(), logits.dtype()) - unsqueeze(mean(), -1);
  return sum(softmax(logits) * square(distance), -1);
}

Tensor Categorical::entropy() const {
  const Tensor log_p = log_softmax(logits);
  return -sum(softmax(logits) * where(is_finite(log_p), log_p, 0.0), -1);
}

Tensor Categorical::cdf(const Tensor& labels) const {
  check_labels(labels);
  return pick(cumsum(softmax(logits), -1), labels);
}

}  // namespace likely
