#include "likely/runs/recipe.hpp"

#include <fmt/format.h>

#include "likely/core/error.hpp"
#include "likely/core/nearest_name.hpp"

namespace likely::runs {

std::vector<Setting> with(std::vector<Setting> settings, const std::vector<Setting>& more) {
  settings.insert(settings.end(), more.begin(), more.end());
  return settings;
}

const Expected* expected_of(const Recipe& recipe, std::string_view figure) {
  for (const Expected& expected : recipe.expected) {
    if (expected.figure == figure) return &expected;
  }
  return nullptr;
}

Run default_run(const Recipe& recipe) {
  if (recipe.name.empty() || !recipe.train) refuse("recipe", "a recipe needs a name and a way to train");
  return {.settings = Settings(recipe.name, recipe.settings)};
}

const Recipe& find_recipe(const Catalogue& catalogue, std::string_view name) {
  std::vector<std::string> names;
  for (const Recipe& recipe : catalogue) {
    if (recipe.name == name) return recipe;
    names.push_back(recipe.name);
  }
  const std::string near = did_you_mean(name, names);
  throw Error(
      fmt::format("nothing is called \"{}\"{}", name, near.empty() ? "; `likely list` shows what is" : near));
}

}  // namespace likely::runs
