// A fully connected network of two hidden layers on MNIST-1D.
#include "likely/models/recipes.hpp"
#include "likely/models/vision/mnist1d_data.hpp"
#include "likely/nn/linear.hpp"

namespace likely::models {

namespace {

struct Mlp {
  nn::Linear first, second, last;

  Mlp(const Sizes& sizes, std::int64_t width, Rng rng)
      : first(sizes.input.size(), width, {.activation = Activation::relu}, rng.split()),
        second(width, width, {.activation = Activation::relu}, rng.split()),
        last(width, sizes.outputs, rng.split()) {}

  Tensor operator()(const Tensor& x) const { return last(second(first(x))); }
  LIKELY_PARTS(first, second, last)
};

}  // namespace

Recipe mnist1d_mlp_recipe() {
  return supervised<Mlp>({.name = "mnist1d-mlp",
                          .chapter = "4.15, 8",
                          .summary = "A fully connected network with two hidden layers",
                          .data = kMnist1dData,
                          .data_help = kMnist1dDataHelp,
                          .expected = {{.figure = "test accuracy", .value = 0.68, .published = true}},
                          .seconds = 5,
                          .settings = with(fit_settings({.epochs = 40, .batch = 100, .lr = 2e-3}),
                                           {whole_setting("width", 100, "hidden units a layer", 1, 10'000)})},
                         {.data = mnist1d_splits,
                          .model = [](const Run& run, const Sizes& sizes,
                                      Rng rng) { return Mlp(sizes, run.settings.whole("width"), rng); },
                          .objective = classification()});
}

}  // namespace likely::models
