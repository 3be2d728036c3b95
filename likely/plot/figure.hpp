// Figures: curves, points, bands, images and bars, as SVG and PNG.
//
//   plot::Figure figure({.title = "Training", .x_label = "epoch", .y_label = "loss", .log_y = true});
//   figure.line(epochs, losses, {.label = "training"});
//   figure.save("runs/first/loss");   // loss.svg, loss.png and loss.gp
//
// gnuplot draws them. The script, with the data in it, is kept beside the picture, so that it can be
// restyled: change loss.gp and run `gnuplot loss.gp`.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "likely/core/tensor.hpp"

namespace likely::plot {

struct FigureOptions {
  std::string title{};
  std::string x_label{}, y_label{};
  bool log_x = false, log_y = false;
  std::optional<std::pair<double, double>> x_range{}, y_range{};  // else what the data need
  bool equal_axes = false;                                        // a unit is as long across as up
  // A corner, "outside" or "none". More than six entries are always outside: they would cover the data.
  std::string legend = "top right";
  bool frame = true;  // axes and their numbers
};

struct SeriesOptions {
  std::string label{};  // in the legend, if not empty
  std::string color{};  // "#rrggbb"; else the next of sixteen, of which everybody tells the first eight apart
  int turn = -1;        // whose turn it is, from 0: its colour and, after sixteen, its shape; -1: the next
  double width = 2.0;   // of lines, or size of points
  bool dashed = false;
};

struct ImageOptions {
  // Where the first and the last column and row have their centres.
  std::optional<std::pair<double, double>> x_range{}, y_range{};
  std::string palette =
      "viridis";                 // "viridis", "gray", "diverging" (centred on 0) or "classes" (whole numbers)
  bool first_row_on_top = true;  // as a matrix is written
  bool color_bar = true;
  bool values = false;  // write each number into its cell
  std::vector<std::string> column_labels{}, row_labels{};
};

// Titles, labels and names are shown as they are, whatever characters they hold.

// What to say where `save` returns false.
inline constexpr const char* kNoGnuplot =
    "no pictures were drawn, only their scripts are kept: gnuplot is not installed (on Debian: apt install "
    "gnuplot-nox)";

// One picture. x and y are tensors of numbers of the same size (their shape does not matter); non-finite
// values are left out, and break a line. All refuse what does not fit, an empty tensor, ranges that are not
// finite, and colours, widths and places of the legend that are none.
class Figure {
 public:
  explicit Figure(FigureOptions options = {});

  Figure& line(const Tensor& x, const Tensor& y, const SeriesOptions& options = {});
  Figure& points(const Tensor& x, const Tensor& y, const SeriesOptions& options = {});
  // The area between two curves, such as an interval.
  Figure& band(const Tensor& x, const Tensor& low, const Tensor& high, const SeriesOptions& options = {});
  Figure& bars(const std::vector<std::string>& names, const Tensor& heights,
               const SeriesOptions& options = {});
  // z is (rows, columns): a heat map, a filter, a confusion matrix, the areas of a classifier.
  Figure& image(const Tensor& z, const ImageOptions& options = {});
  // A straight line across the whole picture.
  Figure& horizontal(double y, const SeriesOptions& options = {});
  Figure& vertical(double x, const SeriesOptions& options = {});

  // Writes `path`.svg, .png and .gp, each of which appears whole or not at all. Without gnuplot only the
  // script is written; returns whether there are pictures. Refuses a figure without content or without a
  // single finite number, a name with control characters, a path that cannot be written, and what gnuplot
  // refuses or does not bring to an end in two minutes (drawing_errors.hpp). gnuplot is ended as soon as
  // `stop` says true.
  bool save(const std::filesystem::path& path, int width = 720, int height = 480,
            const std::function<bool()>& stop = {}) const;

  // The part of the script that draws this figure. `number` keeps the names of its data apart from others'.
  std::string script(int number) const;

 private:
  struct Layer {
    std::string data;     // rows of numbers
    std::string command;  // what follows the name of the data in gnuplot's `plot`
    bool finite = true;   // whether there is anything to be seen
  };

  struct Style {
    std::string color;
    int round = 0;  // how often all colours were used before
  };
  // What an axis covers.
  struct Extent {
    double low = 0.0, high = 0.0;
    bool any = false;
    void add(const std::vector<double>& values);
  };

  Style next_style(const SeriesOptions& options);
  std::string number_format(const char* axis, const std::optional<std::pair<double, double>>& range,
                            const Extent& extent) const;
  std::string marks_across() const;

  FigureOptions options_;
  std::vector<Layer> layers_;
  std::string settings_;  // what images and bars ask of the axes
  Extent x_, y_;
  int colors_used_ = 0;
  int entries_ = 0;  // of the legend
};

// Several figures in one picture, row by row.
bool save_panels(const std::filesystem::path& path, const std::vector<Figure>& figures, int columns,
                 int width = 960, int height = 640, const std::function<bool()>& stop = {});

}  // namespace likely::plot
