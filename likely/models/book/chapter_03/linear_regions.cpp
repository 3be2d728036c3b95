#include "likely/models/book/chapter_03/linear_regions.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <utility>

#include "likely/ops/linear.hpp"

namespace likely::book {

namespace {

constexpr const char* kRegions = "linear_regions";
// Values this small beside the terms they are sums of are rounding errors.
constexpr double kRounding = 1e-12;

using Point = std::vector<double>;

// A region while it is being cut. What the layer computes is linear inside, so that its values at the corners
// say everything.
struct Cell {
  std::vector<Point> corners;
  std::vector<Point> values;  // at the corners
  std::vector<bool> on;
};

struct PlainLayer {
  Point weight;  // (out, in) in rows
  Point bias;
};

PlainLayer layer_in_f64(const nn::Linear& layer) {
  return {layer.weight.to_vector<double>(), layer.bias.to_vector<double>()};
}

// bias + weight h, and the size of the terms of each sum.
std::pair<Point, Point> apply_layer(const PlainLayer& layer, const Point& h) {
  Point y = layer.bias, size(layer.bias.size());
  for (std::size_t u = 0; u < y.size(); ++u) {
    size[u] = std::abs(y[u]);
    for (std::size_t d = 0; d < h.size(); ++d) {
      const double term = layer.weight[u * h.size() + d] * h[d];
      y[u] += term;
      size[u] += std::abs(term);
    }
  }
  return {y, size};
}

Point between(const Point& a, const Point& b, double t) {
  Point c(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) c[i] = (1.0 - t) * a[i] + t * b[i];
  return c;
}

// The part of a cell where sign * values[unit] >= 0.
Cell part(const Cell& cell, std::size_t unit, double sign) {
  Cell result{.corners = {}, .values = {}, .on = cell.on};
  const std::size_t n = cell.corners.size();
  for (std::size_t i = 0; i < n; ++i) {
    const double here = sign * cell.values[i][unit];
    if (here >= 0.0) {
      result.corners.push_back(cell.corners[i]);
      result.values.push_back(cell.values[i]);
    }
    const std::size_t j = (i + 1) % n;
    const double there = sign * cell.values[j][unit];
    if (n == 2 && i == 1) break;  // a segment has one edge
    if ((here > 0.0 && there < 0.0) || (here < 0.0 && there > 0.0)) {
      const double t = here / (here - there);
      result.corners.push_back(between(cell.corners[i], cell.corners[j], t));
      result.values.push_back(between(cell.values[i], cell.values[j], t));
      result.values.back()[unit] = 0.0;
    }
  }
  return result;
}

// Values that are 0 but for rounding become 0, so that a cut through a corner makes no sliver.
void clear_rounding(Cell& cell, const Point& sizes) {
  for (Point& values : cell.values) {
    for (std::size_t u = 0; u < values.size(); ++u) {
      if (std::abs(values[u]) <= kRounding * sizes[u]) values[u] = 0.0;
    }
  }
}

// The cells into which the units of a hidden layer cut one, with the units' outputs as values.
std::vector<Cell> cut(Cell cell, const PlainLayer& layer) {
  Point sizes(layer.bias.size(), 0.0);
  for (Point& values : cell.values) {
    auto [y, size] = apply_layer(layer, values);
    values = std::move(y);
    for (std::size_t u = 0; u < sizes.size(); ++u) sizes[u] = std::max(sizes[u], size[u]);
  }
  clear_rounding(cell, sizes);
  std::vector<Cell> cells{std::move(cell)};
  for (std::size_t u = 0; u < sizes.size(); ++u) {
    std::vector<Cell> next;
    for (Cell& c : cells) {
      double low = 0.0, high = 0.0;
      for (const Point& values : c.values) {
        low = std::min(low, values[u]);
        high = std::max(high, values[u]);
      }
      if (low < 0.0 && high > 0.0) {
        for (const double sign : {-1.0, 1.0}) {
          Cell side = part(c, u, sign);
          clear_rounding(side, sizes);
          side.on.push_back(sign > 0.0);
          next.push_back(std::move(side));
        }
      } else {
        c.on.push_back(high > 0.0);
        next.push_back(std::move(c));
      }
    }
    cells = std::move(next);
  }
  for (Cell& c : cells) {
    const std::size_t first = c.on.size() - sizes.size();
    for (Point& values : c.values) {
      for (std::size_t u = 0; u < values.size(); ++u)
        values[u] = c.on[first + u] ? std::max(0.0, values[u]) : 0.0;
    }
  }
  return cells;
}

double inner(const Point& a, const Point& b) {
  double total = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) total += a[i] * b[i];
  return total;
}

Point minus(const Point& a, const Point& b) {
  Point c = a;
  for (std::size_t i = 0; i < c.size(); ++i) c[i] -= b[i];
  return c;
}

// Whether the corners go once around a convex polygon of one plane, without three on a line.
bool is_flat_and_convex(const std::vector<Point>& corners) {
  const std::size_t n = corners.size();
  const Point along = minus(corners[1], corners[0]);
  const double length = std::sqrt(inner(along, along));
  if (!(length > 0.0)) return false;
  Point across = minus(corners[2], corners[1]);
  const double slant = inner(across, along) / (length * length);
  for (std::size_t i = 0; i < across.size(); ++i) across[i] -= slant * along[i];
  const double width = std::sqrt(inner(across, across));
  if (!(width > 0.0)) return false;

  double turned = 0.0;
  std::vector<std::pair<double, double>> edges;
  for (std::size_t i = 0; i < n; ++i) {
    const Point edge = minus(corners[(i + 1) % n], corners[i]);
    const double u = inner(edge, along) / length, v = inner(edge, across) / width;
    const double squared = inner(edge, edge);
    if (std::abs(squared - u * u - v * v) > 1e-9 * squared) return false;  // leaves the plane
    edges.emplace_back(u, v);
  }
  for (std::size_t i = 0; i < n; ++i) {
    const auto [a, b] = edges[i];
    const auto [c, d] = edges[(i + 1) % n];
    const double angle = std::atan2(a * d - b * c, a * c + b * d);
    if (!(angle > 0.0)) return false;
    turned += angle;
  }
  return turned < 6.5;  // once around is 2 pi
}

void check(const DeepNetwork& network, const std::vector<Point>& corners) {
  for (std::size_t k = 0; k + 1 < network.layers.size(); ++k) {
    const Activation activation = network.layers[k].activation;
    if (activation != Activation::relu)
      refuse(kRegions, "layer " + std::to_string(k) + " must have activation relu, got " +
                           std::string(name_of(activation)));
  }
  const std::int64_t inputs = network.layers[0].weight.dim(1);
  if (corners.size() < 2)
    refuse(kRegions, "at least two corners are needed, got " + std::to_string(corners.size()));
  for (const Point& corner : corners) {
    if (static_cast<std::int64_t>(corner.size()) != inputs)
      refuse(kRegions, "corners must have " + std::to_string(inputs) + " coordinates, got " +
                           std::to_string(corner.size()));
    for (const double x : corner)
      if (!std::isfinite(x)) refuse(kRegions, "corners must be finite, got " + std::to_string(x));
  }
  if (corners.size() == 2 && corners[0] == corners[1]) refuse(kRegions, "the two corners must differ");
  if (corners.size() > 2 && !is_flat_and_convex(corners))
    refuse(kRegions, "the corners must go once around a flat convex polygon");
}

}  // namespace

