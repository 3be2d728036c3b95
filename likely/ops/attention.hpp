// Scaled dot-product attention (12.9, 12.10), fused: the matrix of scores is never stored.
#pragma once

#include <optional>

#include "likely/core/tensor.hpp"

namespace likely {

struct AttentionOptions {
  bool causal = false;            // query i sees keys j <= i + keys - queries: the last query sees all
  Tensor mask{};                  // bool: which keys a query may see; floating: added to the scores
  std::optional<double> scale{};  // 1 / sqrt(depth) where it is not given
};

// y_i = sum_j softmax_j(scale q_i . k_j + mask_ij) v_j. q is (..., queries, depth), k (..., keys, depth) and
// v
// (..., keys, value_depth) with the same leading axes and one floating type; the mask broadcasts to
// (..., queries, keys). Memory grows with queries + keys, not with their product. There it does grow: in
// second derivatives and in gradients for a floating mask, which are composed of public operations. Refuses
// queries that see no key, and scores that are NaN or +inf, by their place.
[[nodiscard]] Tensor attention(const Tensor& q, const Tensor& k, const Tensor& v,
                               const AttentionOptions& options = {});

}  // namespace likely
