// Sweeps: a recipe trained again and again with other settings, to see which are best (chapter 8).
//
//   const Sweep sweep = run_sweep(find_recipe(models::recipes(), "moons"),
//                                 {.random = {"lr=1e-4..0.1", "units=3..60"}, .trials = 20, .run = run});
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "likely/runs/recipe.hpp"

namespace likely::runs {

struct SweepTrial {
  std::int64_t number = 0;                      // counted from 1
  std::map<std::string, std::string> settings;  // those that were swept
  double value = 0.0;                           // of the figure; NaN where the trial failed
  std::string error{};                          // why, where it failed
  std::filesystem::path out{};                  // its run folder
};

struct SweepOptions {
  std::vector<std::string> grid{};  // "lr=0.1,0.01": all combinations
  std::vector<std::string>
      random{};             // "width=10..200": drawn at random; from a tenfold range on, its logarithm is
  std::int64_t trials = 0;  // with `random`, how many; each also draws one value of every grid
  std::string figure{};     // what counts; empty: the first that is no test figure, or the first
  std::optional<bool> higher_is_better{};  // else as the figure says of itself
  bool force = false;                      // replace a sweep that run.out holds
  // What all have in common. run.out is the folder of the sweep; run.events hears what happens in each trial,
  // and event::Trial after it.
  Run run{};
};

struct Sweep {
  std::string recipe;
  std::string figure;
  bool higher_is_better = true;
  bool interrupted = false;
  bool kept_earlier = false;  // an earlier sweep was to be replaced, and nothing came of this one
  std::filesystem::path out{};
  std::vector<SweepTrial> trials{};               // in the order of trying
  std::vector<std::filesystem::path> pictures{};  // without their endings
  std::vector<std::string> warnings{};            // which could not be drawn, of trials too, and why

  // Best first, failures last.
  std::vector<SweepTrial> ranked() const;
  std::string table() const;
  std::string json() const;
};

// Each trial has a run folder of its own, <out>/trial-<n>; <out>/sweep.csv lists those made so far,
// <out>/figures/sweep shows the figure by each setting. All trials have the same seed. A trial that fails is
// noted, and the next one tried; Ctrl-C ends the sweep with what there is. Where no trial succeeds, an
// earlier sweep that was to be replaced stays. Refuses, before the first trial: nothing to sweep over, a
// setting that is not there, is named twice or may not have the value, a random search without a number of
// trials, a folder that holds anything. Refuses, after the first: a figure that is not
// there, or that does not say whether higher is better.
Sweep run_sweep(const Recipe& recipe, const SweepOptions& options);

}  // namespace likely::runs
