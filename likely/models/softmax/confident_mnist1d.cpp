// `likely train confident-mnist1d`: some digits of MNIST-1D are learned; the others, and curves of other
// kinds, are not to be taken for them.
#include <fmt/format.h>

#include <algorithm>

#include "likely/core/create.hpp"
#include "likely/core/error.hpp"
#include "likely/models/recipes.hpp"
#include "likely/models/softmax/confident_recipe.hpp"
#include "likely/models/vision/cnn.hpp"
#include "likely/models/vision/mnist1d_data.hpp"
#include "likely/ops/index.hpp"
#include "likely/ops/join.hpp"
#include "likely/ops/order.hpp"
#include "likely/ops/reduce.hpp"
#include "likely/ops/view.hpp"

namespace likely::models {

using namespace runs;  // NOLINT(google-build-using-namespace)

namespace {

using confidence::Elsewhere;
using confidence::Inside;
using confidence::Pair;

data::Dataset of_classes(const data::Dataset& rows, std::int64_t low, std::int64_t high) {
  const std::vector<std::int64_t> labels = rows.targets().to_vector<std::int64_t>();
  std::vector<std::int64_t> kept;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (labels[i] >= low && labels[i] < high) kept.push_back(static_cast<std::int64_t>(i));
  }
  return rows.subset(kept);
}

Splits all_digits(const Run& run) { return mnist1d_splits(run, Rng(run.seed).fold_in(1)); }

Inside digits_inside(const Run& run, Rng) {
  const std::int64_t digits = run.settings.whole("digits");
  const Splits all = all_digits(run);
  Inside inside{
      .train = of_classes(all.train, 0, digits), .test = of_classes(*all.test, 0, digits), .classes = digits};
  if (inside.train.size() == 0 || inside.test.size() == 0)
    throw Error(fmt::format("{}: no curve is one of the digits 0 to {}", run.data.string(), digits - 1));
  return inside;
}

// The numbers of each row in an order of its own.
Tensor shuffled(const Tensor& x, Rng rng) {
  return take_along_axis(x, argsort(rng.uniform(x.shape()), 1), 1);
}

// Normal numbers, each the mean of five in a row, with variance 1.
Tensor smooth_noise(const Shape& shape, Rng rng) {
  const Tensor noise = rng.normal({shape[0], shape[1] + 4});
  Tensor sum = slice(noise, 1, {0, shape[1]});
  for (std::int64_t i = 1; i < 5; ++i) sum = sum + slice(noise, 1, {i, i + shape[1]});
  return sum / std::sqrt(5.0);
}

std::vector<Elsewhere> curves_elsewhere(const Run& run, const Inside& inside, Rng rng) {
  const Tensor x = inside.test.all().x;
  const std::int64_t digits = run.settings.whole("digits");
  const data::Dataset others = of_classes(*all_digits(run).test, digits, 10);
  std::vector<Elsewhere> all;
  if (others.size() > 0) all.push_back({"other digits", others.all().x});
  all.push_back({"shuffled", shuffled(x, rng.split())});
  all.push_back({"upside down", -x});
  all.push_back({"noise", rng.split().normal(x.shape())});
  all.push_back({"smooth noise", smooth_noise(x.shape(), rng.split())});
  return all;
}

void draw_curves_of(const Pair& pair, const Inside& inside, PictureFolder& album) {
  const Tensor made = pair.generate(4, Rng(1));
  const Tensor real = inside.test.range(0, 4).x;
  const Tensor place = linspace(0.0, static_cast<double>(real.dim(1) - 1), real.dim(1));
  std::vector<plot::Figure> panels;
  for (const bool generated : {false, true}) {
    for (std::int64_t i = 0; i < 4; ++i) {
      plot::Figure figure(
          {.title = generated ? "generated" : "seen", .y_range = {{-4.0, 4.0}}, .legend = "none"});
      figure.line(place, select(generated ? made : real, 0, i), {.turn = generated ? 1 : 0});
      panels.push_back(figure);
    }
  }
  album.add_panels("generated", panels, 4, 960, 480);
}

}  // namespace

Recipe confident_mnist1d_recipe() {
  const Recipe about{
      .name = "confident-mnist1d",
      .chapter = "document 001",
      .summary = "Some digits are learned, and the others are not to be taken for them",
      .data = kMnist1dData,
      .data_help = kMnist1dDataHelp,
      .expected = {{.figure = "AUROC shuffled", .value = 0.99}, {.figure = "test accuracy", .value = 0.91}},
      .seconds = 30,
      .settings = with(confidence::confident_settings(
                           {.epochs = 60, .batch = 100, .noise = 16, .lr = 2e-3, .spread = 0.5}),
                       {whole_setting("digits", 8, "how many are learned; the others are not", 2, 10),
                        whole_setting("channels", 25, "filters a layer of the classifier", 1, 1000)})};
  return confidence::confident_recipe<vision::Cnn1d>(
      about, {.inside = digits_inside, .elsewhere = curves_elsewhere, .pictures = draw_curves_of},
      [](const Run& run, const Sizes& sizes, Rng rng) {
        return vision::Cnn1d({.length = sizes.input.size(),
                              .channels = run.settings.whole("channels"),
                              .classes = sizes.outputs,
                              .dropout = 0.3},
                             rng);
      });
}

}  // namespace likely::models
