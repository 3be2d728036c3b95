// The functions that make the recipes, one a recipe, each beside its model. recipes.cpp puts them in order.
#pragma once

#include "likely/models/recipe.hpp"

namespace likely::models {

// models/vision
Recipe mnist1d_mlp_recipe();

}  // namespace likely::models
