#include "likely/models/recipes.hpp"

namespace likely::models {

// In the order of the book. A list, and no registration from afar: a static library keeps only what is named.
const std::vector<Recipe>& recipes() {
  static const std::vector<Recipe> all = {
      mnist1d_mlp_recipe(),
  };
  return all;
}

}  // namespace likely::models
