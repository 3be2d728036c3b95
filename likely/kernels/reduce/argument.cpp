// argmax and argmin.
#include "likely/core/dispatch.hpp"
#include "likely/kernels/simd_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "likely/kernels/reduce/argument.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <vector>

#include "likely/core/error.hpp"
#include "likely/core/threads.hpp"
#include "likely/kernels/elementwise/loops-inl.hpp"
#include "likely/kernels/reduce/reduce.hpp"

HWY_BEFORE_NAMESPACE();
namespace likely::kernels::HWY_NAMESPACE {

// The first place of a value, or with find_nan of a NaN; n if there is none.
template <class T>
std::int64_t find_first(const T* x, std::int64_t n, T value, bool find_nan) {
  const hn::ScalableTag<T> d;
  const std::int64_t lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const auto wanted = hn::Set(d, value);
  std::int64_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    const auto v = hn::LoadU(d, x + i);
    const auto hit = find_nan ? hn::Not(hn::Eq(v, v)) : hn::Eq(v, wanted);
    const std::intptr_t place = hn::FindFirstTrue(d, hit);
    if (place >= 0) return i + place;
  }
  for (; i < n; ++i) {
    if (find_nan ? x[i] != x[i] : x[i] == value) return i;
  }
  return n;
}

template <class T>
bool better(bool largest, T candidate, T best) {
  if constexpr (std::is_floating_point_v<T>) {
    if (best != best) return false;
    if (candidate != candidate) return true;
  }
  return largest ? candidate > best : candidate < best;
}

// The extreme value by the vector reduction (at the speed of memory), then a search for its first place.
template <class T>
std::int64_t arg_row(bool largest, const T* x, std::int64_t n) {
  if constexpr (std::is_floating_point_v<T>) {
    T extreme;
    reduce(largest ? Reduce::maximum : Reduce::minimum, dtype_of<T>, x, &extreme, 1, n, 1);
    return find_first(x, n, extreme, std::isnan(extreme));
  } else {
    std::int64_t place = 0;
    for (std::int64_t i = 1; i < n; ++i) {
      if (better(largest, x[i], x[place])) place = i;
    }
    return place;
  }
}

template <class T>
void arg_columns(bool largest, const T* x, std::int64_t* out, std::int64_t reduced, std::int64_t inner,
                 std::int64_t width) {
  constexpr std::int64_t kChunk = 256;
  T best[kChunk];
  for (std::int64_t j = 0; j < width; j += kChunk) {
    const std::int64_t count = std::min(kChunk, width - j);
    std::copy_n(x + j, count, best);
    std::fill_n(out + j, count, std::int64_t{0});
    for (std::int64_t r = 1; r < reduced; ++r) {
      const T* row = x + r * inner + j;
      for (std::int64_t i = 0; i < count; ++i) {
        const bool take = better(largest, row[i], best[i]);
        best[i] = take ? row[i] : best[i];
        out[j + i] = take ? r : out[j + i];
      }
    }
  }
}

template <class T>
void arg_reduce_typed(bool largest, const void* x_memory, std::int64_t* out, std::int64_t outer,
                      std::int64_t reduced, std::int64_t inner) {
  const T* x = static_cast<const T*>(x_memory);
  const double work = 0.3 * static_cast<double>(outer * reduced * inner);
  if (inner == 1) {
    // A single long row leaves the threads to the reduction inside.
    if (outer == 1) {
      out[0] = arg_row(largest, x, reduced);
      return;
    }
    const std::int64_t together = std::max<std::int64_t>(1, 16384 / reduced);
    parallel_tiles((outer + together - 1) / together, work, [&](std::int64_t tile) {
      const std::int64_t end = std::min(outer, (tile + 1) * together);
      for (std::int64_t row = tile * together; row < end; ++row) {
        out[row] = arg_row(largest, x + row * reduced, reduced);
      }
    });
    return;
  }
  constexpr std::int64_t kWidth = 1024;
  const std::int64_t chunks = (inner + kWidth - 1) / kWidth;
  parallel_tiles(outer * chunks, work, [&](std::int64_t tile) {
    const std::int64_t row = tile / chunks;
    const std::int64_t column = tile % chunks * kWidth;
    arg_columns(largest, x + row * reduced * inner + column, out + row * inner + column, reduced, inner,
                std::min(kWidth, inner - column));
  });
}

void arg_reduce_here(bool largest, DType type, const void* x, std::int64_t* out, std::int64_t outer,
                     std::int64_t reduced, std::int64_t inner) {
  detail::with_type(largest ? "argmax" : "argmin", type, [&]<class T>(T) {
    arg_reduce_typed<detail::stored_as<T>>(largest, x, out, outer, reduced, inner);
  });
}

}  // namespace likely::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace likely::kernels {

HWY_EXPORT(arg_reduce_here);

void arg_reduce(ArgReduce operation, DType type, const void* x, std::int64_t* out, std::int64_t outer,
                std::int64_t reduced, std::int64_t inner) {
  if (outer == 0 || inner == 0) return;
  if (reduced == 0) refuse("arg_reduce", "the reduced dimension has no elements");
  HWY_DYNAMIC_DISPATCH(arg_reduce_here)(operation == ArgReduce::argmax, type, x, out, outer, reduced, inner);
}

}  // namespace likely::kernels
#endif
