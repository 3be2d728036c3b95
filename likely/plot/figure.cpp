#include "likely/plot/figure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "likely/plot/figure_checks.hpp"
#include "likely/plot/gnuplot.hpp"
#include "likely/plot/gnuplot_text.hpp"

namespace likely::plot {

namespace {

// The first eight are told apart by people who see colours in any of the usual ways (Okabe and Ito 2008),
// dark ones first; the others by most.
constexpr std::array kColors = {"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9",
                                "#444444", "#b8a800", "#803e75", "#c10020", "#593315", "#6fc21d",
                                "#20126b", "#00c8c8", "#ff8fa3", "#9a9a9a"};

// The same, light enough to be the ground that points of these colours stand on.
constexpr std::array kAreas = {"#b3d5e8", "#f3c7a8", "#b3e0d3", "#edd0e1", "#f8deb0", "#cfe9f8",
                               "#cccccc", "#e8e3b0", "#d0b8cc", "#eba6b0", "#c4b6ab", "#cdeab0",
                               "#b5b1cd", "#a9ebeb", "#ffd8de", "#e4e4e4"};
static_assert(kColors.size() == kAreas.size());

// Points of one colour: a disc, a square, a triangle, a diamond.
constexpr std::array kShapes = {7, 5, 9, 13};

// More entries than these would cover the data.
constexpr int kMostInACorner = 6;

// Below bars, before names are turned.
constexpr std::size_t kLettersOfBars = 110;

std::vector<double> numbers(const char* caller, const char* argument, const Tensor& values) {
  if (!values.defined() || values.size() == 0) refuse(caller, fmt::format("{} is empty", argument));
  const Tensor dense = values.to(DType::f64).contiguous();
  const double* first = dense.data<double>();
  return {first, first + dense.size()};
}

// gnuplot reads NaN as "nothing here".
std::string number(double value, int digits) {
  return std::isfinite(value) ? fmt::format("{:.{}g}", value, digits) : "NaN";
}

// How many digits tell the numbers apart on paper: many, where they lie close together and far from 0.
int digits_of(std::initializer_list<const std::vector<double>*> series) {
  constexpr double kFar = 1e4;
  for (const std::vector<double>* values : series) {
    double low = std::numeric_limits<double>::infinity();
    double high = -low;
    for (const double value : *values) {
      if (!std::isfinite(value)) continue;
      low = std::min(low, value);
      high = std::max(high, value);
    }
    if (high > low && std::max(std::fabs(low), std::fabs(high)) / kFar > high - low)
      return std::numeric_limits<double>::max_digits10;
  }
  return 7;
}

std::string row(int digits, std::initializer_list<double> values) {
  std::string text;
  for (const double value : values) text += number(value, digits) + " ";
  text.back() = '\n';
  return text;
}

std::string title(const std::string& label) {
  return label.empty() ? " notitle" : " title " + quoted_text(label);
}

// Lines of one colour differ by their dashes.
std::string dashes(const SeriesOptions& options, int round) {
  constexpr int kKinds = 5;
  if (options.dashed) return " dt 2";
  return round == 0 ? "" : fmt::format(" dt {}", 1 + round % kKinds);
}

bool any_finite(const std::vector<double>& values) {
  return std::any_of(values.begin(), values.end(), [](double value) { return std::isfinite(value); });
}

// Whether there is a place at which all of them are finite: gnuplot refuses to draw nothing.
bool any_finite(const std::vector<double>& a, const std::vector<double>& b) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (std::isfinite(a[i]) && std::isfinite(b[i])) return true;
  }
  return false;
}

std::string range(const char* axis, const std::optional<std::pair<double, double>>& range) {
  return range ? fmt::format("set {}range [{}:{}]\n", axis, range->first, range->second)
               : fmt::format("set {}range [*:*]\n", axis);
}

std::string legend(const std::string& where) {
  if (where == "none") return "unset key\n";
  if (where == "outside") return "set key outside right top noopaque\n";
  return fmt::format("set key {} opaque\n", where);
}

