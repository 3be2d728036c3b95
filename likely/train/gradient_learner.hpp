// The learner behind fit: one model, one optimizer, one loss. Only for train/.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <type_traits>
#include <typeinfo>
#include <utility>
#include <vector>

#include "likely/core/layer_error.hpp"
#include "likely/nn/trained_layers.hpp"
#include "likely/nn/training.hpp"
#include "likely/nn/untrained_calls.hpp"
#include "likely/optim/adam.hpp"
#include "likely/optim/plateau.hpp"
#include "likely/optim/sgd.hpp"
#include "likely/train/any_learner.hpp"
#include "likely/train/descend.hpp"
#include "likely/train/loss_form.hpp"
#include "likely/train/option_values.hpp"
#include "likely/train/rows_of.hpp"
#include "likely/train/slots.hpp"
#include "likely/tree/misfit.hpp"

namespace likely::train {

template <class Model>
struct FitResult;

namespace detail {

// What of the options says how rows become batches.
struct BatchSizes {
  std::int64_t batch;
  bool shuffle, drop_last;
  std::int64_t prefetch;
};
// What is learned from. Refuses sizes out of range, and data without rows. `all_rows`: in one batch and in
// their own order.
data::Feed<data::Batch> feed_of(const Data& data, const BatchSizes& sizes, bool all_rows);
// All of it as it is measured on: in its own order, and not augmented.
Feeds<data::Batch> measured_feeds(const Data& data, std::int64_t batch);
// What to say of the data. Those of the first read rows, and are asked for where something is kept alone.
using Facts = std::function<std::vector<Fact>()>;
Facts facts_of(const Data& data, const BatchSizes& sizes);
Facts facts_of(std::int64_t batches);
// An optimizer that evaluates the loss itself would fit the first batch, and call it converged.
void check_whole(std::int64_t batches);
void check_gradient_options(std::int64_t accumulate, double clip_norm, bool by_gradient);

// Gradients of several batches, weighted by their rows.
class GradientSum {
 public:
  void add(const std::vector<Tensor*>& gradient, std::int64_t rows);
  // Puts the mean in place of the gradient.
  void put_mean(const std::vector<Tensor*>& gradient) const;

 private:
  std::vector<Tensor> sums_;
  std::int64_t rows_ = 0;
};

template <class Model, class Optimizer, class Loss, class BatchType>
class GradientLearner final : public AnyLearner {
 public:
  static constexpr bool kTrains = std::is_invocable_v<Loss&, Model&, const BatchType&, const Training&>;
  static constexpr bool kMeasures = std::is_invocable_v<Loss&, Model&, const BatchType&>;
  static constexpr bool kByGradient = StepsByGradient<Optimizer, Model>;
  static_assert(kTrains || kMeasures,
                "the loss is called as loss(model, batch, training) or loss(model, batch): Model&, const "
                "data::Batch& (or what the feed gives), const Training&");
  static_assert(kByGradient || StepsByLoss<Optimizer, Model>,
                "an optimizer has step(model, gradient) and options.lr");

  GradientLearner(Model& model, Optimizer& optimizer, Loss& loss, data::Feed<BatchType> feed,
                  const FitOptions<Model, BatchType>& options, Facts facts)
      : model_(model),
        optimizer_(optimizer),
        loss_(loss),
        feed_(std::move(feed)),
        accumulate_(options.accumulate),
        clip_norm_(options.clip_norm),
        average_(options.average),
        plateau_(options.plateau),
        facts_(std::move(facts)),
        best_(model) {
    if constexpr (!kTrains)
      check_takes_training(nn::first_trained_layer(model), nn::unnamed_trained_layer(model));
    check_gradient_options(accumulate_, clip_norm_, kByGradient);
    if (!kByGradient) check_whole(feed_.batches());
  }

  const char* caller() const override { return "fit"; }
  const char* described() const override { return "the model and optimizer"; }
  bool tells_one_loss() const override { return true; }
  std::vector<Fact> facts() const override {
    std::vector<Fact> all = facts_();
    add_fact(all, {"accumulate", accumulate_});
    add_fact(all, {"clip_norm", clip_norm_});
    add_fact(all, {"optimizer", name_of<Optimizer>()});
    if constexpr (requires { optimizer_.groups_text(); }) add_fact(all, {"groups", optimizer_.groups_text()});
    add_average(all, "", average_ != nullptr ? &average_->options : nullptr);
    add_plateau(all, "", plateau_ != nullptr ? &plateau_->options : nullptr);
    add_fact(all, {"model", readable_type(typeid(Model).name()), false});
    return all;
  }

  std::int64_t batches() const override { return feed_.batches(); }
  std::int64_t batches_per_step() const override { return accumulate_; }
  void open_epoch(const Rng& key, std::int64_t first_batch) override { next_ = feed_.open(key, first_batch); }
  void close_epoch() override { next_ = {}; }

