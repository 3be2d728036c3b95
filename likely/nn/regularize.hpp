// Regularization (chapter 9) as terms that are added to a loss. All are functions of a model, and
// differentiable: write them inside the loss.
//
//   return loss + 1e-4 * nn::l2(m, "*.weight") - nn::log_prior(m, Normal(0.0, 1.0)) / examples;
//
// A pattern says which parameters count by their names (tree/name_pattern.hpp); frozen ones never do. All
// refuse a pattern that no parameter's name fits.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "likely/autodiff/gradient.hpp"
#include "likely/core/parts.hpp"
#include "likely/nn/training.hpp"
#include "likely/ops/arithmetic.hpp"
#include "likely/ops/reduce.hpp"

namespace likely::nn {

namespace detail {

bool fits(const std::string& name, std::string_view pattern);
void check_some(const char* caller, std::size_t count, std::string_view pattern);
Tensor sum_of_squares(const std::vector<Tensor>& parameters);
Tensor sum_of_sizes(const std::vector<Tensor>& parameters);
// sum over b of |g_b - mean g|^2 / B and |mean g|^2, for the gradients g_b of B batches.
struct Spread {
  Tensor mean_square;
  Tensor variance;
};
Spread gradient_spread(const std::vector<std::vector<Tensor>>& gradients);
void check_rate(const char* caller, double lr);
void check_stddev(const char* caller, double stddev);

template <Tree Model>
std::vector<Tensor> parameters_named(const char* caller, const Model& model, std::string_view pattern) {
  std::vector<Tensor> parameters;
  for_each_named_leaf(model, [&](const std::string& name, const Tensor& tensor, PartKind kind) {
    if (kind == PartKind::parameter && fits(name, pattern)) parameters.push_back(tensor);
  });
  check_some(caller, parameters.size(), pattern);
  return parameters;
}

}  // namespace detail

// sum_j phi_j^2 (9.5).
template <Tree Model>
Tensor l2(const Model& model, std::string_view pattern = "*") {
  return detail::sum_of_squares(detail::parameters_named("l2", model, pattern));
}

// sum_j |phi_j|, whose derivative at 0 is 0.
template <Tree Model>
Tensor l1(const Model& model, std::string_view pattern = "*") {
  return detail::sum_of_sizes(detail::parameters_named("l1", model, pattern));
}

// log Pr(phi) of independent parameters (9.4), for a prior with log_prob(tensor): added to the log-likelihood
// of all examples it gives the maximum a posteriori. A normal prior of variance s is l2 / (2 s), a Laplace
// prior l1, up to constants.
template <Tree Model, class Prior>
Tensor log_prior(const Model& model, const Prior& prior, std::string_view pattern = "*") {
  const std::vector<Tensor> parameters = detail::parameters_named("log_prior", model, pattern);
  Tensor total = sum(prior.log_prob(parameters[0]));
  for (std::size_t i = 1; i < parameters.size(); ++i) total = total + sum(prior.log_prob(parameters[i]));
  return total;
}

// (lr / 4) |dL / dphi|^2: what gradient descent with steps of length lr adds to the loss it follows, to
// second order (9.8). As an explicit term it lets a smaller lr do the same. `loss` is a function of the
// model; it is differentiated, and so is the result. Refuses lr < 0.
template <Tree Model, class Loss>
Tensor implicit_gd(const Model& model, const Loss& loss, double lr) {
  detail::check_rate("implicit_gd", lr);
  const std::vector<Tensor> gradient = likely::detail::parameters_of(grad(model, loss));
  detail::check_some("implicit_gd", gradient.size(), "*");
  return detail::sum_of_squares(gradient) * (lr / 4.0);
}

// (lr / 4) |dL / dphi|^2 + (lr / 4B) sum_b |dL_b / dphi - dL / dphi|^2, where L is the mean of the losses L_b
// of B batches: what stochastic gradient descent adds (9.9). Refuses no batches and lr < 0.
template <Tree Model, class Loss>
Tensor implicit_sgd(const Model& model, const std::vector<Loss>& batch_losses, double lr) {
  detail::check_rate("implicit_sgd", lr);
  std::vector<std::vector<Tensor>> gradients;
  for (const Loss& loss : batch_losses) {
    gradients.push_back(likely::detail::parameters_of(grad(model, loss)));
  }
  const detail::Spread spread = detail::gradient_spread(gradients);
  return (spread.mean_square + spread.variance) * (lr / 4.0);
}

// The model with normal noise of this standard deviation added to its parameters, for one training pass;
// gradients pass through to the model itself. Refuses a negative or infinite stddev.
template <Tree Model>
Model with_weight_noise(const Model& model, double stddev, const Training& training,
                        std::string_view pattern = "*") {
  detail::check_stddev("with_weight_noise", stddev);
  Model noisy = model;
  std::size_t count = 0;
  for_each_named_leaf(noisy, [&](const std::string& name, Tensor& tensor, PartKind kind) {
    if (kind != PartKind::parameter || !detail::fits(name, pattern)) return;
    ++count;
    tensor = tensor + training.split().normal(tensor.shape(), 0.0, stddev, tensor.dtype());
  });
  detail::check_some("with_weight_noise", count, pattern);
  return noisy;
}

// (1 - epsilon) one_hot(labels) + epsilon / classes: targets for softmax_cross_entropy that keep a network
// from being too sure. Refuses epsilon outside [0, 1] and labels outside [0, classes).
Tensor smooth_labels(const Tensor& labels, std::int64_t classes, double epsilon, DType dtype = DType::f32);

// Each label is replaced, with probability p, by one drawn evenly from all classes. Refuses p outside [0, 1]
// and labels outside [0, classes).
Tensor noisy_labels(const Tensor& labels, std::int64_t classes, double p, const Training& training);

}  // namespace likely::nn