// How many letters wide a text is; those of East Asia are as wide as two.
std::size_t letters(const std::string& text) {
  constexpr unsigned kFirstOfThreeBytesThatIsWide = 0xE1;
  std::size_t count = 0;
  for (const char c : text) {
    const auto byte = static_cast<unsigned>(static_cast<unsigned char>(c));
    if ((byte & 0xC0U) != 0x80U) count += byte >= kFirstOfThreeBytesThatIsWide ? 2 : 1;
  }
  return count;
}

// Names below an axis, one below the other where they would run into each other.
std::string labels(const char* axis, const std::vector<std::string>& names, std::size_t most_letters) {
  std::size_t longest = 0;
  for (const std::string& name : names) longest = std::max(longest, letters(name));
  const bool turned = axis[0] == 'x' && longest * names.size() > most_letters;
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    text += fmt::format("{}{} {}", i == 0 ? "" : ", ", quoted_mark(names[i]), i);
  }
  return fmt::format("set {}tics {}({}) scale 0\n", axis, turned ? "rotate by 90 right " : "", text);
}

std::string palette(const std::string& name, double lowest, double highest) {
  if (name == "gray") return "set palette gray\n";
  if (name == "viridis") {
    return "set palette defined (0 '#440154', 1 '#472c7a', 2 '#3b518b', 3 '#2c718e', 4 '#21908d', 5 "
           "'#27ad81', "
           "6 '#5cc863', 7 '#aadc32', 8 '#fde725')\n";
  }
  if (name == "diverging") {
    const double most = std::max({std::fabs(lowest), std::fabs(highest), 1e-30});
    return fmt::format(
        "set palette defined (-1 '#2166ac', -0.5 '#92c5de', 0 '#f7f7f7', 0.5 '#f4a582', 1 '#b2182b')\n"
        "set cbrange [{:.7g}:{:.7g}]\n",
        -most, most);
  }
  if (name == "classes") {
    constexpr double kMostClasses = 1000.0;
    const auto classes = static_cast<std::size_t>(std::clamp(highest + 1.0, 2.0, kMostClasses));
    std::string text = fmt::format("set palette maxcolors {} defined (", classes);
    for (std::size_t i = 0; i < classes; ++i)
      text += fmt::format("{}{} '{}'", i == 0 ? "" : ", ", i, kAreas[i % kAreas.size()]);
    return text + fmt::format(")\nset cbrange [-0.5:{}.5]\n", classes - 1);
  }
  refuse("Figure::image",
         fmt::format("unknown palette \"{}\"; there are viridis, gray, diverging, classes", name));
}

}  // namespace

Figure::Figure(FigureOptions options) : options_(std::move(options)) {
  check_range("Figure", "x_range", options_.x_range);
  check_range("Figure", "y_range", options_.y_range);
  check_legend(entries_ > kMostInACorner && options_.legend != "none" ? "outside" : options_.legend);
}

Figure::Style Figure::next_style(const SeriesOptions& options) {
  entries_ += options.label.empty() ? 0 : 1;
  if (!options.color.empty()) return {options.color};
  const int turn = options.turn >= 0 ? options.turn : colors_used_++;
  const auto count = static_cast<int>(kColors.size());
  return {kColors.at(static_cast<std::size_t>(turn % count)), turn / count};
}

void Figure::Extent::add(const std::vector<double>& values) {
  for (const double value : values) {
    if (!std::isfinite(value)) continue;
    low = any ? std::min(low, value) : value;
    high = any ? std::max(high, value) : value;
    any = true;
  }
}

