#include "likely/train/run_records.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "likely/io/checksum.hpp"
#include "likely/io/json.hpp"
#include "likely/io/text.hpp"
#include "likely/kernels/build_info.hpp"
#include "likely/kernels/instruction_set.hpp"
#include "likely/tree/misfit.hpp"

namespace likely::train::detail {

namespace {

using io::Json;

// What the keys of metrics begin with.
constexpr std::array<std::pair<MeasuredOn, std::string_view>, 4> kMeasuredOn{
    {{MeasuredOn::training, "train_"},
     {MeasuredOn::validation, "validation_"},
     {MeasuredOn::test, "test_"},
     {MeasuredOn::by_learner, "measured_"}}};
// The learner's own losses and rates; the only loss and rate are called "loss" and "lr".
constexpr std::string_view kLoss = "loss_";
constexpr std::string_view kRate = "lr_";
constexpr const char* kOptions = "optimizer_options";
// Checksums of rows, and how many there are.
constexpr std::array<std::pair<std::string_view, const char*>, 2> kData{
    {{"training data", "training rows"}, {"validation data", "validation rows"}}};

// The processor's, of which the last digits of what is computed depend, data that are generated among them.
constexpr const char* kInstructions = "instructions";

// Of data that are others, though as many: their checksums mean nothing to people. Older versions did not
// write them.
std::string other_data(const std::string& key, const char* rows, const Json& ours, const Json& theirs) {
  const bool known = theirs.contains(key) && theirs.value(rows, Json()) == ours.value(rows, Json());
  if (!known || theirs[key] == ours.value(key, Json())) return "";
  const Json was = theirs.value(kInstructions, Json()), is = ours.value(kInstructions, Json());
  const bool elsewhere = was.is_string() && was != is;
  return "the " + key + " have changed" +
         (elsewhere ? fmt::format(" (or were generated anew with {} instructions instead of {}: their last "
                                  "digits may differ)",
                                  io::json_text(is), io::json_text(was))
                    : "");
}

Json parts_of(AnyLearner& learner) {
  Json parts = Json::array();
  for (const Slot& slot : learner.slots()) {
    if (!slot.of_model) continue;
    const std::string name = slot.name.substr(learner.model_prefix().size());
    Json part = {{"name", name}, {"kind", slot.learned ? "parameter" : "buffer"}};
    if (slot.value->frozen()) part["kind"] = "frozen";
    if (slot.value->defined()) {
      part["shape"] = slot.value->shape().string();
      part["type"] = name_of(slot.value->dtype());
    }
    parts.push_back(std::move(part));
  }
  return parts;
}

std::int64_t count_learned(AnyLearner& learner) {
  std::int64_t total = 0;
  for (const Slot& slot : learner.slots()) {
    if (slot.of_model && slot.learned && !slot.value->frozen()) total += slot.value->size();
  }
  return total;
}

// "scheduled", "plateau" or the rate, and where there are several optimizers, of each.
Json rates_of(AnyLearner& learner, const LoopOptions& options) {
  Json all = Json::object();
  for (const Rate& rate : learner.rates()) {
    Json how = options.schedules.contains(rate.name) ? Json("scheduled")
               : options.plateau != nullptr          ? Json("plateau")
                                                     : Json(*rate.value);
    if (rate.name.empty()) return how;
    all[rate.name] = how;
  }
  return all.empty() ? Json() : all;
}

// The other options of each optimizer.
Json options_of(AnyLearner& learner) {
  Json all = Json::object();
  for (const Rate& rate : learner.rates()) {
    if (rate.name.empty()) return rate.others;
    all[rate.name] = rate.others;
  }
  return all;
}

// A line of metrics.jsonl. Keys that are missing (older versions wrote fewer) have their defaults.
class MetricsLine {
 public:
  MetricsLine(const char* caller, const std::filesystem::path& path, std::int64_t number,
              std::string_view text)
      : caller_(caller),
        where_(path.string() + ", line " + std::to_string(number) + ": "),
        json_(io::json_or_none(text)) {
    if (!json_.is_object()) refuse(caller_, where_ + "this is not a JSON object");
    if (!json_.contains("epoch") && !json_.contains("step"))
      refuse(caller_, where_ + "this is neither an epoch nor a step");
    count("step");
    number_of("loss");
    number_of("lr");
  }

  bool is_epoch() const { return json_.contains("epoch"); }
  EpochReport epoch() const {
    EpochReport report{
        .epoch = count("epoch"), .step = count("step"), .loss = number_of("loss"), .lr = number_of("lr")};
    const Json improved = json_.value("improved", Json(false));
    if (!improved.is_boolean()) refuse_value("improved", improved, "true or false");
    report.improved = improved.get<bool>();
    report.seconds = json_.contains("seconds") ? number_of("seconds") : 0.0;
    for (const auto& [key, value] : json_.items()) {
      for (const auto& [on, prefix] : kMeasuredOn) {
        if (!key.starts_with(prefix)) continue;
        report.measured.emplace_back(key.substr(prefix.size()), number_of(key));
        report.measured_on = on;
      }
    }
    report.losses = named("loss", kLoss);
    report.rates = named("lr", kRate);
    if (!json_.contains("loss") && !report.losses.empty()) report.loss = report.losses.front().second;
    if (!json_.contains("lr") && !report.rates.empty()) report.lr = report.rates.front().second;
    return report;
  }

