#include "likely/prob/distributions/dirichlet.hpp"

#include <fmt/format.h>

#include "likely/core/dispatch.hpp"
#include "likely/ops/reduce.hpp"
#include "likely/ops/reparameterize.hpp"
#include "likely/ops/rows.hpp"
#include "likely/ops/softmax.hpp"
#include "likely/ops/special_densities.hpp"
#include "likely/prob/distributions/support.hpp"

namespace likely {

namespace {

void check_simplex(const Tensor& x) {
  const Tensor sums = sum(x.with_track({}), -1);
  const std::vector<double> values = sums.to_vector<double>();
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (std::abs(values[i] - 1.0) <= 1e-4) continue;
    refuse("Dirichlet", fmt::format("x must add up to 1 along the last axis, got {} in {}", values[i],
                                    detail::row_name(x.shape(), static_cast<std::int64_t>(i))));
  }
}

}  // namespace

Dirichlet::Dirichlet(const Tensor& concentration_given)
    : concentration(detail::checked("Dirichlet",
                                    {{"concentration", concentration_given, detail::Domain::positive}})[0]) {
  detail::check_rows("Dirichlet", "concentration", concentration);
}

Dirichlet Dirichlet::from_unconstrained(const Tensor& raw) { return Dirichlet(detail::positive_from(raw)); }

Tensor Dirichlet::log_prob(const Tensor& x) const {
  const Tensor v = detail::floating(x, concentration);
  broadcast_shapes("Dirichlet", v.shape(), concentration.shape());
  check_simplex(v);
  const Tensor outside = v <= 0.0;
  const Tensor inside = masked_fill(v, outside, 1.0);
  const Tensor total = sum(concentration, -1, true);
  const Tensor log_total = log(total), log_v = log(inside);
  // Gamma densities of total x, divided by that of their sum: what is large and cancels is in none of them.
  const Tensor each =
      detail::log_poisson(0, concentration, log_total + log_v, total * inside) + (log(concentration) - log_v);
  const Tensor whole = squeeze(detail::log_poisson(0, total, log_total, total) + log_total, -1);
  const auto density = [&](const Tensor& parts, const Tensor& numbers, const Tensor& none) {
    const Tensor beyond = squeeze(total, -1) * (sum(numbers, -1) - 1.0);
    return detail::zero_density(sum(parts, -1) - whole + beyond, any(none, -1));
  };
  const Tensor zero = v == 0.0;
  if (any(zero).item() == 0.0) return density(each, inside, outside);
  // A 0 with a concentration of 1 is a number as any other.
  const Tensor level = logical_and(zero, concentration == 1.0);
  const Tensor none = logical_and(outside, logical_not(level));
  const Tensor log_density = density(where(level, log_total, each), masked_fill(inside, zero, 0.0), none);
  const Tensor steep = logical_and(zero, concentration < 1.0);
  const Tensor less = logical_and(none, logical_not(steep));
  return masked_fill(log_density, logical_and(any(steep, -1), logical_not(any(less, -1))), detail::kInfinity);
}

Tensor Dirichlet::rsample(Rng rng, const Shape& shape) const {
  // Gamma variates divided by their sum, from logarithms: all of them may be too small for a number.
  const Tensor logs = random_log_gamma(rng, expand(concentration, joined(shape, concentration.shape())));
  return clip(softmax(logs), detail::limits_of("Dirichlet", logs.dtype()).least_normal, 1.0);
}

Tensor Dirichlet::sample(Rng rng, const Shape& shape) const { return stop_gradient(rsample(rng, shape)); }

Tensor Dirichlet::mean() const { return concentration / sum(concentration, -1, true); }

Tensor Dirichlet::variance() const {
  const Tensor total = sum(concentration, -1, true);
  return (concentration / total) * ((total - concentration) / total) / (total + 1.0);
}

Tensor Dirichlet::entropy() const {
  const Tensor total = sum(concentration, -1);
  const auto k = static_cast<double>(concentration.shape().back());
  return sum(detail::gamma_entropy(0, concentration), -1) - detail::gamma_entropy(0, total) -
         (k - 1.0) * digamma(total);
}

}  // namespace likely
