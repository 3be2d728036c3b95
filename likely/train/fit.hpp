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
#include <optional>
#include <string>
#include <type_traits>
#include <typeinfo>
#include <utility>
#include <vector>

#include "likely/autodiff/gradient.hpp"
#include "likely/core/place.hpp"
#include "likely/nn/trained_layers.hpp"
#include "likely/nn/training.hpp"
#include "likely/train/learner.hpp"
#include "likely/train/loss_form.hpp"
#include "likely/train/metrics.hpp"
#include "likely/train/options.hpp"
#include "likely/tree/misfit.hpp"
#include "likely/tree/tree.hpp"

namespace likely::train {

// What a training came to. The model that was handed to fit is as the last step left it.
template <class Model>
struct FitResult {
  Model best;  // as it was after the epoch that was the best by what is monitored
  double best_value = 0.0;
  std::int64_t best_epoch = 0;         // counted from 1
  std::vector<EpochReport> history{};  // of all epochs, also those before a resumption
  Stopped stopped = Stopped::finished;
  std::int64_t epochs = 0;  // begun
  std::int64_t steps = 0;
};

namespace detail {

template <class Optimizer, class Model>
concept StepsBy = requires(Optimizer& optimizer, Model& model, const Model& gradient) {
  optimizer.step(model, gradient);
  optimizer.options.lr = 0.1;
};

template <Tree T>
void add_slots(std::vector<Slot>& slots, const std::string& prefix, T& tree) {
  for_each_named_leaf(tree, [&](const std::string& name, Tensor& tensor, PartKind kind) {
    slots.push_back({prefix + name, &tensor, kind != PartKind::buffer});
  });
}
template <Tree T>
std::vector<Slot> slots_of(T& tree) {
  std::vector<Slot> slots;
  add_slots(slots, "", tree);
  return slots;
}

template <class Model, class Optimizer, class Loss>
class LearnerOf final : public Learner {
 public:
  LearnerOf(Model& model, Optimizer& optimizer, Loss& loss, const FitOptions<Model>& options)
      : model_(model),
        optimizer_(optimizer),
        loss_(loss),
        average_(options.average),
        plateau_(options.plateau),
        best_(model) {
    for (const Slot& slot : slots_of(model)) learnable_.push_back(slot.learned);
  }

  Tensor differentiate(const data::Batch& batch, const Training& training) override {
    auto result = value_and_grad(model_, [&](Model& model) -> Tensor {
      if constexpr (std::is_invocable_v<Loss&, Model&, const data::Batch&, const Training&>) {
        return loss_(model, batch, training);
      } else {
        return loss_(model, batch);
      }
    });
    gradient_ = std::move(result.gradient);
    return std::move(result.value);
  }
  std::vector<Tensor*> gradient() override {
    const std::vector<Tensor*> parts = likely::detail::leaf_pointers(model_);
    const std::vector<Tensor*> gradients = likely::detail::leaf_pointers(*gradient_);
    std::vector<Tensor*> learned;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if (learnable_[i] && !parts[i]->frozen()) learned.push_back(gradients[i]);
    }
    return learned;
  }
  void step() override {
    optimizer_.step(model_, *gradient_);
    gradient_.reset();
    if (average_ != nullptr) average_->update(model_);
  }

  double learning_rate() const override { return optimizer_.options.lr; }
  void set_learning_rate(double lr) override { optimizer_.options.lr = lr; }

  std::vector<Slot> model_slots() override { return slots_of(model_); }
  std::vector<Slot> state_slots() override {
    std::vector<Slot> slots;
    add_slots(slots, "optimizer.", optimizer_);
    for (Slot& slot : slots) slot.comes_later = true;
    if (average_ != nullptr) {
      add_slots(slots, "average.model.", average_->model);
      slots.push_back({"average.updates", &average_->updates, false});
    }
    if (plateau_ != nullptr) add_slots(slots, "plateau.", *plateau_);
    return slots;
  }
  std::vector<Slot> best_slots() override { return slots_of(best_); }
  void keep_best() override { best_ = measured(); }
  std::string misfit() const override {
    std::string wrong = prefixed("model.", likely::misfit(model_));
    if (wrong.empty()) wrong = prefixed("optimizer.", likely::misfit(optimizer_));
    if (wrong.empty() && average_ != nullptr) wrong = prefixed("average.", likely::misfit(*average_));
    if (wrong.empty() && plateau_ != nullptr) wrong = prefixed("plateau.", likely::misfit(*plateau_));
    return wrong;
  }
  std::string best_misfit() const override { return likely::misfit(best_); }

