// Estimators that move discrete samples through a relaxed law.
#include <fmt/format.h>

#include <cmath>

#include "likely/autodiff/custom.hpp"
#include "likely/core/create.hpp"
#include "likely/ops/activation.hpp"
#include "likely/ops/arithmetic.hpp"
#include "likely/ops/cast.hpp"
#include "likely/ops/compare.hpp"
#include "likely/ops/math.hpp"
#include "likely/ops/reduce.hpp"
#include "likely/ops/softmax.hpp"
#include "likely/ops/view.hpp"
#include "likely/prob/expectation/estimates.hpp"
#include "likely/prob/log_one_minus_exp.hpp"

namespace likely::detail {

namespace {

bool is_binary(const Task& task) { return task.law.values == Values::binary; }

// Logits plus noise, (samples, logits): the sample is where it is largest, or, of a Bernoulli, its sign.
Tensor perturbed_logits(const Task& task, std::int64_t samples, Rng rng) {
  const Tensor& logits = task.law.logits;
  const Shape shape = joined({samples}, logits.shape());
  if (!is_binary(task)) return log_softmax(logits) + rng.gumbel(shape, logits.dtype());
  const Tensor a = rng.gumbel(shape, logits.dtype()), b = rng.gumbel(shape, logits.dtype());
  return logits + (a - b);
}

Tensor hard_answers(const Task& task, const Tensor& perturbed) {
  const Tensor held = stop_gradient(perturbed);
  return is_binary(task) ? cast(held > 0.0, held.dtype()) : argmax(held, -1);
}

Tensor relaxed(const Task& task, const Tensor& perturbed, double temperature) {
  const Tensor cold = perturbed / temperature;
  return is_binary(task) ? sigmoid(cold) : softmax(cold);
}

// log(e^x - 1) for x >= 0.
Tensor log_expm1(const Tensor& x) { return x + log1mexp(x); }

// The same perturbed logits, as a function of the logits that they are where the sample is held: z~ = T(v,
// logits | sample), with that noise v (constant) for which z~ is z. By using the noise again, what z and z~
// do to c(z) - c(z~) cancels all but for the difference of their derivatives.
Tensor given_sample(const Task& task, const Tensor& perturbed, const Tensor& answers) {
  const Tensor z = stop_gradient(perturbed);
  if (is_binary(task)) {
    // |z~| = softplus(logit(v) + softplus(+-logits)).
    const Tensor sign = 2.0 * answers - 1.0;
    const Tensor towards = softplus(sign * task.law.logits);
    return sign * softplus(log_expm1(abs(z)) + (towards - stop_gradient(towards)));
  }
  // The largest has a law that does not know the logits; the others are Gumbels cut off there:
  // e^-z~_i = e^-z_max + v_i e^-phi_i, with v_i exponential.
  const Tensor phi = log_softmax(task.law.logits);
  const Tensor top = max(z, -1, true);
  const Tensor shift = where(is_finite(stop_gradient(phi)), stop_gradient(phi) - phi, 0.0);
  return top - softplus(log_expm1(top - z) + shift);
}

}  // namespace

Expectation straight_through(const Task& task, const estimator::StraightThrough& options, Rng rng) {
  task.check_samples(options.samples);
  task.check_relaxable(1.0);
  const Tensor hard = task.seen(stop_gradient(task.law.sample(rng, {options.samples})));
  const Tensor p = is_binary(task) ? sigmoid(task.law.logits) : softmax(task.law.logits);
  const Tensor values = task.values_of(hard + (p - stop_gradient(p)));
  return {mean(values, 0), values, {}};
}

Expectation gumbel_softmax(const Task& task, const estimator::GumbelSoftmax& options, Rng rng) {
  task.check_samples(options.samples);
  task.check_relaxable(options.temperature);
  const Tensor z = perturbed_logits(task, options.samples, rng);
  const Tensor soft = relaxed(task, z, options.temperature);
  const Tensor values =
      task.values_of(options.hard ? task.seen(hard_answers(task, z)) + (soft - stop_gradient(soft)) : soft);
  return {mean(values, 0), values, {}};
}

Expectation rebar(const Task& task, const estimator::Rebar& options, Rng rng) {
  task.check_samples(options.samples);
  task.check_relaxable(options.temperature);
  if (!std::isfinite(options.scale))
    refuse("expect", fmt::format("Rebar needs a finite scale, got {}", options.scale));
  const Tensor z = perturbed_logits(task, options.samples, rng);
  const Tensor answers = hard_answers(task, z);
  const auto control = [&](const Tensor& perturbed) {
    const Tensor c = options.scale * task.values_of(relaxed(task, perturbed, options.temperature));
    if (!options.control) return c;
    const Tensor more = options.control(perturbed);
    if (!(more.shape() == c.shape()))
      refuse("expect", fmt::format("the control of Rebar must be (samples, batch), {}, got {}",
                                   c.shape().string(), more.shape().string()));
    return c + more;
  };
  const Tensor values = task.values_at(answers);
  const Tensor of_z = control(z), of_held = control(given_sample(task, z, answers));
  const Tensor terms = values + score_term(task.law.log_prob(answers), values - of_held) +
                       (of_z - stop_gradient(of_z)) - (of_held - stop_gradient(of_held));
  return {mean(terms, 0), values, {}};
}

}  // namespace likely::detail
