#include "likely/prob/distributions/concrete.hpp"

#include <fmt/format.h>

#include <cmath>

#include "likely/core/dispatch.hpp"
#include "likely/ops/index.hpp"
#include "likely/ops/reduce.hpp"
#include "likely/ops/rows.hpp"
#include "likely/ops/softmax.hpp"
#include "likely/prob/distributions/support.hpp"

namespace likely {

namespace {

struct ConcreteParts {
  Tensor temperature, logits;
};

// A temperature belongs to a whole row of logits: with a last axis of 1 it broadcasts with them.
ConcreteParts checked_concrete(const char* name, const Parameter& temperature, const Tensor& logits) {
  detail::check_rows(name, "logits", logits);
  if (temperature.is_number()) {
    auto parts = detail::checked(name, {{"temperature", temperature, detail::Domain::positive},
                                        {"logits", logits, detail::Domain::finite}});
    return {std::move(parts[0]), std::move(parts[1])};
  }
  auto parts =
      detail::checked(name, {{"temperature", unsqueeze(temperature.value(), -1), detail::Domain::positive},
                             {"logits", logits, detail::Domain::finite}});
  return {squeeze(parts[0], -1), std::move(parts[1])};
}

Shape batch_of_rows(const Tensor& temperature, const Tensor& logits) {
  return broadcast_shapes("batch", temperature.shape(), detail::without_last(logits.shape()));
}

// Where exponentials of y, or numbers, do not add up to 1.
void check_total(const char* name, const char* what, const Tensor& sums, const Shape& shape, double wanted) {
  const std::vector<double> values = sums.with_track({}).to_vector<double>();
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (std::abs(values[i] - wanted) <= 1e-4) continue;
    refuse(name, fmt::format("{} along the last axis, got {} in {}", what, values[i],
                             detail::row_name(shape, static_cast<std::int64_t>(i))));
  }
}

// log of (K - 1)! t^(K-1) prod_k softmax(a - t y)_k
Tensor log_density_of_logs(const Tensor& temperature, const Tensor& logits, const Tensor& y) {
  const auto others = static_cast<double>(logits.shape().back() - 1);
  const Tensor odds = log_softmax(logits - unsqueeze(temperature, -1) * y);
  return sum(odds, -1) + (log(temperature) * others + std::lgamma(others + 1.0));
}

// log softmax((a + G) / t)
Tensor random_logs(const Tensor& temperature, const Tensor& logits, const Shape& batch, Rng& rng,
                   const Shape& shape) {
  const Shape full = joined(joined(shape, batch), {logits.shape().back()});
  return log_softmax((logits + rng.gumbel(full, logits.dtype())) / unsqueeze(temperature, -1));
}

}  // namespace

Concrete::Concrete(const Parameter& temperature_given, const Tensor& logits_given) {
  ConcreteParts parts = checked_concrete("Concrete", temperature_given, logits_given);
  temperature = std::move(parts.temperature);
  logits = std::move(parts.logits);
}

Shape Concrete::batch_shape() const { return batch_of_rows(temperature, logits); }

Tensor Concrete::log_prob(const Tensor& x) const {
  const Tensor v = detail::floating(x, logits);
  check_total("Concrete", "x must add up to 1", sum(v, -1), v.shape(), 1.0);
  const Tensor outside = v <= 0.0;
  const Tensor y = log(masked_fill(v, outside, 1.0));
  const Tensor density = log_density_of_logs(temperature, logits, y) - sum(y, -1);
  return where(any(outside, -1), -detail::kInfinity, density);
}

Tensor Concrete::rsample(Rng rng, const Shape& shape) const {
  const Tensor y = random_logs(temperature, logits, batch_shape(), rng, shape);
  return clip(exp(y), detail::limits_of("Concrete", y.dtype()).least_normal, 1.0);
}

Tensor Concrete::sample(Rng rng, const Shape& shape) const { return stop_gradient(rsample(rng, shape)); }

Tensor Concrete::straight_through(Rng rng, const Shape& shape) const {
  const Tensor soft = rsample(rng, shape);
  return one_hot(argmax(stop_gradient(soft), -1), classes(), soft.dtype()) + (soft - stop_gradient(soft));
}

ExpConcrete::ExpConcrete(const Parameter& temperature_given, const Tensor& logits_given) {
  ConcreteParts parts = checked_concrete("ExpConcrete", temperature_given, logits_given);
  temperature = std::move(parts.temperature);
  logits = std::move(parts.logits);
}

Shape ExpConcrete::batch_shape() const { return batch_of_rows(temperature, logits); }

Tensor ExpConcrete::log_prob(const Tensor& y) const {
  const Tensor v = detail::floating(y, logits);
  check_total("ExpConcrete", "y must have a log-sum-exp of 0", logsumexp(v, -1), v.shape(), 0.0);
  return log_density_of_logs(temperature, logits, v);
}

Tensor ExpConcrete::rsample(Rng rng, const Shape& shape) const {
  return random_logs(temperature, logits, batch_shape(), rng, shape);
}

Tensor ExpConcrete::sample(Rng rng, const Shape& shape) const { return stop_gradient(rsample(rng, shape)); }

}  // namespace likely
