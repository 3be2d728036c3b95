// run: trains whatever can make a step: two players, agents, chains, committees.
//
//   struct Gan {                                           // a learner is a plain struct
//     Generator generator; Critic critic;
//     optim::Adam generator_adam, critic_adam;
//     train::Losses step(const data::Batch& real, const Training& training) {
//       const Tensor fake = generator(training.split().normal({real.size(), 8}));
//       const double critic_loss = train::descend(critic, critic_adam, [&](Critic& c) { ... });
//       const double generator_loss = train::descend(generator, generator_adam, [&](Generator& g) { ... });
//       return {{"critic", critic_loss}, {"generator", generator_loss}};
//     }
//     LIKELY_PARTS(generator, critic, generator_adam, critic_adam)   // what a checkpoint holds
//   };
//   auto result = train::run(gan, {.data = data::feed(digits, {.batch = 64}), .steps = 20'000,
//                                  .out = "runs/gan"});
//
// It has what fit has: progress, metrics, early stopping, schedules, checkpoints, Ctrl-C, and the same bits
// however often it is interrupted and resumed.
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <type_traits>
#include <typeinfo>
#include <utility>
#include <vector>

#include "likely/nn/trained_layers.hpp"
#include "likely/nn/training.hpp"
#include "likely/train/any_learner.hpp"
#include "likely/train/descend.hpp"
#include "likely/train/losses.hpp"
#include "likely/train/option_values.hpp"
#include "likely/train/options.hpp"
#include "likely/train/rows_of.hpp"
#include "likely/train/slots.hpp"
#include "likely/train/watch_learner.hpp"
#include "likely/tree/misfit.hpp"
#include "likely/tree/nodes.hpp"

namespace likely::train {

namespace detail {

struct NoBatch {};  // of a learner that is fed with nothing

// Metrics draw from keys of their own.
inline constexpr std::uint64_t kMeasuringKey = 0x6d65617375726564;
// Refuses data for a learner that takes none, and none for one that does.
void check_fed(bool takes_batches, bool has_data);
// Refuses a first step that left its Training alone, though the learner has a layer that does something else
// in training.
void check_used(const Training& training, const std::string& trained_layer);

// What the arguments of L::step are.
template <class Step>
struct StepForm {
  static constexpr bool kKnown = false;
  using BatchType = NoBatch;
};
template <class L, class Result, class... Arguments>
struct StepOf {
  static constexpr bool kKnown = std::is_void_v<Result> || std::is_same_v<Result, Losses>;
  static constexpr bool kFed = false;
  static constexpr bool kNumbered = false;
  using BatchType = NoBatch;
};
template <class L, class Result>
struct StepForm<Result (L::*)(const Training&)> : StepOf<L, Result> {};
template <class L, class Result>
struct StepForm<Result (L::*)(const Training&, std::int64_t)> : StepOf<L, Result> {
  static constexpr bool kNumbered = true;
};
template <class L, class Result, class Fed>
struct StepForm<Result (L::*)(const Fed&, const Training&)> : StepOf<L, Result> {
  static constexpr bool kFed = true;
  using BatchType = Fed;
};
template <class L, class Result, class Fed>
struct StepForm<Result (L::*)(const Fed&, const Training&, std::int64_t)> : StepOf<L, Result> {
  static constexpr bool kFed = true;
  static constexpr bool kNumbered = true;
  using BatchType = Fed;
};

// An optimizer, to whoever sets its rate.
template <class Node>
concept HasRate = requires(Node& node) {
  { node.options.lr } -> std::same_as<double&>;
};

// One that counts its steps.
template <class Node>
concept CountsSteps = HasRate<Node> && requires(Node& node) {
  { node.steps } -> std::same_as<Buffer&>;
};

template <class L>
using FormOf = StepForm<decltype(&L::step)>;

}  // namespace detail

// A struct with LIKELY_PARTS and one function `step`, which makes one step and tells its losses:
//
//   train::Losses step(const B& batch, const Training& training);     // B: data::Batch, or any tree of
//   tensors train::Losses step(const Training& training);                     // without data
//
// It may return nothing (void), and may take the number of the step, counted from 0, as a last argument:
// std::int64_t. Whatever it draws comes from training.split(). Its parts are its state: models, optimizers,
// averages, chains, replay buffers, counts (a Buffer). What is not a part is as the program made it when a
// training is resumed, so it must not change.
template <class L>
concept Learner = Tree<L> && requires {
  &L::step;
} && detail::FormOf<L>::kKnown;

// What run measures after an epoch: f(learner) or f(learner, rng), one number, and whether higher is better:
// {"error", error_of, false}. The key is the same after every epoch.
template <class L>
struct LearnerMetric {
  std::string name;
  std::function<double(const L&, Rng)> of;
  std::optional<bool> higher_is_better;

