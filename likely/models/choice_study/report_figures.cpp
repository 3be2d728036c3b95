#include "likely/models/choice_study/report_figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "likely/core/create.hpp"
#include "likely/models/choice_study/report.hpp"

namespace likely::choice {

namespace {

namespace fs = std::filesystem;
using Numbers = std::vector<double>;

constexpr std::int64_t kMostPoints = 40;  // of a learning curve
constexpr std::int64_t kDraws = 100;      // of a posterior, for a predictive check
constexpr double kManyTimes = 20.0;       // from where on numbers are compared by factors
constexpr int kPanel = 400;               // width and height of one of several pictures

Numbers column(const Numbers& table, std::size_t columns, std::size_t k) {
  Numbers values;
  for (std::size_t i = k; i < table.size(); i += columns) values.push_back(table[i]);
  return values;
}

std::size_t longest(const Trials& trials) {
  std::int64_t most = 1;
  for (const Subject& subject : trials.subjects) most = std::max(most, subject.size());
  return static_cast<std::size_t>(most);
}

// A step for each bin of a histogram.
struct Histogram {
  Numbers x, height;
  double width;
};

Histogram histogram(Numbers values, double low, double high) {
  std::sort(values.begin(), values.end());
  const auto count = static_cast<double>(values.size());
  const auto bins = static_cast<std::size_t>(std::clamp(std::ceil(2.0 * std::sqrt(count)), 6.0, 40.0));
  Histogram result;
  result.width = (high - low) / static_cast<double>(bins);
  Numbers heights(bins);
  for (const double x : values) {
    const auto at = static_cast<std::size_t>(std::max(0.0, (x - low) / result.width));
    heights[std::min(at, bins - 1)] += 1.0;
  }
  for (std::size_t b = 0; b < bins; ++b) {
    for (const std::size_t edge : {b, b + 1}) {
      result.x.push_back(low + result.width * static_cast<double>(edge));
      result.height.push_back(heights[b]);
    }
  }
  return result;
}

// The law of the population in the unconstrained parameter: mean and deviation.
std::optional<std::pair<double, double>> law_of(const ModelStudy& study, int k) {
  if (study.em && study.em->covariates.empty())
    return std::pair(study.em->coefficient(k, 0), study.em->sd(k));
  if (!study.sampled) return std::nullopt;
  const auto mean = [](const Chains& chains) {
    double sum = 0.0, count = 0.0;
    for (const Numbers& chain : chains) {
      for (const double x : chain) sum += x;
      count += static_cast<double>(chain.size());
    }
    return sum / count;
  };
  const HierarchicalPosterior& posterior = study.sampled->posterior;
  return std::pair(mean(posterior.group_mean(k, Scale::unconstrained)), mean(posterior.group_spread(k)));
}

void draw_law(plot::Figure& figure, const Parameter& p, std::pair<double, double> law, double low,
              double high, double area) {
  Numbers x, density;
  for (int i = 1; i < 200; ++i) {
    const double at = low + (high - low) * i / 200.0;
    if (!(at > p.lower && at < p.upper)) continue;
    const double u = p.unconstrained(at);
    const double z = (u - law.first) / law.second;
    x.push_back(at);
    density.push_back(area * std::exp(-0.5 * z * z) /
                      (law.second * std::sqrt(2.0 * std::numbers::pi) * p.slopes(u).first));
  }
  if (!x.empty()) figure.line(tensor(x), tensor(density), {.label = "population", .color = "#d55e00"});
}

Numbers estimates_of(const ModelStudy& study, std::size_t k) {
  Numbers values;
  for (const SubjectFit& subject : study.fit.subjects) {
    if (std::isfinite(subject.estimate[k])) values.push_back(subject.estimate[k]);
  }
  return values;
}

plot::Figure parameter_figure(const ModelStudy& study, std::size_t k, const Numbers& values) {
  const Parameter& p = study.fit.model.parameters[k];
  double low = *std::min_element(values.begin(), values.end());
  double high = *std::max_element(values.begin(), values.end());
  if (p.transform == Transform::logit) {
    low = p.lower;
    high = p.upper;
  } else if (p.transform == Transform::log) {
    low = p.lower;
  }
  if (!(high > low)) {
    low -= 0.5;
    high += 0.5;
  }
  const Histogram bars = histogram(values, low, high);
  const double most = *std::max_element(bars.height.begin(), bars.height.end());
  plot::Figure figure({.title = p.meaning,
                       .x_label = p.name,
                       .y_label = k == 0 ? "subjects" : "",
                       .y_range = std::pair(0.0, 1.25 * most),  // with room for the legend
                       .legend = "top right"});
  figure.band(tensor(bars.x), tensor(Numbers(bars.x.size(), 0.0)), tensor(bars.height), {.color = "#56b4e9"});
  figure.line(tensor(bars.x), tensor(bars.height), {.color = "#0072b2", .width = 1.0});
  const double area = bars.width * static_cast<double>(values.size());
  if (const auto law = law_of(study, static_cast<int>(k))) draw_law(figure, p, *law, low, high, area);
  return figure;
}

// Fitted numbers that are so far below all true ones that a logarithmic axis has no good place for them, such
// as 0: they are taken out, to be drawn at its end.
struct FarBelow {
  Numbers at{}, value{};  // the true numbers, and the end of the axis for each
  double largest = 0.0;   // of the fitted ones

