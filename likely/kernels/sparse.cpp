#include "likely/kernels/sparse.hpp"

#include <algorithm>

#include "likely/core/threads.hpp"
#include "likely/kernels/simd_targets.hpp"
#include "likely/kernels/target_tables.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "likely/kernels/sparse.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "likely/kernels/vector_loops-inl.hpp"

#ifndef LIKELY_KERNELS_SPARSE_TABLE
#define LIKELY_KERNELS_SPARSE_TABLE
namespace likely::kernels {
// All for the rows [first, last).
template <class T>
struct SparseTable {
  void (*multiply)(const SparseRows<T>& a, const T* x, std::int64_t d, T* out, std::int64_t first,
                   std::int64_t last);
  void (*values_gradient)(const SparseRows<T>& a, const T* g, const T* x, std::int64_t d, T* out,
                          std::int64_t first, std::int64_t last);
  void (*max)(const SparseRows<T>& a, const T* x, std::int64_t d, T* out, std::int64_t* argmax,
              std::int64_t first, std::int64_t last);
};
}  // namespace likely::kernels
#endif

HWY_BEFORE_NAMESPACE();
namespace likely::kernels::HWY_NAMESPACE {

template <class T>
HWY_INLINE T value_of(const SparseRows<T>& a, std::int64_t e) {
  if (a.values == nullptr) return T{1};
  return a.values[a.positions != nullptr ? a.positions[e] : e];
}

// A few columns at a time, whose sums stay in registers over all entries of the row.
template <class T>
void multiply_rows(const SparseRows<T>& a, const T* x, std::int64_t columns, T* out, std::int64_t first,
                   std::int64_t last) {
  using D = hn::ScalableTag<T>;
  const D d;
  for (std::int64_t r = first; r < last; ++r) {
    const std::int64_t begin = a.pointers[r], end = a.pointers[r + 1];
    for_vectors(d, columns, [&](auto access, std::int64_t i) HWY_ATTR {
      hn::Vec<D> sum[access.kCount], v[access.kCount];
      for (auto& s : sum) s = hn::Zero(d);
      for (std::int64_t e = begin; e < end; ++e) {
        const auto value = hn::Set(d, value_of(a, e));
        access.load(x + a.columns[e] * columns + i, v);
        for (int k = 0; k < access.kCount; ++k) sum[k] = hn::MulAdd(value, v[k], sum[k]);
      }
      access.store(sum, out + r * columns + i);
    });
  }
}

template <class T>
void values_gradient_rows(const SparseRows<T>& a, const T* g, const T* x, std::int64_t columns, T* out,
                          std::int64_t first, std::int64_t last) {
  using D = hn::ScalableTag<T>;
  const D d;
  for (std::int64_t r = first; r < last; ++r) {
    for (std::int64_t e = a.pointers[r]; e < a.pointers[r + 1]; ++e) {
      auto sum = hn::Zero(d);
      for_vectors(d, columns, [&](auto access, std::int64_t i) HWY_ATTR {
        hn::Vec<D> u[access.kCount], v[access.kCount];
        access.load(g + r * columns + i, u);
        access.load(x + a.columns[e] * columns + i, v);
        for (int k = 0; k < access.kCount; ++k) sum = hn::MulAdd(u[k], v[k], sum);
      });
      out[e] = hn::GetLane(hn::SumOfLanes(d, sum));
    }
  }
}

template <class T>
void max_rows(const SparseRows<T>& a, const T* x, std::int64_t columns, T* out, std::int64_t* argmax,
              std::int64_t first, std::int64_t last) {
  using D = hn::ScalableTag<T>;
  const D d;
  // Numbers as wide as T that count the entries of the row.
  const hn::RebindToSigned<D> di;
  using Index = hn::TFromD<decltype(di)>;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  for (std::int64_t r = first; r < last; ++r) {
    const std::int64_t begin = a.pointers[r], end = a.pointers[r + 1];
    for (std::int64_t i = 0; i < columns; i += lanes) {
      const auto count = static_cast<std::size_t>(std::min(lanes, columns - i));
      auto best = hn::Zero(d);
      auto which = hn::Set(di, Index{-1});
      if (begin < end) {
        best = load_first(d, x + a.columns[begin] * columns + i, count);
        which = hn::Zero(di);
      }
      for (std::int64_t e = begin + 1; e < end; ++e) {
        const auto v = load_first(d, x + a.columns[e] * columns + i, count);
        // Not "v <= best" rather than "v > best": a NaN replaces a number, and nothing replaces a NaN.
        const auto better = hn::And(hn::Not(hn::Le(v, best)), hn::Eq(best, best));
        best = hn::IfThenElse(better, v, best);
        which = hn::IfThenElse(hn::RebindMask(di, better), hn::Set(di, static_cast<Index>(e - begin)), which);
      }
      store_first(best, d, out + r * columns + i, count);
      HWY_ALIGN Index entries[hn::MaxLanes(di)];
      hn::Store(which, di, entries);
      for (std::size_t k = 0; k < count; ++k) {
        argmax[r * columns + i + static_cast<std::int64_t>(k)] =
            entries[k] < 0 ? -1 : a.columns[begin + entries[k]];
      }
    }
  }
}

template <class T>
constexpr SparseTable<T> sparse_table() {
  return {&multiply_rows<T>, &values_gradient_rows<T>, &max_rows<T>};
}
LIKELY_TABLES_OF_TARGET(SparseTable, sparse_table)

}  // namespace likely::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace likely::kernels {
namespace {

LIKELY_TABLE_OF_PROCESSOR(SparseTable, sparse_table)

// Calls body(first, last) for ranges of 64 rows.
template <class T, class Body>
void for_sparse_rows(const SparseRows<T>& a, std::int64_t d, const Body& body) {
  constexpr std::int64_t kRows = 64;
  if (a.rows == 0) return;
  const std::int64_t entries = a.pointers[a.rows] - a.pointers[0];
  const double work = static_cast<double>(entries) * (3 + 0.2 * static_cast<double>(d));
  parallel_tiles((a.rows + kRows - 1) / kRows, work,
                 [&](std::int64_t tile) { body(tile * kRows, std::min(a.rows, (tile + 1) * kRows)); });
}

template <class T>
void multiply_all(const SparseRows<T>& a, const T* x, std::int64_t d, T* out) {
  for_sparse_rows(
      a, d, [&](std::int64_t first, std::int64_t last) { table<T>().multiply(a, x, d, out, first, last); });
}

template <class T>
void values_gradient_all(const SparseRows<T>& a, const T* g, const T* x, std::int64_t d, T* out) {
  for_sparse_rows(a, d, [&](std::int64_t first, std::int64_t last) {
    table<T>().values_gradient(a, g, x, d, out, first, last);
  });
}

template <class T>
void max_all(const SparseRows<T>& a, const T* x, std::int64_t d, T* out, std::int64_t* argmax) {
  for_sparse_rows(a, d, [&](std::int64_t first, std::int64_t last) {
    table<T>().max(a, x, d, out, argmax, first, last);
  });
}

// Columns are cut, never rows: each sum keeps its order.
template <class T>
void max_backward_all(const T* g, const std::int64_t* argmax, std::int64_t rows, std::int64_t d, T* dx) {
  constexpr std::int64_t kColumns = 64;
  parallel_tiles((d + kColumns - 1) / kColumns, static_cast<double>(rows * d), [&](std::int64_t tile) {
    const std::int64_t end = std::min(d, (tile + 1) * kColumns);
    for (std::int64_t r = 0; r < rows; ++r) {
      for (std::int64_t k = tile * kColumns; k < end; ++k) {
        const std::int64_t from = argmax[r * d + k];
        if (from >= 0) dx[from * d + k] += g[r * d + k];
      }
    }
  });
}

}  // namespace

