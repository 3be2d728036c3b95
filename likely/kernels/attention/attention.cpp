#include "likely/kernels/attention/attention.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "likely/core/threads.hpp"
#include "likely/kernels/attention/rows.hpp"
#include "likely/kernels/gemm/simd.hpp"
#include "likely/kernels/row_tiles.hpp"

namespace likely::kernels {
namespace {

// A block of scores and its gradients fit the nearest caches.
constexpr std::int64_t kQueries = 64, kKeys = 128;

// C = alpha op(A) op(B) + beta C on the calling thread.
template <class T>
void multiply(bool transpose_a, bool transpose_b, std::int64_t m, std::int64_t n, std::int64_t k, T alpha,
              const T* a, std::int64_t lda, const T* b, std::int64_t ldb, T beta, T* c, std::int64_t ldc) {
  multiply_part({transpose_a, transpose_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc}, {0, m, 0, n});
}

std::int64_t blocks_of(std::int64_t size, std::int64_t block) { return (size + block - 1) / block; }

// Queries [first, first + count) of one head against keys [first_key, first_key + keys).
struct BlockRange {
  std::int64_t head, first, count, first_key, keys;
};

template <class T>
struct Problem {
  const T* q;
  const T* k;
  const T* v;
  AttentionShape shape;
  T scale;
  bool causal;
  const AttentionMask<T>& mask;

  std::int64_t heads() const { return shape.batch * shape.heads; }
  double multiply_adds() const {
    return static_cast<double>(heads()) * static_cast<double>(shape.queries) *
           static_cast<double>(shape.keys) * static_cast<double>(shape.depth + shape.value_depth);
  }

  // How many keys query i sees if causal.
  std::int64_t visible(std::int64_t i) const {
    return std::clamp<std::int64_t>(i + 1 + shape.keys - shape.queries, 0, shape.keys);
  }
  // How many keys any query of [0, end) may see.
  std::int64_t last_key(std::int64_t end) const { return causal ? visible(end - 1) : shape.keys; }

  const T* query(std::int64_t head, std::int64_t i) const {
    return q + (head * shape.queries + i) * shape.depth;
  }
  const T* key(std::int64_t head, std::int64_t j) const { return k + (head * shape.keys + j) * shape.depth; }
  const T* value(std::int64_t head, std::int64_t j) const {
    return v + (head * shape.keys + j) * shape.value_depth;
  }

  void scores(const BlockRange& r, T* out) const {
    multiply<T>(false, true, r.count, r.keys, shape.depth, scale, query(r.head, r.first), shape.depth,
                key(r.head, r.first_key), shape.depth, T{0}, out, kKeys);
    hide(r, out);
  }