std::vector<Region> linear_regions(const DeepNetwork& network, const std::vector<Point>& corners) {
  check(network, corners);
  std::vector<Cell> cells{{.corners = corners, .values = corners, .on = {}}};
  for (std::size_t k = 0; k + 1 < network.layers.size(); ++k) {
    const PlainLayer layer = layer_in_f64(network.layers[k]);
    std::vector<Cell> next;
    for (Cell& cell : cells) {
      for (Cell& c : cut(std::move(cell), layer)) next.push_back(std::move(c));
    }
    cells = std::move(next);
  }
  const PlainLayer out = layer_in_f64(network.layers.back());
  std::vector<Region> regions;
  for (Cell& cell : cells) {
    for (Point& values : cell.values) values = apply_layer(out, values).first;
    regions.push_back({std::move(cell.corners), std::move(cell.values), std::move(cell.on)});
  }
  return regions;
}

std::int64_t count_patterns(const DeepNetwork& network, const Tensor& x) {
  if (x.rank() != 2) refuse("count_patterns", "x must be (rows, inputs), got " + x.shape().string());
  const std::int64_t rows = x.dim(0);
  std::vector<std::vector<bool>> patterns(static_cast<std::size_t>(rows));
  Tensor h = x;
  for (std::size_t k = 0; k + 1 < network.layers.size(); ++k) {
    const nn::Linear& layer = network.layers[k];
    const Tensor before = linear(h, layer.weight, layer.bias);
    const std::vector<double> values = before.to_vector<double>();
    const std::int64_t units = before.dim(1);
    for (std::int64_t i = 0; i < rows; ++i) {
      for (std::int64_t u = 0; u < units; ++u)
        patterns[static_cast<std::size_t>(i)].push_back(values[static_cast<std::size_t>(i * units + u)] >
                                                        0.0);
    }
    h = activate(before, layer.activation);
  }
  return static_cast<std::int64_t>(std::set<std::vector<bool>>(patterns.begin(), patterns.end()).size());
}

}  // namespace likely::book
