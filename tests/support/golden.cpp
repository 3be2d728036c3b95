#include "tests/support/golden.hpp"

#include <fstream>
#include <nlohmann/json.hpp>

#include "likely/core/error.hpp"

namespace likely::testing {

namespace {

nlohmann::json entry(const std::filesystem::path& file, const std::string& pointer) {
  std::ifstream stream(file);
  if (!stream) refuse("golden", "cannot read " + file.string());
  return nlohmann::json::parse(stream).at(nlohmann::json::json_pointer(pointer));
}

}  // namespace

double golden_number(const std::filesystem::path& file, const std::string& pointer) {
  return entry(file, pointer).get<double>();
}

std::vector<double> golden_numbers(const std::filesystem::path& file, const std::string& pointer) {
  return entry(file, pointer).get<std::vector<double>>();
}

}  // namespace likely::testing
