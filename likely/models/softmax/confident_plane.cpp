// `likely train confident`: a classifier in the plane that is not sure where it has seen nothing.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "likely/core/cancel.hpp"
#include "likely/core/create.hpp"
#include "likely/data/toy.hpp"
#include "likely/models/recipes.hpp"
#include "likely/models/softmax/confident_recipe.hpp"
#include "likely/nn/network.hpp"
#include "likely/ops/compare.hpp"
#include "likely/ops/index.hpp"
#include "likely/ops/join.hpp"
#include "likely/ops/math.hpp"
#include "likely/ops/reduce.hpp"
#include "likely/ops/view.hpp"
#include "likely/train/interrupt.hpp"

namespace likely::models {

using namespace runs;  // NOLINT(google-build-using-namespace)

namespace {

using confidence::ConfidentParts;
using confidence::Elsewhere;
using confidence::Inside;
using confidence::Pair;

constexpr double kSide = 3.0;  // pictures and rows outside reach from -3 to 3

data::Dataset plane_rows(const std::string& shape, std::int64_t rows, Rng rng) {
  if (shape == "rings") return data::circles(rows, rng);
  if (shape == "spirals") return data::spirals(rows, rng, {.classes = 3, .turns = 0.75});
  if (shape == "clouds")
    return data::gaussian_mixture(rows, tensor({{-1.0, -1.0}, {1.0, -0.5}, {0.0, 1.0}}), 0.2, rng);
  // Around the origin, as the others are.
  return data::moons(rows, rng).map([](data::Batch batch) {
    batch.x = batch.x - tensor({0.5, 0.25});
    return batch;
  });
}

Inside plane_inside(const Run& run, Rng rng) {
  const std::string& shape = run.settings.text("shape");
  const std::int64_t rows = run.settings.whole("rows");
  return {.train = plane_rows(shape, rows, rng.split()),
          .test = plane_rows(shape, 1000, rng.split()),
          .classes = shape == "spirals" || shape == "clouds" ? 3 : 2};
}

constexpr std::int64_t kMostDistances = 1 << 20;  // in memory at once

// The distance of each place from the nearest row.
Tensor distance_from(const Tensor& rows, const Tensor& places) {
  std::vector<Tensor> nearest;
  const std::int64_t at_once = std::clamp<std::int64_t>(kMostDistances / rows.dim(0), 1, 500);
  for (std::int64_t first = 0; first < places.dim(0); first += at_once) {
    give_up_if(train::detail::interrupt_arrived);
    const Tensor some = slice(places, 0, {first, std::min(first + at_once, places.dim(0))});
    nearest.push_back(min(sum(square(unsqueeze(some, 1) - unsqueeze(rows, 0)), 2), 1));
  }
  return likely::sqrt(concat(nearest));
}

// 1000 places between these distances from all rows.
Tensor places_between(const Tensor& rows, double low, double high, double side, Rng rng) {
  const Tensor places = rng.uniform({20'000, 2}, -side, side);
  const std::vector<double> away = distance_from(rows, places).to_vector<double>();
  std::vector<std::int64_t> kept;
  for (std::size_t i = 0; i < away.size() && kept.size() < 1000; ++i) {
    if (away[i] >= low && away[i] < high) kept.push_back(static_cast<std::int64_t>(i));
  }
  return index_select(places, 0, tensor(kept, {static_cast<std::int64_t>(kept.size())}));
}

std::vector<Elsewhere> plane_elsewhere(const Run&, const Inside& inside, Rng rng) {
  const Tensor rows = inside.train.all().x;
  return {{"near", places_between(rows, 0.3, 0.8, kSide, rng.split())},
          {"around", places_between(rows, 0.8, 2.0, kSide, rng.split())},
          {"far", places_between(rows, 3.0, 8.0, 8.0, rng.split())}};
}

void draw_plane(const Pair& pair, const Inside& inside, PictureFolder& album) {
  constexpr std::int64_t kPixels = 160;
  const Tensor axis = linspace(-kSide, kSide, kPixels);
  const Tensor across = reshape(expand(reshape(axis, {1, kPixels}), {kPixels, kPixels}), {kPixels * kPixels});
  const Tensor up = reshape(expand(reshape(axis, {kPixels, 1}), {kPixels, kPixels}), {kPixels * kPixels});
  const Tensor places = stack({across, up}, 1);
  const data::Batch seen = inside.test.range(0, 400);
  const Tensor made = pair.generate(400, Rng(1));
  std::vector<plot::Figure> panels;
  for (const bool joint : {false, true}) {
    plot::Figure figure({.title = joint ? "Joint: largest probability" : "Plain: largest probability",
                         .x_range = {{-kSide, kSide}},
                         .y_range = {{-kSide, kSide}},
                         .equal_axes = true,
                         .legend = "none"});
    const Tensor sure = confidence::max_probability((joint ? pair.joint : pair.plain)(places));
    figure.image(reshape(sure, {kPixels, kPixels}),
                 {.x_range = {{-kSide, kSide}}, .y_range = {{-kSide, kSide}}, .first_row_on_top = false});
    for (std::int64_t k = 0; k < inside.classes; ++k) {
      const Tensor mine =
          where(seen.y == static_cast<double>(k), select(seen.x, 1, 0).to(DType::f64), std::nan(""));
      figure.points(mine, select(seen.x, 1, 1), {.turn = static_cast<int>(k) + 1, .width = 1.2});
    }
    if (joint) figure.points(select(made, 1, 0), select(made, 1, 1), {.color = "#ffffff", .width = 1.0});
    panels.push_back(figure);
  }
  album.add_panels("confidence", panels, 2, 1000, 460);
}

}  // namespace

Recipe confident_recipe() {
  const Recipe about{
      .name = "confident",
      .chapter = "document 001",
      .summary = "A classifier that is not sure where it has seen nothing, beside one that is",
      .data = "moons, rings, spirals or clouds in the plane",
      .expected = {{.figure = "AUROC around", .value = 0.99}},
      .seconds = 3,
      .settings = with(confidence::confident_settings({.epochs = 200, .spread = 1.0}),
                       {word_setting("shape", "moons", "what the classes look like",
                                     {"moons", "rings", "spirals", "clouds"}),
                        whole_setting("rows", 1000, "generated rows to learn from", 50, 1'000'000),
                        whole_setting("width", 100, "hidden units a layer of the classifier", 1, 10'000)})};
  return confidence::confident_recipe<nn::Network>(
      about, {.inside = plane_inside, .elsewhere = plane_elsewhere, .pictures = draw_plane},
      [](const Run& run, const Sizes& sizes, Rng rng) {
        const std::int64_t width = run.settings.whole("width");
        // Far away these units are what they are at the border of what was seen; rectified ones would grow.
        return nn::network(
            fmt::format("linear {0}, tanh, linear {0}, tanh, linear {1}", width, sizes.outputs), {2}, rng);
      });
}

}  // namespace likely::models
