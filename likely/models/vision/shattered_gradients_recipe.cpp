// The experiment of chapter 11: derivatives of random networks by their input.
#include <fmt/format.h>

#include <array>

#include "likely/core/create.hpp"
#include "likely/models/recipes.hpp"
#include "likely/models/vision/shattered_gradients.hpp"
#include "likely/runs/picture_folder.hpp"
#include "likely/train/interrupt.hpp"

namespace likely::models {

using namespace runs;

namespace {

struct Kind {
  const char* name;
  bool shallow;
  vision::Wiring wiring;
};
constexpr std::array kKinds{Kind{"1 layer", true, vision::Wiring::plain},
                            Kind{"{} layers", false, vision::Wiring::plain},
                            Kind{"{} residual layers", false, vision::Wiring::residual},
                            Kind{"{} residual layers, normalized", false, vision::Wiring::normalized}};
constexpr std::array kColors{"#0072b2", "#d55e00", "#009e73", "#cc79a7"};

struct Measurement {
  std::string name;
  vision::Shattering found;
};

std::vector<Measurement> measure(const Run& run) {
  std::vector<Measurement> all;
  Rng rng(run.seed);
  for (const Kind& kind : kKinds) {
    const std::int64_t layers = kind.shallow ? 1 : run.settings.whole("layers");
    all.push_back({fmt::format(fmt::runtime(kind.name), layers),
                   vision::shattered_gradients({.layers = layers,
                                                .width = run.settings.whole("width"),
                                                .wiring = kind.wiring,
                                                .networks = run.settings.whole("networks"),
                                                .cancelled = train::detail::interrupt_arrived},
                                               rng.split())});
  }
  return all;
}

void draw(const std::vector<Measurement>& all, PictureFolder& pictures) {
  std::vector<plot::Figure> panels;
  plot::Figure correlations({.title = "Autocorrelation of dy/dx (dashed: wide networks in theory)",
                             .x_label = "distance of the inputs",
                             .y_label = "autocorrelation"});
  correlations.horizontal(0.0, {.color = "#b0b0b0", .width = 1.0});
  for (std::size_t i = 0; i < all.size(); ++i) {
    const vision::Shattering& found = all[i].found;
    plot::Figure figure({.title = all[i].name, .x_label = "x", .y_label = "dy/dx", .legend = "none"});
    figure.line(found.x, found.gradient, {.color = kColors[i], .width = 1.5});
    panels.push_back(figure);
    correlations.line(found.lag, found.autocorrelation, {.label = all[i].name, .color = kColors[i]});
    correlations.line(found.lag, found.expected, {.color = kColors[i], .width = 1.5, .dashed = true});
  }
  pictures.add_panels("gradients", panels, 2, 960, 640);
  pictures.add("autocorrelation", correlations, 760, 520);
}

// The number at a lag of about so much.
double at(const vision::Shattering& found, const Tensor& values, double distance) {
  const std::vector<double> lags = found.lag.to_vector<double>();
  std::size_t i = 0;
  while (i + 1 < lags.size() && lags[i] < distance) ++i;
  return values.to_vector<double>()[i];
}

Report report_of(const std::vector<Measurement>& all) {
  Report report;
  report.text = fmt::format("autocorrelation of dy/dx, and in wide networks\n{:<32} {:>16} {:>16} {:>16}\n",
                            "", "0.05 apart", "0.2 apart", "0.5 apart");
  for (const Measurement& each : all) {
    report.text += fmt::format("{:<32}", each.name);
    for (const double distance : {0.05, 0.2, 0.5})
      report.text += fmt::format("{:>9.2f} ({:>5.2f})", at(each.found, each.found.autocorrelation, distance),
                                 at(each.found, each.found.expected, distance));
    report.text += "\n";
    report.figures.push_back({.name = "autocorrelation at 0.2, " + each.name,
                              .better = Better::neither,
                              .value = at(each.found, each.found.autocorrelation, 0.2)});
  }
  report.draw = [all](PictureFolder& pictures) { draw(all, pictures); };
  return report;
}

Report train(const Run& run) {
  std::vector<Measurement> all;
  try {
    all = measure(run);
  } catch (const Cancelled&) {
    return {.stopped = train::Stopped::interrupted};
  }
  return report_of(all);
}

}  // namespace

Recipe shattered_gradients_recipe() {
  Recipe recipe{
      .name = "shattered-gradients",
      .chapter = "11.1-11.6",
      .summary = "How depth makes nearby gradients unrelated, and residual connections keep them related",
      .data = "random networks",
      .expected = {{.figure = "autocorrelation at 0.2, 24 layers", .value = 0.06, .percent = false}},
      .seconds = 4,
      .settings = {whole_setting("layers", 24, "of the deep networks", 1, 1000),
                   whole_setting("width", 200, "units a layer", 1, 10'000),
                   whole_setting("networks", 100, "to average over", 1, 100'000)}};
  recipe.train = train;
  recipe.plot = [](const Run& run) {
    PictureFolder pictures(run.out);
    draw(measure(run), pictures);
    return pictures.all_pictures();
  };
  return recipe;
}

}  // namespace likely::models
