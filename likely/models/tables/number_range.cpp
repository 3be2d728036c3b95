#include "likely/models/tables/number_range.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace likely::tables {

namespace {

constexpr double kFar = 20.0;
constexpr double kBeyond = 0.1;
constexpr std::size_t kFewestDifferent = 5;
constexpr std::size_t kRowsForEachFarOne = 10;

}  // namespace

// Differences and products may be infinite: then nothing is farther.
bool NumberRange::is_far(double value) const {
  const double far = kFar * (high - low);
  return value - high > far || low - value > far;
}

bool NumberRange::is_outside(double value) const {
  const double beyond = kBeyond * (high - low);
  return value < low - beyond || value > high + beyond;
}

double NumberRange::drawn_in(double value) const {
  const double beyond = kBeyond * (high - low);
  return std::clamp(value, low - beyond, high + beyond);
}

NumberRange usual_range(const std::vector<double>& values) {
  std::vector<double> numbers;
  std::copy_if(values.begin(), values.end(), std::back_inserter(numbers),
               [](double value) { return !std::isnan(value); });
  if (numbers.empty()) return {};
  std::sort(numbers.begin(), numbers.end());
  const NumberRange all{numbers.front(), numbers.back()};
  std::vector<double> different = numbers;
  different.erase(std::unique(different.begin(), different.end()), different.end());
  if (different.size() < kFewestDifferent) return all;
  // From the middle outwards, as long as the next one is not far.
  const std::size_t apart = std::max<std::size_t>(1, different.size() / 10);
  std::size_t first = apart;
  std::size_t last = different.size() - 1 - apart;
  NumberRange range{different[first], different[last]};
  for (bool grows = true; grows;) {
    grows = false;
    if (first > 0 && !range.is_far(different[first - 1])) {
      range.low = different[--first];
      grows = true;
    }
    if (last + 1 < different.size() && !range.is_far(different[last + 1])) {
      range.high = different[++last];
      grows = true;
    }
  }
  const auto far = std::count_if(numbers.begin(), numbers.end(), [&](double n) { return range.is_far(n); });
  return static_cast<std::size_t>(far) * kRowsForEachFarOne > numbers.size() ? all : range;
}

}  // namespace likely::tables
