#include "likely/data/stratify.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "likely/core/error.hpp"

namespace likely::data {

namespace {

// Rows by their targets, equal ones in random order.
std::vector<std::int64_t> sorted_rows(const char* caller, const Tensor& targets, Rng& rng) {
  if (targets.rank() != 1) {
    refuse(caller, "one target a row is needed, got " + targets.shape().string());
  }
  const std::vector<double> values = targets.to_vector<double>();
  std::vector<std::int64_t> rows = rng.permutation(targets.size()).to_vector<std::int64_t>();
  for (const std::int64_t row : rows) {
    if (std::isnan(values[static_cast<std::size_t>(row)])) {
      refuse(caller, "the target of row " + std::to_string(row) + " is NaN");
    }
  }
  std::stable_sort(rows.begin(), rows.end(), [&](std::int64_t a, std::int64_t b) {
    return values[static_cast<std::size_t>(a)] < values[static_cast<std::size_t>(b)];
  });
  return rows;
}

}  // namespace

std::vector<std::vector<std::int64_t>> stratified_parts(const Tensor& targets, std::int64_t k, Rng rng) {
  const std::vector<std::int64_t> rows = sorted_rows("stratified_parts", targets, rng);
  const auto count = static_cast<std::int64_t>(rows.size());
  if (k < 2 || k > count) {
    refuse("stratified_parts", "from 2 to " + std::to_string(count) + " parts can be made of " +
                                   std::to_string(count) + " rows, got " + std::to_string(k));
  }
  std::vector<std::vector<std::int64_t>> parts(static_cast<std::size_t>(k));
  for (std::int64_t first = 0; first < count; first += k) {
    // A last round that is not full is dealt to the first parts: who they are is random already.
    const std::int64_t dealt = std::min(k, count - first);
    const std::vector<std::int64_t> order = rng.permutation(dealt).to_vector<std::int64_t>();
    for (std::int64_t i = 0; i < dealt; ++i) {
      parts[static_cast<std::size_t>(i)].push_back(
          rows[static_cast<std::size_t>(first + order[static_cast<std::size_t>(i)])]);
    }
  }
  for (std::vector<std::int64_t>& part : parts) std::sort(part.begin(), part.end());
  return parts;
}

Sample stratified_sample(const Tensor& targets, double fraction, Rng rng) {
  std::vector<std::int64_t> rows = sorted_rows("stratified_sample", targets, rng);
  const auto count = static_cast<std::int64_t>(rows.size());
  const auto wanted = static_cast<std::int64_t>(std::floor(fraction * static_cast<double>(count)));
  if (!(fraction > 0.0 && fraction < 1.0) || wanted < 1 || wanted >= count) {
    refuse("stratified_sample", "a fraction of " + std::to_string(fraction) + " of " + std::to_string(count) +
                                    " rows leaves one side without rows");
  }
  Sample sample;
  for (std::int64_t i = 0; i < wanted; ++i) {
    const std::int64_t first = i * count / wanted;
    const std::int64_t end = (i + 1) * count / wanted;
    const auto pick = static_cast<std::int64_t>(rng.randint(first, end, {}).item());
    for (std::int64_t j = first; j < end; ++j) {
      (j == pick ? sample.chosen : sample.rest).push_back(rows[static_cast<std::size_t>(j)]);
    }
  }
  std::sort(sample.chosen.begin(), sample.chosen.end());
  std::sort(sample.rest.begin(), sample.rest.end());
  return sample;
}

}  // namespace likely::data
