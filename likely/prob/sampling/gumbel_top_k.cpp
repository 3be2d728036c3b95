#include "likely/prob/sampling/gumbel_top_k.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "likely/autodiff/custom.hpp"
#include "likely/core/create.hpp"
#include "likely/core/error.hpp"
#include "likely/ops/activation.hpp"
#include "likely/ops/arithmetic.hpp"
#include "likely/ops/compare.hpp"
#include "likely/ops/cumulative.hpp"
#include "likely/ops/index.hpp"
#include "likely/ops/math.hpp"
#include "likely/ops/order.hpp"
#include "likely/ops/reduce.hpp"
#include "likely/ops/view.hpp"

namespace likely {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// log(1 - e^-x) for x >= 0, without loss of digits at either end (Maechler 2012).
Tensor log1mexp(const Tensor& x) {
  const Tensor near = x < 0.6931471805599453;
  return where(near, log(-expm1(-where(near, x, 1.0))), log1p(-exp(-where(near, 1.0, x))));
}

}  // namespace

PerturbedSample gumbel_top_k(const Tensor& logits, std::int64_t k, Rng rng) {
  if (logits.rank() < 1) refuse("gumbel_top_k", "logits need a last axis of classes, got a number");
  const std::int64_t classes = logits.shape().back();
  if (k < 1 || k > classes) refuse("gumbel_top_k", fmt::format("k must be in [1, {}], got {}", classes, k));
  const Tensor fixed = stop_gradient(logits);
  const TopK top = topk(fixed + rng.gumbel(fixed.shape(), fixed.dtype()), std::min(k + 1, classes));
  const Tensor threshold = k < classes
                               ? select(top.values, -1, k)
                               : full(fixed.shape().sub(0, fixed.rank() - 1), -kInfinity, fixed.dtype());
  return {slice(top.indices, -1, {0, k}), slice(top.values, -1, {0, k}), threshold};
}

Tensor ordered_log_prob(const Tensor& logits, const Tensor& indices) {
  const Tensor chosen = take_along_axis(logits, indices, -1);
  // What is left before each draw: what is never drawn, and the chosen from this one on.
  const Tensor is_chosen = any(one_hot(indices, logits.shape().back(), DType::boolean), {-2});
  const Tensor never = logsumexp(masked_fill(logits, is_chosen, -kInfinity), {-1}, true);
  const Tensor from_here = logcumsumexp(chosen, -1, true);
  const Tensor high = maximum(never, from_here);
  const Tensor left = high + log1p(exp(minimum(never, from_here) - high));
  return sum(chosen - left, {-1});
}

Tensor inclusion_log_prob(const Tensor& log_probability, const Tensor& threshold) {
  return log1mexp(exp(log_probability - threshold));
}

Tensor gumbels_with_maximum(const Tensor& gumbels, const Tensor& maximum) {
  const Tensor top = unsqueeze(maximum, -1);
  const Tensor v = top - gumbels + log1mexp(max(gumbels, {-1}, true) - gumbels);
  return top - relu(v) - log1p(exp(-abs(v)));
}

}  // namespace likely
