// Recipe: something that `likely train NAME` can do, with its data, its settings and what it should reach.
//
// To add one, write a function that returns it, in a small file beside its model, and name that function in
// models/recipes.cpp. A model that maps rows to outputs needs nothing but its parts (supervised.hpp):
//
//   Recipe moons_recipe() {
//     return supervised<DeepNetwork>(
//         {.name = "moons",
//          .chapter = "4.15",
//          .summary = "A deep network tells two half-moons apart",
//          .data = "2,000 generated points",
//          .expected = {{.figure = "test accuracy", .value = 0.97}},
//          .seconds = 2,
//          .settings = with(fit_settings({.epochs = 20, .batch = 50, .lr = 3e-3}),
//                           {whole_setting("width", 50, "hidden units a layer")})},
//         {.data = [](const Run& run, Rng rng) -> Splits { ... },
//          .model = [](const Run& run, const Sizes& sizes, Rng rng) { return DeepNetwork(...); },
//          .objective = classification()});
//   }
//
// That gives it training with progress, checkpoints and resumption, evaluation, prediction for a user's
// rows, curves, confusion matrix and pictures of one- and two-dimensional fits. Anything else, such as an
// experiment, gives a Recipe its own functions; those it leaves empty are refused in one clear line.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "likely/core/tensor.hpp"
#include "likely/runs/settings.hpp"
#include "likely/train/options.hpp"

namespace likely::runs {

class PictureFolder;

// One training: enough to make it again. It is kept in the run folder as recipe.json.
struct Run {
  Settings settings;
  std::uint64_t seed = 1;
  std::filesystem::path data{};  // empty: the recipe's own
  std::filesystem::path out{};   // the run folder
  bool resume = false;           // go on with what the run folder holds
  train::EventSink events{};     // hears what happens (train/events.hpp)
};

enum class Better : std::uint8_t { higher, lower, neither };

// A number that says what was reached. Shares are kept as fractions and shown as percentages.
struct Measured {
  std::string name;  // "test accuracy"
  Better better;     // what to look for when settings are compared
  double value = 0.0;
  bool percent = false;
};

// What a classifier says about rows that it has not learned from: what calibration needs.
struct HeldOutLogits {
  std::string of;             // "test"
  Tensor logits{}, labels{};  // (rows, classes), (rows,) i64; logarithms of probabilities are logits, too
  std::vector<std::string> classes{};  // their names, where there are any
  std::vector<std::string> notes{};    // what was decided about the rows, a sentence each
};

// What came of a training or an evaluation.
struct Report {
  std::vector<Measured> figures{};
  std::vector<std::filesystem::path> pictures{};  // without their endings: each is there as .png and .svg
  std::vector<std::string> warnings{};            // such as pictures that could not be drawn
  std::vector<train::event::Sample> samples{};  // what the model makes, for those who watch (docs/events.md)
  std::vector<std::string> notes{};             // what was decided about the data, a sentence each
  std::string text{};                           // what else to print, such as a table
  // Of an evaluation of a classifier: what the figures were taken of.
  std::optional<HeldOutLogits> held_out{};
  // How far the probabilities can be believed, where somebody has measured that.
  std::vector<Measured> calibration{};
  std::int64_t epochs = 0;
  double seconds = 0.0;
  train::Stopped stopped = train::Stopped::finished;
  // Draws what there is to see, where a training leaves it to be done: pictures may take long, and come after
  // the report is kept.
  std::function<void(PictureFolder&)> draw{};
};

// One column of a prediction, a value for each row.
struct PredictionColumn {
  std::string name;
  Tensor values;                     // (rows,)
  std::vector<std::string> words{};  // where there are any, a value is the place of its word here
};
using Predictions = std::vector<PredictionColumn>;

// Predictions for the rows of a file.
struct Predicted {
  Predictions columns{};
  std::vector<std::string> notes{};  // what was decided about the rows, such as values that were filled in
};

// What a figure should be about.
struct Expected {
  std::string figure;  // "test accuracy"
  double value = 0.0;
  bool percent = true;
  bool published = false;  // by others; else what this recipe usually reaches
};

struct Recipe {
  std::string name;                  // "mnist1d-cnn": what people type
  std::string chapter;               // chapter or equations of the book: "10.3-10.4"
  std::string summary;               // one line
  std::string data;                  // what it learns from unless told otherwise
  std::string data_help{};           // what data it takes; empty: none
  std::vector<Expected> expected{};  // the first one is shown by `likely list`
  double seconds = 0.0;              // a training with its defaults on two cores
  std::vector<Setting> settings{};
  bool needs_data = false;  // it has none of its own

  // Trains, or goes on where run.resume says so; leaves what it made in run.out, and the drawing of it to
  // Report::draw. Ctrl-C ends it early with Stopped::interrupted.
  std::function<Report(const Run&)> train{};
  // Measures again what run.out holds, on run.data. Ctrl-C ends it with Cancelled.
  std::function<Report(const Run&)> evaluate{};
  // Predictions for the rows of a user's file.
  std::function<Predicted(const Run&, const std::filesystem::path& rows)> predict{};
  // Draws again; returns the pictures. Refuses, naming those that could not be drawn. Ctrl-C ends it with
  // Cancelled.
  std::function<std::vector<std::filesystem::path>(const Run&)> plot{};
};

// A list with more behind it.
std::vector<Setting> with(std::vector<Setting> settings, const std::vector<Setting>& more);

// What is expected of a figure; null where nothing is.
const Expected* expected_of(const Recipe& recipe, std::string_view figure);

// A run of the recipe with its defaults. Refuses a recipe that is not whole.
Run default_run(const Recipe& recipe);

// The recipes that a program has, in the order in which it lists them (those of likely: models/recipes.hpp).
using Catalogue = std::vector<Recipe>;
// One of them. Refuses another name, with the nearest there is.
const Recipe& find_recipe(const Catalogue& catalogue, std::string_view name);

}  // namespace likely::runs
