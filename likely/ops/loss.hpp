// Losses. From logits: minus the log-probability of the targets, without making the probabilities first. From
// numbers: squared and absolute errors. Predictions and targets have the same shape; a target (n,) beside a
// prediction (n, 1), which broadcasting would make (n, n), is refused.
#pragma once

#include "likely/core/tensor.hpp"

namespace likely {

// How the losses of the rows (or elements) become one number; `none` leaves them.
enum class Reduction : std::uint8_t { mean, sum, none };

struct LossOptions {
  Reduction reduction = Reduction::mean;
};

// loss = -sum_k t_k log softmax(logits)_k over the last axis, one for each row (5.21-5.24). Targets are i64
// labels, of the logits' shape without the last axis, or weights t of the logits' shape, which need not add
// up to 1. A weight of 0 takes no part even where the logit is -inf; a label whose logit is -inf costs inf.
// Differentiable in logits and weights. Refuses labels outside [0, classes), rows without a softmax
// (see softmax.hpp), weights that make NaN, and the mean of no rows.
[[nodiscard]] Tensor softmax_cross_entropy(const Tensor& logits, const Tensor& targets,
                                           const LossOptions& options = {});

// loss = -t log sigmoid(x) - (1 - t) log(1 - sigmoid(x)) for each element, right for large |x| (5.16-5.20).
// Targets have the logits' shape; bools and whole numbers will do. Differentiable in both. Refuses elements
// whose loss is NaN (a NaN, or an infinite logit) and the mean of no elements.
[[nodiscard]] Tensor binary_cross_entropy_from_logits(const Tensor& logits, const Tensor& targets,
                                                      const LossOptions& options = {});

// (prediction - target)^2 for each element, f64 where one of them is. Targets of whole numbers or bools will
// do. Differentiable in both. Refuses other shapes, and the mean of no elements.
[[nodiscard]] Tensor mean_squared_error(const Tensor& prediction, const Tensor& target,
                                        const LossOptions& options = {});

// |prediction - target|, likewise.
[[nodiscard]] Tensor mean_absolute_error(const Tensor& prediction, const Tensor& target,
                                         const LossOptions& options = {});

struct HuberOptions {
  double delta = 1.0;  // errors above it count as their size, those below as their square
  Reduction reduction = Reduction::mean;
};

// d^2 / 2 where |d| <= delta, else delta (|d| - delta / 2), with d = prediction - target: squares that large
// errors do not rule. Refuses also a delta that is not finite and above 0.
[[nodiscard]] Tensor huber(const Tensor& prediction, const Tensor& target, const HuberOptions& options = {});

}  // namespace likely
