// What a run folder says about itself: recipe.json, config.json, metrics.jsonl, report.json, and the model
// beside them.
#include <fmt/format.h>

#include "likely/core/create.hpp"
#include "likely/core/error.hpp"
#include "likely/io/folder_list.hpp"
#include "likely/io/inspect.hpp"
#include "likely/io/safetensors.hpp"
#include "likely/models/recipes.hpp"
#include "likely/runs/run_files.hpp"
#include "likely/runs/runs.hpp"
#include "likely/train/run_records.hpp"
#include "tests/fuzz/choices.hpp"
#include "tests/fuzz/raw_json.hpp"
#include "tests/fuzz/raw_tensors.hpp"
#include "tests/fuzz/target.hpp"
#include "tests/support/temporary_folder.hpp"

namespace likely::fuzz {

namespace {

using namespace std::string_literals;
using Paths = const std::filesystem::path&;

const std::string kRecipe =
    R"({"likely": "0.1.0", "recipe": "shallow-regression", "seed": 7, "data": "", "settings": {"epochs": "3", "lr": "0.1"}})";
const std::string kRecipeOfSeeds =
    R"({"likely": "0.1.0", "recipe": "moons", "seeds": [1, 2], "data": "x.csv", "settings": {"batch": "50"}})";
const std::string kConfig =
    R"({"likely": "0.1.0", "seed": 1, "epochs": 2, "steps": 0, "batch": 32, "shuffle": true, "drop_last": false,
 "accumulate": 1, "clip_norm": 0.0, "lr": 0.1, "monitor": "", "patience": 0, "training rows": 90, "validation rows": 0,
 "notes": {}, "optimizer": "likely::optim::Adam", "model": "Line", "parameters": 2, "parts": {"weight": [1, 1]}})";
const std::string kMetrics =
    "{\"epoch\": 1, \"step\": 3, \"loss\": 0.5, \"lr\": 0.1, \"valid loss\": 0.7, \"improved\": true, "
    "\"seconds\": 0.1}\n"
    "{\"step\": 4, \"loss\": 0.4, \"lr\": 0.1}\n"
    "{\"epoch\": 2, \"step\": 6, \"loss\": null, \"lr\": 0.1, \"train accuracy\": 0.9, \"improved\": "
    "false}\n";
const std::string kReport =
    R"({"name": "line", "seeds": [7], "epochs": 3, "figures": {"test_loss": 0.25}, "stopped": "finished"})";

const std::string kList =
    "likely-list 1 2049 77 1700000000 5\0sign report.json\0folder figures\0"
    "file 12 34 56 78 figures/a b.png\0grows 5 00000000000000000010 00000000000000000020 log\0"s;

void look_at_run(Paths folder) {
  const runs::SavedRun saved = runs::read_run(models::recipes(), folder);
  demand(saved.recipe != nullptr, "a run without a recipe");
  for (const runs::Setting& setting : saved.run.settings.all()) {
    if (setting.kind == runs::Setting::Kind::number || setting.kind == runs::Setting::Kind::whole) {
      const double value = saved.run.settings.number(setting.name);
      demand(value >= setting.low && value <= setting.high, setting.name + " is out of its range");
    }
  }
}

void look_at_epochs(Paths path) {
  for (const train::EpochReport& report : train::detail::read_epochs("fit", path))
    train::detail::line_of(report);
}

void compare_configurations(const std::string& then) {
  train::detail::differences({"seed", "batch", "lr", "monitor", "parameters"}, kConfig, then);
}

// A small run as `likely train` leaves it.
struct RunFiles {
  std::string recipe;
  RawTensors model;
};
const RunFiles& trained_run() {
  static const RunFiles kFiles = [] {
    const testing::TemporaryFolder folder;
    const runs::Recipe& recipe = runs::find_recipe(models::recipes(), "shallow-regression");
    runs::Run run = runs::default_run(recipe);
    for (const char* const setting : {"epochs=1", "rows=10", "units=2"}) run.settings.set(setting);
    run.out = folder / "run";
    runs::train_recipe(recipe, run);
    return RunFiles{testing::read_bytes(run.out / "recipe.json"),
                    raw(io::load_safetensors(run.out / "model.safetensors"))};
  }();
  return kFiles;
}

std::vector<std::string> starts() {
  return {"", std::string(40, '\1'), std::string(60, '\4'), "\x02\x13\x24\x35\x46\x57"};
}

}  // namespace

