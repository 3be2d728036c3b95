// Runs: recipes trained into folders that remember everything, and what can be done with these folders later.
//
// A run folder holds recipe.json (recipe, seed, settings, data), report.json (what was reached), events.jsonl
// (what happened, as it happens: train/event_file.hpp), figures/ and whatever the recipe leaves there:
// model.safetensors, and the files of train::fit. A training with several seeds makes a folder with one run
// folder, "seed-<n>", for each. A folder knows the name of its recipe, which is looked up in a catalogue that
// must outlive what is returned.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "likely/runs/recipe.hpp"

namespace likely::runs {

struct SeedReport {
  std::uint64_t seed = 0;
  std::filesystem::path out{};
  Report report{};
  bool interrupted_late = false;  // when all was learned: pictures may be missing
};

// What came of one training, or of one for each seed.
struct RunReport {
  const Recipe* recipe = nullptr;
  Run run{};  // with the folder of all seeds as `out`
  std::vector<SeedReport> seeds{};
  std::size_t all_seeds = 1;             // how many there were to be
  std::vector<std::string> of_folder{};  // warnings that are about the whole folder, told as they came up

  train::Stopped stopped() const;
  // Of the last seed; later ones are missing then.
  bool interrupted_late() const;
  // A figure of each seed that has it: a training that was interrupted has none.
  std::vector<double> values(std::string_view figure) const;
  // The means over the seeds, by name.
  std::vector<Measured> figures() const;
  // The same of Report::calibration.
  std::vector<Measured> calibration() const;
  // The standard deviation over the seeds (n - 1) of a figure; 0 for one seed.
  double spread(std::string_view figure) const;
  double seconds() const;
  std::vector<std::filesystem::path> pictures() const;
  // What was decided about the data: those of all seeds, each once.
  std::vector<std::string> notes() const;
  // Which pictures could not be drawn, and why; what of others' had a name of ours, and has another now. Of
  // several seeds, with the seed in front.
  std::vector<std::string> warnings() const;
};

struct TrainOptions {
  std::vector<std::uint64_t> seeds{};          // more than one: a run folder each; none: that of the run
  bool force = false;                          // replace the run that the folder holds
  std::function<void(const Run&)> on_start{};  // is told the run once nothing is refused any more
};

// Trains into run.out. Refuses data where the recipe takes none, a recipe that needs data without them, a
// path of data that is not there, the same seed twice, a folder that holds a run (unless forced) or anything
// else, that another process writes to, or that holds what is to be read. Where it fails before the first
// checkpoint, everything is as before.
RunReport train_recipe(const Recipe& recipe, Run run, const TrainOptions& options = {});

// Goes on with a training that was interrupted, or trains for longer: `changes` are settings as "name=text",
// of which only epochs may be changed. Refuses a folder that is no run folder.
RunReport resume_run(const Catalogue& catalogue, const std::filesystem::path& folder,
                     const std::vector<std::string>& changes = {}, const train::EventSink& events = {});

// Measures again, on other data of the recipe's kind if so wished. Refuses a recipe that cannot, and a folder
// whose report.json or metrics.jsonl was changed. Ctrl-C ends it with Cancelled.
RunReport evaluate_run(const Catalogue& catalogue, const std::filesystem::path& folder,
                       const std::optional<std::filesystem::path>& data = {},
                       const train::EventSink& events = {});

// Predictions for the rows of a file. Refuses folders of several seeds (name one of them) and recipes that
// have nothing to predict with.
Predicted predict_run(const Catalogue& catalogue, const std::filesystem::path& folder,
                      const std::filesystem::path& rows);

// Draws all pictures again. Refuses the same. After Ctrl-C stopped() is Stopped::interrupted, and pictures
// may be old ones.
RunReport plot_run(const Catalogue& catalogue, const std::filesystem::path& folder,
                   const train::EventSink& events = {});

// The recipe and the run of a folder. Refuses one whose recipe is not in the catalogue.
struct SavedRun {
  const Recipe* recipe;  // in the catalogue
  Run run;
  std::vector<std::uint64_t> seeds;  // empty: a single run
};
SavedRun read_run(const Catalogue& catalogue, const std::filesystem::path& folder);

// For people: the figures, those expected beside them, the time, the pictures.
std::string text_of(const RunReport& report);
// For programs: one object, whose keys are documented in docs/command.md.
std::string json_of(const RunReport& report);
// "68.3 %" or "0.4312".
std::string text_of(const Measured& figure);
// "published 68 %" or "usually 0.43".
std::string text_of(const Expected& expected);

}  // namespace likely::runs
