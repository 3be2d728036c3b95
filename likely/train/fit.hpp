// fit: the training loop, with progress, metrics, checkpoints and resumption.
//
//   auto result = train::fit(model, adam, {.train = train, .validation = held_out},
//                            [](auto& m, const data::Batch& b, const auto&... training) {
//                              return softmax_cross_entropy(m(b.x, training...), b.y);
//                            },
//                            {.epochs = 10, .batch = 100, .seed = 1,
//                             .metrics = {{"accuracy", train::accuracy}}, .out = "runs/mlp"});
//
// It is this loop, bit for bit, on any number of threads and however often it is interrupted and resumed:
//
//   Rng rng(seed);
//   const Rng order = rng.split(), noise = rng.split();
//   for (std::int64_t epoch = 0, n = 0; epoch < epochs; ++epoch) {
//     for (const data::Batch& batch : train.batches(size, order.fold_in(epoch))) {
//       const auto [value, gradient] = value_and_grad(
//           model, [&](Model& m) { return loss(m, batch, Training(noise.fold_in(n))); });
//       adam.step(model, gradient);
//       ++n;
//     }
//   }
#pragma once

#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include "likely/train/gradient_learner.hpp"
#include "likely/train/options.hpp"

namespace likely::train {

// What a training came to. The model that was handed to fit is as the last step left it.
template <class Model>
struct FitResult {
  Model best;  // as it was after the epoch that was the best by what is monitored; else as it is at the end
  double best_value = 0.0;             // NaN where nothing is monitored
  std::int64_t best_epoch = 0;         // counted from 1; 0 where nothing is monitored
  std::vector<EpochReport> history{};  // of all epochs, also those before a resumption
  Stopped stopped = Stopped::finished;
  std::int64_t epochs = 0;  // begun
  std::int64_t steps = 0;
};

// Trains a model. The loss gives one number. In a step it is called as loss(model, batch, training): layers
// that are handed `training` drop units and take the statistics of the batch. On validation data, and in
// steps if it takes no `training`, it is called as loss(model, batch). One that is written with `const
// auto&... training`, as above, can do both; one that only knows training leaves the validation to the
// metrics.
//
// Refuses, before the first step: a loss that takes no training for a model with layers that depend on it
// (one that takes it and leaves it unused trains without, and says so); options out of range, an empty
// dataset, a run folder that cannot be written, has no room, is in use, or holds another run; in the first, a
// loss that uses none of the model's parameters. A loss or
// gradient that is not finite ends the training: the step is made again under the tracer
// (autodiff/trace.hpp), the Error (a NotFinite) names the operation, the layer and the step, the model is
// left as it was before the step, and the last checkpoint stays.
//
// An optimizer that evaluates the loss itself (Lbfgs, GradientDescent) works on all of the data: each step is
// one of its iterations, on one batch that holds all rows, whatever `batch` says; where it finds no better
// place, the training has converged. It cannot clip or accumulate.
template <Tree Model, class Optimizer, class Loss>
FitResult<Model> fit(Model& model, Optimizer& optimizer, const Data& data, Loss&& loss,
                     const std::type_identity_t<FitOptions<Model>>& options) {
  constexpr bool kAllRows = detail::StepsByLoss<Optimizer, Model>;
  detail::GradientLearner<Model, Optimizer, std::remove_reference_t<Loss>, data::Batch> learner(
      model, optimizer, loss, detail::feed_of(data, detail::sizes_of(options), kAllRows), options,
      detail::facts_of(data, detail::sizes_of(options)));
  return detail::fit_learner(learner, detail::measured_feeds(data, options.batch), options);
}

// The same for batches of another type: loss(model, batch, training) and metrics are handed them as the feed
// makes them. How many rows a batch has, by which losses are averaged over an epoch, is batch.size() where
// there is one, and else the first dimension of its first tensor. batch, shuffle, drop_last and prefetch are
// the feed's own affair.
template <Tree Model, class Optimizer, Tree BatchType, class Loss>
FitResult<Model> fit(Model& model, Optimizer& optimizer, const Feeds<BatchType>& feeds, Loss&& loss,
                     const std::type_identity_t<FitOptions<Model, BatchType>>& options) {
  detail::GradientLearner<Model, Optimizer, std::remove_reference_t<Loss>, BatchType> learner(
      model, optimizer, loss, feeds.train, options, detail::facts_of(feeds.train.batches()));
  return detail::fit_learner(learner, feeds, options);
}

}  // namespace likely::train