 private:
  // The only one, or those whose keys begin with the prefix.
  NamedNumbers named(const char* only, std::string_view prefix) const {
    NamedNumbers numbers;
    for (const auto& [key, value] : json_.items()) {
      if (key == only) numbers.emplace_back(key, number_of(key));
      if (key.starts_with(prefix)) numbers.emplace_back(key.substr(prefix.size()), number_of(key));
    }
    return numbers;
  }
  std::int64_t count(const char* key) const {
    const Json value = json_.value(key, Json(0));
    const bool fine = value.is_number_integer() && value.get<double>() >= 0.0 &&
                      value.get<double>() <= static_cast<double>(kMostCounted);
    if (!fine) refuse_value(key, value, "a count from 0 to 2^53");
    return value.get<std::int64_t>();
  }
  // null, which is how JSON has to say NaN, is read back as NaN.
  double number_of(const std::string& key) const {
    const Json value = json_.value(key, Json());
    if (value.is_number()) return value.get<double>();
    if (!value.is_null()) refuse_value(key, value, "a number or null");
    return std::numeric_limits<double>::quiet_NaN();
  }
  [[noreturn]] void refuse_value(const std::string& key, const Json& value, const char* wanted) const {
    refuse(caller_, where_ + key + " is " + io::json_text(value) + ", must be " + wanted);
  }

  const char* caller_;
  std::string where_;
  Json json_;
};

}  // namespace

std::string config_text(AnyLearner& learner, const std::vector<Fact>& facts, const LoopOptions& options) {
  Json config = Json::object();
  config["likely"] = version();
  config[kInstructions] = kernels::instruction_set();
  config["seed"] = options.seed;
  config["epochs"] = options.epochs;
  config["steps"] = options.steps;
  config["lr"] = rates_of(learner, options);
  config[kOptions] = options_of(learner);
  config["monitor"] = options.monitor;
  config["patience"] = options.patience;
  for (const Fact& fact : facts)
    std::visit([&](const auto& value) { config[fact.name] = value; }, fact.value);
  config["notes"] = options.notes;
  config["parameters"] = count_learned(learner);
  config["parts"] = parts_of(learner);
  return io::sealed_json(io::json_text(config, 2) + "\n");
}

std::vector<std::string> keys_that_stay(const std::vector<Fact>& facts) {
  std::vector<std::string> keys{"seed"};
  for (const Fact& fact : facts) {
    if (fact.must_stay) keys.push_back(fact.name);
  }
  keys.insert(keys.end(), {"lr", kOptions, "monitor", "parameters"});
  return keys;
}

std::vector<std::string> differences(const std::vector<std::string>& keys, const std::string& now,
                                     const std::string& then) {
  const Json ours = io::parse_json(now);
  const Json theirs = io::json_or_none(then);
  if (!theirs.is_object()) return {"its config.json is not readable"};
  std::vector<std::string> found;
  for (const std::string& key : keys) {
    // Older versions did not write them; and those of another optimizer say nothing.
    if (key == kOptions &&
        (!theirs.contains(key) || theirs.value("optimizer", Json()) != ours.value("optimizer", Json())))
      continue;
    // Nor these.
    const bool newer = key.ends_with("groups") || key.ends_with("average") || key.ends_with("plateau");
    if (newer &&
        (!theirs.contains(key) || theirs.value("optimizer", Json()) != ours.value("optimizer", Json())))
      continue;
    const auto* const data =
        std::find_if(kData.begin(), kData.end(), [&](const auto& known) { return known.first == key; });
    if (data != kData.end()) {
      const std::string other = other_data(key, data->second, ours, theirs);
      if (!other.empty()) found.push_back(other);
      continue;
    }
    const Json was = theirs.value(key, Json()), is = ours.value(key, Json());
    if (was != is) found.push_back(key + " " + io::json_text(is) + " now, " + io::json_text(was) + " then");
  }
  if (found.empty() && theirs.value("parts", Json()) != ours["parts"])
    found.emplace_back("the model has other parts");
  return found;
}

namespace {

void add_losses_and_rates(Json& line, const NamedNumbers& losses, const NamedNumbers& rates) {
  for (const auto& [name, value] : losses)
    line[name == "loss" ? std::string("loss") : std::string(kLoss) + name] = value;
  for (const auto& [name, value] : rates)
    line[name == "lr" ? std::string("lr") : std::string(kRate) + name] = value;
}

}  // namespace

double rounded_seconds(double seconds) { return std::round(seconds * 1000.0) / 1000.0; }

std::string line_of(const EpochReport& report) {
  Json line = {{"epoch", report.epoch}, {"step", report.step}};
  add_losses_and_rates(line, report.losses, report.rates);
  for (const auto& [on, prefix] : kMeasuredOn) {
    if (on != report.measured_on) continue;
    for (const auto& [name, value] : report.measured) line[std::string(prefix) + name] = value;
  }
  line["improved"] = report.improved;
  line["seconds"] = rounded_seconds(report.seconds);
  return io::json_text(line);
}

std::string line_of(const StepReport& report) {
  Json line = {{"step", report.step}};
  add_losses_and_rates(line, report.losses, report.rates);
  return io::json_text(line);
}

std::vector<EpochReport> read_epochs(const char* caller, const std::filesystem::path& path) {
  std::vector<EpochReport> reports;
  if (!std::filesystem::exists(path)) return reports;
  const std::string text = io::read_text(path);
  std::int64_t line_number = 0;
  std::size_t start = 0;
  // A line without an end is one that a training is writing, or was when it was killed.
  for (std::size_t end = 0; (end = text.find('\n', start)) != std::string::npos; start = end + 1) {
    ++line_number;
    const MetricsLine line(caller, path, line_number, std::string_view(text).substr(start, end - start));
    if (line.is_epoch()) reports.push_back(line.epoch());
  }
  return reports;
}

}  // namespace likely::train::detail
