#include "likely/models/book/chapter_03/region_counts.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "likely/core/error.hpp"

namespace likely::book {

namespace {

// The factors of a binomial are below 2^63 each, so that products fit.
__extension__ using Wide = unsigned __int128;

std::int64_t narrow(const char* operation, Wide value) {
  if (value > static_cast<Wide>(std::numeric_limits<std::int64_t>::max()))
    refuse(operation, "the number of regions does not fit in 63 bits");
  return static_cast<std::int64_t>(value);
}

void check_size(const char* operation, const char* what, std::int64_t size) {
  if (size < 1) refuse(operation, std::string(what) + " must be >= 1, got " + std::to_string(size));
}

void check_deep(const char* operation, std::int64_t inputs, std::int64_t units, std::int64_t layers) {
  check_size(operation, "inputs", inputs);
  check_size(operation, "units", units);
  check_size(operation, "layers", layers);
  if (units < inputs) {
    refuse(operation, "there must be at least as many units as inputs, got " + std::to_string(units) +
                          " and " + std::to_string(inputs));
  }
  if (layers > 1 && units / 3 < inputs) {  // units < 3 inputs, where the product might not fit
    refuse(operation, "for several layers (4.17) is known to be reached only with units >= 3 inputs, got " +
                          std::to_string(units) + " units and " + std::to_string(inputs) + " inputs");
  }
}

// How often a layer can fold each input.
std::int64_t folds_of(std::int64_t inputs, std::int64_t units) { return units / inputs + 1; }

std::int64_t sum_of_binomials(const char* operation, std::int64_t inputs, std::int64_t units) {
  Wide binomial = 1, total = 1;
  for (std::int64_t j = 1; j <= std::min(inputs, units); ++j) {
    binomial = binomial * static_cast<Wide>(units - j + 1) / static_cast<Wide>(j);
    narrow(operation, binomial);
    total = static_cast<Wide>(narrow(operation, total + binomial));
  }
  return narrow(operation, total);
}

}  // namespace

std::int64_t shallow_regions(std::int64_t inputs, std::int64_t units) {
  check_size("shallow_regions", "inputs", inputs);
  check_size("shallow_regions", "units", units);
  return sum_of_binomials("shallow_regions", inputs, units);
}

std::int64_t deep_regions(std::int64_t inputs, std::int64_t units, std::int64_t layers) {
  constexpr const char* kName = "deep_regions";
  check_deep(kName, inputs, units, layers);
  const std::int64_t folds = folds_of(inputs, units);  // at least 2: too many of them are soon refused
  std::int64_t total = sum_of_binomials(kName, inputs, units);
  for (std::int64_t layer = 1; layer < layers; ++layer) {
    for (std::int64_t i = 0; i < inputs; ++i)
      total = narrow(kName, static_cast<Wide>(total) * static_cast<Wide>(folds));
  }
  return total;
}

double log10_deep_regions(std::int64_t inputs, std::int64_t units, std::int64_t layers) {
  check_deep("log10_deep_regions", inputs, units, layers);
  // The binomials relative to the largest of them, so that none overflows.
  const auto log_binomial = [&](std::int64_t j) {
    const auto n = static_cast<double>(units), k = static_cast<double>(j);
    return std::lgamma(n + 1.0) - std::lgamma(k + 1.0) - std::lgamma(n - k + 1.0);
  };
  const double largest = log_binomial(std::min(inputs, units / 2));
  double total = 0.0;
  for (std::int64_t j = 0; j <= inputs; ++j) total += std::exp(log_binomial(j) - largest);
  const double folds = std::log(static_cast<double>(folds_of(inputs, units)));
  const double exponent = static_cast<double>(inputs) * static_cast<double>(layers - 1);
  return (exponent * folds + largest + std::log(total)) / std::log(10.0);
}

}  // namespace likely::book
