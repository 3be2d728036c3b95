// Recipes of models that map rows to outputs: see recipe.hpp for an example.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "likely/data/dataset.hpp"
#include "likely/io/model_file.hpp"
#include "likely/nn/sequential.hpp"
#include "likely/optim/adam.hpp"
#include "likely/optim/schedule.hpp"
#include "likely/runs/kept_model.hpp"
#include "likely/runs/objective.hpp"
#include "likely/runs/picture_folder.hpp"
#include "likely/runs/recipe.hpp"
#include "likely/train/fit.hpp"

namespace likely::runs {

// What is learned from and what is looked at, as in train::Data. Where there are validation data, the model
// that is best on them is kept; else the last one is.
struct Splits {
  data::Dataset train;
  std::optional<data::Dataset> validation{};
  std::optional<data::Dataset> test{};  // figures are taken on it, or on what there is
};

struct FitDefaults {
  std::int64_t epochs = 10;
  std::int64_t batch = 32;
  double lr = 1e-3;
};
// The settings that every such recipe has: epochs, batch and lr. Others that are obeyed where a recipe
// declares them: weight_decay, momentum and nesterov (by the optimizer), clip_norm (by fit), and patience (by
// fit, where there are validation data).
std::vector<Setting> fit_settings(const FitDefaults& defaults);

// Half a cosine from the setting lr down to 0: for Supervised::schedule.
optim::Schedule cosine_schedule(const Run& run, std::int64_t steps);

// What differs from recipe to recipe. The keys that are handed over are made from the run's seed.
template <Tree Model, class Optimizer = optim::Adam>
struct Supervised {
  std::function<Splits(const Run&, Rng)> data{};
  std::function<Model(const Run&, const Sizes&, Rng)> model{};  // before training
  Objective objective{};
  // Else one with the settings above.
  std::function<Optimizer(const Run&, const Model&)> optimizer{};
  // The rate of each of so many steps; else always lr.
  std::function<optim::Schedule(const Run&, std::int64_t steps)> schedule{};
  // Pictures besides the usual ones, such as filters.
  std::function<void(const Run&, const Model&, const Splits&, PictureFolder&)> pictures{};
  // What else to say of the trained model, in whole lines.
  std::function<std::string(const Run&, const Model&, const Splits&)> remarks{};
};

namespace detail {

// A trained model without its type, and what its recipe does with it.
struct Learned {
  Predictor predict{};
  std::function<void(const Splits&, PictureFolder&)> pictures{};
  std::function<std::string(const Splits&)> remarks{};
};

// What came of a training.
struct Fitted {
  train::Stopped stopped = train::Stopped::finished;
  std::int64_t epochs = 0;
  std::vector<train::EpochReport> history{};  // over all resumptions
  Learned learned{};                          // nothing where it was interrupted
};

// A Supervised without the types of its model and optimizer.
struct SupervisedParts {
  std::function<Splits(const Run&, Rng)> data;
  Objective objective;
  // Trains and leaves the model in run.out.
  std::function<Fitted(const Run&, const Splits&, const Sizes&, Rng)> fit;
  // What was left there.
  std::function<Learned(const Run&, const Sizes&)> load;
};

// The functions of a recipe, made of these.
Recipe complete(Recipe about, const SupervisedParts& parts);

// How many steps a training with these settings makes.
std::int64_t steps_of(const Run& run, const data::Dataset& train);

template <class Optimizer, Tree Model>
Optimizer optimizer_by_settings(const Model& model, const Settings& settings) {
  auto options = decltype(Optimizer::options){};
  options.lr = settings.number("lr");
  if constexpr (requires { options.momentum; })
    if (settings.has("momentum")) options.momentum = settings.number("momentum");
  if constexpr (requires { options.nesterov; })
    if (settings.has("nesterov")) options.nesterov = settings.flag("nesterov");
  if constexpr (requires { options.weight_decay; })
    if (settings.has("weight_decay")) options.weight_decay = settings.number("weight_decay");
  return Optimizer(model, options);
}

template <Tree Model, class Optimizer>
Learned learned_of(const Supervised<Model, Optimizer>& parts, const Run& run, Model trained) {
  const auto model = std::make_shared<const Model>(std::move(trained));
  return {
      .predict = [model](const Tensor& x) { return nn::forward(*model, x); },
      .pictures =
          [model, run, draw = parts.pictures](const Splits& splits, PictureFolder& pictures) {
            if (draw) draw(run, *model, splits, pictures);
          },
      .remarks = [model, run, remark = parts.remarks](
                     const Splits& splits) { return remark ? remark(run, *model, splits) : std::string(); }};
}

template <Tree Model, class Optimizer>
Fitted fit_and_keep(const Supervised<Model, Optimizer>& parts, const Run& run, const Splits& splits,
                    const Sizes& sizes, const Rng& rng) {
  const Settings& settings = run.settings;
  Model model = parts.model(run, sizes, rng);
  Optimizer optimizer =
      parts.optimizer ? parts.optimizer(run, model) : optimizer_by_settings<Optimizer>(model, settings);
  const Objective& objective = parts.objective;
  train::FitOptions<Model> options{.epochs = settings.whole("epochs"),
                                   .batch = settings.whole("batch"),
                                   .seed = run.seed,
                                   .out = run.out,
                                   .resume = run.resume,
                                   .figures = false,
                                   .progress = train::Progress::silent,
                                   .events = run.events};
  if (parts.schedule) options.schedule = parts.schedule(run, steps_of(run, splits.train));
  // Nothing is chosen by the test data, the time to stop neither.
  if (settings.has("patience") && splits.validation) options.patience = settings.whole("patience");
  if (settings.has("clip_norm")) options.clip_norm = settings.number("clip_norm");
  for (const OutputMetric& metric : objective.metrics) {
    options.metrics.push_back({metric.name,
                               [&metric](const Model& m, const data::Batch& batch) {
                                 return metric.of(nn::forward(m, batch.x), batch.y);
                               },
                               metric.higher_is_better});
  }
  // A model that the rows do not fit is refused here, before anything is written.
  const data::Batch first = splits.train.range(0, 1);
  objective.loss(nn::forward(std::as_const(model), first.x), first.y);
  auto result = train::fit(
      model, optimizer, {.train = splits.train, .validation = splits.validation, .test = splits.test},
      [&](auto& m, const data::Batch& batch, const auto&... training) {
        return objective.loss(nn::forward(m, batch.x, training...), batch.y);
      },
      options);
  Fitted fitted{.stopped = result.stopped, .epochs = result.epochs, .history = std::move(result.history)};
  if (result.stopped == train::Stopped::interrupted) return fitted;
  io::save(model_file(run), result.best, provenance(run, sizes));
  fitted.learned = learned_of(parts, run, std::move(result.best));
  return fitted;
}

}  // namespace detail

// Completes a recipe of which name, chapter, summary, data, figures and settings are given.
template <Tree Model, class Optimizer = optim::Adam>
Recipe supervised(const Recipe& about, const Supervised<Model, Optimizer>& parts) {
  return detail::complete(
      about, {.data = parts.data,
              .objective = parts.objective,
              .fit = [parts](const Run& run, const Splits& splits, const Sizes& sizes,
                             Rng rng) { return detail::fit_and_keep(parts, run, splits, sizes, rng); },
              .load =
                  [parts](const Run& run, const Sizes& sizes) {
                    Model model = parts.model(run, sizes, Rng(run.seed));
                    io::load(detail::model_file(run), model);
                    return detail::learned_of(parts, run, std::move(model));
                  }});
}

}  // namespace likely::runs