 private:
  void hide(const BlockRange& r, T* scores) const {
    constexpr T kHidden = -std::numeric_limits<T>::infinity();
    const std::int64_t step = mask.key_stride;
    const std::int64_t corner = r.head / shape.heads * mask.batch_stride +
                                r.head % shape.heads * mask.head_stride + r.first_key * step;
    for (std::int64_t i = 0; i < r.count; ++i) {
      T* const row = scores + i * kKeys;
      const std::int64_t at = corner + (r.first + i) * mask.query_stride;
      if (mask.added != nullptr) {
        for (std::int64_t j = 0; j < r.keys; ++j) row[j] += mask.added[at + j * step];
      }
      if (mask.allowed != nullptr) {
        for (std::int64_t j = 0; j < r.keys; ++j) row[j] = mask.allowed[at + j * step] ? row[j] : kHidden;
      }
      if (causal) {
        const std::int64_t seen = std::clamp<std::int64_t>(visible(r.first + i) - r.first_key, 0, r.keys);
        std::fill(row + seen, row + r.keys, kHidden);
      }
    }
  }
};

template <class T>
std::int64_t forward(const Problem<T>& problem, T* out, double* lse) {
  const AttentionShape& shape = problem.shape;
  const std::int64_t across = blocks_of(shape.queries, kQueries), depth = shape.value_depth;
  const AttentionRows<T>& rows = attention_rows(T{});
  FirstBadRow bad;
  parallel_tiles(problem.heads() * across, 0.03 * problem.multiply_adds(), [&](std::int64_t tile) {
    alignas(64) T scores[kQueries * kKeys];
    T max[kQueries], sum[kQueries];
    const std::int64_t head = tile / across, first = tile % across * kQueries;
    const std::int64_t count = std::min(kQueries, shape.queries - first);
    const std::int64_t row = head * shape.queries + first;
    T* const to = out + row * depth;
    std::fill_n(max, count, std::numeric_limits<T>::lowest());
    std::fill_n(sum, count, T{0});
    std::fill_n(to, count * depth, T{0});
    const std::int64_t keys = problem.last_key(first + count);
    for (std::int64_t j = 0; j < keys; j += kKeys) {
      const BlockRange range{head, first, count, j, std::min(kKeys, keys - j)};
      problem.scores(range, scores);
      rows.absorb({scores, count, range.keys, kKeys}, {max, sum}, to, depth);
      multiply<T>(false, false, count, depth, range.keys, T{1}, scores, kKeys, problem.value(head, j), depth,
                  T{1}, to, depth);
    }
    for (std::int64_t i = 0; i < count; ++i) {
      lse[row + i] = static_cast<double>(max[i]) + std::log(static_cast<double>(sum[i]));
      if (!(sum[i] > 0)) bad.report(row + i);
    }
    rows.finish(to, sum, count, depth);
  });
  return bad.get();
}

template <class T>
struct Gradients {
  const T* g;
  const double* lse;
  const T* delta;  // g_i . out_i
  T* dq;
  T* dk;
  T* dv;
};

// Adds the contributions of one block to dq, or to dk and dv, or to all.
template <class T>
void add_block(const Problem<T>& problem, const Gradients<T>& to, const BlockRange& r, bool queries,
               bool keys) {
  alignas(64) T p[kQueries * kKeys], t[kQueries * kKeys];
  const AttentionShape& shape = problem.shape;
  const std::int64_t row = r.head * shape.queries + r.first, column = r.head * shape.keys + r.first_key;
  const T* const g = to.g + row * shape.value_depth;
  problem.scores(r, p);
  multiply<T>(false, true, r.count, r.keys, shape.value_depth, T{1}, g, shape.value_depth,
              problem.value(r.head, r.first_key), shape.value_depth, T{0}, t, kKeys);
  attention_rows(T{}).gradients({p, r.count, r.keys, kKeys}, to.lse + row, to.delta + row, t);
  if (queries) {
    multiply<T>(false, false, r.count, shape.depth, r.keys, problem.scale, t, kKeys,
                problem.key(r.head, r.first_key), shape.depth, T{1}, to.dq + row * shape.depth, shape.depth);
  }
  if (keys) {
    multiply<T>(true, false, r.keys, shape.depth, r.count, problem.scale, t, kKeys,
                problem.query(r.head, r.first), shape.depth, T{1}, to.dk + column * shape.depth, shape.depth);
    multiply<T>(true, false, r.keys, shape.value_depth, r.count, T{1}, p, kKeys, g, shape.value_depth, T{1},
                to.dv + column * shape.value_depth, shape.value_depth);
  }
}

template <class T>
void backward(const Problem<T>& problem, const T* out, const double* lse, const T* g, T* dq, T* dk, T* dv) {
  const AttentionShape& shape = problem.shape;
  const std::int64_t heads = problem.heads(), rows = heads * shape.queries;
  std::vector<T> delta(static_cast<std::size_t>(rows));
  for_row_tiles(rows, shape.value_depth, 0.3, [&](std::int64_t first, std::int64_t last) {
    attention_rows(T{}).dots(g + first * shape.value_depth, out + first * shape.value_depth, last - first,
                             shape.value_depth, delta.data() + first);
  });
  std::fill_n(dq, rows * shape.depth, T{0});
  std::fill_n(dk, heads * shape.keys * shape.depth, T{0});
  std::fill_n(dv, heads * shape.keys * shape.value_depth, T{0});
  const Gradients<T> to{g, lse, delta.data(), dq, dk, dv};
  const double work = 0.08 * problem.multiply_adds();
  const std::int64_t query_blocks = blocks_of(shape.queries, kQueries),
                     key_blocks = blocks_of(shape.keys, kKeys);
  // All blocks of [from, until) x [key_from, key_until) of one head, skipping what no query sees.
  const auto sweep = [&](std::int64_t head, std::int64_t from, std::int64_t until, std::int64_t key_from,
                         std::int64_t key_until, bool queries, bool keys) {
    for (std::int64_t kb = key_from; kb < key_until; ++kb) {
      for (std::int64_t qb = from; qb < until; ++qb) {
        const std::int64_t first = qb * kQueries, count = std::min(kQueries, shape.queries - first);
        const std::int64_t first_key = kb * kKeys;
        const std::int64_t seen = std::min(kKeys, problem.last_key(first + count) - first_key);
        if (seen > 0) add_block(problem, to, {head, first, count, first_key, seen}, queries, keys);
      }
    }
  };
  // Many heads: one tile each, every block computed once. Few heads: one tile a block of queries and one a
  // block of keys, which computes scores twice but leaves no two tiles the same sums to add to.
  if (heads >= 8) {
    parallel_tiles(heads, work,
                   [&](std::int64_t head) { sweep(head, 0, query_blocks, 0, key_blocks, true, true); });
    return;
  }
  parallel_tiles(heads * (query_blocks + key_blocks), work, [&](std::int64_t tile) {
    const std::int64_t head = tile / (query_blocks + key_blocks), block = tile % (query_blocks + key_blocks);
    if (block < query_blocks) {
      sweep(head, block, block + 1, 0, key_blocks, true, false);
    } else {
      const std::int64_t kb = block - query_blocks;
      sweep(head, 0, query_blocks, kb, kb + 1, false, true);
    }
  });
}

}  // namespace

std::int64_t attention(const float* q, const float* k, const float* v, const AttentionShape& shape,
                       double scale, bool causal, const AttentionMask<float>& mask, float* out, double* lse) {
  return forward<float>({q, k, v, shape, static_cast<float>(scale), causal, mask}, out, lse);
}
std::int64_t attention(const double* q, const double* k, const double* v, const AttentionShape& shape,
                       double scale, bool causal, const AttentionMask<double>& mask, double* out,
                       double* lse) {
  return forward<double>({q, k, v, shape, scale, causal, mask}, out, lse);
}

void attention_backward(const float* q, const float* k, const float* v, const float* out, const double* lse,
                        const float* g, const AttentionShape& shape, double scale, bool causal,
                        const AttentionMask<float>& mask, float* dq, float* dk, float* dv) {
  backward<float>({q, k, v, shape, static_cast<float>(scale), causal, mask}, out, lse, g, dq, dk, dv);
}
void attention_backward(const double* q, const double* k, const double* v, const double* out,
                        const double* lse, const double* g, const AttentionShape& shape, double scale,
                        bool causal, const AttentionMask<double>& mask, double* dq, double* dk, double* dv) {
  backward<double>({q, k, v, shape, scale, causal, mask}, out, lse, g, dq, dk, dv);
}

}  // namespace likely::kernels
