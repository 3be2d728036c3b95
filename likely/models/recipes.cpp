#include "likely/models/recipes.hpp"

namespace likely::models {

// In the order of the book. A list, and no registration from afar: a static library keeps only what is named.
const runs::Catalogue& recipes() {
  static const runs::Catalogue all = {
      linear_regression_recipe(),
      shallow_regression_recipe(),
      moons_recipe(),
      deep_regression_recipe(),
      spirals_recipe(),
      shallow_normal_recipe(),
      shallow_binary_recipe(),
      gabor_recipe(),
      logistic_regression_recipe(),
      mnist1d_logistic_recipe(),
      mnist1d_mlp_recipe(),
      mnist_mlp_recipe(),
      double_descent_recipe(),
      mnist1d_cnn_recipe(),
      mnist_cnn_recipe(),
      shattered_gradients_recipe(),
      mnist1d_resnet_recipe(),
      mnist_resnet_recipe(),
      confident_recipe(),
      confident_mnist1d_recipe(),
      csv_recipe(),
  };
  return all;
}

}  // namespace likely::models
