// Summaries of files, for people and as JSON.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "likely/core/printable.hpp"
#include "likely/io/inspect.hpp"
#include "likely/io/json.hpp"

namespace likely::io {

namespace {

std::string with_commas(std::int64_t number) {
  const std::string digits = std::to_string(number);
  std::string text;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) text += ',';
    text += digits[i];
  }
  return text;
}

std::string shown(double value) { return std::isnan(value) ? "-" : fmt::format("{:.4g}", value); }

const char* name_of(Seal seal) {
  switch (seal) {
    case Seal::none: return "none";
    case Seal::fits: return "fit";
    case Seal::broken: return "do not fit";
  }
  return "?";
}

Json object_of(const FileSummary& summary) {
  Json tensors = Json::array();
  for (const TensorSummary& tensor : summary.tensors) {
    tensors.push_back({{"name", tensor.name},
                       {"type", tensor.type},
                       {"shape", std::vector<std::int64_t>(tensor.shape.begin(), tensor.shape.end())},
                       {"min", number_json(tensor.min)},
                       {"mean", number_json(tensor.mean)},
                       {"max", number_json(tensor.max)},
                       {"stddev", number_json(tensor.stddev)},
                       {"not_finite", tensor.not_finite}});
  }
  return {{"path", summary.path.string()},
          {"format", summary.format},
          {"bytes", summary.bytes},
          {"numbers", summary.numbers()},
          {"not_finite", summary.not_finite()},
          {"tensors", tensors},
          {"metadata", summary.metadata},
          {"checksums", name_of(summary.checksums)},
          {"changed", summary.changed}};
}

std::string dump(const Json& json) { return json_text(json, 2) + "\n"; }

}  // namespace

std::int64_t FileSummary::numbers() const {
  std::int64_t total = 0;
  for (const TensorSummary& tensor : tensors) total += tensor.shape.size();
  return total;
}

std::int64_t FileSummary::not_finite() const {
  std::int64_t total = 0;
  for (const TensorSummary& tensor : tensors) total += tensor.not_finite;
  return total;
}

std::string FileSummary::table() const {
  std::size_t name = 6;
  std::size_t shape = 5;
  for (const TensorSummary& tensor : tensors) {
    name = std::max(name, printable_line(tensor.name).size());
    shape = std::max(shape, tensor.shape.string().size());
  }
  std::string text = fmt::format("{} ({}, {} bytes)\n", printable_line(path.string()), format,
                                 with_commas(static_cast<std::int64_t>(bytes)));
  text += fmt::format("{:<{}}  type  {:<{}} {:>12} {:>11} {:>11} {:>11} {:>11}  not finite\n", "tensor", name,
                      "shape", shape, "numbers", "min", "mean", "max", "stddev");
  for (const TensorSummary& tensor : tensors) {
    text += fmt::format("{:<{}}  {:<4}  {:<{}} {:>12} {:>11} {:>11} {:>11} {:>11}  {}\n",
                        printable_line(tensor.name), name, tensor.type, tensor.shape.string(), shape,
                        with_commas(tensor.shape.size()), shown(tensor.min), shown(tensor.mean),
                        shown(tensor.max), shown(tensor.stddev),
                        tensor.not_finite == 0 ? "" : with_commas(tensor.not_finite));
  }
  text += fmt::format("{} tensor{}, {} numbers{}\n", tensors.size(), tensors.size() == 1 ? "" : "s",
                      with_commas(numbers()),
                      not_finite() == 0 ? "" : ", " + with_commas(not_finite()) + " of them not finite");
  for (const auto& [key, value] : metadata)
    text += fmt::format("  {}: {}\n", printable_line(key), printable_line(value));
  if (checksums != Seal::none) text += fmt::format("  checksums: {}\n", name_of(checksums));
  for (const std::string& what : changed)
    text += fmt::format("  changed after it was written: {}\n", printable_line(what));
  return text;
}

std::string json_of(const FileSummary& summary) { return dump(object_of(summary)); }

std::string json_of(const FolderSummary& summary) {
  Json files = Json::array();
  for (const FileSummary& file : summary.files) files.push_back(object_of(file));
  return dump({{"path", summary.path.string()},
               {"files", files},
               {"records", summary.records},
               {"unreadable", summary.unreadable}});
}

}  // namespace likely::io
