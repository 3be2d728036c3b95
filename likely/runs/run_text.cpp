// What is said about runs, to people and to programs.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "likely/core/printable.hpp"
#include "likely/io/json.hpp"
#include "likely/runs/runs.hpp"

namespace likely::runs {

namespace {

using io::Json;

// "test accuracy" -> "test_accuracy".
std::string key_of(std::string name) {
  std::replace(name.begin(), name.end(), ' ', '_');
  return name;
}

Json json_figures(const std::vector<Measured>& figures) {
  Json json = Json::object();
  for (const Measured& figure : figures) json[key_of(figure.name)] = io::number_json(figure.value);
  return json;
}

std::string value_text(double value, bool percent) {
  return percent ? fmt::format("{:.2f} %", 100.0 * value) : fmt::format("{:#.4g}", value);
}

}  // namespace

std::string text_of(const Measured& figure) { return value_text(figure.value, figure.percent); }

std::string text_of(const Expected& expected) {
  return fmt::format("{} {}", expected.published ? "published" : "usually",
                     expected.percent ? fmt::format("{:.4g} %", 100.0 * expected.value)
                                      : fmt::format("{:.4g}", expected.value));
}

std::string text_of(const RunReport& report) {
  const std::vector<Measured> figures = report.figures();
  const bool several = report.seeds.size() > 1;
  std::string text;
  for (const std::string& note : report.notes()) text += printable_line(note) + "\n";
  for (const SeedReport& seed : report.seeds) {
    if (!seed.report.text.empty()) text += seed.report.text;
    if (!several) continue;
    text += fmt::format("seed {:<6}", seed.seed);
    for (const Measured& figure : seed.report.figures)
      text += fmt::format("  {} {}", figure.name, text_of(figure));
    text += '\n';
  }
  std::size_t widest = 0;
  for (const Measured& figure : figures) widest = std::max(widest, figure.name.size());
  for (const Measured& figure : figures) {
    text += fmt::format("{:<{}}  {:>8}", figure.name, widest, text_of(figure));
    if (several)
      text += fmt::format(" +- {}, mean of {} seeds", value_text(report.spread(figure.name), figure.percent),
                          report.values(figure.name).size());
    // What is usual for generated data says nothing of a user's own.
    const Expected* expected = expected_of(*report.recipe, figure.name);
    if (expected != nullptr && (expected->published || report.run.data.empty()))
      text += "   (" + text_of(*expected) + ")";
    text += '\n';
  }
  return text;
}

std::string json_of(const RunReport& report) {
  Json json = Json::object();
  json["name"] = report.recipe->name;
  Json seeds = Json::array();
  for (const SeedReport& seed : report.seeds) seeds.push_back(seed.seed);
  json["seeds"] = seeds;
  json["epochs"] = report.seeds.empty() ? 0 : report.seeds.back().report.epochs;
  json["seconds"] = std::round(1000.0 * report.seconds()) / 1000.0;
  json["stopped"] = name_of(report.stopped());
  json["figures"] = json_figures(report.figures());
  // Where it was measured: after an evaluation, not after a training.
  const std::vector<Measured> calibration = report.calibration();
  if (!calibration.empty()) json["calibration"] = json_figures(calibration);
  Json expected = Json::object();
  for (const Expected& one : report.recipe->expected) expected[key_of(one.figure)] = one.value;
  json["expected"] = expected;
  if (report.seeds.size() > 1) {
    Json spread = Json::object();
    for (const Measured& figure : report.figures())
      spread[key_of(figure.name)] = io::number_json(report.spread(figure.name));
    json["spread"] = spread;
    Json runs = Json::array();
    for (const SeedReport& seed : report.seeds) {
      runs.push_back(
          {{"seed", seed.seed}, {"figures", json_figures(seed.report.figures)}, {"out", seed.out.string()}});
      if (!seed.report.calibration.empty())
        runs.back()["calibration"] = json_figures(seed.report.calibration);
    }
    json["runs"] = runs;
  }
  Json settings = Json::object();
  for (const Setting& setting : report.run.settings.all()) settings[setting.name] = setting.value;
  json["settings"] = settings;
  json["data"] = report.run.data.string();
  json["out"] = report.run.out.string();
  Json pictures = Json::array();
  for (const std::filesystem::path& picture : report.pictures()) {
    pictures.push_back(picture.string() + ".png");
    pictures.push_back(picture.string() + ".svg");
  }
  json["pictures"] = pictures;
  json["notes"] = report.notes();
  json["warnings"] = report.warnings();
  return io::json_text(json);
}

}  // namespace likely::runs
