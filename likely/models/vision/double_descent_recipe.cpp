// The experiment of chapter 8: test error against the width of a network, with noise in the training labels.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "likely/core/create.hpp"
#include "likely/core/error.hpp"
#include "likely/core/whole_number.hpp"
#include "likely/io/atomic_file.hpp"
#include "likely/io/csv.hpp"
#include "likely/io/mnist1d.hpp"
#include "likely/models/recipes.hpp"
#include "likely/models/vision/mlp.hpp"
#include "likely/models/vision/mnist1d_data.hpp"
#include "likely/ops/loss.hpp"
#include "likely/optim/sgd.hpp"
#include "likely/runs/picture_folder.hpp"
#include "likely/runs/supervised.hpp"
#include "likely/train/double_descent.hpp"
#include "likely/train/interrupt.hpp"

namespace likely::models {

using namespace runs;

namespace {

// Test errors that others have measured in this setting.
struct Published {
  std::int64_t width;
  double error;
};
constexpr std::array kPublished{Published{16, 0.472}, Published{47, 0.541}, Published{300, 0.455}};

std::vector<std::int64_t> widths_of(const std::string& text) {
  std::vector<std::int64_t> widths;
  std::size_t start = 0;
  while (start <= text.size()) {
    const std::size_t end = std::min(text.find(',', start), text.size());
    const auto width = whole_number<std::int64_t>(text.substr(start, end - start), 1, 100'000);
    if (!width)
      throw Error(
          fmt::format("widths must be whole numbers >= 1 with commas between them, got \"{}\"", text));
    widths.push_back(*width);
    start = end + 1;
  }
  return widths;
}

std::filesystem::path table_file(const Run& run) { return run.out / "widths.csv"; }

struct Row {
  std::int64_t width, parameters;
  double train_error, test_error;
};

void keep(const Run& run, const std::vector<Row>& rows) {
  std::string text = "width,parameters,train_error,test_error\n";
  for (const Row& row : rows)
    text += fmt::format("{},{},{},{}\n", row.width, row.parameters, row.train_error, row.test_error);
  io::write_file(table_file(run), text);
}

void draw(const Run& run, PictureFolder& pictures) {
  const io::Table table = io::read_csv(table_file(run));
  plot::Figure figure({.title = "Double descent on MNIST-1D",
                       .x_label = "hidden units a layer",
                       .y_label = "error, %",
                       .log_x = true,
                       .y_range = std::pair(0.0, 100.0)});
  const Tensor& widths = table["width"];
  figure.line(widths, table["test_error"].to(DType::f64) * 100.0, {.label = "test", .color = "#0072b2"});
  figure.points(widths, table["test_error"].to(DType::f64) * 100.0, {.color = "#0072b2", .width = 3.0});
  figure.line(widths, table["train_error"].to(DType::f64) * 100.0, {.label = "training", .color = "#d55e00"});
  figure.points(widths, table["train_error"].to(DType::f64) * 100.0, {.color = "#d55e00", .width = 3.0});
  std::vector<double> at;
  std::vector<double> errors;
  for (const Published& point : kPublished) {
    at.push_back(static_cast<double>(point.width));
    errors.push_back(100.0 * point.error);
  }
  figure.points(tensor(at), tensor(errors), {.label = "test, published", .color = "#444444", .width = 4.0});
  pictures.add("double-descent", figure);
}

std::string text_of(const std::vector<Row>& rows) {
  std::string text = fmt::format("{:>6} {:>11} {:>15} {:>11} {:>10}\n", "width", "parameters",
                                 "training error", "test error", "published");
  for (const Row& row : rows) {
    const auto* const known = std::find_if(kPublished.begin(), kPublished.end(),
                                           [&](const Published& p) { return p.width == row.width; });
    text += fmt::format("{:>6} {:>11} {:>13.1f} % {:>9.1f} % {:>10}\n", row.width, row.parameters,
                        100.0 * row.train_error, 100.0 * row.test_error,
                        known == kPublished.end() ? "" : fmt::format("{:.1f} %", 100.0 * known->error));
  }
  return text;
}

// The test errors at the published widths that were tried, and the peak.
std::vector<Measured> figures_of(const std::vector<Row>& rows) {
  std::vector<Measured> figures;
  for (const Row& row : rows) {
    for (const Published& point : kPublished) {
      if (row.width == point.width)
        figures.push_back(
            {fmt::format("test error at width {}", row.width), Better::lower, row.test_error, true});
    }
  }
  // The narrowest networks are the worst of all: the peak is where the error has risen most above the lowest
  // of narrower ones.
  double lowest = rows.front().test_error;
  const Row* peak = nullptr;
  double most = 0.0;
  for (const Row& row : rows) {
    lowest = std::min(lowest, row.test_error);
    if (row.test_error - lowest > most) {
      most = row.test_error - lowest;
      peak = &row;
    }
  }
  if (peak != nullptr) {
    figures.push_back({"test error at the peak", Better::lower, peak->test_error, true});
    figures.push_back({"width at the peak", Better::neither, static_cast<double>(peak->width)});
  }
  return figures;
}

Report train(const Run& run) {
  const Settings& settings = run.settings;
  const std::vector<std::int64_t> widths = widths_of(settings.text("widths"));
  Rng rng(run.seed);
  const data::Mnist1d curves = run.data.empty() ? data::mnist1d(rng.split(), {.samples = 8000, .train = 0.5})
                                                : io::load_mnist1d(run.data);
  const auto train_one = [&](std::int64_t width, const data::Dataset& rows, Rng key) {
    vision::Mlp net({rows.rows({0}).x.size(), width, width, 10}, {.init = nn::Init::he_uniform}, key.split());
    optim::Sgd sgd(net, {.lr = settings.number("lr"), .momentum = settings.number("momentum")});
    train::fit(net, sgd, {.train = rows},
               [](const vision::Mlp& m, const data::Batch& b) { return softmax_cross_entropy(m(b.x), b.y); },
               {.epochs = settings.whole("epochs"),
                .batch = settings.whole("batch"),
                .seed = run.seed,
                .out = run.out / "widths" / std::to_string(width),
                .resume = true,
                .figures = false,
                .notes = {{"width", std::to_string(width)}},
                .progress = train::Progress::silent,
                .events = run.events});
    return net;
  };
  Report report{.epochs = settings.whole("epochs")};
  std::vector<Row> rows;
  try {
    for (const train::DescentPoint& point :
         train::double_descent(widths, {.train = curves.train, .validation = curves.test}, train_one,
                               {{"accuracy", train::accuracy}},
                               {.label_noise = settings.number("noise"), .classes = 10, .seed = run.seed}))
      rows.push_back({point.width, point.parameters, 1.0 - point.on_train[0], 1.0 - point.on_test[0]});
  } catch (const Error&) {
    if (!train::detail::interrupt_arrived()) throw;
    report.stopped = train::Stopped::interrupted;
    return report;
  }
  keep(run, rows);
  report.text = text_of(rows);
  report.figures = figures_of(rows);
  report.draw = [run](PictureFolder& pictures) {
    pictures.attempt("picture \"double-descent\"", [&] { draw(run, pictures); });
  };
  return report;
}

}  // namespace

Recipe double_descent_recipe() {
  Recipe recipe{
      .name = "double-descent",
      .chapter = "8",
      .summary = "Test error falls, rises and falls again as a network gets wider",
      .data = "MNIST-1D, 4,000 + 4,000 generated",
      .data_help = kMnist1dDataHelp,
      .expected = {{.figure = "test error at width 47", .value = 0.541, .published = true},
                   {.figure = "test error at width 16", .value = 0.472, .published = true},
                   {.figure = "test error at width 300", .value = 0.455, .published = true}},
      .seconds = 40,
      .settings =
          with(fit_settings({.epochs = 500, .batch = 100, .lr = 0.01}),
               {number_setting("momentum", 0.9, "of SGD", 0.0, 0.999),
                number_setting("noise", 0.15, "the share of training labels that are drawn anew", 0.0, 1.0),
                text_setting("widths", "3,5,8,12,16,22,28,35,47,60,80,110,150,200,300",
                             "hidden units of both layers, to be tried")})};
  recipe.train = train;
  recipe.plot = [](const Run& run) {
    PictureFolder pictures(run.out);
    draw(run, pictures);
    return pictures.all_pictures();
  };
  return recipe;
}

}  // namespace likely::models
