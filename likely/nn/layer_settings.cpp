#include "likely/nn/layer_settings.hpp"

#include <fmt/format.h>

#include <array>
#include <optional>

#include "likely/core/finite_number.hpp"
#include "likely/core/printable.hpp"
#include "likely/core/whole_number.hpp"

namespace likely::nn::detail {

namespace {

constexpr std::array kActivations{Activation::none,    Activation::relu, Activation::tanh,
                                  Activation::sigmoid, Activation::gelu, Activation::silu};

// "3" or "3x1".
std::optional<Extent2d> extent_in(std::string_view text) {
  const std::size_t cross = text.find('x');
  const auto height = whole_number<std::int64_t>(text.substr(0, cross));
  const auto width =
      cross == std::string_view::npos ? height : whole_number<std::int64_t>(text.substr(cross + 1));
  return height && width ? std::optional(Extent2d(*height, *width)) : std::nullopt;
}

std::string text_of_extent(const Extent2d& value) {
  return value.height == value.width ? fmt::format("{}", value.height)
                                     : fmt::format("{}x{}", value.height, value.width);
}

bool same(const Extent2d& a, const Extent2d& b) { return a.height == b.height && a.width == b.width; }

}  // namespace

void refuse_layer(const std::string& place, std::string_view layer, const std::string& why, Fault fault) {
  throw DescriptionError(
      fmt::format("[network] layer {} ({}): {}", place, printable_line(beginning(layer, 40)), why), fault);
}

const std::string* SettingsReader::find(std::string_view name) const {
  for (const auto& [given, value] : description_.settings) {
    if (given == name) return &value;
  }
  return nullptr;
}

const std::string& SettingsReader::text(std::string_view name) const {
  const std::string* const value = find(name);
  if (value == nullptr) refuse(fmt::format("needs {}", name));
  return *value;
}

void SettingsReader::refuse_value(std::string_view name, const std::string& allowed) const {
  refuse(fmt::format("{} must be {}, got \"{}\"", name, allowed, printable_line(beginning(text(name), 40))));
}

std::int64_t SettingsReader::whole(std::string_view name) const {
  const auto value = whole_number<std::int64_t>(text(name));
  if (!value) refuse_value(name, "a whole number");
  return *value;
}
std::int64_t SettingsReader::whole(std::string_view name, std::int64_t otherwise) const {
  return has(name) ? whole(name) : otherwise;
}

std::int64_t SettingsReader::whole(std::string_view name, std::int64_t otherwise, std::int64_t low,
                                   std::int64_t high) const {
  const std::int64_t value = whole(name, otherwise);
  if (value < low || value > high) refuse_value(name, fmt::format("a whole number from {} to {}", low, high));
  return value;
}

double SettingsReader::number(std::string_view name) const {
  const auto value = finite_number(text(name));
  if (!value) refuse_value(name, "a number");
  return *value;
}
double SettingsReader::number(std::string_view name, double otherwise) const {
  return has(name) ? number(name) : otherwise;
}

bool SettingsReader::flag(std::string_view name, bool otherwise) const {
  if (!has(name)) return otherwise;
  if (text(name) != "true" && text(name) != "false") refuse_value(name, "true or false");
  return text(name) == "true";
}

Extent2d SettingsReader::extent(std::string_view name) const {
  const auto value = extent_in(text(name));
  if (!value) refuse_value(name, "a whole number, or two as 3x1 (height, width)");
  return *value;
}
Extent2d SettingsReader::extent(std::string_view name, const Extent2d& otherwise) const {
  return has(name) ? extent(name) : otherwise;
}

Scale2d SettingsReader::scale(std::string_view name) const {
  const std::string_view given = text(name);
  const std::size_t cross = given.find('x');
  const auto height = finite_number(given.substr(0, cross));
  const auto width = cross == std::string_view::npos ? height : finite_number(given.substr(cross + 1));
  if (!height || !width) refuse_value(name, "a number, or two as 1.5x2 (height, width)");
  return {*height, *width};
}

Activation SettingsReader::activation(std::string_view name) const {
  if (!has(name)) return Activation::none;
  std::vector<std::string_view> allowed;
  for (const Activation each : kActivations) {
    if (name_of(each) == text(name)) return each;
    allowed.push_back(name_of(each));
  }
  refuse_value(name, fmt::format("one of {}", fmt::join(allowed, ", ")));
}

Padding1d SettingsReader::padding(std::string_view name) const {
  if (has(name) && text(name) == "same") return kSame;
  return whole(name, 0);
}
Padding2d SettingsReader::padding2d(std::string_view name) const {
  if (has(name) && text(name) == "same") return kSame;
  const Extent2d zeros = extent(name, 0);
  return {zeros.height, zeros.width};
}

SettingsWriter& SettingsWriter::word(const char* name, std::string_view value) {
  description_.settings.emplace_back(name, value);
  return *this;
}
SettingsWriter& SettingsWriter::whole(const char* name, std::int64_t value) {
  return word(name, fmt::format("{}", value));
}
SettingsWriter& SettingsWriter::whole(const char* name, std::int64_t value, std::int64_t otherwise) {
  return value == otherwise ? *this : whole(name, value);
}
SettingsWriter& SettingsWriter::number(const char* name, double value) {
  return word(name, fmt::format("{}", value));
}
SettingsWriter& SettingsWriter::number(const char* name, double value, double otherwise) {
  return value == otherwise ? *this : number(name, value);
}
SettingsWriter& SettingsWriter::flag(const char* name, bool value, bool otherwise) {
  return value == otherwise ? *this : word(name, value ? "true" : "false");
}
SettingsWriter& SettingsWriter::extent(const char* name, const Extent2d& value) {
  return word(name, text_of_extent(value));
}
SettingsWriter& SettingsWriter::extent(const char* name, const Extent2d& value, const Extent2d& otherwise) {
  return same(value, otherwise) ? *this : extent(name, value);
}
SettingsWriter& SettingsWriter::scale(const char* name, const Scale2d& value) {
  return word(name, value.height == value.width ? fmt::format("{}", value.height)
                                                : fmt::format("{}x{}", value.height, value.width));
}

}  // namespace likely::nn::detail
