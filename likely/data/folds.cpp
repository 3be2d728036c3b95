#include "likely/data/folds.hpp"

#include <span>
#include <string>

namespace likely::data {

std::vector<Fold> k_fold(const Dataset& dataset, std::int64_t k, Rng rng) {
  const std::int64_t rows = dataset.size();
  if (k < 2 || k > rows) {
    refuse("k_fold", "k must be from 2 to the " + std::to_string(rows) + " rows, got " + std::to_string(k));
  }
  const std::vector<std::int64_t> order = rng.permutation(rows).to_vector<std::int64_t>();
  std::vector<Fold> folds;
  for (std::int64_t fold = 0; fold < k; ++fold) {
    const auto begin = order.begin() + fold * rows / k;
    const auto end = order.begin() + (fold + 1) * rows / k;
    std::vector<std::int64_t> rest(order.begin(), begin);
    rest.insert(rest.end(), end, order.end());
    folds.push_back({dataset.subset(rest), dataset.subset(std::span(begin, end))});
  }
  return folds;
}

}  // namespace likely::data
