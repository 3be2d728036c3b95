// The recipes as a table.
#pragma once

#include <string>
#include <vector>

#include "likely/runs/recipe.hpp"

namespace likely::runs {

// One line a recipe: name, equations or chapter, data, what it reaches, how long it takes, summary.
std::string list_text(const std::vector<Recipe>& recipes);
// "< 1 s", "20 s", "3 min": how long something takes, about.
std::string time_text(double seconds);
// An array of objects with the same, and the settings.
std::string list_json(const std::vector<Recipe>& recipes);

}  // namespace likely::runs