// With so many digits that the marks of the axis differ.
std::string Figure::number_format(const char* axis, const std::optional<std::pair<double, double>>& range,
                                  const Extent& extent) const {
  constexpr double kUsual = 6.0;  // digits of %g
  constexpr double kMarks = 10.0;
  double digits = kUsual;
  const double low = range ? std::min(range->first, range->second) : extent.low;
  const double high = range ? std::max(range->first, range->second) : extent.high;
  const double size = std::max(std::fabs(low), std::fabs(high));
  if ((range || extent.any) && high / kMarks - low / kMarks > 0.0)
    digits = std::clamp(std::ceil(std::log10(size / (high / kMarks - low / kMarks))) + 1.0, kUsual, 16.0);
  const bool long_exponent = size >= 1e100 || (size < 1e-99 && size > 0.0);
  const bool turned = axis[0] == 'x' && (digits > kUsual || long_exponent);
  return fmt::format("set format {} '%.{:.0f}g'\n{}", axis, digits,
                     turned ? "set xtics rotate by 90 right\n" : "");
}

// So far apart that their numbers do not run into each other, in a narrow panel too.
std::string Figure::marks_across() const {
  constexpr double kMost = 7.0;
  if (options_.log_x || !(options_.x_range || x_.any)) return "";
  const double low = options_.x_range ? options_.x_range->first : x_.low;
  const double high = options_.x_range ? options_.x_range->second : x_.high;
  const double least = std::fabs(high / kMost - low / kMost);
  if (!(least > 1e-300 && least < 1e308)) return "";
  const double power = std::pow(10.0, std::floor(std::log10(least)));
  double step = 10.0 * power;
  for (const double factor : {5.0, 2.0, 1.0}) {
    if (factor * power >= least) step = factor * power;
  }
  return fmt::format("set xtics {:.3g}\n", step);
}

Figure& Figure::line(const Tensor& x, const Tensor& y, const SeriesOptions& options) {
  const std::vector<double> xs = numbers("Figure::line", "x", x);
  const std::vector<double> ys = numbers("Figure::line", "y", y);
  check_same_size("Figure::line", "x", xs.size(), "y", ys.size());
  check_series("Figure::line", options);
  const int digits = digits_of({&xs, &ys});
  std::string data;
  for (std::size_t i = 0; i < xs.size(); ++i) data += row(digits, {xs[i], ys[i]});
  x_.add(xs);
  y_.add(ys);
  const Style style = next_style(options);
  layers_.push_back({data,
                     fmt::format("using 1:2 with lines lw {:.3g} lc rgb '{}'{}{}", options.width, style.color,
                                 dashes(options, style.round), title(options.label)),
                     any_finite(xs, ys)});
  return *this;
}

Figure& Figure::points(const Tensor& x, const Tensor& y, const SeriesOptions& options) {
  const std::vector<double> xs = numbers("Figure::points", "x", x);
  const std::vector<double> ys = numbers("Figure::points", "y", y);
  check_same_size("Figure::points", "x", xs.size(), "y", ys.size());
  check_series("Figure::points", options);
  const int digits = digits_of({&xs, &ys});
  std::string data;
  for (std::size_t i = 0; i < xs.size(); ++i) data += row(digits, {xs[i], ys[i]});
  x_.add(xs);
  y_.add(ys);
  const Style style = next_style(options);
  layers_.push_back({data,
                     fmt::format("using 1:2 with points pt {} ps {:.3g} lc rgb '{}'{}",
                                 kShapes.at(static_cast<std::size_t>(style.round) % kShapes.size()),
                                 0.25 * options.width, style.color, title(options.label)),
                     any_finite(xs, ys)});
  return *this;
}

Figure& Figure::band(const Tensor& x, const Tensor& low, const Tensor& high, const SeriesOptions& options) {
  const std::vector<double> xs = numbers("Figure::band", "x", x);
  const std::vector<double> lows = numbers("Figure::band", "low", low);
  const std::vector<double> highs = numbers("Figure::band", "high", high);
  check_same_size("Figure::band", "x", xs.size(), "low", lows.size());
  check_same_size("Figure::band", "x", xs.size(), "high", highs.size());
  check_series("Figure::band", options);
  const int digits = digits_of({&xs, &lows, &highs});
  std::string data;
  for (std::size_t i = 0; i < xs.size(); ++i) data += row(digits, {xs[i], lows[i], highs[i]});
  x_.add(xs);
  y_.add(lows);
  y_.add(highs);
  layers_.push_back(
      {data,
       fmt::format("using 1:2:3 with filledcurves fs transparent solid 0.25 noborder lc rgb '{}'{}",
                   next_style(options).color, title(options.label)),
       any_finite(xs, lows) && any_finite(xs, highs)});
  return *this;
}

