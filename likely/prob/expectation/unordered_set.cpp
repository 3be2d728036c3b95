#include "likely/prob/expectation/unordered_set.hpp"

#include <bit>
#include <cstddef>
#include <vector>

namespace likely::detail {

namespace {

// What all subsets of one set have, as bits: the sum of their elements' probabilities, and room for more.
struct Subsets {
  std::vector<double> sums, probabilities;

  explicit Subsets(std::int64_t elements)
      : sums(std::size_t{1} << elements), probabilities(std::size_t{1} << elements) {}
  void take(const std::vector<double>& p) {
    for (std::uint32_t set = 1; set < sums.size(); ++set) {
      const auto lowest = static_cast<std::uint32_t>(std::countr_zero(set));
      sums[set] = sums[set & (set - 1)] + p[lowest];
    }
  }
};

// The probability that the first draws from all but `left_out` are the other elements of the set, in any
// order: a sum over which is drawn last, subset by subset. What is left is added up, not taken from 1: it may
// be tiny.
double probability_of_set(const std::vector<double>& p, double rest, std::uint32_t left_out,
                          Subsets& subsets) {
  const std::uint32_t all = static_cast<std::uint32_t>(subsets.sums.size() - 1) & ~left_out;
  std::vector<double>& found = subsets.probabilities;
  found[0] = 1.0;
  for (std::uint32_t set = 1; set <= all; ++set) {
    if ((set & left_out) != 0) continue;
    found[set] = 0.0;
    for (std::uint32_t lasts = set; lasts != 0; lasts &= lasts - 1) {
      const std::uint32_t last = lasts & (0U - lasts), before = set & ~last;
      const double left = rest + subsets.sums[all & ~before];
      if (left > 0.0)
        found[set] += found[before] * p[static_cast<std::size_t>(std::countr_zero(last))] / left;
    }
  }
  return found[all];
}

double ratio(double a, double b) { return b > 0.0 ? a / b : 0.0; }

}  // namespace

SetRatios set_ratios(const Tensor& p, const Tensor& rest) {
  const std::int64_t k = p.shape()[0], batch = rest.size();
  const Tensor elements = p.contiguous(), others = rest.contiguous();
  std::vector<std::int64_t> one{k}, two{k, k};
  for (int axis = 0; axis < rest.rank(); ++axis) {
    one.push_back(rest.shape()[axis]);
    two.push_back(rest.shape()[axis]);
  }
  SetRatios result{Tensor::uninitialized(Shape(one), DType::f64),
                   Tensor::uninitialized(Shape(two), DType::f64)};
  const double* of_elements = elements.data<double>();
  const double* of_others = others.data<double>();
  auto* without_one = result.without_one.mutable_data<double>();
  auto* without_two = result.without_two.mutable_data<double>();
  std::vector<double> own(static_cast<std::size_t>(k));
  Subsets subsets(k);
  for (std::int64_t row = 0; row < batch; ++row) {
    for (std::int64_t s = 0; s < k; ++s) own[static_cast<std::size_t>(s)] = of_elements[s * batch + row];
    subsets.take(own);
    const double other = of_others[row], whole = probability_of_set(own, other, 0, subsets);
    std::vector<double> less;
    for (std::int64_t s = 0; s < k; ++s) {
      less.push_back(probability_of_set(own, other, 1U << s, subsets));
      without_one[s * batch + row] = ratio(less.back(), whole);
      without_two[(s * k + s) * batch + row] = 1.0;
    }
    for (std::int64_t s = 0; s < k; ++s) {
      for (std::int64_t t = 0; t < s; ++t) {
        const double both = probability_of_set(own, other, (1U << s) | (1U << t), subsets);
        without_two[(s * k + t) * batch + row] = ratio(both, less[static_cast<std::size_t>(s)]);
        without_two[(t * k + s) * batch + row] = ratio(both, less[static_cast<std::size_t>(t)]);
      }
    }
  }
  return result;
}

}  // namespace likely::detail
