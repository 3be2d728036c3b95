#include "likely/tree/tree.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace likely {

namespace {

std::string_view kind_name(PartKind kind) {
  switch (kind) {
    case PartKind::parameter: return "parameter";
    case PartKind::frozen: return "frozen";
    case PartKind::buffer: return "buffer";
  }
  return "";
}

// 1234567 -> "1,234,567".
std::string grouped(std::int64_t number) {
  const std::string digits = std::to_string(number);
  std::string text;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) text += ',';
    text += digits[i];
  }
  return text;
}

}  // namespace

void detail::check_same_count(const char* caller, std::size_t a, std::size_t b) {
  if (a != b) {
    refuse(caller, "the models have " + std::to_string(a) + " and " + std::to_string(b) + " parts");
  }
}

std::string summary(const std::vector<Part>& parts) {
  std::size_t name_width = 4;
  std::size_t shape_width = 5;
  for (const Part& part : parts) {
    name_width = std::max(name_width, part.name.size());
    if (part.value.defined()) shape_width = std::max(shape_width, part.value.shape().string().size());
  }
  std::string text = fmt::format("{:<{}}  {:<{}}  {:<4}  {:>12}  {}\n", "name", name_width, "shape",
                                 shape_width, "type", "numbers", "kind");
  std::int64_t learned = 0;
  std::int64_t total = 0;
  for (const Part& part : parts) {
    const bool defined = part.value.defined();
    const std::int64_t count = defined ? part.value.size() : 0;
    total += count;
    if (part.kind == PartKind::parameter) learned += count;
    text += fmt::format("{:<{}}  {:<{}}  {:<4}  {:>12}  {}\n", part.name, name_width,
                        defined ? part.value.shape().string() : "-", shape_width,
                        defined ? name_of(part.value.dtype()) : "-", grouped(count), kind_name(part.kind));
  }
  return text + fmt::format("{} numbers, {} learned\n", grouped(total), grouped(learned));
}

}  // namespace likely