  std::string text(std::size_t all) const {
    if (at.empty()) return {};
    return fmt::format(" ({} of {} {}: in orange)", at.size(), all,
                       largest > 0.0 ? fmt::format("at most {:.1g}", largest) : "at 0");
  }
};

FarBelow take_far_below(const Numbers& truth, double lowest, Numbers& fitted) {
  constexpr double kFar = 100.0, kFurther = 1.5;
  double end = lowest;
  for (const double x : fitted) end = x >= lowest / kFar ? std::min(end, x) : end;
  FarBelow below;
  for (std::size_t i = 0; i < fitted.size(); ++i) {
    if (!(fitted[i] < lowest / kFar)) continue;
    below.largest = std::max(below.largest, fitted[i]);
    below.at.push_back(truth[i]);
    below.value.push_back(end / kFurther);
    fitted[i] = std::nan("");
  }
  return below;
}

// True and fitted numbers; those that vary by factors on logarithmic axes.
plot::Figure recovery_figure(const Recovery& recovery, std::size_t k) {
  Numbers truth, fitted;
  for (std::size_t i = 0; i < recovery.truth.size(); ++i) {
    truth.push_back(recovery.truth[i][k]);
    fitted.push_back(recovery.fitted[i][k]);
  }
  const double low = *std::min_element(truth.begin(), truth.end());
  const double high = *std::max_element(truth.begin(), truth.end());
  const bool factors =
      recovery.model.parameters[k].transform == Transform::log && low > 0.0 && high > kManyTimes * low;
  const RecoveredParameter& p = recovery.parameters[k];
  const FarBelow below = factors ? take_far_below(truth, low, fitted) : FarBelow{};
  plot::Figure figure({.title = std::isfinite(p.correlation)
                                    ? fmt::format("{}: r = {:.2f}, of ranks {:.2f}", p.name, p.correlation,
                                                  p.rank_correlation)
                                    : fmt::format("{}: does not vary", p.name),
                       .x_label = "true " + p.name,
                       .y_label = "fitted " + p.name + below.text(truth.size()),
                       .log_x = factors,
                       .log_y = factors,
                       .legend = "none"});
  figure.points(tensor(truth), tensor(fitted), {.color = "#0072b2", .width = 1.5});
  if (!below.at.empty())
    figure.points(tensor(below.at), tensor(below.value), {.color = "#d55e00", .width = 1.5});
  const Numbers ends{low, high};
  figure.line(tensor(ends), tensor(ends), {.color = "#000000", .width = 1.0, .dashed = true});
  return figure;
}

std::string picture_name(const char* what, const Model& model) {
  return fmt::format("picture \"{}-{}\"", what, file_name(model.name));
}

}  // namespace

FittedCurve::FittedCurve(const Trials& trials)
    : bin_((static_cast<std::int64_t>(longest(trials)) + kMostPoints - 1) / kMostPoints),
      options_(static_cast<std::size_t>(trials.options)) {
  const std::size_t bins =
      (longest(trials) + static_cast<std::size_t>(bin_) - 1) / static_cast<std::size_t>(bin_);
  sums_.assign(bins * options_, 0.0);
  counts_.assign(bins, 0.0);
}

void FittedCurve::add(const Expectations& expected) {
  for (std::int64_t t = 0; t < expected.trials; ++t) {
    const auto at = static_cast<std::size_t>(t / bin_);
    counts_[at] += 1.0;
    for (std::size_t k = 0; k < options_; ++k)
      sums_[at * options_ + k] += expected.probabilities[static_cast<std::size_t>(t) * options_ + k];
  }
}

Numbers FittedCurve::rates() const {
  Numbers rates = sums_;
  for (std::size_t i = 0; i < rates.size(); ++i) rates[i] /= counts_[i / options_];
  return rates;
}

void StudyPictures::learning(const ModelStudy& study, const Trials& trials, const FittedCurve& fitted) {
  if (!wanted_) return;
  pictures_.attempt(picture_name("learning", study.fit.model), [&] { draw_learning(study, trials, fitted); });
}

void StudyPictures::draw_learning(const ModelStudy& study, const Trials& trials, const FittedCurve& fitted) {
  const LearningCurve observed = learning_curve(trials, fitted.bin());
  const auto options = static_cast<std::size_t>(trials.options);
  const Numbers rates = fitted.rates();
  const Tensor x = tensor(observed.trial);
  const auto named = [&](std::size_t k) {
    return fmt::format("option {}",
                       k < trials.option_names.size() ? trials.option_names[k] : std::to_string(k + 1));
  };
  // The share of the first of two options says nothing more than that of the second.
  const bool two = options == 2;
  plot::Figure figure({.title = fmt::format("Choices{} and what {} expects",
                                            two ? fmt::format(" of {}", named(1)) : "", study.fit.model.name),
                       .x_label = "trial",
                       .y_label = "share of choices",
                       .y_range = std::pair(0.0, 1.0),
                       .legend = "outside"});
  std::optional<PredictiveCheck> check;
  if (study.sampled)
    check = predictive_check(study.fit.model, trials, parameter_draws(study.sampled->posterior, kDraws),
                             Rng(1), {.bin = fitted.bin()});
  static const std::vector<std::string> colors{"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                               "#e69f00", "#56b4e9", "#000000", "#999999"};
  for (std::size_t k = two ? 1 : 0; k < options; ++k) {
    const std::string of = two ? "" : named(k) + ", ";
    const std::string& color = colors[k % colors.size()];
    if (check)
      figure.band(x, tensor(column(check->low, options, k)), tensor(column(check->high, options, k)),
                  {.label = of + "95 % of simulations", .color = color});
    figure.points(x, tensor(column(observed.rates, options, k)),
                  {.label = of + "observed", .color = color, .width = 2.5});
    figure.line(x, tensor(column(rates, options, k)), {.label = of + "fitted", .color = color});
  }
  pictures_.add("learning-" + file_name(study.fit.model.name), figure, 880, 420);
}

void StudyPictures::parameters(const ModelStudy& study) {
  if (!wanted_) return;
  pictures_.attempt(picture_name("parameters", study.fit.model), [&] {
    std::vector<plot::Figure> panels;
    for (std::size_t k = 0; k < study.fit.model.parameters.size(); ++k) {
      const Numbers values = estimates_of(study, k);
      if (!values.empty()) panels.push_back(parameter_figure(study, k, values));
    }
    add_row("parameters-" + file_name(study.fit.model.name), panels, kPanel * 4 / 5);
  });
}

void StudyPictures::add_row(const std::string& name, const std::vector<plot::Figure>& panels, int height) {
  if (panels.empty()) return;
  const int count = static_cast<int>(panels.size());
  const int columns = std::min(3, count);
  const int rows = (count + columns - 1) / columns;
  pictures_.add_panels(name, panels, columns, kPanel * columns, height * rows);
}

void StudyPictures::recovery(const Recovery& recovery) {
  if (!wanted_) return;
  pictures_.attempt(picture_name("recovery", recovery.model), [&] {
    std::vector<plot::Figure> panels;
    for (std::size_t k = 0; k < recovery.parameters.size(); ++k)
      panels.push_back(recovery_figure(recovery, k));
    add_row("recovery-" + file_name(recovery.model.name), panels, kPanel);
  });
}

void StudyPictures::confusion(const ModelConfusion& confusion) {
  if (!wanted_) return;
  pictures_.attempt("picture \"confusion\"", [&] {
    const auto m = static_cast<std::int64_t>(confusion.models.size());
    Numbers rounded;
    for (const double share : confusion.confusion) rounded.push_back(std::round(share * 100.0) / 100.0);
    plot::Figure figure({.title = "p(best fitted | simulated)",
                         .x_label = "best fitted",
                         .y_label = "simulated",
                         .legend = "none"});
    figure.image(tensor(rounded, {m, m}),
                 {.values = true, .column_labels = confusion.models, .row_labels = confusion.models});
    const int size = std::clamp(200 + 90 * static_cast<int>(m), 480, 1200);
    pictures_.add("confusion", figure, size + 120, size);
  });
}

void StudyPictures::frequencies(const std::vector<std::string>& models, const Numbers& frequencies,
                                const Numbers& protected_exceedance) {
  if (!wanted_) return;
  pictures_.attempt("picture \"frequencies\"", [&] {
    plot::Figure shares({.title = "Estimated share of subjects",
                         .y_label = "frequency",
                         .y_range = std::pair(0.0, 1.0),
                         .legend = "none"});
    shares.bars(models, tensor(frequencies), {.color = "#0072b2"});
    plot::Figure surely({.title = "The most frequent model",
                         .y_label = "protected exceedance probability",
                         .y_range = std::pair(0.0, 1.0),
                         .legend = "none"});
    surely.bars(models, tensor(protected_exceedance), {.color = "#d55e00"});
    const int width = std::clamp(200 + 160 * static_cast<int>(models.size()), 800, 2000);
    pictures_.add_panels("frequencies", {shares, surely}, 2, width, 400);
  });
}

runs::Drawn StudyPictures::drawn() const {
  runs::Drawn drawn = pictures_.drawn();
  for (fs::path& picture : drawn.pictures) picture = picture.lexically_relative(folder_);
  return drawn;
}

}  // namespace likely::choice
