#include "likely/runs/sweep_space.hpp"

#include <fmt/format.h>

#include <cmath>
#include <optional>

#include "likely/core/error.hpp"
#include "likely/core/finite_number.hpp"
#include "likely/core/nearest_name.hpp"

namespace likely::runs {

namespace {

std::pair<std::string, std::string> name_and_rest(const Settings& settings, const std::string& text,
                                                  const char* example) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
    throw Error(fmt::format("\"{}\" is not of the form {}", text, example));
  std::string name = settings.spelled(text.substr(0, equals));
  if (!settings.has(name))
    throw Error(fmt::format("there is no setting \"{}\" to sweep over{}", name,
                            did_you_mean(name, settings.names())));
  return {std::move(name), text.substr(equals + 1)};
}

double number_of(const std::string& text, const std::string& all) {
  const std::optional<double> value = finite_number(text);
  if (!value) throw Error(fmt::format("\"{}\" in \"{}\" is not a number", text, all));
  return *value;
}

}  // namespace

SweptSetting parse_list(const Settings& settings, const std::string& text) {
  auto [name, rest] = name_and_rest(settings, text, "lr=0.1,0.01");
  SweptSetting swept{.name = std::move(name)};
  std::size_t start = 0;
  while (start <= rest.size()) {
    const std::size_t end = std::min(rest.find(',', start), rest.size());
    const std::string value = rest.substr(start, end - start);
    if (value.empty()) throw Error(fmt::format("a value is missing in \"{}\"", text));
    Settings(settings).set(swept.name, value);  // refuses what the recipe would
    swept.values.push_back(value);
    start = end + 1;
  }
  return swept;
}

SweptSetting parse_range(const Settings& settings, const std::string& text) {
  auto [name, rest] = name_and_rest(settings, text, "width=10..200");
  const std::size_t dots = rest.find("..");
  if (dots == std::string::npos) throw Error(fmt::format("\"{}\" is not of the form width=10..200", text));
  const std::string low = rest.substr(0, dots);
  const std::string high = rest.substr(dots + 2);
  SweptSetting swept{.name = std::move(name), .low = number_of(low, text), .high = number_of(high, text)};
  for (const Setting& setting : settings.all()) {
    if (setting.name != swept.name) continue;
    if (setting.kind != Setting::Kind::whole && setting.kind != Setting::Kind::number)
      throw Error(fmt::format("{} is not a number: give its values to `grid`", swept.name));
    swept.whole = setting.kind == Setting::Kind::whole;
  }
  for (const std::string& value : {low, high}) Settings(settings).set(swept.name, value);
  if (!(swept.low < swept.high))
    throw Error(fmt::format("\"{}\": the first number must be the smaller one", text));
  swept.by_logarithm = swept.low > 0.0 && swept.high / swept.low >= 10.0;
  return swept;
}

std::string SweptSetting::text(double number) const {
  if (is_list()) return values[static_cast<std::size_t>(number)];
  if (whole) return fmt::format("{}", std::llround(number));
  return fmt::format("{:.4g}", number);
}

train::Candidates SweptSetting::candidates() const {
  if (is_list()) {
    std::vector<double> places;
    for (std::size_t i = 0; i < values.size(); ++i) places.push_back(static_cast<double>(i));
    return train::one_of(places);
  }
  if (by_logarithm) return train::log_uniform(low, high);
  if (whole) return train::whole(std::llround(low), std::llround(high));
  return train::uniform(low, high);
}

}  // namespace likely::runs