Figure& Figure::bars(const std::vector<std::string>& names, const Tensor& heights,
                     const SeriesOptions& options) {
  const std::vector<double> values = numbers("Figure::bars", "heights", heights);
  check_same_size("Figure::bars", "names", names.size(), "heights", values.size());
  check_series("Figure::bars", options);
  const int digits = digits_of({&values});
  std::string data;
  for (std::size_t i = 0; i < values.size(); ++i) data += row(digits, {static_cast<double>(i), values[i]});
  y_.add(values);
  settings_ += labels("x", names, kLettersOfBars) +
               fmt::format("set xrange [-0.6:{}.6]\nset boxwidth 0.7\n", values.size() - 1);
  if (!options_.y_range) settings_ += "set yrange [* < 0 : *]\n";
  layers_.push_back({data,
                     fmt::format("using 1:2 with boxes fs solid 0.85 noborder lc rgb '{}'{}",
                                 next_style(options).color, title(options.label)),
                     any_finite(values)});
  return *this;
}

Figure& Figure::image(const Tensor& z, const ImageOptions& options) {
  const std::vector<double> values = numbers("Figure::image", "z", z);
  if (z.rank() != 2)
    refuse("Figure::image", "z must have two axes (rows, columns), got " + z.shape().string());
  check_range("Figure::image", "x_range", options.x_range);
  check_range("Figure::image", "y_range", options.y_range);
  const std::int64_t rows = z.dim(0);
  const std::int64_t columns = z.dim(1);
  const auto place = [](const std::optional<std::pair<double, double>>& range, std::int64_t i,
                        std::int64_t n) {
    if (!range) return static_cast<double>(i);
    const double part = n > 1 ? static_cast<double>(i) / static_cast<double>(n - 1) : 0.5;
    return range->first + part * (range->second - range->first);
  };
  const int digits = digits_of({&values});
  std::string data;
  double lowest = 0.0;
  double highest = 0.0;
  for (std::int64_t r = 0; r < rows; ++r) {
    for (std::int64_t c = 0; c < columns; ++c) {
      const double value = values[static_cast<std::size_t>(r * columns + c)];
      data += row(digits, {place(options.x_range, c, columns), place(options.y_range, r, rows), value});
      if (std::isfinite(value)) {
        lowest = std::min(lowest, value);
        highest = std::max(highest, value);
      }
    }
  }
  settings_ += palette(options.palette, lowest, highest);
  if (!options.column_labels.empty())
    settings_ += labels("x", options.column_labels, 16 + 4 * options.column_labels.size());
  if (!options.row_labels.empty()) settings_ += labels("y", options.row_labels, 0);
  if (!options.color_bar) settings_ += "unset colorbox\n";
  const auto fit = [&](const char* axis, const std::optional<std::pair<double, double>>& range,
                       std::int64_t n, bool reverse) {
    const double half =
        n > 1 ? 0.5 * (place(range, n - 1, n) - place(range, 0, n)) / static_cast<double>(n - 1) : 0.5;
    const double first = place(range, 0, n) - half;
    const double last = place(range, n - 1, n) + half;
    settings_ += fmt::format("set {}range [{}:{}]\n", axis, reverse ? last : first, reverse ? first : last);
  };
  fit("x", options.x_range, columns, false);
  fit("y", options.y_range, rows, options.first_row_on_top);
  layers_.push_back({data, "using 1:2:3 with image notitle", any_finite(values)});
  if (options.values) {
    layers_.push_back(
        {data,
         fmt::format("using 1:2:(sprintf('%g', $3)):($3 > {:.7g} ? 0x000000 : 0xffffff) with labels "
                     "tc rgb variable notitle",
                     0.5 * (lowest + highest)),
         any_finite(values)});
  }
  return *this;
}

