// The classifiers of MNIST-1D: logistic regression, a fully connected, a convolutional and a residual
// network. All are trained for a fixed number of epochs with a rate that falls along a cosine; the test part
// is only looked at.
#include "likely/models/recipes.hpp"
#include "likely/models/vision/classifier.hpp"
#include "likely/models/vision/cnn.hpp"
#include "likely/models/vision/mlp.hpp"
#include "likely/models/vision/mnist1d_data.hpp"
#include "likely/models/vision/residual_net.hpp"

namespace likely::models {

using namespace runs;

namespace {

Recipe about_mnist1d(const std::string& name, const std::string& chapter, const std::string& summary) {
  return {.name = name,
          .chapter = chapter,
          .summary = summary,
          .data = kMnist1dData,
          .data_help = kMnist1dDataHelp};
}

}  // namespace

Recipe mnist1d_logistic_recipe() {
  Recipe recipe =
      about_mnist1d("mnist1d-logistic", "5.21-5.24", "Logistic regression tells ten curves apart, badly");
  recipe.expected = {{.figure = "test accuracy", .value = 0.32, .published = true}};
  recipe.seconds = 1;
  recipe.settings = fit_settings({.epochs = 100, .batch = 100, .lr = 1e-2});
  return classifier<vision::Mlp>(recipe, mnist1d_splits, [](const Run&, const Sizes& sizes, Rng rng) {
    return vision::Mlp({sizes.input.size(), sizes.outputs}, rng);
  });
}

Recipe mnist1d_mlp_recipe() {
  Recipe recipe =
      about_mnist1d("mnist1d-mlp", "4.15, 9", "A fully connected network of two hidden layers with dropout");
  recipe.expected = {{.figure = "test accuracy", .value = 0.68, .published = true}};
  recipe.seconds = 4;
  recipe.settings =
      with(fit_settings({.epochs = 60, .batch = 100, .lr = 3e-3}),
           {whole_setting("width", 256, "hidden units a layer", 1, 10'000), dropout_setting(0.4)});
  return classifier<vision::Mlp>(recipe, mnist1d_splits, [](const Run& run, const Sizes& sizes, Rng rng) {
    const std::int64_t width = run.settings.whole("width");
    return vision::Mlp({sizes.input.size(), width, width, sizes.outputs},
                       {.hidden_dropout = run.settings.number("dropout")}, rng);
  });
}

Recipe mnist1d_cnn_recipe() {
  Recipe recipe =
      about_mnist1d("mnist1d-cnn", "10.3-10.4", "Three convolutions of stride 2 and a linear map");
  recipe.expected = {{.figure = "test accuracy", .value = 0.94, .published = true}};
  recipe.seconds = 6;
  recipe.settings = with(fit_settings({.epochs = 60, .batch = 100, .lr = 5e-3}),
                         {whole_setting("channels", 50, "filters a layer (published: 25)", 1, 1000),
                          dropout_setting(0.5), weight_decay_setting(0.05)});
  return classifier<vision::Cnn1d>(recipe, mnist1d_splits, [](const Run& run, const Sizes& sizes, Rng rng) {
    return vision::Cnn1d({.length = sizes.input.size(),
                          .channels = run.settings.whole("channels"),
                          .classes = sizes.outputs,
                          .dropout = run.settings.number("dropout")},
                         rng);
  });
}

Recipe mnist1d_resnet_recipe() {
  Recipe recipe = about_mnist1d("mnist1d-resnet", "11.4-11.9",
                                "A residual network of nine convolutions with batch normalization");
  recipe.expected = {{.figure = "test accuracy", .value = 0.99}};
  recipe.seconds = 12;
  recipe.settings =
      with(fit_settings({.epochs = 30, .batch = 100, .lr = 1e-2}),
           {whole_setting("channels", 16, "of the first stage; the second has twice as many", 1, 512),
            whole_setting("blocks", 2, "residual blocks a stage", 1, 50), weight_decay_setting(0.05)});
  return classifier<vision::ResidualNet>(recipe, mnist1d_splits,
                                         [](const Run& run, const Sizes& sizes, Rng rng) {
                                           const std::int64_t channels = run.settings.whole("channels");
                                           return vision::ResidualNet({.height = 1,
                                                                       .width = sizes.input.size(),
                                                                       .kernel = {1, 3},
                                                                       .stages = {channels, 2 * channels},
                                                                       .stage_stride = {1, 2},
                                                                       .blocks = run.settings.whole("blocks"),
                                                                       .classes = sizes.outputs},
                                                                      rng);
                                         });
}

}  // namespace likely::models
