#include "likely/runs/settings.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "likely/core/error.hpp"
#include "likely/core/finite_number.hpp"
#include "likely/core/nearest_name.hpp"
#include "likely/core/whole_number.hpp"

namespace likely::runs {

namespace {

bool parse_flag(std::string_view text, bool& value) {
  value = text == "true" || text == "yes" || text == "1" || text == "on";
  return value || text == "false" || text == "no" || text == "0" || text == "off";
}

bool in_range(const Setting& setting, double value) { return value >= setting.low && value <= setting.high; }

bool fits(const Setting& setting, std::string_view text) {
  switch (setting.kind) {
    case Setting::Kind::whole: {
      const auto value = whole_number<std::int64_t>(text);
      return value && in_range(setting, static_cast<double>(*value));
    }
    case Setting::Kind::number: {
      const auto value = finite_number(text);
      return value && in_range(setting, *value);
    }
    case Setting::Kind::flag: {
      bool value = false;
      return parse_flag(text, value);
    }
    case Setting::Kind::word:
      return std::find(setting.words.begin(), setting.words.end(), text) != setting.words.end();
    case Setting::Kind::text:
    case Setting::Kind::file: return true;
  }
  return false;
}

}  // namespace

std::string Setting::allowed() const {
  if (kind == Kind::word) return fmt::format("{}", fmt::join(words, " | "));
  if (kind == Kind::flag) return "true | false";
  if (kind == Kind::text) return "any text";
  if (kind == Kind::file) return "a file";
  const bool from_below = std::isinf(low) || (kind == Kind::whole && low < -1e8);
  const bool to_above = std::isinf(high) || (kind == Kind::whole && high >= 1e9);
  std::string text = kind == Kind::whole ? "a whole number" : "a number";
  if (!from_below && !to_above) return fmt::format("{} from {} to {}", text, low, high);
  if (!from_below) return fmt::format("{} of at least {}", text, low);
  if (!to_above) return fmt::format("{} of at most {}", text, high);
  return text;
}

Setting whole_setting(std::string name, std::int64_t value, std::string help, std::int64_t low,
                      std::int64_t high) {
  return {.name = std::move(name),
          .kind = Setting::Kind::whole,
          .value = std::to_string(value),
          .help = std::move(help),
          .low = static_cast<double>(low),
          .high = static_cast<double>(high)};
}

Setting number_setting(std::string name, double value, std::string help, double low, double high) {
  return {.name = std::move(name),
          .kind = Setting::Kind::number,
          .value = fmt::format("{}", value),
          .help = std::move(help),
          .low = low,
          .high = high};
}

Setting flag_setting(std::string name, bool value, std::string help) {
  return {.name = std::move(name),
          .kind = Setting::Kind::flag,
          .value = value ? "true" : "false",
          .help = std::move(help)};
}

Setting word_setting(std::string name, std::string value, std::string help, std::vector<std::string> words) {
  return {.name = std::move(name),
          .kind = Setting::Kind::word,
          .value = std::move(value),
          .help = std::move(help),
          .words = std::move(words)};
}

Setting text_setting(std::string name, std::string value, std::string help) {
  return {.name = std::move(name),
          .kind = Setting::Kind::text,
          .value = std::move(value),
          .help = std::move(help)};
}

Setting file_setting(std::string name, std::string help) {
  return {.name = std::move(name), .kind = Setting::Kind::file, .value = "", .help = std::move(help)};
}

Settings::Settings(std::string owner, std::vector<Setting> settings)
    : owner_(std::move(owner)), settings_(std::move(settings)) {
  for (std::size_t i = 0; i < settings_.size(); ++i) {
    const Setting& setting = settings_[i];
    if (!fits(setting, setting.value))
      refuse(owner_, fmt::format("the default of {} is not {}", setting.name, setting.allowed()));
    for (std::size_t j = 0; j < i; ++j) {
      if (settings_[j].name == setting.name) refuse(owner_, "two settings are called " + setting.name);
    }
  }
}

std::string Settings::spelled(std::string_view name) const {
  std::string other(name);
  std::replace(other.begin(), other.end(), '-', '_');
  return has(other) ? other : std::string(name);
}

void Settings::set(std::string_view spelling, std::string_view text) {
  const std::string name = spelled(spelling);
  for (Setting& setting : settings_) {
    if (setting.name != name) continue;
    if (!fits(setting, text)) {
      throw Error(fmt::format("{}: {} must be {}, got \"{}\"{}", owner_, name, setting.allowed(), text,
                              did_you_mean(text, setting.words)));
    }
    setting.value = text;
    return;
  }
  const std::vector<std::string> known = names();
  const std::string near = did_you_mean(name, known);
  throw Error(fmt::format("{} has no setting \"{}\"{}", owner_, name,
                          near.empty() ? fmt::format("; there are: {}", fmt::join(known, ", ")) : near));
}

void Settings::set(std::string_view assignment) {
  const std::size_t equals = assignment.find('=');
  if (equals == std::string_view::npos || equals == 0)
    throw Error(fmt::format("{}: `set` needs name=value, got \"{}\"", owner_, assignment));
  set(assignment.substr(0, equals), assignment.substr(equals + 1));
}

bool Settings::has(std::string_view name) const {
  return std::any_of(settings_.begin(), settings_.end(),
                     [&](const Setting& setting) { return setting.name == name; });
}

const Setting& Settings::find(std::string_view name) const {
  for (const Setting& setting : settings_) {
    if (setting.name == name) return setting;
  }
  refuse(owner_, fmt::format("the recipe reads a setting \"{}\" that it does not declare", name));
}

std::int64_t Settings::whole(std::string_view name) const {
  const Setting& setting = find(name);
  const auto value = whole_number<std::int64_t>(setting.value);
  if (setting.kind != Setting::Kind::whole || !value)
    refuse(owner_, fmt::format("the setting \"{}\" is no whole number", name));
  return *value;
}

double Settings::number(std::string_view name) const {
  const Setting& setting = find(name);
  const bool numeric = setting.kind == Setting::Kind::number || setting.kind == Setting::Kind::whole;
  const auto value = finite_number(setting.value);
  if (!numeric || !value) refuse(owner_, fmt::format("the setting \"{}\" is no number", name));
  return *value;
}

bool Settings::flag(std::string_view name) const {
  const Setting& setting = find(name);
  bool value = false;
  if (setting.kind != Setting::Kind::flag || !parse_flag(setting.value, value))
    refuse(owner_, fmt::format("the setting \"{}\" is no flag", name));
  return value;
}

const std::string& Settings::text(std::string_view name) const { return find(name).value; }

std::vector<std::string> Settings::names() const {
  std::vector<std::string> all;
  all.reserve(settings_.size());
  for (const Setting& setting : settings_) all.push_back(setting.name);
  return all;
}

}  // namespace likely::runs
