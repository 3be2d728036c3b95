// How two partial results of a reduction become one. Internal to likely.
#pragma once

#include <cmath>
#include <limits>

#include "likely/kernels/reduce/kernels.hpp"

namespace likely::kernels {

// Adds, and keeps what the addition rounds away.
struct AddCombine {
  static constexpr double kIdentity = 0.0;
  static constexpr bool kAdds = true;
  static PartialResult combine(PartialResult a, PartialResult b) {
    const double sum = a.value + b.value;
    const double part = sum - a.value;
    const double lost = (a.value - (sum - part)) + (b.value - part);
    return {sum, a.extra + b.extra + (std::isfinite(sum) ? lost : 0.0)};
  }
  static double finish(PartialResult a) { return a.value + a.extra; }
};

struct MultiplyCombine {
  static constexpr double kIdentity = 1.0;
  static constexpr bool kAdds = false;
  template <class T>
  static T of(T a, T b) {
    return a * b;
  }
  static PartialResult combine(PartialResult a, PartialResult b) { return {of(a.value, b.value), 0.0}; }
  static double finish(PartialResult a) { return a.value; }
};

struct MaximumCombine {
  static constexpr double kIdentity = -std::numeric_limits<double>::infinity();
  static constexpr bool kAdds = false;
  template <class T>
  static T of(T a, T b) {
    return std::isnan(a) || a > b ? a : b;
  }
  static PartialResult combine(PartialResult a, PartialResult b) { return {of(a.value, b.value), 0.0}; }
  static double finish(PartialResult a) { return a.value; }
};

struct MinimumCombine {
  static constexpr double kIdentity = std::numeric_limits<double>::infinity();
  static constexpr bool kAdds = false;
  template <class T>
  static T of(T a, T b) {
    return std::isnan(a) || a < b ? a : b;
  }
  static PartialResult combine(PartialResult a, PartialResult b) { return {of(a.value, b.value), 0.0}; }
  static double finish(PartialResult a) { return a.value; }
};

// value is the largest x and extra the sum of e^(x - value).
struct LogSumExpCombine {
  static constexpr double kIdentity = -std::numeric_limits<double>::infinity();
  static PartialResult combine(PartialResult a, PartialResult b) {
    const PartialResult peak = MaximumCombine::combine(a, b);
    if (!std::isfinite(peak.value)) return {peak.value, std::isnan(peak.value) ? peak.value : 1.0};
    return {peak.value, a.extra * std::exp(a.value - peak.value) + b.extra * std::exp(b.value - peak.value)};
  }
  static double finish(PartialResult a) {
    return std::isinf(a.value) ? a.value : a.value + std::log(a.extra);
  }
};

}  // namespace likely::kernels
