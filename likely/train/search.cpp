#include "likely/train/search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "likely/core/error.hpp"
#include "likely/io/atomic_file.hpp"
#include "likely/io/csv_writer.hpp"
#include "likely/train/interrupt.hpp"

namespace likely::train {

namespace {

double uniform_number(Rng& rng) { return rng.uniform({}, 0.0, 1.0, DType::f64).item(); }

template <class Options>
void check_names(const char* caller, const Options& options) {
  if (options.empty()) refuse(caller, "there are no options to search over");
  Choice seen;
  for (const auto& option : options) {
    if (!seen.emplace(option.first, 0.0).second)
      refuse(caller, "the option \"" + option.first + "\" is named twice");
  }
}

SearchResult search(const std::vector<Choice>& choices, const Rng& rng, const TrialValue& value_of,
                    const SearchOptions& options) {
  const detail::CatchInterrupt interrupt(true);
  SearchResult result{.trials = {}, .higher_is_better = options.higher_is_better};
  for (const Choice& choice : choices) {
    Trial trial{.choice = choice};
    const auto number = static_cast<std::int64_t>(result.trials.size());
    try {
      trial.value = value_of(choice, rng.fold_in(static_cast<std::uint64_t>(number)));
      if (std::isnan(trial.value)) trial.error = "the value is NaN";
    } catch (const Error& error) {
      trial.value = std::numeric_limits<double>::quiet_NaN();
      trial.error = error.what();
    }
    result.trials.push_back(std::move(trial));
    if (options.on_trial) options.on_trial(result.trials.back(), number + 1);
    result.interrupted = interrupt.arrived();
    if (result.interrupted) break;
  }
  return result;
}

// Best first, failures last.
std::vector<const Trial*> ranked(const SearchResult& result) {
  std::vector<const Trial*> order;
  for (const Trial& trial : result.trials) order.push_back(&trial);
  std::stable_sort(order.begin(), order.end(), [&](const Trial* a, const Trial* b) {
    if (a->error.empty() != b->error.empty()) return a->error.empty();
    if (!a->error.empty()) return false;
    return result.higher_is_better ? a->value > b->value : a->value < b->value;
  });
  return order;
}

}  // namespace

Candidates uniform(double low, double high) {
  if (!(low < high && std::isfinite(high - low)))
    refuse("uniform", fmt::format("low must be below high, got {} and {}", low, high));
  return Candidates([=](Rng& rng) { return low + (high - low) * uniform_number(rng); });
}

Candidates log_uniform(double low, double high) {
  if (!(0.0 < low && low < high && std::isfinite(high)))
    refuse("log_uniform", fmt::format("0 < low < high is needed, got {} and {}", low, high));
  return Candidates(
      [=](Rng& rng) { return std::exp(std::log(low) + std::log(high / low) * uniform_number(rng)); });
}

Candidates whole(std::int64_t low, std::int64_t high) {
  if (low > high) refuse("whole", fmt::format("low must not be above high, got {} and {}", low, high));
  return Candidates([=](Rng& rng) { return rng.randint(low, high + 1, {}).item(); });
}

Candidates one_of(std::vector<double> values) {
  if (values.empty()) refuse("one_of", "there are no values to choose from");
  return Candidates([values = std::move(values)](Rng& rng) {
    const double place = rng.randint(0, static_cast<std::int64_t>(values.size()), {}).item();
    return values[static_cast<std::size_t>(place)];
  });
}

const Trial& SearchResult::best() const {
  const std::vector<const Trial*> order = ranked(*this);
  if (order.empty()) refuse("search", "there are no trials");
  if (!order.front()->error.empty())
    refuse("search",
           "all " + std::to_string(trials.size()) + " trials failed, the first with: " + trials[0].error);
  return *order.front();
}

std::string SearchResult::table() const {
  if (trials.empty()) return "no trials\n";
  std::string text;
  for (const auto& [name, value] : trials.front().choice) text += fmt::format("{:>14}", name);
  text += fmt::format("{:>14}\n", "value");
  for (const Trial* trial : ranked(*this)) {
    for (const auto& [name, value] : trial->choice) text += fmt::format("{:>14.6g}", value);
    text += trial->error.empty() ? fmt::format("{:>14.6g}\n", trial->value)
                                 : fmt::format("{:>14}  {}\n", "failed", trial->error);
  }
  return text;
}

void SearchResult::save_csv(const std::filesystem::path& path) const {
  std::string text;
  if (!trials.empty()) {
    for (const auto& [name, value] : trials.front().choice) text += io::csv_field(name) + ",";
  }
  text += "value,error\n";
  for (const Trial& trial : trials) {
    for (const auto& [name, value] : trial.choice) text += fmt::format("{},", value);
    text += (trial.error.empty() ? fmt::format("{}", trial.value) : "") + "," +
            (trial.error.empty() ? "" : io::csv_field(trial.error)) + "\n";
  }
  io::write_file(path, text);
}

SearchResult grid_search(const std::vector<std::pair<std::string, std::vector<double>>>& grid, Rng rng,
                         const TrialValue& value_of, const SearchOptions& options) {
  check_names("grid_search", grid);
  std::vector<Choice> choices(1);
  for (const auto& [name, values] : grid) {
    if (values.empty()) refuse("grid_search", "the option \"" + name + "\" has no values");
    std::vector<Choice> more;
    for (const Choice& choice : choices) {
      for (const double value : values) {
        more.push_back(choice);
        more.back()[name] = value;
      }
    }
    choices = std::move(more);
  }
  return search(choices, rng, value_of, options);
}

SearchResult random_search(const std::vector<std::pair<std::string, Candidates>>& space, std::int64_t trials,
                           Rng rng, const TrialValue& value_of, const SearchOptions& options) {
  check_names("random_search", space);
  if (trials < 1) refuse("random_search", "at least 1 trial is needed, got " + std::to_string(trials));
  Rng drawing = rng.split();
  std::vector<Choice> choices(static_cast<std::size_t>(trials));
  for (Choice& choice : choices) {
    for (const auto& [name, candidates] : space) choice[name] = candidates.draw(drawing);
  }
  return search(choices, rng.split(), value_of, options);
}

}  // namespace likely::train
