#include "tests/support/op_draws.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <sstream>

namespace likely::testing {

Sizes sizes_of(const std::string& text) {
  Sizes sizes;
  std::istringstream words(text);
  for (std::string word; words >> word;) sizes[word.at(0)] = std::stoll(word.substr(2));
  return sizes;
}

std::string text_of(const Sizes& sizes) {
  std::string text;
  for (const auto& [letter, size] : sizes) {
    text += (text.empty() ? "" : " ") + std::string(1, letter) + "=" + std::to_string(size);
  }
  return text;
}

Shape shape_of(const std::string& axes, const Sizes& sizes) {
  Shape shape;
  for (const char axis : axes) shape.push_back(std::isdigit(axis) != 0 ? axis - '0' : sizes.at(axis));
  return shape;
}

double rounded(double value, DType type) {
  switch (type) {
    case DType::f32: return static_cast<double>(static_cast<float>(value));
    case DType::f64: return value;
    case DType::i64: return std::round(3.0 * value);
    case DType::boolean: return value > 0 ? 1.0 : 0.0;
  }
  return value;
}

std::vector<double> draw(const Input& input, const Shape& shape, DType type, const Sizes& sizes,
                         Random& random) {
  std::uniform_real_distribution<double> uniform(0.0, 1.0);
  std::vector<double> values(static_cast<std::size_t>(shape.size()));
  for (std::size_t i = 0; i < values.size(); ++i) {
    double value = input.low + (input.high - input.low) * uniform(random);
    if (input.draw == Draw::apart) {
      value = input.low +
              (input.high - input.low) * (static_cast<double>(i) + 0.37) / static_cast<double>(values.size());
    } else if (input.draw == Draw::zeros) {
      value = uniform(random) < 0.5 ? 0.0 : value;
    } else if (input.draw == Draw::labels) {
      values[i] = std::floor(uniform(random) * static_cast<double>(sizes.at(input.below)));
      continue;
    } else if (input.draw == Draw::flags) {
      value = uniform(random) - 0.5;
    } else if (input.draw == Draw::dominant) {
      const std::int64_t n = shape[shape.rank() - 1];
      const auto place = static_cast<std::int64_t>(i) % (n * n);
      if (place / n == place % n) value += 3.0 + static_cast<double>(n);
    }
    values[i] = rounded(value, type);
  }
  if (input.draw == Draw::apart) std::shuffle(values.begin(), values.end(), random);
  return values;
}

std::vector<double> cotangent(std::size_t size, DType type, Random& random) {
  std::uniform_real_distribution<double> uniform(0.25, 1.0);
  std::vector<double> values(size);
  for (double& value : values) value = rounded(random() % 2 == 0 ? uniform(random) : -uniform(random), type);
  return values;
}

}  // namespace likely::testing
