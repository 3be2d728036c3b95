#include "likely/models/recipe/run_files.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <utility>

#include "likely/core/error.hpp"
#include "likely/io/atomic_file.hpp"
#include "likely/kernels/build_info.hpp"
#include "likely/models/recipe/runs.hpp"

namespace likely::models {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

fs::path recipe_file(const fs::path& folder) { return folder / "recipe.json"; }

bool has_checkpoint(const fs::path& folder) {
  std::error_code failed;
  for (fs::recursive_directory_iterator it(folder, failed), end; !failed && it != end; it.increment(failed)) {
    if (it->path().filename() == "checkpoint.safetensors") return true;
  }
  return false;
}

}  // namespace

void write_run(const Recipe& recipe, const Run& run, const std::vector<std::uint64_t>& seeds) {
  std::error_code failed;
  fs::create_directories(run.out, failed);
  if (failed) throw Error(fmt::format("cannot make the folder {}: {}", run.out.string(), failed.message()));
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
  io::write_file(recipe_file(run.out), json.dump(2) + "\n");
}

void write_report(const fs::path& folder, const std::string& json) {
  io::write_file(folder / "report.json", json + "\n");
}

SavedRun read_run(const fs::path& folder) {
  if (!fs::exists(folder)) throw Error(fmt::format("{}: there is no such folder", folder.string()));
  const fs::path file = recipe_file(folder);
  if (!fs::exists(file))
    throw Error(fmt::format("{} is no run folder: it has no recipe.json", folder.string()));
  std::ifstream stream(file);
  const Json json = Json::parse(stream, nullptr, /*allow_exceptions=*/false);
  const auto refuse_file = [&](const std::string& why) {
    throw Error(fmt::format("{}: {}", file.string(), why));
  };
  if (!json.is_object()) refuse_file("this is not JSON");
  SavedRun saved{};
  try {
    saved.recipe = &find_recipe(json.at("recipe").get<std::string>());
    saved.run = default_run(*saved.recipe);
    for (const auto& [name, value] : json.at("settings").items())
      saved.run.settings.set(name, value.get<std::string>());
    saved.run.data = json.at("data").get<std::string>();
    if (json.contains("seeds")) {
      saved.seeds = json["seeds"].get<std::vector<std::uint64_t>>();
    } else {
      saved.run.seed = json.at("seed").get<std::uint64_t>();
    }
  } catch (const Json::exception&) {
    refuse_file("recipe, seed, data or settings are missing or of another type");
  } catch (const Error& error) {
    refuse_file(error.what());
  }
  saved.run.out = folder;
  return saved;
}

NewFolder::NewFolder(fs::path folder, bool force) : folder_(std::move(folder)) {
  if (folder_.empty()) throw Error("--out is empty");
  while (folder_.has_parent_path() && !folder_.has_filename()) folder_ = folder_.parent_path();
  if (fs::exists(folder_) && !fs::is_directory(folder_))
    throw Error(fmt::format("--out {}: this is a file", folder_.string()));
  for (fs::path part = fs::absolute(folder_); !fs::exists(part); part = part.parent_path())
    first_made_ = part;
  if (!first_made_.empty() || fs::is_empty(folder_)) return;
  if (!fs::exists(recipe_file(folder_)))
    throw Error(fmt::format("--out {}: the folder holds other things; choose another", folder_.string()));
  if (!force)
    throw Error(
        fmt::format("{0} already holds a run; go on with it (likely resume {0}), replace it (--force) or "
                    "choose another --out",
                    folder_.string()));
  aside_ = folder_.string() + fmt::format(".replaced-{}", getpid());
  fs::rename(folder_, aside_);
}

NewFolder::~NewFolder() {
  std::error_code failed;  // a destructor does what it can
  if (kept_ || has_checkpoint(folder_)) {
    if (!aside_.empty()) fs::remove_all(aside_, failed);
    return;
  }
  if (!first_made_.empty()) {
    fs::path made = fs::absolute(folder_);
    fs::remove_all(made, failed);
    // The folders around it, unless somebody else has come to use them.
    while (made != first_made_ && !failed) {
      made = made.parent_path();
      fs::remove(made, failed);
    }
  } else if (!aside_.empty()) {
    fs::remove_all(folder_, failed);
    fs::rename(aside_, folder_, failed);
  } else {
    for (const fs::directory_entry& entry : fs::directory_iterator(folder_, failed))
      fs::remove_all(entry.path(), failed);
  }
}

}  // namespace likely::models
