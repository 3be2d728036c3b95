#include "likely/prob/sampling/alias_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "likely/core/create.hpp"
#include "likely/core/error.hpp"

namespace likely {

namespace {

constexpr double kTwo32 = 4294967296.0;

double checked_sum(std::span<const double> weights) {
  if (weights.empty()) refuse("AliasTable", "there are no weights");
  if (weights.size() > std::numeric_limits<std::uint32_t>::max())
    refuse("AliasTable", fmt::format("{} weights are more than 2^32 - 1", weights.size()));
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (!std::isfinite(weights[i]) || weights[i] < 0.0)
      refuse("AliasTable", fmt::format("weights must be finite and at least 0, got {} at {}", weights[i], i));
  }
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  if (!std::isfinite(sum) || sum <= 0.0)
    refuse("AliasTable", fmt::format("the sum of the weights must be finite and above 0, got {}", sum));
  return sum;
}

}  // namespace

AliasTable::AliasTable(std::span<const double> weights) : columns_(weights.size()) {
  const double sum = checked_sum(weights);
  const auto count = static_cast<std::uint32_t>(weights.size());
  std::vector<double> height(weights.size());
  std::vector<std::uint32_t> low, high;
  for (std::uint32_t i = 0; i < count; ++i) {
    height[i] = weights[i] / sum * static_cast<double>(count);
    (height[i] < 1.0 ? low : high).push_back(i);
  }
  while (!low.empty() && !high.empty()) {
    const std::uint32_t filled = low.back(), from = high.back();
    low.pop_back();
    const double own = std::floor(height[filled] * kTwo32);
    columns_[filled] = {static_cast<std::uint32_t>(std::min(own, kTwo32 - 1.0)), from};
    height[from] = (height[from] + height[filled]) - 1.0;
    if (height[from] < 1.0) {
      high.pop_back();
      low.push_back(from);
    }
  }
  // What is left is 1 but for rounding. Of zeros there may be no such column: they have been filled long
  // before.
  for (const std::uint32_t i : low) columns_[i] = {0, i};
  for (const std::uint32_t i : high) columns_[i] = {0, i};
}

Tensor AliasTable::sample(Rng rng, const Shape& shape) const {
  Tensor drawn = rng.bits(shape);
  auto* numbers = drawn.mutable_data<std::int64_t>();
  for (std::int64_t i = 0; i < drawn.size(); ++i)
    numbers[i] = static_cast<std::int64_t>((*this)(static_cast<std::uint64_t>(numbers[i])));
  return drawn;
}

std::vector<double> AliasTable::probabilities() const {
  std::vector<double> all(columns_.size());
  const double column = 1.0 / static_cast<double>(columns_.size());
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const double own = static_cast<double>(columns_[i].own) / kTwo32;
    all[i] += column * own;
    all[columns_[i].alias] += column * (1.0 - own);
  }
  return all;
}

}  // namespace likely