  template <class Function>
  LearnerMetric(std::string called, Function function, std::optional<bool> higher = std::nullopt)
      : name(std::move(called)), higher_is_better(higher) {
    if constexpr (std::is_invocable_v<Function&, const L&, Rng>) {
      of = [f = std::move(function), label = name](const L& learner, Rng rng) {
        return detail::one_number("run", label, f(learner, rng));
      };
    } else {
      static_assert(std::is_invocable_v<Function&, const L&>,
                    "a metric is called as metric(learner) or metric(learner, rng)");
      of = [f = std::move(function), label = name](const L& learner, Rng) {
        return detail::one_number("run", label, f(learner));
      };
    }
  }
};

// Refused before anything is trained: what FitOptions refuses; data for a learner that takes none, or none
// for one that takes them; a schedule for something that is no optimizer of the learner; patience without
// something to monitor.
template <Learner L>
struct RunOptions {
  using BatchType = typename detail::FormOf<L>::BatchType;

  std::optional<data::Feed<BatchType>> data{};  // what it is fed with, where step takes a batch
  std::int64_t epochs = 0;                      // how long: what is reached first; 0 is no limit
  std::int64_t steps = 0;
  std::int64_t steps_per_epoch = 100;  // of a learner without data; one with data has the feed's
  std::uint64_t seed = 0;
  // The learning rates of steps, counted from 0, by the name of the optimizer: {"critic_adam", cosine(...)}.
  // An optimizer is whatever part has options.lr. Without a schedule each keeps its own.
  std::map<std::string, optim::Schedule> schedules{};

  std::vector<LearnerMetric<L>> metrics{};
  // What decides which state is the best: a metric that says whether higher is better, or a loss of the
  // learner (lower is better). Empty: the first such metric; where there is none, the last state counts as
  // the best.
  std::string monitor{};
  std::int64_t patience = 0;  // stop after so many epochs without a better one; 0 is never

  std::function<void(StepReport&)> on_step{};
  std::function<void(EpochReport&)> on_epoch{};

  std::filesystem::path out{};  // the run folder; empty: nothing is written
  bool resume = false;          // continue what the run folder holds, or begin where it holds nothing
  // A checkpoint is written as FitOptions says.
  double checkpoint_seconds = 10.0;
  std::int64_t checkpoint_every = 0;
  std::int64_t log_every = 0;                  // also write a line of metrics after so many steps each
  bool figures = true;                         // draw the losses into the run folder at the end
  std::map<std::string, std::string> notes{};  // what else config.json should hold
  Progress progress = Progress::automatic;     // what is shown on the standard error
  EventSink events{};                          // hears everything that happens (events.hpp)
  bool catch_interrupt = true;  // SIGINT and SIGTERM end the step, save and stop; a second one kills
};

namespace detail {

// What of a learner is kept as the best: result(), where it has one, else all of it.
template <class L>
auto result_of(const L& learner) {
  if constexpr (requires { learner.result(); }) {
    return std::remove_cvref_t<decltype(learner.result())>(learner.result());
  } else {
    return L(learner);
  }
}

template <class L>
class OwnLearner final : public AnyLearner {
 public:
  using Form = FormOf<L>;
  using BatchType = typename Form::BatchType;
  using Result = decltype(result_of(std::declval<const L&>()));

  OwnLearner(L& learner, const RunOptions<L>& options)
      : learner_(learner),
        feed_(options.data),
        steps_per_epoch_(options.steps_per_epoch),
        best_(result_of(learner)) {
    check_fed(Form::kFed, feed_.has_value());
    check_at_least("run", "steps_per_epoch", steps_per_epoch_, 1);
  }

  const char* caller() const override { return "run"; }
  const char* described() const override { return "the learner"; }
  bool counts_rows() const override { return Form::kFed; }
  std::vector<Fact> facts() const override {
    std::vector<Fact> all{{"batches", batches()}, {"learner", readable_type(typeid(L).name())}};
    for_each_node(learner_, [&](const std::string& name, auto& node) {
      if constexpr (requires { node.groups_text(); }) add_fact(all, {name + ".groups", node.groups_text()});
      if constexpr (requires { add_average(all, name, &node.options); })
        add_average(all, name + ".", &node.options);
      if constexpr (requires { add_plateau(all, name, &node.options); })
        add_plateau(all, name + ".", &node.options);
    });
    return all;
  }

