// The classifiers of MNIST: a fully connected, a convolutional and a residual network. They need the data:
// --data ../shared/data/mnist. All are trained for a fixed number of epochs; the test part is only looked at.
#include "likely/data/augmentations.hpp"
#include "likely/io/idx.hpp"
#include "likely/models/recipes.hpp"
#include "likely/models/vision/classifier.hpp"
#include "likely/models/vision/cnn.hpp"
#include "likely/models/vision/mlp.hpp"
#include "likely/models/vision/residual_net.hpp"

namespace likely::models {

using namespace runs;

namespace {

Recipe about_mnist(const std::string& name, const std::string& chapter, const std::string& summary) {
  return {.name = name,
          .chapter = chapter,
          .summary = summary,
          .data = "MNIST, from your files",
          .data_help = "folder with MNIST's four IDX files (train-images-idx3-ubyte and so on, plain or .gz)",
          .needs_data = true};
}

Setting shift_setting(std::int64_t value) {
  return whole_setting("shift", value, "digits are moved by up to so many pixels in training", 0, 8);
}

// Images (1, 28, 28); those to learn from are moved about.
Splits digits(const Run& run, Rng) {
  const io::Mnist mnist = io::load_mnist(run.data, {.flat = false});
  const std::int64_t shift = run.settings.whole("shift");
  return {.train = shift > 0 ? mnist.train.augment(data::shift_images(shift)) : mnist.train,
          .test = mnist.test};
}

}  // namespace

Recipe mnist_mlp_recipe() {
  Recipe recipe =
      about_mnist("mnist-mlp", "4.15, 9", "A fully connected network, 784-512-512-10, with dropout");
  recipe.expected = {{.figure = "test accuracy", .value = 0.984, .published = true}};
  recipe.seconds = 50;
  recipe.settings = with(fit_settings({.epochs = 20, .batch = 128, .lr = 1e-3}),
                         {whole_setting("width", 512, "hidden units a layer", 1, 10'000),
                          dropout_setting(0.3), shift_setting(0)});
  return classifier<vision::Mlp>(recipe, digits, [](const Run& run, const Sizes& sizes, Rng rng) {
    const std::int64_t width = run.settings.whole("width");
    return vision::Mlp({sizes.input.size(), width, width, sizes.outputs},
                       {.hidden_dropout = run.settings.number("dropout")}, rng);
  });
}

Recipe mnist_cnn_recipe() {
  Recipe recipe = about_mnist("mnist-cnn", "10.6", "Two convolutions with max pooling and a hidden layer");
  recipe.expected = {{.figure = "test accuracy", .value = 0.9925, .published = true}};
  recipe.seconds = 40;
  recipe.settings =
      with(fit_settings({.epochs = 10, .batch = 100, .lr = 2e-3}), {dropout_setting(0.3), shift_setting(1)});
  return classifier<vision::Cnn2d>(recipe, digits, [](const Run& run, const Sizes& sizes, Rng rng) {
    return vision::Cnn2d({.height = sizes.input[1],
                          .width = sizes.input[2],
                          .classes = sizes.outputs,
                          .dropout = run.settings.number("dropout")},
                         rng);
  });
}

Recipe mnist_resnet_recipe() {
  Recipe recipe = about_mnist("mnist-resnet", "11.4-11.9",
                              "A residual network of nine convolutions with batch normalization");
  recipe.expected = {{.figure = "test accuracy", .value = 0.9949}};
  recipe.seconds = 90;
  recipe.settings =
      with(fit_settings({.epochs = 6, .batch = 100, .lr = 5e-3}),
           {whole_setting("channels", 16, "of the first stage; the second has twice as many", 1, 512),
            whole_setting("blocks", 2, "residual blocks a stage", 1, 50), weight_decay_setting(0.05),
            shift_setting(1)});
  return classifier<vision::ResidualNet>(recipe, digits, [](const Run& run, const Sizes& sizes, Rng rng) {
    const std::int64_t channels = run.settings.whole("channels");
    return vision::ResidualNet({.channels = sizes.input[0],
                                .height = sizes.input[1],
                                .width = sizes.input[2],
                                .stem_stride = 2,
                                .stages = {channels, 2 * channels},
                                .blocks = run.settings.whole("blocks"),
                                .classes = sizes.outputs},
                               rng);
  });
}

}  // namespace likely::models
