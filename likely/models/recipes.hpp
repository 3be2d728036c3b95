// The functions that make the recipes, one a recipe, each beside its model. recipes.cpp puts them in order.
#pragma once

#include "likely/runs/recipe.hpp"

namespace likely::models {

// All there are, in the order of the book.
const runs::Catalogue& recipes();

// models/book
runs::Recipe linear_regression_recipe();
runs::Recipe logistic_regression_recipe();
runs::Recipe gabor_recipe();
runs::Recipe shallow_regression_recipe();
runs::Recipe shallow_normal_recipe();
runs::Recipe shallow_binary_recipe();
runs::Recipe deep_regression_recipe();
runs::Recipe moons_recipe();
runs::Recipe spirals_recipe();

// models/softmax
runs::Recipe confident_recipe();
runs::Recipe confident_mnist1d_recipe();

// models/tables
runs::Recipe csv_recipe();

// models/vision
runs::Recipe mnist1d_logistic_recipe();
runs::Recipe mnist1d_mlp_recipe();
runs::Recipe mnist_mlp_recipe();
runs::Recipe double_descent_recipe();
runs::Recipe mnist1d_cnn_recipe();
runs::Recipe mnist_cnn_recipe();
runs::Recipe shattered_gradients_recipe();
runs::Recipe mnist1d_resnet_recipe();
runs::Recipe mnist_resnet_recipe();

}  // namespace likely::models
