// Recipes of two parameters: the line, logistic regression, the Gabor model.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "likely/core/create.hpp"
#include "likely/data/textbook.hpp"
#include "likely/models/book/chapter_02/line.hpp"
#include "likely/models/book/chapter_02/loss_surface.hpp"
#include "likely/models/book/chapter_05/logistic.hpp"
#include "likely/models/book/chapter_06/gabor.hpp"
#include "likely/models/book/recipes/data.hpp"
#include "likely/models/recipes.hpp"
#include "likely/ops/arithmetic.hpp"
#include "likely/ops/math.hpp"
#include "likely/ops/view.hpp"
#include "likely/optim/sgd.hpp"

namespace likely::models {

using namespace runs;  // NOLINT(google-build-using-namespace)

namespace {

struct Window {
  double low0, high0, low1, high1;
};

// The loss above the plane of phi, and the places in it that matter.
struct Place {
  std::string label{};  // empty: not known
  double phi0 = 0.0;
  double phi1 = 0.0;
};
struct Places {
  Place start, best, found;
};
void draw_surface(const book::Curve& curve, const data::Dataset& train, const Window& window,
                  const Places& places, PictureFolder& pictures) {
  constexpr std::int64_t kSide = 160;
  // Seen on the map and on the white behind the legend.
  constexpr const char* kStart = "#d55e00";
  constexpr const char* kBest = "#999999";
  constexpr const char* kFound = "#ff3fa4";
  const data::Batch rows = train.all();
  const Tensor surface =
      book::loss_surface(curve, rows.x, rows.y, linspace(window.low0, window.high0, kSide, rows.x.dtype()),
                         linspace(window.low1, window.high1, kSide, rows.x.dtype()));
  plot::Figure figure({.title = "Logarithm of the loss for each pair of parameters",
                       .x_label = "phi0",
                       .y_label = "phi1",
                       .legend = "outside"});
  figure.image(transpose(log(surface / static_cast<double>(rows.size()))),
               {.x_range = {{window.low0, window.high0}},
                .y_range = {{window.low1, window.high1}},
                .first_row_on_top = false});
  const auto mark = [&](const Place& place, const char* color, double size) {
    if (place.label.empty()) return;
    figure.points(tensor({place.phi0}, DType::f64), tensor({place.phi1}, DType::f64),
                  {.label = place.label, .color = color, .width = size});
  };
  mark(places.start, kStart, 6.0);
  mark(places.best, kBest, 10.0);  // a ring around what was found
  mark(places.found, kFound, 5.0);
  pictures.add("surface", figure, 760, 520);
}

std::string pair_text(const Tensor& phi) { return fmt::format("{:.4f}, {:.4f}", phi.at({0}), phi.at({1})); }

data::Dataset lines(std::int64_t rows, Rng rng) { return data::line_data(rows, rng); }

// A line inside [0, 1], so that logistic regression is the right model.
data::Dataset sigmoids(std::int64_t rows, Rng rng) {
  return data::binary_data(rows, rng,
                           {.f = {.theta0 = {0, 0, 0}, .theta1 = {1, 0, 0}, .phi0 = -4.0, .phi = {8, 0, 0}}});
}

data::Dataset gabors(std::int64_t rows, Rng rng) { return data::gabor_data(rows, rng); }

std::vector<Setting> descent_settings(const FitDefaults& defaults, std::int64_t rows) {
  return with(fit_settings(defaults),
              {number_setting("momentum", 0.9, "share of the last step that is kept (6.11)", 0.0, 0.9999),
               rows_setting(rows)});
}

}  // namespace

Recipe linear_regression_recipe() {
  return supervised<book::Line, optim::Sgd>(
      {.name = "linear-regression",
       .chapter = "2.4-2.6",
       .summary = "A line by least squares, beside the closed form",
       .data = "a line with noise",
       .data_help = "CSV file with two columns: x, y",
       .expected = {{.figure = "test RMSE", .value = 0.14, .percent = false}},
       .seconds = 0.2,
       .settings = descent_settings({.epochs = 100, .batch = 10, .lr = 0.02}, 100)},
      {.data = [](const Run& run, Rng rng) { return number_splits(run, rng, lines); },
       .model =
           [](const Run& run, const Sizes& sizes, Rng) {
             check_inputs(run, sizes, 1);
             return book::Line();
           },
       .objective = regression(),
       .schedule = cosine_schedule,
       .pictures =
           [](const Run&, const book::Line& line, const Splits& splits, PictureFolder& pictures) {
             const data::Batch rows = splits.train.all();
             const book::Line best = book::fit_line(rows.x, reshape(rows.y, rows.x.shape()));
             const double phi0 = best.phi.at({0});
             const double phi1 = best.phi.at({1});
             const double reach0 = std::max(1.0, std::abs(phi0)) * 1.2;
             const double reach1 = std::max(1.0, std::abs(phi1)) * 1.2;
             draw_surface(book::line, splits.train,
                          {phi0 - reach0, phi0 + reach0, phi1 - reach1, phi1 + reach1},
                          {{"start", 0.0, 0.0},
                           {"closed form", phi0, phi1},
                           {"found", line.phi.at({0}), line.phi.at({1})}},
                          pictures);
           },
       .remarks =
           [](const Run&, const book::Line& line, const Splits& splits) {
             const data::Batch rows = splits.train.all();
             const book::Line best = book::fit_line(rows.x, reshape(rows.y, rows.x.shape()));
             return fmt::format("phi0, phi1: {} found, {} in closed form\n", pair_text(line.phi),
                                pair_text(best.phi));
           }});
}

Recipe logistic_regression_recipe() {
  return supervised<book::Logistic, optim::Sgd>(
      {.name = "logistic-regression",
       .chapter = "5.20, 6.21",
       .summary = "The probability of a class as the sigmoid of a line",
       .data = "two classes on a line",
       .data_help = "CSV file with two columns: x, and the class 0 or 1",
       .expected = {{.figure = "test accuracy", .value = 0.83}},
       .seconds = 0.2,
       .settings = descent_settings({.epochs = 60, .batch = 20, .lr = 0.2}, 400)},
      {.data = [](const Run& run, Rng rng) { return class_splits(run, rng, sigmoids); },
       .model =
           [](const Run& run, const Sizes& sizes, Rng) {
             check_inputs(run, sizes, 1);
             if (sizes.outputs > 2) throw Error(run.data.string() + ": the classes must be 0 and 1");
             return book::Logistic();
           },
       .objective = binary_classification(),
       .remarks =
           [](const Run& run, const book::Logistic& model, const Splits&) {
             return fmt::format("phi0, phi1: {} found{}\n", pair_text(model.phi),
                                run.data.empty() ? ", the data were made with -4, 8" : "");
           }});
}

Recipe gabor_recipe() {
  return supervised<book::Gabor, optim::Sgd>(
      {.name = "gabor",
       .chapter = "6.8",
       .summary = "A curve of two parameters whose loss has many minima",
       .data = "a Gabor function with noise",
       .data_help = "CSV file with two columns: x, y",
       .expected = {{.figure = "test RMSE", .value = 0.1, .percent = false}},
       .seconds = 0.2,
       .settings = with(descent_settings({.epochs = 100, .batch = 5, .lr = 0.05}, 100),
                        {number_setting("phi0", 2.0, "where the descent starts", -10.0, 10.0),
                         number_setting("phi1", 13.0, "where the descent starts", 0.0, 30.0)})},
      {.data = [](const Run& run, Rng rng) { return number_splits(run, rng, gabors); },
       .model =
           [](const Run& run, const Sizes& sizes, Rng) {
             check_inputs(run, sizes, 1);
             return book::Gabor(run.settings.number("phi0"), run.settings.number("phi1"));
           },
       .objective = regression(),
       .pictures =
           [](const Run& run, const book::Gabor& model, const Splits& splits, PictureFolder& pictures) {
             draw_surface(book::gabor, splits.train, {-10.0, 10.0, 2.5, 22.5},
                          {{"start", run.settings.number("phi0"), run.settings.number("phi1")},
                           run.data.empty() ? Place{"made with", 0.0, 16.6} : Place{},
                           {"found", model.phi.at({0}), model.phi.at({1})}},
                          pictures);
           },
       .remarks =
           [](const Run& run, const book::Gabor& model, const Splits&) {
             return fmt::format("phi0, phi1: {} found{}\n", pair_text(model.phi),
                                run.data.empty() ? ", the data were made with 0, 16.6" : "");
           }});
}

}  // namespace likely::models
