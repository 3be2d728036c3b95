// Grid and random search (chapter 8): which options are the best, by trying.
//
//   auto found = train::random_search({{"lr", train::log_uniform(1e-4, 1e-1)}, {"width", train::whole(10,
//   200)}},
//                                     30, rng.split(), [&](const train::Choice& choice, Rng rng) {
//     ... train with choice.at("lr"); return the validation loss
//   });
//   std::cout << found.table();
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "likely/ops/rng.hpp"

namespace likely::train {

// One value for each name.
using Choice = std::map<std::string, double>;

// Where a random search looks for one option.
class Candidates {
 public:
  double draw(Rng& rng) const { return draw_(rng); }

 private:
  friend Candidates uniform(double low, double high);
  friend Candidates log_uniform(double low, double high);
  friend Candidates whole(std::int64_t low, std::int64_t high);
  friend Candidates one_of(std::vector<double> values);
  explicit Candidates(std::function<double(Rng&)> f) : draw_(std::move(f)) {}
  std::function<double(Rng&)> draw_;
};

Candidates uniform(double low, double high);            // refuses low >= high
Candidates log_uniform(double low, double high);        // the same for the logarithm; refuses low <= 0
Candidates whole(std::int64_t low, std::int64_t high);  // whole numbers, both ends included
Candidates one_of(std::vector<double> values);          // refuses none

struct Trial {
  Choice choice;
  double value = 0.0;   // NaN where it failed
  std::string error{};  // why, where it failed
};

struct SearchOptions {
  bool higher_is_better = false;
  std::function<void(const Trial& trial, std::int64_t number)> on_trial{};  // after each, counted from 1
};

struct SearchResult {
  std::vector<Trial> trials;  // in the order of trying
  bool higher_is_better = false;
  bool interrupted = false;  // by Ctrl-C, after the last of these

  // Refuses where no trial succeeded.
  const Trial& best() const;
  // All trials, best first, as a table for people.
  std::string table() const;
  // All trials in order as a CSV file: the options, "value" and "error".
  void save_csv(const std::filesystem::path& path) const;
};

// What a trial is: returns how good the choice is. An Error that it throws (say, because the loss became NaN)
// is noted and the search goes on; NaN is a failure, too. Every trial is handed a key of its own.
using TrialValue = std::function<double(const Choice& choice, Rng rng)>;

// Every combination; the last option changes fastest. Refuses an empty grid, options without values or with
// the same name.
SearchResult grid_search(const std::vector<std::pair<std::string, std::vector<double>>>& grid, Rng rng,
                         const TrialValue& value_of, const SearchOptions& options = {});

// So many choices at random. Refuses trials < 1, an empty space, and two options of the same name.
SearchResult random_search(const std::vector<std::pair<std::string, Candidates>>& space, std::int64_t trials,
                           Rng rng, const TrialValue& value_of, const SearchOptions& options = {});

}  // namespace likely::train
