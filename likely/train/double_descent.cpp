#include "likely/train/double_descent.hpp"

#include <fmt/format.h>

#include "likely/ops/compare.hpp"
#include "likely/ops/reduce.hpp"

namespace likely::train {

Tensor randomize_labels(const Tensor& labels, double share, std::int64_t classes, Rng rng) {
  if (!labels.defined() || labels.dtype() != DType::i64)
    refuse("randomize_labels",
           "labels must be i64, got " +
               std::string(labels.defined() ? name_of(labels.dtype()) : "an empty tensor"));
  if (!(share >= 0.0 && share <= 1.0))
    refuse("randomize_labels", fmt::format("the share must lie in [0, 1], got {}", share));
  if (classes < 1) refuse("randomize_labels", fmt::format("at least 1 class is needed, got {}", classes));
  if (labels.size() > 0 && (min(labels).item() < 0 || max(labels).item() >= static_cast<double>(classes)))
    refuse("randomize_labels", fmt::format("labels must lie in [0, {})", classes));
  const Tensor chosen = rng.uniform(labels.shape(), 0.0, 1.0, DType::f64) < share;
  return where(chosen, rng.randint(0, classes, labels.shape()), labels);
}

namespace detail {

data::Dataset with_noisy_labels(const data::Dataset& train, const DoubleDescentOptions& options, Rng rng) {
  if (options.label_noise == 0.0) return train;
  return train.with_targets(randomize_labels(train.targets(), options.label_noise, options.classes, rng));
}

void check_widths(const std::vector<std::int64_t>& widths) {
  if (widths.empty()) refuse("double_descent", "there are no widths to try");
}

void refuse_interrupted(std::size_t done, std::size_t all) {
  refuse("double_descent", fmt::format("interrupted after {} of {} widths", done, all));
}

}  // namespace detail

}  // namespace likely::train
