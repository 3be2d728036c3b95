#include "likely/train/event_file.hpp"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "likely/core/error.hpp"
#include "likely/io/json.hpp"
#include "likely/io/made_record.hpp"
#include "likely/io/path_kind.hpp"
#include "likely/io/text.hpp"
#include "likely/kernels/build_info.hpp"
#include "likely/train/run_records.hpp"

namespace likely::train {

namespace {

using io::Json;

Json object_of(const NamedNumbers& numbers) {
  Json json = Json::object();
  for (const auto& [name, value] : numbers) json[name] = io::number_json(value);
  return json;
}

Json named(const char* event) { return Json{{"event", event}}; }

Json of(const event::Begin& begin) {
  Json json = named("begin");
  json["recipe"] = begin.recipe;
  json["seed"] = begin.seed;
  json["settings"] = begin.settings;
  json["data"] = begin.data.string();
  json["out"] = begin.out.string();
  json["resumed"] = begin.resumed;
  return json;
}

Json of(const event::Training& training) {
  Json json = named("training");
  json["out"] = training.out.string();
  json["epochs"] = training.epochs;
  json["steps"] = training.steps;
  json["step"] = training.step;
  return json;
}

Json of(const event::Step& step) {
  Json json = named("step");
  json["epoch"] = step.epoch;
  json["step"] = step.step;
  json["losses"] = object_of(step.losses);
  json["rates"] = object_of(step.rates);
  return json;
}

Json of(const event::Epoch& epoch) {
  const EpochReport& report = epoch.report;
  Json json = named("epoch");
  json["epoch"] = report.epoch;
  json["step"] = report.step;
  json["losses"] = object_of(report.losses);
  json["rates"] = object_of(report.rates);
  json["measured"] = object_of(report.measured);
  json["measured_on"] = name_of(report.measured_on);
  json["improved"] = report.improved;
  json["seconds"] = detail::rounded_seconds(report.seconds);
  return json;
}

Json of(const event::Trained& trained) {
  Json json = named("trained");
  json["stopped"] = name_of(trained.stopped);
  json["step"] = trained.step;
  json["monitored"] = trained.monitored;
  json["best_epoch"] = trained.best_epoch;
  json["best_value"] = io::number_json(trained.best_value);
  return json;
}

Json of(const event::Stage& stage) {
  Json json = named("stage");
  json["of"] = stage.of;
  json["doing"] = stage.doing;
  json["done"] = io::number_json(stage.done);
  json["numbers"] = object_of(stage.numbers);
  return json;
}

Json of(const event::Trial& trial) {
  Json json = named("trial");
  json["number"] = trial.number;
  json["settings"] = trial.settings;
  json["figure"] = trial.figure;
  json["value"] = io::number_json(trial.value);
  json["error"] = trial.error;
  return json;
}

Json of(const event::Metric& metric) {
  Json json = named("metric");
  json["name"] = metric.name;
  json["value"] = io::number_json(metric.value);
  json["higher_is_better"] = metric.higher_is_better ? Json(*metric.higher_is_better) : Json();
  return json;
}

Json of(const event::Sample& sample) {
  Json json = named("sample");
  json["name"] = sample.name;
  json["text"] = sample.text;
  json["picture"] = sample.picture.string();
  return json;
}

Json of(const event::Picture& picture) {
  Json json = named("picture");
  json["path"] = picture.path.string();
  return json;
}

Json of(const event::Warning& warning) {
  Json json = named("warning");
  json["text"] = warning.text;
  return json;
}

Json of(const event::End& end) {
  Json json = named("end");
  json["stopped"] = end.error.empty() ? Json(name_of(end.stopped)) : Json("failed");
  json["seconds"] = detail::rounded_seconds(end.seconds);
  json["error"] = end.error;
  return json;
}

// How much of what is there stays: all of our own but the beginning of a line. Somebody else's is set aside.
std::int64_t bytes_to_keep(const std::filesystem::path& path) {
  using io::detail::Whose;
  const Whose owner = io::detail::whose(path);
  if (owner == Whose::others || owner == Whose::nothing_there || !io::path_exists(path)) return 0;
  const std::string text = io::read_text(path);
  return static_cast<std::int64_t>(text.rfind('\n') + 1);  // npos + 1 is 0
}

}  // namespace

std::string json_of(const Event& event) {
  return io::json_text(std::visit([](const auto& one) { return of(one); }, event));
}

EventFile::EventFile(std::filesystem::path path) : path_(std::move(path)) {
  try {
    file_ = std::make_unique<io::detail::GrowingFile>("events", path_, bytes_to_keep(path_));
  } catch (const Error& error) {
    failure_ = error.what();
  }
  append(io::json_text(Json{{"event", "open"}, {"version", kEventVersion}, {"likely", version()}}));
}

void EventFile::operator()(const Event& event) {
  if (std::holds_alternative<event::Step>(event)) {
    const auto now = std::chrono::steady_clock::now();
    if (now - step_written_ < std::chrono::seconds(1)) return;
    step_written_ = now;
  }
  append(json_of(event));
}

void EventFile::append(const std::string& line) {
  if (!file_) return;
  const double now =
      std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
  try {
    io::detail::check_place(path_);
    file_->append(
        fmt::format("{},\"time\":{:.3f}}}", std::string_view(line).substr(0, line.size() - 1), now));
  } catch (const Error& error) {
    failure_ = error.what();
    file_.reset();
  }
}

}  // namespace likely::train
