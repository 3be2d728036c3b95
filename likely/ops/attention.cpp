#include "likely/ops/attention.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <vector>

#include "likely/autodiff/gradient.hpp"
#include "likely/core/create.hpp"
#include "likely/core/dispatch.hpp"
#include "likely/core/layer_error.hpp"
#include "likely/kernels/attention/attention.hpp"
#include "likely/ops/arithmetic.hpp"
#include "likely/ops/compare.hpp"
#include "likely/ops/matmul.hpp"
#include "likely/ops/rows.hpp"
#include "likely/ops/softmax.hpp"
#include "likely/ops/view.hpp"

namespace likely {

using detail::with_floating;

namespace {

// What the operation is about, besides q, k and v. Tensors in here are constants.
struct Scoring {
  bool causal;
  double scale;
  Tensor mask;  // empty, or expanded to (..., queries, keys)
};

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// The same with public operations, and with the scores in memory.
Tensor composed_attention(const Scoring& scoring, const Tensor& q, const Tensor& k, const Tensor& v) {
  const std::int64_t queries = q.dim(-2), keys = k.dim(-2);
  Tensor scores = matmul(q, transpose(k)) * scoring.scale;
  if (scoring.mask.defined()) {
    scores = scoring.mask.dtype() == DType::boolean ? where(scoring.mask, scores, -kInfinity)
                                                    : scores + scoring.mask;
  }
  if (scoring.causal) {
    const Tensor last = reshape(arange(queries) + (keys - queries), {queries, 1});
    scores = where(arange(keys) <= last, scores, -kInfinity);
  }
  return matmul(softmax(scores), v);
}

kernels::AttentionShape kernel_shape(const Tensor& q, const Tensor& k, const Tensor& v) {
  const int lead = q.rank() - 2;
  const std::int64_t heads = lead > 0 ? q.shape()[lead - 1] : 1;
  const std::int64_t batch = lead > 1 ? q.shape().sub(0, lead - 1).size() : 1;
  return {batch, heads, q.dim(-2), k.dim(-2), q.dim(-1), v.dim(-1)};
}

// The mask as the kernel wants it, and the tensor that holds its memory.
template <class T>
struct KernelMask {
  Tensor holder;
  kernels::AttentionMask<T> mask;
};

template <class T>
KernelMask<T> kernel_mask(const Tensor& mask, const kernels::AttentionShape& shape) {
  KernelMask<T> result;
  if (!mask.defined()) return result;
  // Copies only masks that vary over several leading axes in a way that two strides cannot follow.
  const Tensor four = reshape(mask, {shape.batch, shape.heads, shape.queries, shape.keys});
  const Strides& strides = four.strides();
  if (mask.dtype() == DType::boolean) {
    result.mask.allowed = four.data<bool>();
  } else {
    result.mask.added = four.data<T>();
  }
  result.holder = four;
  result.mask.batch_stride = strides[0];
  result.mask.head_stride = strides[1];
  result.mask.query_stride = strides[2];
  result.mask.key_stride = strides[3];
  return result;
}

struct Output {
  Tensor y;
  Tensor log_sum_exp;  // of the scores of each query: a constant
};

Output attention_of_numbers(const Scoring& scoring, const Tensor& query, const Tensor& key,
                            const Tensor& value) {
  const Tensor q = query.contiguous(), k = key.contiguous(), v = value.contiguous();
  const kernels::AttentionShape shape = kernel_shape(q, k, v);
  Shape out = q.shape();
  out[q.rank() - 1] = v.dim(-1);
  Output result{Tensor::uninitialized(out, q.dtype()),
                Tensor::uninitialized({shape.batch * shape.heads * shape.queries}, DType::f64)};
  if (result.log_sum_exp.size() == 0) return result;
  with_floating("attention", q.dtype(), [&]<class T>(T) {
    const KernelMask<T> mask = kernel_mask<T>(scoring.mask, shape);
    const std::int64_t bad =
        shape.keys == 0 ? 0
                        : kernels::attention(q.data<T>(), k.data<T>(), v.data<T>(), shape, scoring.scale,
                                             scoring.causal, mask.mask, result.y.mutable_data<T>(),
                                             result.log_sum_exp.mutable_data<double>());
    if (bad >= 0) {
      refuse("attention",
             fmt::format("query {} of q {} sees no key, or a score that is NaN or +inf",
                         index_of(q.shape().sub(0, q.rank() - 1), bad).string(), q.shape().string()));
    }
  });
  return result;
}

struct Gradients {
  Tensor q, k, v;
};

Gradients gradients_of_numbers(const Scoring& scoring, const Tensor& query, const Tensor& key,
                               const Tensor& value, const Output& output, const Tensor& gradient) {
  const Tensor q = query.contiguous(), k = key.contiguous(), v = value.contiguous(),
               g = gradient.contiguous();
  const kernels::AttentionShape shape = kernel_shape(q, k, v);
  if (output.log_sum_exp.size() == 0) {
    return {zeros_like(q), zeros_like(k), zeros_like(v)};
  }
  const auto make = [](const Tensor& like) { return Tensor::uninitialized(like.shape(), like.dtype()); };
  Gradients d{make(q), make(k), make(v)};
  with_floating("attention", q.dtype(), [&]<class T>(T) {
    const KernelMask<T> mask = kernel_mask<T>(scoring.mask, shape);
    kernels::attention_backward(q.data<T>(), k.data<T>(), v.data<T>(), output.y.data<T>(),
                                output.log_sum_exp.data<double>(), g.data<T>(), shape, scoring.scale,
                                scoring.causal, mask.mask, d.q.mutable_data<T>(), d.k.mutable_data<T>(),
                                d.v.mutable_data<T>());
  });
  return d;
}

// One backward pass makes all three; each is recorded as a node of its own, with the derivative of the
// composed form.
Gradients attention_gradients(const Scoring& scoring, const Tensor& q, const Tensor& k, const Tensor& v,
                              const Output& output, const Tensor& g) {
  Tape* tape = recording_tape(q, k, v, g);
  if (tape == nullptr) return gradients_of_numbers(scoring, q, k, v, output, g);
  const std::vector<Tensor> lower{tape->below(q), tape->below(k), tape->below(v), tape->below(g)};
  const Gradients d = attention_gradients(scoring, lower[0], lower[1], lower[2], output, lower[3]);
  const auto record = [&](const Tensor& value, std::size_t which) {
    return tape->record(
        "attention_gradient", value, {&q, &k, &v, &g}, [scoring, lower, which](const Tensor& h, Pull& pull) {
          const auto composed = [&](const std::vector<Tensor>& in) {
            const auto forward = vjp(std::vector<Tensor>{in[0], in[1], in[2]}, [&](const auto& p) {
              return composed_attention(scoring, p[0], p[1], p[2]);
            });
            return forward.pull_back(in[3])[which];
          };
          const std::vector<Tensor> pulled = vjp(lower, composed).pull_back(h);
          for (int i = 0; i < 4; ++i) {
            pull(i, [&] { return pulled[static_cast<std::size_t>(i)]; });
          }
        });
  };
  return {record(d.q, 0), record(d.k, 1), record(d.v, 2)};
}

Output fused_attention(const Scoring& scoring, const Tensor& q, const Tensor& k, const Tensor& v) {
  Tape* tape = recording_tape(q, k, v);
  if (tape == nullptr) return attention_of_numbers(scoring, q, k, v);
  const Tensor lower_q = tape->below(q), lower_k = tape->below(k), lower_v = tape->below(v);
  Output output = fused_attention(scoring, lower_q, lower_k, lower_v);
  const Output saved{output.y.with_track({}), output.log_sum_exp};
  output.y =
      tape->record("attention", output.y, {&q, &k, &v},
                   [scoring, q = lower_q, k = lower_k, v = lower_v, saved](const Tensor& g, Pull& pull) {
                     const Gradients d = attention_gradients(scoring, q, k, v, saved, g);
                     pull(0, [&] { return d.q; });
                     pull(1, [&] { return d.k; });
                     pull(2, [&] { return d.v; });
                   });
  return output;
}

void check_shapes(const Tensor& q, const Tensor& k, const Tensor& v) {
  for (const Tensor* x : {&q, &k, &v}) detail::check_floating("attention", "q, k and v", *x);
  if (q.dtype() != k.dtype() || q.dtype() != v.dtype()) {
    refuse("attention", fmt::format("q, k and v differ in type: {}, {} and {}", name_of(q.dtype()),
                                    name_of(k.dtype()), name_of(v.dtype())));
  }
  const int rank = q.rank();
  bool fit = rank >= 2 && k.rank() == rank && v.rank() == rank;
  for (int i = 0; fit && i < rank - 2; ++i) {
    fit = k.shape()[i] == q.shape()[i] && v.shape()[i] == q.shape()[i];
  }
  fit = fit && q.dim(-1) == k.dim(-1) && k.dim(-2) == v.dim(-2) && q.dim(-1) > 0;
  if (!fit) {
    refuse("attention",
           fmt::format("shapes must be (..., queries, depth), (..., keys, depth) and (..., keys, "
                       "value_depth), got {}, {} and {}",
                       q.shape().string(), k.shape().string(), v.shape().string()));
  }
}

// The mask in the shape of the scores.
Tensor expanded_mask(const Tensor& mask, const Tensor& q, const Tensor& k) {
  if (!mask.defined()) return mask;
  if (mask.dtype() != DType::boolean && mask.dtype() != q.dtype()) {
    refuse("attention",
           fmt::format("the mask must be bool or {}, got {}", name_of(q.dtype()), name_of(mask.dtype())));
  }
  Shape scores = q.shape();
  scores[q.rank() - 1] = k.dim(-2);
  const int lead = scores.rank() - mask.rank();
  bool fits = lead >= 0;
  for (int i = 0; fits && i < mask.rank(); ++i) {
    fits = mask.shape()[i] == 1 || mask.shape()[i] == scores[lead + i];
  }
  if (!fits) {
    refuse("attention", fmt::format("the mask {} does not broadcast to the scores {}", mask.shape().string(),
                                    scores.string()));
  }
  return expand(mask, scores);
}

}  // namespace

Tensor attention(const Tensor& q, const Tensor& k, const Tensor& v, const AttentionOptions& options) {
  concerning({&q, &k, &v}, [&] { check_shapes(q, k, v); });
  const double scale = options.scale.value_or(1.0 / std::sqrt(static_cast<double>(q.dim(-1))));
  if (!std::isfinite(scale)) refuse("attention", fmt::format("scale must be finite, got {}", scale));
  const Scoring scoring{options.causal, scale, concerning({&q, &k, &options.mask}, [&] {
                          return expanded_mask(options.mask, q, k);
                        })};
  if (options.mask.defined() && recording_tape(options.mask) != nullptr) {
    return composed_attention(scoring, q, k, v);
  }
  return fused_attention(scoring, q, k, v).y;
}

}  // namespace likely