  StepMade step(const StepPlace& place) override {
    StepMade made;
    if constexpr (kByGradient) {
      made = step_by_gradient(place);
    } else {
      made = step_by_loss(place);
    }
    if (average_ != nullptr) average_->update(model_);
    return made;
  }

  std::vector<Rate> rates() override {
    return {{"", &optimizer_.options.lr, values_beside_rate(optimizer_.options)}};
  }

  std::vector<Slot> slots() override {
    std::vector<Slot> slots = slots_of(model_, "model.");
    add_state(slots, slots_of(optimizer_, "optimizer."), true);
    if (average_ != nullptr) add_state(slots, slots_of(*average_, "average."), false);
    if (plateau_ != nullptr) add_state(slots, slots_of(*plateau_, "plateau."), false);
    return slots;
  }
  std::string_view model_prefix() const override { return "model."; }
  std::vector<Slot> best_slots() override { return slots_of(best_, ""); }
  void keep_best() override { best_ = measured(); }
  std::string misfit() const override {
    std::string wrong = prefixed("model.", likely::misfit(model_));
    if (wrong.empty()) wrong = prefixed("optimizer.", likely::misfit(optimizer_));
    if (wrong.empty() && average_ != nullptr) wrong = prefixed("average.", likely::misfit(*average_));
    if (wrong.empty() && plateau_ != nullptr) wrong = prefixed("plateau.", likely::misfit(*plateau_));
    return wrong;
  }
  std::string best_misfit() const override { return likely::misfit(best_); }
  std::string missing_state() const override {
    const std::vector<bool> learned = learned_now();
    if constexpr (requires { optimizer_.missing_state(learned); })
      return prefixed("optimizer.", optimizer_.missing_state(learned));
    return {};
  }
  std::vector<StepCounts> step_counts() const override {
    std::vector<StepCounts> all;
    const std::vector<bool> learned = learned_now();
    if constexpr (requires { optimizer_.steps_made(learned); })
      add_step_counts(all, "optimizer.steps", optimizer_.steps_made(learned));
    if (average_ != nullptr)
      add_step_counts(all, "average.updates", average_->updates.template to_vector<std::int64_t>());
    return all;
  }

  // What predicts: the average, where there is one.
  Model& measured() { return average_ != nullptr ? average_->model : model_; }
  Model take_best() { return std::move(best_); }
  // The loss of what predicts, on a batch.
  Tensor measured_loss(const BatchType& batch) requires kMeasures {
    return naming_layers(measured(), [&]() -> Tensor { return loss_(measured(), batch); });
  }

 private:
  // The loss of one batch, with random keys made from one.
  struct LossOfBatch {
    Loss& loss;
    const BatchType& batch;
    Rng key;

    Tensor operator()(Model& model) const {
      if constexpr (kTrains) {
        return loss(model, batch, Training(key));
      } else {
        const nn::detail::UntrainedCalls calls(&model, sizeof(Model));
        Tensor result = loss(model, batch);
        if (calls.seen()) check_takes_training("", nn::kWholeModel);
        return result;
      }
    }
  };
  // Blames the batch before the model.
  class Function final : public DifferentiableLoss<Model, const LossOfBatch> {
   public:
    Function(Model& model, const LossOfBatch& loss)
        : DifferentiableLoss<Model, const LossOfBatch>(model, loss), batch_(loss.batch) {}
    std::string not_finite() override {
      const std::string part = first_not_finite(batch_);
      if (!part.empty()) return "the batch's " + part;
      return DifferentiableLoss<Model, const LossOfBatch>::not_finite();
    }

   private:
    const BatchType& batch_;
  };

  // A name of its own tells more than what an alias stands for.
  template <class T>
  static std::string name_of() {
    if constexpr (requires { T::type_name(); }) {
      return T::type_name();
    } else {
      return readable_type(typeid(T).name());
    }
  }
  std::vector<bool> learned_now() const {
    std::vector<bool> learned;
    for_each_named_leaf(model_, [&](const std::string&, const Tensor& tensor, PartKind kind) {
      add_learned(learned, tensor, kind);
    });
    return learned;
  }
  Rng key_of(const StepPlace& place, std::int64_t batch) const {
    return place.noise.fold_in(static_cast<std::uint64_t>(place.batches_before + batch));
  }

  StepMade step_by_gradient(const StepPlace& place) requires kByGradient {
    const std::int64_t count = std::min(accumulate_, place.batches_left);
    GradientSum sum;
    double loss_sum = 0.0;
    StepMade made{.losses = {}, .rows = 0, .batches = count};
    for (std::int64_t i = 0; i < count; ++i) {
      const BatchType batch = next_();
      const LossOfBatch loss{loss_, batch, key_of(place, i)};
      Function function(model_, loss);
      const double value = differentiate_finitely(function, place.step);
      if (!looked_) function.check_dependence(caller());
      looked_ = true;
      const std::int64_t rows = rows_of(batch);
      loss_sum += value * static_cast<double>(rows);
      made.rows += rows;
      if (count > 1) sum.add(function.gradient(), rows);
      if (i + 1 < count) continue;
      if (count > 1) sum.put_mean(function.gradient());
      step_down(model_, optimizer_, function, clip_norm_);
    }
    made.losses = {{"loss", loss_sum / static_cast<double>(made.rows)}};
    return made;
  }

