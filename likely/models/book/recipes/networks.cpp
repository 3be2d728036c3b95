// Recipes of the networks of chapters 3 to 5: one input or two, so that the fit can be looked at.
#include "likely/models/book/chapter_03/networks.hpp"
#include "likely/core/error.hpp"
#include "likely/data/textbook.hpp"
#include "likely/data/toy.hpp"
#include "likely/models/book/recipes/data.hpp"
#include "likely/models/recipes.hpp"

namespace likely::models {

using namespace runs;  // NOLINT(google-build-using-namespace)

namespace {

constexpr Activation kActivations[] = {Activation::relu, Activation::tanh, Activation::sigmoid,
                                       Activation::gelu, Activation::silu};

Setting activation_setting() {
  std::vector<std::string> names;
  for (const Activation activation : kActivations) names.emplace_back(name_of(activation));
  return word_setting("activation", "relu", "of the hidden units", names);
}

Activation chosen_activation(const Run& run) {
  for (const Activation activation : kActivations) {
    if (name_of(activation) == run.settings.text("activation")) return activation;
  }
  throw Error("there is no activation \"" + run.settings.text("activation") + "\"");
}

// Generated inputs lie in [low, high]; the joints of the hidden units start there.
book::ShallowNetwork shallow(const Run& run, std::int64_t inputs, std::int64_t outputs, double low, Rng rng) {
  return {inputs,
          run.settings.whole("units"),
          outputs,
          {.activation = chosen_activation(run), .joints_low = low, .joints_high = 1.0},
          rng};
}

book::DeepNetwork deep(const Run& run, std::int64_t inputs, std::int64_t outputs, double low, double high,
                       Rng rng) {
  const std::vector<std::int64_t> units(static_cast<std::size_t>(run.settings.whole("layers")),
                                        run.settings.whole("units"));
  return {inputs,
          units,
          outputs,
          {.activation = chosen_activation(run), .joints_low = low, .joints_high = high},
          rng};
}

std::vector<Setting> shallow_settings(const FitDefaults& defaults, std::int64_t rows, std::int64_t units) {
  return with(
      fit_settings(defaults),
      {rows_setting(rows), whole_setting("units", units, "hidden units", 1, 100'000), activation_setting()});
}

std::vector<Setting> deep_settings(const FitDefaults& defaults, std::int64_t rows, std::int64_t units,
                                   std::int64_t layers) {
  return with(fit_settings(defaults),
              {rows_setting(rows), whole_setting("layers", layers, "hidden layers", 1, 100),
               whole_setting("units", units, "hidden units a layer", 1, 10'000), activation_setting()});
}

data::Dataset piecewise(std::int64_t rows, Rng rng) {
  return data::piecewise_data(rows, rng, {.noise = 0.05});
}
data::Dataset uneven(std::int64_t rows, Rng rng) { return data::heteroscedastic_data(rows, rng); }
data::Dataset two_classes(std::int64_t rows, Rng rng) { return data::binary_data(rows, rng); }
data::Dataset waves(std::int64_t rows, Rng rng) { return data::gabor_data(rows, rng); }
data::Dataset half_moons(std::int64_t rows, Rng rng) { return data::moons(rows, rng, {.noise = 0.15}); }
data::Dataset three_spirals(std::int64_t rows, Rng rng) { return data::spirals(rows, rng, {.classes = 3}); }

}  // namespace

Recipe shallow_regression_recipe() {
  return supervised<book::ShallowNetwork>(
      {.name = "shallow-regression",
       .chapter = "3.1-3.12",
       .summary = "A shallow network learns a curve of straight pieces",
       .data = "a piecewise linear curve with noise",
       .data_help = kNumbersHelp,
       .expected = {{.figure = "test RMSE", .value = 0.05, .percent = false}},
       .seconds = 0.5,
       .settings = shallow_settings({.epochs = 300, .batch = 20, .lr = 5e-3}, 200, 20)},
      {.data = [](const Run& run, Rng rng) { return number_splits(run, rng, piecewise); },
       .model = [](const Run& run, const Sizes& sizes,
                   Rng rng) { return shallow(run, sizes.input.size(), sizes.outputs, 0.0, rng); },
       .objective = regression()});
}

Recipe shallow_normal_recipe() {
  return supervised<book::ShallowNetwork>(
      {.name = "shallow-normal",
       .chapter = "5.14-5.15",
       .summary = "A shallow network predicts a mean and how far off it may be",
       .data = "a curve whose noise grows",
       .data_help = kNumbersHelp,
       .expected = {{.figure = "test within 2 sd", .value = 0.95}},
       .seconds = 0.5,
       .settings = shallow_settings({.epochs = 200, .batch = 50, .lr = 2e-2}, 1000, 30)},
      {.data = [](const Run& run, Rng rng) { return number_splits(run, rng, uneven); },
       .model = [](const Run& run, const Sizes& sizes,
                   Rng rng) { return shallow(run, sizes.input.size(), 2, 0.0, rng); },
       .objective = normal_regression(),
       .schedule = cosine_schedule});
}

Recipe shallow_binary_recipe() {
  return supervised<book::ShallowNetwork>(
      {.name = "shallow-binary",
       .chapter = "5.17-5.20",
       .summary = "A shallow network predicts the probability of a class",
       .data = "two classes on a line",
       .data_help = "CSV file: inputs, and the class 0 or 1 as the last column",
       .expected = {{.figure = "test accuracy", .value = 0.81}},
       .seconds = 0.5,
       .settings = shallow_settings({.epochs = 200, .batch = 50, .lr = 2e-2}, 1000, 30)},
      {.data = [](const Run& run, Rng rng) { return class_splits(run, rng, two_classes); },
       .model =
           [](const Run& run, const Sizes& sizes, Rng rng) {
             if (sizes.outputs > 2) throw Error(run.data.string() + ": the classes must be 0 and 1");
             return shallow(run, sizes.input.size(), 1, 0.0, rng);
           },
       .objective = binary_classification(),
       .schedule = cosine_schedule});
}

Recipe deep_regression_recipe() {
  return supervised<book::DeepNetwork>(
      {.name = "deep-regression",
       .chapter = "4.15",
       .summary = "A deep network learns waves that fade away",
       .data = "a Gabor function with noise",
       .data_help = kNumbersHelp,
       .expected = {{.figure = "test RMSE", .value = 0.1, .percent = false}},
       .seconds = 1,
       .settings = deep_settings({.epochs = 200, .batch = 50, .lr = 5e-3}, 1000, 60, 3)},
      {.data = [](const Run& run, Rng rng) { return number_splits(run, rng, waves); },
       .model = [](const Run& run, const Sizes& sizes,
                   Rng rng) { return deep(run, sizes.input.size(), sizes.outputs, -15.0, 15.0, rng); },
       .objective = regression(),
       .schedule = cosine_schedule});
}

Recipe moons_recipe() {
  return supervised<book::ShallowNetwork>(
      {.name = "moons",
       .chapter = "3.11, 5.24",
       .summary = "A shallow network tells two half-moons apart",
       .data = "two half-moons in the plane",
       .data_help = kClassesHelp,
       .expected = {{.figure = "test accuracy", .value = 0.98}},
       .seconds = 0.5,
       .settings = shallow_settings({.epochs = 100, .batch = 50, .lr = 1e-2}, 1000, 50)},
      {.data = [](const Run& run, Rng rng) { return class_splits(run, rng, half_moons); },
       .model = [](const Run& run, const Sizes& sizes,
                   Rng rng) { return shallow(run, sizes.input.size(), sizes.outputs, -1.0, rng); },
       .objective = classification()});
}

Recipe spirals_recipe() {
  return supervised<book::DeepNetwork>(
      {.name = "spirals",
       .chapter = "4.15, 5.24",
       .summary = "A deep network tells three spirals apart",
       .data = "three spirals in the plane",
       .data_help = kClassesHelp,
       .expected = {{.figure = "test accuracy", .value = 0.98}},
       .seconds = 1,
       .settings = deep_settings({.epochs = 100, .batch = 50, .lr = 3e-3}, 1500, 50, 3)},
      {.data = [](const Run& run, Rng rng) { return class_splits(run, rng, three_spirals); },
       .model = [](const Run& run, const Sizes& sizes,
                   Rng rng) { return deep(run, sizes.input.size(), sizes.outputs, -1.0, 1.0, rng); },
       .objective = classification(),
       .schedule = cosine_schedule});
}

}  // namespace likely::models
