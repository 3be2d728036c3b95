// Ranks of plain numbers. Internal to prob/ and models/.
#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <span>
#include <vector>

namespace likely::detail {

// From 1; equal numbers have the mean of their ranks.
inline std::vector<double> mean_ranks(std::span<const double> x) {
  std::vector<std::size_t> order(x.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return x[a] < x[b]; });
  std::vector<double> ranks(x.size());
  for (std::size_t i = 0; i < order.size();) {
    std::size_t end = i + 1;
    while (end < order.size() && x[order[end]] == x[order[i]]) ++end;
    const double rank = 0.5 * static_cast<double>(i + 1 + end);
    for (; i < end; ++i) ranks[order[i]] = rank;
  }
  return ranks;
}

}  // namespace likely::detail