  std::string model_type() const override { return readable_type(typeid(Model).name()); }
  std::string optimizer_type() const override { return readable_type(typeid(Optimizer).name()); }

  // What predicts: the average, where there is one.
  Model& measured() { return average_ != nullptr ? average_->model : model_; }
  Model take_best() { return std::move(best_); }

 private:
  static std::string prefixed(const char* prefix, const std::string& wrong) {
    return wrong.empty() ? wrong : prefix + wrong;
  }

  Model& model_;
  Optimizer& optimizer_;
  Loss& loss_;
  optim::Average<Model>* average_;
  optim::Plateau* plateau_;
  Model best_;
  std::optional<Model> gradient_;
  std::vector<bool> learnable_;  // of the model's leaves: not a buffer
};

template <class Model>
Settings settings_of(const FitOptions<Model>& o) {
  return {.epochs = o.epochs,
          .steps = o.steps,
          .batch = o.batch,
          .seed = o.seed,
          .shuffle = o.shuffle,
          .drop_last = o.drop_last,
          .prefetch = o.prefetch,
          .accumulate = o.accumulate,
          .schedule = o.schedule,
          .plateau = o.plateau,
          .clip_norm = o.clip_norm,
          .monitor = o.monitor,
          .patience = o.patience,
          .on_step = o.on_step,
          .on_epoch = o.on_epoch,
          .out = o.out,
          .resume = o.resume,
          .checkpoint_seconds = o.checkpoint_seconds,
          .checkpoint_every = o.checkpoint_every,
          .log_every = o.log_every,
          .figures = o.figures,
          .notes = o.notes,
          .progress = o.progress,
          .catch_interrupt = o.catch_interrupt};
}

}  // namespace detail

// Trains a model. The loss gives one number. In a step it is called as loss(model, batch, training): layers
// that are handed `training` drop units and take the statistics of the batch. On validation data, and in
// steps if it takes no `training`, it is called as loss(model, batch). One that is written with `const
// auto&... training`, as above, can do both; one that only knows training leaves the validation to the
// metrics.
//
// Refuses, before the first step: a loss that takes no training for a model with layers that depend on it
// (one that takes it and leaves it unused trains without, and says so); options out of range, an empty
// dataset, a run folder that cannot be written, has no room, is in use, or holds another run. A loss or
// gradient that is not finite ends the training: the step is made again under the tracer
// (autodiff/trace.hpp), the Error names the operation, the layer and the step, the model is left as it was
// before the step, and the last checkpoint stays.
template <Tree Model, class Optimizer, class Loss>
FitResult<Model> fit(Model& model, Optimizer& optimizer, const Data& data, Loss&& loss,
                     const std::type_identity_t<FitOptions<Model>>& options) {
  using PlainLoss = std::remove_reference_t<Loss>;
  constexpr bool kTrains = std::is_invocable_v<PlainLoss&, Model&, const data::Batch&, const Training&>;
  constexpr bool kMeasures = std::is_invocable_v<PlainLoss&, Model&, const data::Batch&>;
  static_assert(kTrains || kMeasures,
                "the loss is called as loss(model, batch, training) or loss(model, batch): Model&, const "
                "data::Batch&, const Training&");
  static_assert(detail::StepsBy<Optimizer, Model>, "an optimizer has step(model, gradient) and options.lr");
  if constexpr (!kTrains) detail::check_takes_training(nn::first_trained_layer(model));

  detail::LearnerOf<Model, Optimizer, PlainLoss> learner(model, optimizer, loss, options);
  std::vector<detail::Measure> measures;
  if constexpr (kMeasures) {
    if (data.validation)
      measures.push_back({"loss",
                          [&](const data::Batch& batch) -> Tensor {
                            return naming_layers(learner.measured(),
                                                 [&] { return loss(learner.measured(), batch); });
                          },
                          false});
  }
  for (const Metric<Model>& metric : options.metrics) {
    measures.push_back({metric.name,
                        metric.of
                            ? [&](const data::Batch& batch) {
                                return naming_layers(learner.measured(), [&] {
                                  return metric.of(learner.measured(), batch);
                                });
                              }
                            : std::function<Tensor(const data::Batch&)>(),
                        metric.higher_is_better});
  }
  detail::Outcome outcome = detail::run(learner, data, detail::settings_of(options), measures);
  return {.best = learner.take_best(),
          .best_value = outcome.best_value,
          .best_epoch = outcome.best_epoch,
          .history = std::move(outcome.history),
          .stopped = outcome.stopped,
          .epochs = outcome.epochs,
          .steps = outcome.steps};
}

}  // namespace likely::train
