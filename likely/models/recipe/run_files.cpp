#include "likely/models/recipe/run_files.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "likely/core/error.hpp"
#include "likely/io/atomic_file.hpp"
#include "likely/io/checksum.hpp"
#include "likely/io/path_kind.hpp"
#include "likely/io/text.hpp"
#include "likely/kernels/build_info.hpp"
#include "likely/models/recipe/runs.hpp"

namespace likely::models {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

fs::path recipe_file(const fs::path& folder) { return folder / "recipe.json"; }

}  // namespace

void write_run(const Recipe& recipe, const Run& run, const std::vector<std::uint64_t>& seeds) {
  Json json;
  json["likely"] = version();
  json["recipe"] = recipe.name;
  if (seeds.empty()) {
    json["seed"] = run.seed;
  } else {
    json["seeds"] = seeds;
  }
  json["data"] = run.data.string();
  Json settings = Json::object();
  for (const Setting& setting : run.settings.all()) settings[setting.name] = setting.value;
  json["settings"] = std::move(settings);
  std::string text;
  try {
    text = json.dump(2) + "\n";
  } catch (const Json::exception&) {
    throw Error("the path of the data or a setting is not UTF-8: recipe.json cannot hold it");
  }
  io::write_file(recipe_file(run.out), io::sealed_json(text));
}

void write_report(const fs::path& folder, const std::string& json) {
  io::write_file(folder / "report.json", io::sealed_json(json + "\n"));
}

SavedRun read_run(const fs::path& folder) {
  if (!io::path_exists(folder)) throw Error(fmt::format("{}: there is no such folder", folder.string()));
  const fs::path file = recipe_file(folder);
  if (!io::path_exists(file))
    throw Error(fmt::format("{} is no run folder: it has no recipe.json", folder.string()));
  const std::string text = io::read_text(file);
  const auto refuse_file = [&](const std::string& why) {
    throw Error(fmt::format("{}: {}", file.string(), why));
  };
  // First: a changed byte may be one that makes it JSON.
  if (io::seal_of(text) == io::Seal::broken) refuse_file(io::kBrokenSeal);
  const Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) refuse_file("this is not JSON");
  SavedRun saved{};
  try {
    saved.recipe = &find_recipe(json.at("recipe").get<std::string>());
    saved.run = default_run(*saved.recipe);
    for (const auto& [name, value] : json.at("settings").items())
      saved.run.settings.set(name, value.get<std::string>());
    saved.run.data = json.at("data").get<std::string>();
    // Other numbers would be made whole in one way or another.
    const auto seed_of = [](const Json& seed) {
      if (seed.is_number() && !seed.is_number_unsigned())
        throw Error("a seed must be a whole number from 0 on, got " + seed.dump());
      return seed.get<std::uint64_t>();
    };
    if (json.contains("seeds")) {
      for (const Json& seed : json["seeds"].get<std::vector<Json>>()) saved.seeds.push_back(seed_of(seed));
    } else {
      saved.run.seed = seed_of(json.at("seed"));
    }
  } catch (const Json::exception&) {
    refuse_file("recipe, seed, data or settings are missing or of another type");
  } catch (const Error& error) {
    refuse_file(error.what());
  }
  saved.run.out = folder;
  return saved;
}

}  // namespace likely::models
