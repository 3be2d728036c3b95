// The functions that make the recipes, one a recipe, each beside its model. recipes.cpp puts them in order.
#pragma once

#include "likely/models/recipe.hpp"

namespace likely::models {

// models/book
Recipe linear_regression_recipe();
Recipe logistic_regression_recipe();
Recipe gabor_recipe();
Recipe shallow_regression_recipe();
Recipe shallow_normal_recipe();
Recipe shallow_binary_recipe();
Recipe deep_regression_recipe();
Recipe moons_recipe();
Recipe spirals_recipe();

// models/tables
Recipe csv_recipe();

// models/vision
Recipe mnist1d_logistic_recipe();
Recipe mnist1d_mlp_recipe();
Recipe mnist_mlp_recipe();
Recipe double_descent_recipe();
Recipe mnist1d_cnn_recipe();
Recipe mnist_cnn_recipe();
Recipe shattered_gradients_recipe();
Recipe mnist1d_resnet_recipe();
Recipe mnist_resnet_recipe();

}  // namespace likely::models
