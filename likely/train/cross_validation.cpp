#include "likely/train/cross_validation.hpp"

#include <cmath>
#include <string>

#include "likely/data/folds.hpp"
#include "likely/train/interrupt.hpp"

namespace likely::train {

CrossValidation cross_validate(const data::Dataset& dataset, std::int64_t count, Rng rng,
                               const std::function<double(const Data& fold, Rng rng)>& score) {
  const detail::CatchInterrupt interrupt(true);
  CrossValidation result;
  double total = 0.0;
  double sum = 0.0;
  for (const auto& [train, validation] : data::k_fold(dataset, count, rng.split())) {
    const double value = score({.train = train, .validation = validation}, rng.split());
    result.scores.push_back(value);
    result.rows.push_back(validation.size());
    total += value * static_cast<double>(result.rows.back());
    sum += value;
    if (interrupt.arrived()) {
      refuse("cross_validate", "interrupted after " + std::to_string(result.scores.size()) + " of " +
                                   std::to_string(count) + " folds");
    }
  }
  result.mean = total / static_cast<double>(dataset.size());
  const auto n = static_cast<double>(count);
  double squares = 0.0;
  for (const double value : result.scores) squares += (value - sum / n) * (value - sum / n);
  result.standard_error = std::sqrt(squares / (n - 1.0) / n);
  return result;
}

}  // namespace likely::train
