// The textbook's worked examples in full precision (udl_golden of the shared data).
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace likely::testing {

// The number, or the numbers, at a JSON pointer such as "/ch07_toy_backprop/forward/f0".
double golden_number(const std::filesystem::path& file, const std::string& pointer);
std::vector<double> golden_numbers(const std::filesystem::path& file, const std::string& pointer);

}  // namespace likely::testing
