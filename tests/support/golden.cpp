#include "tests/support/golden.hpp"

#include "likely/io/json.hpp"
#include "likely/io/text.hpp"

namespace likely::testing {

namespace {

io::SortedJson entry(const std::filesystem::path& file, const std::string& pointer) {
  return io::parse_json<io::SortedJson>(io::read_text(file)).at(io::SortedJson::json_pointer(pointer));
}

}  // namespace

double golden_number(const std::filesystem::path& file, const std::string& pointer) {
  return entry(file, pointer).get<double>();
}

std::vector<double> golden_numbers(const std::filesystem::path& file, const std::string& pointer) {
  return entry(file, pointer).get<std::vector<double>>();
}

}  // namespace likely::testing
