// What ancestral sampling does to log-probabilities before it draws: functions on the last axis of any tensor
// of them. All renormalise, and give minus infinity to what must not be drawn. Constants to gradients.
#pragma once

#include <cstdint>

#include "likely/core/tensor.hpp"

namespace likely {

// log of p^(1 / t), normalised: t = 1 changes nothing, below 1 the probable become more so. Refuses t that is
// not finite and above 0.
[[nodiscard]] Tensor with_temperature(const Tensor& log_probabilities, double temperature);

// The k most probable tokens; of equals at the end those that come first. All where k is the number of tokens
// or more. Refuses k < 1.
[[nodiscard]] Tensor keep_top_k(const Tensor& log_probabilities, std::int64_t k);

// The nucleus (Holtzman et al. 2020): the fewest most probable tokens that have the probability p together
// (up to rounding: a millionth in f32, 10^-12 in f64); of equals at the end those that come first. All of
// them for p = 1. Refuses p outside (0, 1].
[[nodiscard]] Tensor keep_top_p(const Tensor& log_probabilities, double p);

// The three in this order. The defaults change nothing.
struct TokenFilter {
  double temperature = 1.0;
  std::int64_t top_k = 0;  // 0: all
  double top_p = 1.0;

  bool changes_nothing() const { return temperature == 1.0 && top_k == 0 && top_p == 1.0; }
  // Refuses what the functions above refuse, in the name of `operation`.
  void check(const char* operation) const;
  [[nodiscard]] Tensor operator()(const Tensor& log_probabilities) const;
};

}  // namespace likely
