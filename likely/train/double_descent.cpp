#include "likely/train/double_descent.hpp"

#include <fmt/format.h>

#include "likely/core/error.hpp"
#include "likely/data/augmentations.hpp"

namespace likely::train {

namespace detail {

data::Dataset with_noisy_labels(const data::Dataset& train, const DoubleDescentOptions& options, Rng rng) {
  if (options.label_noise == 0.0) return train;
  return train.with_targets(data::label_noise(train.targets(), options.label_noise, options.classes, rng));
}

void check_widths(const std::vector<std::int64_t>& widths) {
  if (widths.empty()) refuse("double_descent", "there are no widths to try");
}

void refuse_interrupted(std::size_t done, std::size_t all) {
  refuse("double_descent", fmt::format("interrupted after {} of {} widths", done, all));
}

}  // namespace detail

}  // namespace likely::train
