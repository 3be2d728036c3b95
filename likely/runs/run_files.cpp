#include "likely/runs/run_files.hpp"

#include <fmt/format.h>

#include <utility>

#include "likely/core/error.hpp"
#include "likely/io/atomic_file.hpp"
#include "likely/io/checksum.hpp"
#include "likely/io/json.hpp"
#include "likely/io/path_kind.hpp"
#include "likely/io/text.hpp"
#include "likely/kernels/build_info.hpp"
#include "likely/runs/runs.hpp"
#include "likely/train/history.hpp"

namespace likely::runs {

namespace {

namespace fs = std::filesystem;
using io::Json;

fs::path recipe_file(const fs::path& folder) { return folder / "recipe.json"; }
fs::path report_file(const fs::path& folder) { return folder / "report.json"; }

[[noreturn]] void refuse_file(const fs::path& file, const std::string& why) {
  throw Error(fmt::format("{}: {}", file.string(), why));
}

Json read_sealed(const fs::path& file) {
  Json json = io::json_or_none(io::read_sealed("", file));
  if (!json.is_object()) refuse_file(file, "this is not JSON");
  return json;
}

}  // namespace

void write_run(const Recipe& recipe, const Run& run, const std::vector<std::uint64_t>& seeds) {
  Json json = Json::object();
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
    text = io::exact_json_text(json, 2) + "\n";
  } catch (const Error&) {
    throw Error("the path of the data or a setting is not UTF-8: recipe.json cannot hold it");
  }
  io::write_file(recipe_file(run.out), io::sealed_json(text));
}

void write_report(const fs::path& folder, const std::string& json) {
  io::write_file(report_file(folder), io::sealed_json(json + "\n"));
}

void check_records(const fs::path& folder) {
  if (io::path_exists(report_file(folder))) read_sealed(report_file(folder));
  train::read_history(folder);
}

SavedRun read_run(const Catalogue& catalogue, const fs::path& folder) {
  if (!io::path_exists(folder)) throw Error(fmt::format("{}: there is no such folder", folder.string()));
  const fs::path file = recipe_file(folder);
  if (!io::path_exists(file))
    throw Error(fmt::format("{} is no run folder: it has no recipe.json", folder.string()));
  const Json json = read_sealed(file);
  SavedRun saved{};
  try {
    saved.recipe = &find_recipe(catalogue, json.at("recipe").get<std::string>());
    saved.run = default_run(*saved.recipe);
    for (const auto& [name, value] : json.at("settings").get_ref<const Json::object_t&>())
      saved.run.settings.set(name, value.get<std::string>());
    saved.run.data = json.at("data").get<std::string>();
    // Other numbers would be made whole in one way or another.
    const auto seed_of = [](const Json& seed) {
      if (seed.is_number() && !seed.is_number_unsigned())
        throw Error("a seed must be a whole number from 0 on, got " + io::json_text(seed));
      return seed.get<std::uint64_t>();
    };
    if (json.contains("seeds")) {
      for (const Json& seed : json["seeds"].get<std::vector<Json>>()) saved.seeds.push_back(seed_of(seed));
    } else {
      saved.run.seed = seed_of(json.at("seed"));
    }
  } catch (const Json::exception&) {
    refuse_file(file, "recipe, seed, data or settings are missing or of another type");
  } catch (const Error& error) {
    refuse_file(file, error.what());
  }
  saved.run.out = folder;
  return saved;
}

}  // namespace likely::runs
