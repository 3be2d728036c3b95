#include "likely/runs/sweep_figure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "likely/core/create.hpp"
#include "likely/core/finite_number.hpp"
#include "likely/core/printable.hpp"
#include "likely/io/json.hpp"
#include "likely/runs/picture_folder.hpp"

namespace likely::runs {

namespace {

// Where the values of a setting stand on the axis: numbers where they are, words in order.
class Axis {
 public:
  explicit Axis(const SweptSetting& swept) : swept_(swept) {
    for (const std::string& value : swept.values) numbers_ = numbers_ && finite_number(value).has_value();
  }
  double place(const std::string& text) const {
    if (numbers_) return *finite_number(text);
    const auto found = std::find(swept_.values.begin(), swept_.values.end(), text);
    return static_cast<double>(found - swept_.values.begin());
  }
  std::string label() const {
    if (numbers_) return swept_.name;
    std::string text = swept_.name + ":";
    for (std::size_t i = 0; i < swept_.values.size(); ++i)
      text += fmt::format(" {} = {}", i, swept_.values[i]);
    return text;
  }
  bool numbers() const { return numbers_; }

 private:
  const SweptSetting& swept_;
  bool numbers_ = true;
};

// A little more than the finite numbers cover, so that no point lies on an axis. Nothing, if there are none.
std::optional<std::pair<double, double>> around(const std::vector<double>& values) {
  double low = std::numeric_limits<double>::infinity();
  double high = -low;
  for (const double value : values) {
    if (!std::isfinite(value)) continue;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  if (low > high) return std::nullopt;
  const double more = high > low ? 0.06 * (high - low) : std::max(1.0, 0.06 * std::fabs(high));
  if (!std::isfinite(high + more) || !std::isfinite(low - more)) return std::nullopt;
  return std::pair(low - more, high + more);
}

plot::Figure panel(const SweptSetting& swept, const std::vector<SweepTrial>& ranked, const Sweep& sweep) {
  const Axis axis(swept);
  std::vector<double> x;
  std::vector<double> y;
  for (const SweepTrial& trial : ranked) {
    x.push_back(axis.place(trial.settings.at(swept.name)));
    y.push_back(trial.value);
  }
  const auto [low, high] = std::minmax_element(x.begin(), x.end());
  plot::FigureOptions options{.title = fmt::format("{}, {} trial{}, the best in orange", sweep.recipe,
                                                   ranked.size(), ranked.size() == 1 ? "" : "s"),
                              .x_label = axis.label(),
                              .y_label = sweep.figure,
                              .legend = "none"};
  options.log_x = axis.numbers() && *low > 0.0 && *high / *low >= 10.0;
  if (options.log_x) options.x_range = std::pair(*low / 1.5, *high * 1.5);
  if (!options.log_x) options.x_range = around(x);
  options.y_range = around(y);
  plot::Figure picture(options);
  picture.points(tensor(x), tensor(y), {.color = "#0072b2", .width = 4.0});
  picture.points(tensor(std::vector<double>{x[0]}), tensor(std::vector<double>{y[0]}),
                 {.color = "#d55e00", .width = 6.0});
  return picture;
}

}  // namespace

void draw_sweep(Sweep& sweep, const std::vector<SweptSetting>& space) {
  std::vector<SweepTrial> ranked = sweep.ranked();
  std::erase_if(ranked, [](const SweepTrial& trial) { return !trial.error.empty(); });
  if (ranked.empty()) return;
  PictureFolder pictures(sweep.out);
  pictures.attempt("picture \"sweep\"", [&] {
    std::vector<plot::Figure> panels;
    for (const SweptSetting& swept : space) panels.push_back(panel(swept, ranked, sweep));
    const int columns = static_cast<int>(std::min<std::size_t>(panels.size(), 3));
    const int rows = (static_cast<int>(panels.size()) + columns - 1) / columns;
    pictures.add_panels("sweep", panels, columns, 420 * columns + 60, 360 * rows);
  });
  sweep.pictures = pictures.drawn().pictures;
  gather_warnings(sweep.warnings, "", pictures.drawn().warnings);
}

std::string Sweep::table() const {
  if (trials.empty()) return "no trials\n";
  std::string text = fmt::format("{:>6}", "trial");
  for (const auto& [name, value] : trials.front().settings) text += fmt::format(" {:>12}", name);
  text += fmt::format("  {}\n", figure.empty() ? "value" : figure);
  for (const SweepTrial& trial : ranked()) {
    text += fmt::format("{:>6}", trial.number);
    for (const auto& [name, value] : trial.settings) text += fmt::format(" {:>12}", printable_line(value));
    text += trial.error.empty() ? fmt::format("  {:.6g}\n", trial.value)
                                : fmt::format("  failed: {}\n", printable_line(trial.error));
  }
  return text;
}

std::string Sweep::json() const {
  using io::Json;
  const auto object_of = [](const SweepTrial& trial) {
    Json object{{"trial", trial.number}, {"settings", trial.settings}};
    object["value"] = trial.error.empty() ? Json(trial.value) : Json(nullptr);
    object["error"] = trial.error.empty() ? Json(nullptr) : Json(trial.error);
    object["out"] = trial.out.string();
    return object;
  };
  Json all{{"name", recipe},
           {"figure", figure},
           {"higher_is_better", higher_is_better},
           {"interrupted", interrupted}};
  all["trials"] = Json::array();
  for (const SweepTrial& trial : ranked()) all["trials"].push_back(object_of(trial));
  const bool any = !trials.empty() && ranked().front().error.empty();
  all["best"] = any ? object_of(ranked().front()) : Json(nullptr);
  all["out"] = out.string();
  all["table"] = (out / "sweep.csv").string();
  all["pictures"] = Json::array();
  for (const std::filesystem::path& picture : pictures) all["pictures"].push_back(picture.string() + ".png");
  all["warnings"] = warnings;
  return io::json_text(all, 2) + "\n";
}

}  // namespace likely::runs