Figure& Figure::horizontal(double y, const SeriesOptions& options) {
  check_series("Figure::horizontal", options);
  if (!std::isfinite(y)) return *this;
  const Style style = next_style(options);
  layers_.push_back({"", fmt::format("{:.9g} with lines lw {:.3g} lc rgb '{}'{}{}", y, options.width,
                                     style.color, dashes(options, style.round), title(options.label))});
  return *this;
}

Figure& Figure::vertical(double x, const SeriesOptions& options) {
  check_series("Figure::vertical", options);
  if (!std::isfinite(x)) return *this;
  const Style style = next_style(options);
  settings_ += fmt::format(
      "set arrow from first {0:.9g}, graph 0 to first {0:.9g}, graph 1 nohead lw {1:.3g} lc rgb '{2}'{3}\n",
      x, options.width, style.color, dashes(options, style.round));
  if (!options.label.empty()) {
    layers_.push_back({"", fmt::format("NaN with lines lw {:.3g} lc rgb '{}'{}{}", options.width, style.color,
                                       dashes(options, style.round), title(options.label))});
  }
  return *this;
}

std::string Figure::script(int number) const {
  if (layers_.empty())
    refuse("Figure::save", "the figure is empty: add a line, points, bars or an image first");
  std::vector<std::size_t> drawn;
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    if (layers_[i].finite) drawn.push_back(i);
  }
  if (drawn.empty()) refuse("Figure::save", "the figure holds no number that is finite");
  std::string text;
  for (const std::size_t i : drawn) {
    if (!layers_[i].data.empty()) text += fmt::format("$d{}_{} << EOD\n{}EOD\n", number, i, layers_[i].data);
  }
  text += "set title " + quoted_text(options_.title) + "\n";
  text +=
      "set xlabel " + quoted_text(options_.x_label) + "\nset ylabel " + quoted_text(options_.y_label) + "\n";
  text += options_.log_x ? "set logscale x\n" : "unset logscale x\n";
  text += options_.log_y ? "set logscale y\n" : "unset logscale y\n";
  text +=
      "unset arrow\nset colorbox\nset palette maxcolors 0\nset cbrange [*:*]\nset xtics auto norotate\nset "
      "ytics auto\n";
  text += number_format("x", options_.x_range, x_) + number_format("y", options_.y_range, y_);
  text += options_.frame ? "set border 3 lc rgb '#808080'\nset xtics nomirror out\nset ytics nomirror out\n"
                         : "unset border\nunset xtics\nunset ytics\n";
  if (options_.frame) text += marks_across();
  text += range("x", options_.x_range) + range("y", options_.y_range) +
          legend(entries_ > kMostInACorner && options_.legend != "none" ? "outside" : options_.legend);
  text += options_.equal_axes ? "set size ratio -1\n" : "set size noratio\n";
  text += settings_ + "plot ";
  for (const std::size_t i : drawn) {
    if (i != drawn.front()) text += ", \\\n     ";
    if (!layers_[i].data.empty()) text += fmt::format("$d{}_{} ", number, i);
    text += layers_[i].command;
  }
  return text + "\n";
}

bool Figure::save(const std::filesystem::path& path, int width, int height,
                  const std::function<bool()>& stop) const {
  return draw(path, script(0), width, height, kMostSeconds, stop);
}

bool save_panels(const std::filesystem::path& path, const std::vector<Figure>& figures, int columns,
                 int width, int height, const std::function<bool()>& stop) {
  if (figures.empty()) refuse("save_panels", "there are no figures");
  if (columns < 1) refuse("save_panels", fmt::format("columns must be at least 1, got {}", columns));
  const int rows = (static_cast<int>(figures.size()) + columns - 1) / columns;
  std::string text = fmt::format("set multiplot layout {},{}\n", rows, columns);
  for (std::size_t i = 0; i < figures.size(); ++i) text += figures[i].script(static_cast<int>(i));
  return draw(path, text + "unset multiplot\n", width, height, kMostSeconds, stop);
}

}  // namespace likely::plot