void sparse_transpose(std::int64_t rows, std::int64_t cols, const std::int64_t* row_pointers,
                      const std::int64_t* row_columns, std::int64_t* pointers, std::int64_t* transposed_rows,
                      std::int64_t* positions) {
  std::fill_n(pointers, cols + 1, 0);
  for (std::int64_t e = row_pointers[0]; e < row_pointers[rows]; ++e) ++pointers[row_columns[e] + 1];
  for (std::int64_t c = 0; c < cols; ++c) pointers[c + 1] += pointers[c];
  // pointers[c] runs through column c and ends where column c + 1 began: one step to the right puts it back.
  for (std::int64_t r = 0; r < rows; ++r) {
    for (std::int64_t e = row_pointers[r]; e < row_pointers[r + 1]; ++e) {
      const std::int64_t to = pointers[row_columns[e]]++;
      transposed_rows[to] = r;
      positions[to] = e;
    }
  }
  for (std::int64_t c = cols; c > 0; --c) pointers[c] = pointers[c - 1];
  pointers[0] = 0;
}

void sparse_multiply(const SparseRows<float>& a, const float* x, std::int64_t d, float* out) {
  multiply_all(a, x, d, out);
}
void sparse_multiply(const SparseRows<double>& a, const double* x, std::int64_t d, double* out) {
  multiply_all(a, x, d, out);
}

void sparse_multiply_values_gradient(const SparseRows<float>& a, const float* g, const float* x,
                                     std::int64_t d, float* out) {
  values_gradient_all(a, g, x, d, out);
}
void sparse_multiply_values_gradient(const SparseRows<double>& a, const double* g, const double* x,
                                     std::int64_t d, double* out) {
  values_gradient_all(a, g, x, d, out);
}

void sparse_max(const SparseRows<float>& a, const float* x, std::int64_t d, float* out,
                std::int64_t* argmax) {
  max_all(a, x, d, out, argmax);
}
void sparse_max(const SparseRows<double>& a, const double* x, std::int64_t d, double* out,
                std::int64_t* argmax) {
  max_all(a, x, d, out, argmax);
}

void sparse_max_backward(const float* g, const std::int64_t* argmax, std::int64_t rows, std::int64_t d,
                         float* dx) {
  max_backward_all(g, argmax, rows, d, dx);
}
void sparse_max_backward(const double* g, const std::int64_t* argmax, std::int64_t rows, std::int64_t d,
                         double* dx) {
  max_backward_all(g, argmax, rows, d, dx);
}

}  // namespace likely::kernels
#endif