  StepMade step_by_loss(const StepPlace& place) requires(!kByGradient) {
    const BatchType batch = next_();
    const optim::Minimum found = optimizer_.step(model_, LossOfBatch{loss_, batch, key_of(place, 0)});
    return {.losses = {{"loss", found.loss}},
            .rows = rows_of(batch),
            .converged = found.converged || found.iterations == 0};
  }

  static std::string prefixed(const char* prefix, const std::string& wrong) {
    return wrong.empty() ? wrong : prefix + wrong;
  }

  Model& model_;
  Optimizer& optimizer_;
  Loss& loss_;
  data::Feed<BatchType> feed_;
  typename data::Feed<BatchType>::Next next_;
  std::int64_t accumulate_;
  double clip_norm_;
  optim::Average<Model>* average_;
  optim::Plateau* plateau_;
  Facts facts_;
  Model best_;
  bool looked_ = false;  // whether the loss uses the model
};

template <class Model, class BatchType>
BatchSizes sizes_of(const FitOptions<Model, BatchType>& o) {
  return {.batch = o.batch, .shuffle = o.shuffle, .drop_last = o.drop_last, .prefetch = o.prefetch};
}

// The mean over the rows of a feed.
template <class BatchType, class Function>
double mean_over(const std::string& name, const data::Feed<BatchType>& feed, Function&& of) {
  const auto next = feed.open(Rng(0));
  double total = 0.0;
  std::int64_t rows = 0;
  for (std::int64_t i = 0; i < feed.batches(); ++i) {
    const BatchType batch = next();
    const std::int64_t more = rows_of(batch);
    total += one_number("fit", name, of(batch)) * static_cast<double>(more);
    rows += more;
  }
  return total / static_cast<double>(rows);
}

template <class Model, class Optimizer, class Loss, class BatchType>
FitResult<Model> fit_learner(GradientLearner<Model, Optimizer, Loss, BatchType>& learner,
                             const Feeds<BatchType>& feeds, const FitOptions<Model, BatchType>& options) {
  const MeasuredOn on = feeds.validation ? MeasuredOn::validation
                        : feeds.test     ? MeasuredOn::test
                                         : MeasuredOn::training;
  const data::Feed<BatchType>& measured_on = feeds.validation ? *feeds.validation
                                             : feeds.test     ? *feeds.test
                                                              : feeds.train;
  std::vector<Measure> measures;
  if constexpr (GradientLearner<Model, Optimizer, Loss, BatchType>::kMeasures) {
    if (on != MeasuredOn::training) {
      const auto of = [&] {
        return mean_over("loss", measured_on,
                         [&](const BatchType& batch) { return learner.measured_loss(batch); });
      };
      add_measure(measures, {"loss", of, false});
    }
  }
  for (const Metric<Model, BatchType>& metric : options.metrics) {
    std::function<double()> of;
    if (metric.of) {
      of = [&] {
        return mean_over(metric.name, measured_on, [&](const BatchType& batch) {
          return naming_layers(learner.measured(), [&] { return metric.of(learner.measured(), batch); });
        });
      };
    }
    add_measure(measures, {metric.name, std::move(of), metric.higher_is_better});
  }
  const std::map<std::string, optim::Schedule> schedules = schedules_of(options.schedule);
  Outcome outcome =
      train_learner(learner, loop_options_of(options, schedules, options.plateau), measures, on);
  return result_from<FitResult<Model>>(learner.take_best(), std::move(outcome));
}

// What most trainings have is compiled once.
extern template std::vector<Slot> slots_of<optim::Plateau>(optim::Plateau& tree, const std::string& prefix);
extern template std::vector<Slot> slots_of<optim::Adam>(optim::Adam& tree, const std::string& prefix);
extern template std::vector<Slot> slots_of<optim::AdamW>(optim::AdamW& tree, const std::string& prefix);
extern template std::vector<Slot> slots_of<optim::Sgd>(optim::Sgd& tree, const std::string& prefix);

}  // namespace detail

}  // namespace likely::train

extern template std::string likely::misfit<likely::optim::Plateau>(const likely::optim::Plateau& tree);
extern template std::string likely::misfit<likely::optim::Adam>(const likely::optim::Adam& tree);
extern template std::string likely::misfit<likely::optim::AdamW>(const likely::optim::AdamW& tree);
extern template std::string likely::misfit<likely::optim::Sgd>(const likely::optim::Sgd& tree);
