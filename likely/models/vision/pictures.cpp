#include "likely/models/vision/pictures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "likely/core/create.hpp"
#include "likely/ops/arithmetic.hpp"
#include "likely/ops/reduce.hpp"
#include "likely/ops/view.hpp"

namespace likely::vision {

namespace {

std::int64_t columns_for(std::int64_t count) {
  return static_cast<std::int64_t>(std::ceil(std::sqrt(static_cast<double>(count)) - 1e-9));
}

int panel_rows(std::size_t count, int columns) { return (static_cast<int>(count) + columns - 1) / columns; }

// An image without axes.
plot::Figure small_image(const Tensor& z, const std::string& title, const std::string& palette) {
  plot::Figure figure({.title = title, .equal_axes = true, .legend = "none", .frame = false});
  figure.image(z, {.palette = palette, .color_bar = false});
  return figure;
}

// Curves (count, places) in a grid, all to one scale, each above a line at 0.
plot::Figure small_lines(const Tensor& curves) {
  const std::vector<double> values = curves.to(DType::f64).to_vector<double>();
  const std::int64_t count = curves.dim(0);
  const std::int64_t places = curves.dim(1);
  const std::int64_t columns = columns_for(count);
  const double reach = std::max(max(abs(curves)).item(), 1e-30);
  std::vector<double> x;
  std::vector<double> y;
  std::vector<double> zero;
  for (std::int64_t n = 0; n < count; ++n) {
    const std::int64_t row = n / columns;
    const double left = 1.3 * static_cast<double>(n - row * columns);
    const double middle = -2.4 * static_cast<double>(row);
    for (std::int64_t i = 0; i < places; ++i) {
      x.push_back(left + static_cast<double>(i) / static_cast<double>(std::max<std::int64_t>(places - 1, 1)));
      y.push_back(middle + values[static_cast<std::size_t>(n * places + i)] / reach);
      zero.push_back(middle);
    }
    for (std::vector<double>* line : {&x, &y, &zero}) line->push_back(std::nan(""));  // lifts the pen
  }
  plot::Figure figure({.title = "Filters of the first layer", .legend = "none", .frame = false});
  figure.line(tensor(x), tensor(zero), {.color = "#b0b0b0", .width = 1.0});
  figure.line(tensor(x), tensor(y), {.color = "#0072b2"});
  return figure;
}

plot::Figure activation_panel(const LayerOutput& layer) {
  const Tensor value = select(layer.value, 0, 0);
  if (value.rank() == 1 && value.size() <= 20) {
    std::vector<std::string> names;
    for (std::int64_t i = 0; i < value.size(); ++i) names.push_back(std::to_string(i));
    plot::Figure figure({.title = layer.name, .x_label = "class", .legend = "none"});
    figure.bars(names, value);
    return figure;
  }
  if (value.rank() == 1) {
    plot::Figure figure({.title = layer.name, .x_label = "unit", .legend = "none"});
    figure.bars(std::vector<std::string>(static_cast<std::size_t>(value.size())), value);
    return figure;
  }
  if (value.rank() == 2 || value.dim(1) == 1) {
    plot::Figure figure({.title = layer.name, .x_label = "place", .y_label = "channel", .legend = "none"});
    figure.image(reshape(value, {value.dim(0), -1}), {.palette = "viridis", .color_bar = false});
    return figure;
  }
  return small_image(mosaic(value), layer.name, "viridis");
}

}  // namespace

Tensor mosaic(const Tensor& images) {
  if (images.rank() != 3 || images.size() == 0)
    refuse("mosaic", "images (count, height, width) are needed, got " + images.shape().string());
  const std::int64_t count = images.dim(0);
  const std::int64_t height = images.dim(1);
  const std::int64_t width = images.dim(2);
  const std::int64_t columns = columns_for(count);
  const std::int64_t rows = (count + columns - 1) / columns;
  const std::int64_t full_width = columns * (width + 1) - 1;
  const std::int64_t full_height = rows * (height + 1) - 1;
  std::vector<double> values(static_cast<std::size_t>(full_width * full_height),
                             std::numeric_limits<double>::quiet_NaN());
  const std::vector<double> from = images.to(DType::f64).to_vector<double>();
  for (std::int64_t n = 0; n < count; ++n) {
    for (std::int64_t i = 0; i < height; ++i) {
      const auto to = (n / columns * (height + 1) + i) * full_width + n % columns * (width + 1);
      std::copy_n(from.begin() + (n * height + i) * width, width, values.begin() + to);
    }
  }
  return tensor(values, {full_height, full_width});
}

void draw_filters(const Tensor& weight, runs::PictureFolder& pictures, std::int64_t most) {
  if (weight.rank() < 2 || weight.size() == 0)
    refuse("draw_filters", "a weight (out, in, ...) is needed, got " + weight.shape().string());
  const Tensor shown = slice(weight, 0, {.start = 0, .stop = std::min(most, weight.dim(0))});
  const std::int64_t count = shown.dim(0);
  if (shown.rank() == 2) {
    plot::Figure figure({.title = "Weights of the first layer", .x_label = "input", .y_label = "unit"});
    figure.image(shown, {.palette = "diverging"});
    pictures.add("filters", figure);
    return;
  }
  const std::int64_t width = shown.dim(-1);
  if (shown.rank() == 4 && shown.dim(2) > 1) {
    pictures.add("filters", small_image(mosaic(mean(shown, 1)), "Filters of the first layer", "diverging"),
                 520, 540);
    return;
  }
  pictures.add("filters", small_lines(mean(reshape(shown, {count, -1, width}), 1)), 560, 580);
}

void draw_activations(const Tensor& input, const std::vector<LayerOutput>& outputs, const std::string& title,
                      runs::PictureFolder& pictures) {
  std::vector<plot::Figure> panels;
  const Tensor example = select(input, 0, 0);
  if (example.rank() == 1) {
    plot::Figure figure({.title = title, .x_label = "place", .legend = "none"});
    figure.line(arange(example.size()), example);
    panels.push_back(figure);
  } else {
    panels.push_back(small_image(example, title, "gray"));
  }
  for (const LayerOutput& layer : outputs) panels.push_back(activation_panel(layer));
  const int columns = panels.size() <= 4 ? 2 : 3;
  pictures.add_panels("activations", panels, columns, 340 * columns,
                      300 * panel_rows(panels.size(), columns));
}

}  // namespace likely::vision