void add_run_targets(std::vector<Target>& all) {
  all.push_back({"recipe",
                 [](std::string_view input) {
                   return read_folder({{"recipe.json", std::string(input)}}, kPlain, look_at_run);
                 },
                 [] {
                   return std::vector<std::string>{kRecipe, kRecipeOfSeeds};
                 }});
  all.push_back({"recipe_meaning",
                 [](std::string_view input) {
                   Choices choices(input);
                   const std::string text =
                       distorted_json(choices.one_in(2) ? kRecipeOfSeeds : kRecipe, choices);
                   return read_folder({{"recipe.json", text}}, kPlain, look_at_run);
                 },
                 starts, false});
  all.push_back({"metrics", [](std::string_view input) { return read_file(input, kPlain, look_at_epochs); },
                 [] { return std::vector<std::string>{kMetrics}; }});
  all.push_back({"metrics_meaning",
                 [](std::string_view input) {
                   Choices choices(input);
                   std::string text;
                   for (std::size_t place = 0; place < kMetrics.size();) {
                     const std::size_t end = kMetrics.find('\n', place);
                     // Nearly everything else is refused: some lines stay as they are.
                     const std::string line = kMetrics.substr(place, end - place);
                     text += (choices.one_in(4) ? distorted_json(line, choices) : line) + "\n";
                     place = end + 1;
                   }
                   return read_file(text, kPlain, look_at_epochs);
                 },
                 starts, false});
  all.push_back(
      {"config",
       [](std::string_view input) { return read_text([&] { compare_configurations(std::string(input)); }); },
       [] { return std::vector<std::string>{kConfig}; }});
  all.push_back({"config_meaning",
                 [](std::string_view input) {
                   Choices choices(input);
                   const std::string text = distorted_json(kConfig, choices);
                   return read_text([&] { compare_configurations(text); });
                 },
                 starts, false, false});
  all.push_back(
      {"run_meaning",
       [](std::string_view input) {
         Choices choices(input);
         RunFiles files = trained_run();
         if (choices.one_in(3)) files.recipe = distorted_json(files.recipe, choices);
         distort(files.model, choices);
         return read_folder(
             {{"recipe.json", files.recipe},
              {"model.safetensors", safetensors_of(files.model)},
              {"rows.csv", "x\n0.5\n1.5\n"}},
             // A network of the size that the recipe asks for is made first, if the file can fill it.
             4.0 * kPlain, [](Paths folder) {
               const runs::Predictions predictions =
                   runs::predict_run(models::recipes(), folder, folder / "rows.csv").columns;
               demand(!predictions.empty() && predictions[0].values.dim(0) == 2,
                      "predictions for other rows");
             });
       },
       [] {
         std::vector<std::string> seeds = starts();
         // A file that announces 2^24 outputs.
         seeds.push_back("\0\0\0\x09\0\x02\0\x01\x03\x18"s);
         return seeds;
       },
       false});
  all.push_back({"records",
                 [](std::string_view input) {
                   return read_folder({{"report.json", std::string(input)}, {"metrics.jsonl", kMetrics}},
                                      kPlain, [](Paths folder) { runs::check_records(folder); });
                 },
                 [] {
                   return std::vector<std::string>{kReport, kConfig};
                 }});
  all.push_back({"folder_list",
                 [](std::string_view input) {
                   return read_file(input, kPlain, [&](Paths path) {
                     const auto list = io::detail::read_list(path);
                     if (!list) refuse("read_list", path.string() + " is no list");
                     std::size_t characters = 0;
                     for (const auto& [name, prints] : list->noted) characters += name.native().size();
                     demand(characters <= input.size(), "more names than were in the list");
                   });
                 },
                 [] {
                   return std::vector<std::string>{kList, kList + "file 1 2"};
                 }});
  all.push_back({"inspect_folder",
                 [](std::string_view input) {
                   return read_folder({{"report.json", std::string(input)}}, kPlain,
                                      [](Paths folder) { io::json_of(io::inspect_folder(folder)); });
                 },
                 [] {
                   return std::vector<std::string>{kReport, kConfig};
                 }});
  all.push_back({"inspect_folder_meaning",
                 [](std::string_view input) {
                   Choices choices(input);
                   return read_folder({{"report.json", distorted_json(kReport, choices)},
                                       {"config.json", distorted_json(kConfig, choices)}},
                                      kPlain, [](Paths folder) { io::json_of(io::inspect_folder(folder)); });
                 },
                 starts, false, false});  // what it cannot read it names, and shows the rest
}

}  // namespace likely::fuzz
