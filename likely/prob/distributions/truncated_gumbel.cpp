#include "likely/prob/distributions/truncated_gumbel.hpp"

#include "likely/core/create.hpp"
#include "likely/ops/activation.hpp"
#include "likely/ops/reduce.hpp"
#include "likely/prob/distributions/gumbel_rule.hpp"
#include "likely/prob/distributions/standardized.hpp"
#include "likely/prob/distributions/support.hpp"
#include "likely/prob/log_one_minus_exp.hpp"

namespace likely {

namespace {

// The bound with 0 where it is infinite, for the checks that ask for finite numbers.
Parameter finite_part(const Parameter& bound) {
  if (bound.is_number()) {
    const double number = bound.as(DType::f64).item();
    return number == detail::kInfinity ? Parameter(0.0) : bound;
  }
  const Tensor& values = bound.value();
  return is_floating(values.dtype()) ? Parameter(masked_fill(values, values == detail::kInfinity, 0.0))
                                     : bound;
}

}  // namespace

TruncatedGumbel::TruncatedGumbel(const Parameter& location_given, const Parameter& bound_given,
                                 const Parameter& scale_given) {
  auto parameters =
      detail::checked("TruncatedGumbel", {{"location", location_given, detail::Domain::finite},
                                          {"bound", finite_part(bound_given), detail::Domain::finite},
                                          {"scale", scale_given, detail::Domain::positive}});
  location = std::move(parameters[0]);
  bound = bound_given.as(location.dtype());
  scale = std::move(parameters[2]);
}

// Where there is no bound, infinity without a derivative.
Tensor TruncatedGumbel::bound_in_scales() const {
  const Tensor open = bound == detail::kInfinity;
  const Tensor b = detail::standardized(masked_fill(bound, open, 0.0), location, scale);
  return where(open, constant(b.shape(), detail::kInfinity, b.dtype()), b);
}

namespace {

// What density and distribution function are made of: e^-z - e^-b = e^-z (1 - e^-d) with the distance
// d = b - z, which keeps its digits. Where `outside`, numbers of a point inside.
struct Excess {
  Tensor z, excess;
};

Excess excess_at(const TruncatedGumbel& law, const Tensor& x, const Tensor& outside) {
  const Tensor open = law.bound == detail::kInfinity;
  const Tensor top = masked_fill(law.bound, open, 0.0);
  const Tensor inside = where(outside, where(open, law.location, top - law.scale), x);
  const Tensor z = detail::standardized(inside, law.location, law.scale);
  const Tensor d = detail::standardized(top, inside, law.scale);
  const Tensor distance = where(open, constant(d.shape(), detail::kInfinity, d.dtype()), d);
  return {z, exp(detail::log1mexp(distance) - z)};
}

}  // namespace

Tensor TruncatedGumbel::log_prob(const Tensor& x) const {
  const Tensor v = detail::floating(x, location);
  // So far below that the distance in scales is infinite, there is nothing either.
  const Tensor outside =
      logical_or(v > bound, detail::standardized(v, location, scale) == -detail::kInfinity);
  const Excess at = excess_at(*this, v, outside);
  return where(outside, -detail::kInfinity, -(at.z + log(scale) + at.excess));
}

Tensor TruncatedGumbel::cdf(const Tensor& x) const {
  const Tensor v = detail::floating(x, location);
  const Tensor above = v >= bound;
  return where(above, 1.0, exp(-excess_at(*this, v, above).excess));
}

// With n = -log(-log p) the quantile is location + scale n where the bound is far above that, and the bound
// less a little where it is far below: between them lies a softplus of v = b - n.
Tensor TruncatedGumbel::below_bound(const Tensor& gumbel) const {
  const Tensor b = bound_in_scales();
  const Tensor v = where(gumbel == detail::kInfinity, -detail::kInfinity, b - gumbel);
  const Tensor near = where(v > 0.0, location + scale * gumbel, bound);
  return near - scale * log1p(exp(-abs(v)));
}

Tensor TruncatedGumbel::quantile(const Tensor& probability) const {
  const Tensor p = detail::floating(probability, location);
  detail::check_domain("TruncatedGumbel", "the probability of a quantile", p, detail::Domain::probability);
  return below_bound(-log(-log(p)));
}

Tensor TruncatedGumbel::rsample(Rng rng, const Shape& shape) const {
  return below_bound(rng.gumbel(joined(shape, batch_shape()), location.dtype()));
}

Tensor TruncatedGumbel::sample(Rng rng, const Shape& shape) const {
  return stop_gradient(rsample(rng, shape));
}

namespace {

// How far, in scales, Gumbel numbers lie from where they are measured (the location if b > 0, else the
// bound), at the points of the rule: a last axis.
struct Distances {
  Tensor at, weights, mean;
};

Distances distances(const Tensor& b) {
  const detail::GumbelRule rule = detail::gumbel_rule(1, b.dtype());
  const Tensor from = unsqueeze(b, -1);
  const Tensor at =
      where(from > 0.0, rule.points - softplus(rule.points - from), -softplus(from - rule.points));
  return {at, rule.weights, sum(at * rule.weights, -1)};
}

}  // namespace

Tensor TruncatedGumbel::mean() const {
  const Tensor b = bound_in_scales();
  return where(b > 0.0, location, bound) + scale * distances(b).mean;
}

Tensor TruncatedGumbel::variance() const {
  const Distances d = distances(bound_in_scales());
  return square(scale) * sum(square(d.at - unsqueeze(d.mean, -1)) * d.weights, -1);
}

// log scale + 1 + E[z]
Tensor TruncatedGumbel::entropy() const {
  const Tensor b = bound_in_scales();
  return distances(b).mean + where(b > 0.0, 0.0, b) + (log(scale) + 1.0);
}

}  // namespace likely
