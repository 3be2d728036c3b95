#include "likely/train/run_records.hpp"

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "likely/io/checksum.hpp"
#include "likely/io/json_text.hpp"
#include "likely/io/text.hpp"
#include "likely/kernels/build_info.hpp"
#include "likely/tree/misfit.hpp"

namespace likely::train::detail {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kValidation = "validation_";
constexpr std::string_view kTrain = "train_";

Json parts_of(const std::vector<Slot>& slots) {
  Json parts = Json::array();
  for (const Slot& slot : slots) {
    Json part = {{"name", slot.name}, {"kind", slot.learned ? "parameter" : "buffer"}};
    if (slot.value->frozen()) part["kind"] = "frozen";
    if (slot.value->defined()) {
      part["shape"] = slot.value->shape().string();
      part["type"] = name_of(slot.value->dtype());
    }
    parts.push_back(std::move(part));
  }
  return parts;
}

std::int64_t count_learned(const std::vector<Slot>& slots) {
  std::int64_t total = 0;
  for (const Slot& slot : slots) total += slot.learned && !slot.value->frozen() ? slot.value->size() : 0;
  return total;
}

// null, which is how JSON has to say NaN, is read back as NaN.
double number(const Json& value) {
  return value.is_number() ? value.get<double>() : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace

std::string config_text(Learner& learner, const Data& data, const Settings& settings) {
  Json config;
  config["likely"] = version();
  config["seed"] = settings.seed;
  config["epochs"] = settings.epochs;
  config["steps"] = settings.steps;
  config["batch"] = settings.batch;
  config["shuffle"] = settings.shuffle;
  config["drop_last"] = settings.drop_last;
  config["accumulate"] = settings.accumulate;
  config["clip_norm"] = settings.clip_norm;
  config["lr"] = settings.schedule             ? Json("scheduled")
                 : settings.plateau != nullptr ? Json("plateau")
                                               : Json(learner.learning_rate());
  config["monitor"] = settings.monitor;
  config["patience"] = settings.patience;
  config["training rows"] = data.train.size();
  config["validation rows"] = data.validation ? data.validation->size() : 0;
  config["notes"] = settings.notes;
  config["optimizer"] = learner.optimizer_type();
  config["model"] = learner.model_type();
  config["parameters"] = count_learned(learner.model_slots());
  config["parts"] = parts_of(learner.model_slots());
  return io::sealed_json(io::json_text(config, 2) + "\n");
}

std::vector<std::string> differences(const std::string& now, const std::string& then) {
  const Json ours = Json::parse(now);
  const Json theirs = Json::parse(then, nullptr, /*allow_exceptions=*/false);
  if (!theirs.is_object()) return {"its config.json is not readable"};
  std::vector<std::string> found;
  for (const char* key : {"seed", "batch", "shuffle", "drop_last", "accumulate", "clip_norm", "lr",
                          "training rows", "optimizer", "parameters"}) {
    const Json was = theirs.value(key, Json());
    if (was != ours[key])
      found.push_back(std::string(key) + " " + ours[key].dump() + " now, " + was.dump() + " then");
  }
  if (found.empty() && theirs.value("parts", Json()) != ours["parts"])
    found.emplace_back("the model has other parts");
  return found;
}

std::string line_of(const EpochReport& report) {
  Json line = {{"epoch", report.epoch}, {"step", report.step}, {"loss", report.loss}, {"lr", report.lr}};
  for (const auto& [name, value] : report.measured) {
    line[std::string(report.on_validation ? kValidation : kTrain) + name] = value;
  }
  line["improved"] = report.improved;
  line["seconds"] = std::round(report.seconds * 1000.0) / 1000.0;
  return io::json_text(line);
}

std::string line_of(const StepReport& report) {
  return Json{{"step", report.step}, {"loss", report.loss}, {"lr", report.lr}}.dump();
}

std::vector<EpochReport> read_epochs(const std::filesystem::path& path) {
  std::vector<EpochReport> reports;
  if (!std::filesystem::exists(path)) return reports;
  std::int64_t line_number = 0;
  for (const std::string& text : io::read_lines(path)) {
    ++line_number;
    const Json line = Json::parse(text, nullptr, /*allow_exceptions=*/false);
    if (!line.is_object() || !line.contains("epoch")) continue;
    const auto count = [&](const char* key) {
      const Json value = line.value(key, Json(0));
      const bool fine = value.is_number_integer() && value.get<double>() >= 0.0 &&
                        value.get<double>() <= static_cast<double>(kMostCounted);
      if (!fine) {
        refuse("fit", path.string() + ", line " + std::to_string(line_number) + ": " + key + " is " +
                          value.dump() + ", must be a count from 0 to 2^53");
      }
      return value.get<std::int64_t>();
    };
    EpochReport report{.epoch = count("epoch"),
                       .step = count("step"),
                       .loss = number(line.value("loss", Json())),
                       .lr = number(line.value("lr", Json()))};
    const Json improved = line.value("improved", Json(false));
    report.improved = improved.is_boolean() && improved.get<bool>();
    report.seconds = number(line.value("seconds", Json(0.0)));
    for (const auto& [key, value] : line.items()) {
      for (const std::string_view prefix : {kValidation, kTrain}) {
        if (!key.starts_with(prefix)) continue;
        report.measured.emplace_back(key.substr(prefix.size()), number(value));
        report.on_validation = prefix == kValidation;
      }
    }
    reports.push_back(std::move(report));
  }
  return reports;
}

}  // namespace likely::train::detail
