// Scaled dot-product attention, block by block: the matrix of scores is never stored (Dao et al., 2022).
// Internal to likely.
#pragma once

#include <cstdint>

namespace likely::kernels {

// q is (batch, heads, queries, depth), k (batch, heads, keys, depth), v (batch, heads, keys, value_depth),
// all contiguous.
struct AttentionShape {
  std::int64_t batch = 1, heads = 1, queries = 0, keys = 0, depth = 0, value_depth = 0;
};

// What is added to the scores, or which may count; at most one of them. Element (b, h, i, j) is at
// b batch_stride + h head_stride + i query_stride + j key_stride; a stride of 0 repeats.
template <class T>
struct AttentionMask {
  const T* added = nullptr;
  const bool* allowed = nullptr;
  std::int64_t batch_stride = 0, head_stride = 0, query_stride = 0, key_stride = 1;
};

// With scores s_ij = scale q_i . k_j + mask: out_i = sum_j softmax_j(s_ij) v_j and lse_i = log sum_j
// exp(s_ij), (batch, heads, queries). If causal, query i sees keys j <= i + keys - queries: the last query
// sees all. Returns the first row (of batch * heads * queries) that sees no key or whose scores hold NaN or
// plus infinity, or -1. The same bits come out for any number of threads.
std::int64_t attention(const float* q, const float* k, const float* v, const AttentionShape& shape,
                       double scale, bool causal, const AttentionMask<float>& mask, float* out, double* lse);
std::int64_t attention(const double* q, const double* k, const double* v, const AttentionShape& shape,
                       double scale, bool causal, const AttentionMask<double>& mask, double* out,
                       double* lse);

// The gradients with respect to q, k and v, given g, the one with respect to out. With p_ij = exp(s_ij -
// lse_i) and t_ij = p_ij (g_i . v_j - g_i . out_i): dq_i = scale sum_j t_ij k_j, dk_j = scale sum_i t_ij q_i,
// dv_j = sum_i p_ij g_i.
void attention_backward(const float* q, const float* k, const float* v, const float* out, const double* lse,
                        const float* g, const AttentionShape& shape, double scale, bool causal,
                        const AttentionMask<float>& mask, float* dq, float* dk, float* dv);
void attention_backward(const double* q, const double* k, const double* v, const double* out,
                        const double* lse, const double* g, const AttentionShape& shape, double scale,
                        bool causal, const AttentionMask<double>& mask, double* dq, double* dk, double* dv);

}  // namespace likely::kernels