  std::int64_t batches() const override { return feed_ ? feed_->batches() : steps_per_epoch_; }
  void open_epoch(const Rng& key, std::int64_t first_batch) override {
    if (feed_) next_ = feed_->open(key, first_batch);
  }
  void close_epoch() override { next_ = {}; }
  StepMade step(const StepPlace& place) override {
    const Training training(place.noise.fold_in(static_cast<std::uint64_t>(place.batches_before)));
    StepMade made;
    std::optional<WatchLearner> watch;
    if (!looked_) watch.emplace(&learner_, sizeof(L), addresses_of(learner_));
    if constexpr (Form::kFed) {
      const BatchType batch = next_();
      made.rows = rows_of(batch);
      made.losses = made_by(place, batch, training);
    } else {
      made.losses = made_by(place, training);
    }
    if (!looked_) check_used(training, nn::first_trained_layer(learner_));
    looked_ = true;
    return made;
  }

  // Looked for each time: a step may make optimizers, and move those that were there.
  std::vector<Rate> rates() override {
    std::vector<Rate> rates;
    for_each_node(learner_, [&](const std::string& name, auto& node) {
      if constexpr (HasRate<std::remove_reference_t<decltype(node)>>)
        rates.push_back({name, &node.options.lr, values_beside_rate(node.options)});
    });
    return rates;
  }
  std::vector<Slot> slots() override {
    std::vector<Slot> slots = slots_of(learner_, "");
    const std::vector<Rate> rates = this->rates();
    for (Slot& slot : slots) {
      for (const Rate& rate : rates) {
        if (!slot.name.starts_with(rate.name + ".")) continue;
        slot.of_model = false;
        slot.comes_later = true;
      }
      slot.may_grow = !slot.learned && !slot.comes_later;
    }
    return slots;
  }
  std::vector<Slot> best_slots() override { return slots_of(best_, ""); }
  void keep_best() override { best_ = result_of(learner_); }
  std::string misfit() const override { return likely::misfit(learner_); }
  std::string best_misfit() const override { return likely::misfit(best_); }
  std::string missing_state() const override { return {}; }
  std::vector<StepCounts> step_counts() const override {
    std::vector<StepCounts> all;
    for_each_node(learner_, [&](const std::string& name, auto& node) {
      if constexpr (CountsSteps<std::remove_reference_t<decltype(node)>>)
        add_step_counts(all, name + ".steps", node.steps.template to_vector<std::int64_t>(), false);
    });
    return all;
  }

  Result take_best() { return std::move(best_); }

 private:
  template <class... Arguments>
  Losses made_by(const StepPlace& place, const Arguments&... arguments) {
    const auto call = [&]() -> decltype(auto) {
      return naming_layers(learner_, [&]() -> decltype(auto) {
        if constexpr (Form::kNumbered) {
          return learner_.step(arguments..., place.step);
        } else {
          return learner_.step(arguments...);
        }
      });
    };
    if constexpr (std::is_void_v<decltype(call())>) {
      call();
      return {};
    } else {
      return call();
    }
  }

  L& learner_;
  std::optional<data::Feed<BatchType>> feed_;
  typename data::Feed<BatchType>::Next next_;
  std::int64_t steps_per_epoch_;
  Result best_;
  bool looked_ = false;  // at what a step does
};

}  // namespace detail

// What a training came to. The learner that was handed to run is as the last step left it.
template <Learner L>
struct RunResult {
  // learner.result(), where it has such a function, else the whole learner, as it was after the best epoch.
  typename detail::OwnLearner<L>::Result best;
  double best_value = 0.0;             // NaN where nothing was monitored
  std::int64_t best_epoch = 0;         // counted from 1; 0: nothing was monitored
  std::vector<EpochReport> history{};  // of all epochs, also those before a resumption
  Stopped stopped = Stopped::finished;
  std::int64_t epochs = 0;  // begun
  std::int64_t steps = 0;
};

// Trains a learner. A loss that is not finite ends the training with an Error that names it and the step;
// where it was found by descend, also the operation and the layer that made it.
template <Learner L>
RunResult<L> run(L& learner, const std::type_identity_t<RunOptions<L>>& options) {
  detail::OwnLearner<L> own(learner, options);
  const Rng measuring = Rng(options.seed).fold_in(detail::kMeasuringKey);
  std::vector<detail::Measure> measures;
  for (const LearnerMetric<L>& metric : options.metrics) {
    const auto of = [&] { return naming_layers(learner, [&] { return metric.of(learner, measuring); }); };
    measures.push_back({metric.name, of, metric.higher_is_better});
  }
  detail::Outcome outcome = detail::train_learner(
      own, detail::loop_options_of(options, options.schedules, nullptr), measures, MeasuredOn::by_learner);
  return detail::result_from<RunResult<L>>(own.take_best(), std::move(outcome));
}

}  // namespace likely::train
