// The sizes and numbers of a case of an operation.
#pragma once

#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "tests/support/op_properties.hpp"

namespace likely::testing {

using Sizes = std::map<char, std::int64_t>;
using Random = std::mt19937_64;

// "m=7 k=13", read and written.
Sizes sizes_of(const std::string& text);
std::string text_of(const Sizes& sizes);

// A letter an axis, or a digit.
Shape shape_of(const std::string& axes, const Sizes& sizes);

// A number as this type holds it; whole numbers are spread over more than the drawn range.
double rounded(double value, DType type);

std::vector<double> draw(const Input& input, const Shape& shape, DType type, const Sizes& sizes,
                         Random& random);
// What a gradient of a result may be: no number is near 0.
std::vector<double> cotangent(std::size_t size, DType type, Random& random);

}  // namespace likely::testing
