// Mixture: one of several components, drawn by chance.
#pragma once

#include <utility>

#include "likely/autodiff/custom.hpp"
#include "likely/core/parts.hpp"
#include "likely/prob/distributions/categorical.hpp"

namespace likely {

namespace detail {

// The components of a mixture lie along one axis of their batch, the last. What is computed for each of them,
// (..., K) followed by `event_rank` axes, is put together here.
void check_mixture(const Categorical& weights, const Shape& components_batch);
// x with a place for the components before its event.
Tensor with_component_axis(const Tensor& x, int event_rank);
Tensor mixture_log_prob(const Categorical& weights, const Tensor& log_probs);
Tensor mixture_mean(const Categorical& weights, const Tensor& values, int event_rank);
Tensor mixture_variance(const Categorical& weights, const Tensor& means, const Tensor& variances,
                        int event_rank);
Tensor draw_components(const Categorical& weights, const Rng& rng, const Shape& shape, const Shape& batch);
// values[..., label, event] for each label.
Tensor pick_component(const Tensor& values, const Tensor& labels, int event_rank);

// x - (cdf - probability) / density: one step of Newton's method.
Tensor newton_step(const Tensor& x, const Tensor& cdf, const Tensor& probability, const Tensor& log_density);

// Numbers x drawn from a law, as functions of its parameters: with F(x) held. Each of Newton's steps changes
// nothing in the number, and doubles the order to which the derivatives are right: they are to the third.
template <class Law>
Tensor held_probability(const Law& law, Tensor x) {
  const Tensor probability = stop_gradient(law.cdf(x));
  for (int i = 0; i < 2; ++i) x = newton_step(x, law.cdf(x), probability, law.log_prob(x));
  return x;
}

}  // namespace detail

// sum over k of softmax(weights.logits)_k components_k(x) (5.35). The last axis of the components' batch
// counts them: Mixture(Categorical(logits (..., K)), Normal(means (..., K), scales (..., K))). The components
// may be any distribution: MultivariateNormal, Independent, Transformed, another mixture. Refuses weights
// whose batch does not broadcast to that of the components, and another number of classes than of components.
template <class Components>
class Mixture {
 public:
  Categorical weights;
  Components components;

  Mixture(Categorical weights_given, Components components_given)
      : weights(std::move(weights_given)), components(std::move(components_given)) {
    detail::check_mixture(weights, components.batch_shape());
  }

  Shape batch_shape() const {
    const Shape all = components.batch_shape();
    return all.sub(0, all.rank() - 1);
  }
  Shape event_shape() const { return components.event_shape(); }

  Tensor log_prob(const Tensor& x) const {
    return detail::mixture_log_prob(weights,
                                    components.log_prob(detail::with_component_axis(x, event_rank())));
  }
  // Draws from all components and takes one: K times the work of one.
  Tensor sample(Rng rng, const Shape& shape = {}) const {
    const Tensor labels = detail::draw_components(weights, rng.split(), shape, batch_shape());
    return detail::pick_component(components.sample(rng.split(), shape), labels, event_rank());
  }
  // For components of one number with a cdf: see detail::held_probability.
  Tensor rsample(Rng rng, const Shape& shape = {}) const requires detail::HasCdf<Components> {
    return detail::held_probability(*this, sample(rng, shape));
  }
  Tensor mean() const { return detail::mixture_mean(weights, components.mean(), event_rank()); }
  Tensor variance() const {
    return detail::mixture_variance(weights, components.mean(), components.variance(), event_rank());
  }
  Tensor cdf(const Tensor& x) const requires requires { components.cdf(x); }
  { return detail::mixture_mean(weights, components.cdf(detail::with_component_axis(x, 0)), 0); }

  LIKELY_PARTS(weights, components)

 private:
  int event_rank() const { return components.event_shape().rank(); }
};

}  // namespace likely
