#include "likely/kernels/reduce/kernels.hpp"

#include "likely/core/dispatch.hpp"
#include "likely/kernels/simd_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "likely/kernels/reduce/kernels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "likely/kernels/elementwise/loops-inl.hpp"
#include "likely/kernels/elementwise/math-inl.hpp"
#include "likely/kernels/reduce/combine.hpp"

HWY_BEFORE_NAMESPACE();
namespace likely::kernels::HWY_NAMESPACE {

struct SumStep : AddCombine {
  template <class D, class V>
  static HWY_INLINE V step(D, V total, V x) {
    return hn::Add(total, x);
  }
  template <class D, class V>
  static HWY_INLINE V merge(D, V a, V b) {
    return hn::Add(a, b);
  }
};
struct SquareStep : SumStep {
  template <class D, class V>
  static HWY_INLINE V step(D, V total, V x) {
    return hn::MulAdd(x, x, total);
  }
};
struct MagnitudeStep : SumStep {
  template <class D, class V>
  static HWY_INLINE V step(D, V total, V x) {
    return hn::Add(total, hn::Abs(x));
  }
};
struct ProductStep : MultiplyCombine {
  template <class D, class V>
  static HWY_INLINE V step(D, V total, V x) {
    return hn::Mul(total, x);
  }
  template <class D, class V>
  static HWY_INLINE V merge(D, V a, V b) {
    return hn::Mul(a, b);
  }
};
// The instructions return the second operand if either is NaN; a NaN already met is kept by the blend.
struct MaximumStep : MaximumCombine {
  template <class D, class V>
  static HWY_INLINE V step(D, V total, V x) {
    return hn::IfThenElse(hn::IsNaN(total), total, hn::Max(total, x));
  }
  template <class D, class V>
  static HWY_INLINE V merge(D d, V a, V b) {
    return step(d, a, b);
  }
};
struct MinimumStep : MinimumCombine {
  template <class D, class V>
  static HWY_INLINE V step(D, V total, V x) {
    return hn::IfThenElse(hn::IsNaN(total), total, hn::Min(total, x));
  }
  template <class D, class V>
  static HWY_INLINE V merge(D d, V a, V b) {
    return step(d, a, b);
  }
};

// Elements whose running totals stay in x's own type: short enough that the rounding of one lane does not
// grow, long enough that widening costs nothing.
inline constexpr std::size_t kBlock = 4096;

// One block of a row as a vector of totals of map(x).
template <class Step, class T, class Map>
HWY_INLINE hn::Vec<hn::ScalableTag<T>> block_totals(const T* x, std::size_t n, const Map& map) {
  const hn::ScalableTag<T> d;
  const std::size_t lanes = hn::Lanes(d);
  const auto identity = constant(d, Step::kIdentity);
  auto total = identity;
  std::size_t i = 0;
  if (n >= 8 * lanes) {
    auto t1 = identity, t2 = identity, t3 = identity, t4 = identity;
    auto t5 = identity, t6 = identity, t7 = identity;
    for (; i + 8 * lanes <= n; i += 8 * lanes) {
      total = Step::step(d, total, map(d, hn::LoadU(d, x + i)));
      t1 = Step::step(d, t1, map(d, hn::LoadU(d, x + i + lanes)));
      t2 = Step::step(d, t2, map(d, hn::LoadU(d, x + i + 2 * lanes)));
      t3 = Step::step(d, t3, map(d, hn::LoadU(d, x + i + 3 * lanes)));
      t4 = Step::step(d, t4, map(d, hn::LoadU(d, x + i + 4 * lanes)));
      t5 = Step::step(d, t5, map(d, hn::LoadU(d, x + i + 5 * lanes)));
      t6 = Step::step(d, t6, map(d, hn::LoadU(d, x + i + 6 * lanes)));
      t7 = Step::step(d, t7, map(d, hn::LoadU(d, x + i + 7 * lanes)));
    }
    total = Step::merge(d, Step::merge(d, Step::merge(d, total, t1), Step::merge(d, t2, t3)),
                        Step::merge(d, Step::merge(d, t4, t5), Step::merge(d, t6, t7)));
  }
  for (; i + lanes <= n; i += lanes) total = Step::step(d, total, map(d, hn::LoadU(d, x + i)));
  if (i < n) {
    const auto inside = hn::FirstN(d, n - i);
    const auto mapped = map(d, load_first(d, x + i, n - i));
    total = Step::step(d, total, hn::IfThenElse(inside, mapped, identity));
  }
  return total;
}

struct Unchanged {
  template <class D, class V>
  HWY_INLINE V operator()(D, V x) const {
    return x;
  }
};
struct ExpOfDifference {
  double shift;
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    return exp_nonpositive(d, hn::Sub(x, constant(d, shift)));
  }
};

template <class Step, class T, class Map>
HWY_INLINE PartialResult row_partial(const T* x, std::size_t n, const Map& map) {
  const hn::ScalableTag<T> d;
  const hn::ScalableTag<double> wide;
  PartialResult result{Step::kIdentity, 0.0};
  if constexpr (Step::kAdds && sizeof(T) == 4) {
    const hn::Rebind<float, hn::ScalableTag<double>> half;
    auto lower = hn::Zero(wide);
    auto upper = hn::Zero(wide);
    for (std::size_t i = 0; i < n; i += kBlock) {
      const auto totals = block_totals<Step>(x + i, std::min(kBlock, n - i), map);
      lower = hn::Add(lower, hn::PromoteTo(wide, hn::LowerHalf(half, totals)));
      upper = hn::Add(upper, hn::PromoteTo(wide, hn::UpperHalf(half, totals)));
    }
    result.value = hn::GetLane(hn::SumOfLanes(wide, hn::Add(lower, upper)));
  } else if constexpr (Step::kAdds) {
    // AddCombine, lane by lane.
    auto total = hn::Zero(d);
    auto lost = hn::Zero(d);
    for (std::size_t i = 0; i < n; i += kBlock) {
      const auto next = block_totals<Step>(x + i, std::min(kBlock, n - i), map);
      const auto sum = hn::Add(total, next);
      const auto part = hn::Sub(sum, total);
      lost = hn::Add(lost, hn::Add(hn::Sub(total, hn::Sub(sum, part)), hn::Sub(next, part)));
      total = sum;
    }
    result.value = hn::GetLane(hn::SumOfLanes(d, total));
    result.extra = std::isfinite(result.value) ? hn::GetLane(hn::SumOfLanes(d, lost)) : 0.0;
  } else {
    auto total = constant(d, Step::kIdentity);
    for (std::size_t i = 0; i < n; i += kBlock) {
      total = Step::merge(d, total, block_totals<Step>(x + i, std::min(kBlock, n - i), map));
    }
    HWY_ALIGN T lane[hn::MaxLanes(d)];
    hn::Store(total, d, lane);
    for (std::size_t half = hn::Lanes(d) / 2; half > 0; half /= 2) {
      for (std::size_t i = 0; i < half; ++i) lane[i] = Step::of(lane[i], lane[i + half]);
    }
    result.value = static_cast<double>(lane[0]);
  }
  return result;
}

template <class Step, class T>
PartialResult reduce_row(const void* x, std::int64_t n) {
  return row_partial<Step>(static_cast<const T*>(x), static_cast<std::size_t>(n), Unchanged());
}

template <class T>
PartialResult logsumexp_row(const void* x_memory, std::int64_t n) {
  const T* x = static_cast<const T*>(x_memory);
  const std::size_t count = static_cast<std::size_t>(n);
  const double peak = row_partial<MaximumStep>(x, count, Unchanged()).value;
  // Infinities and NaN are the answer themselves.
  if (!std::isfinite(peak)) return {peak, std::isnan(peak) ? peak : peak > 0 ? 1.0 : 0.0};
  const PartialResult sum = row_partial<SumStep>(x, count, ExpOfDifference{peak});
  return {peak, sum.value + sum.extra};
}

// Rows whose totals stay in x's own type.
inline constexpr std::int64_t kRowBlock = 32;

// Adds Rows rows to the totals of one vector of columns, as a tree.
template <class Step, int Rows, class D, class V, class Load>
HWY_INLINE V add_rows(D d, V total, const Load& load) {
  if constexpr (Rows == 1) {
    return Step::step(d, total, load(0));
  } else {
    const auto identity = constant(d, Step::kIdentity);
    auto t0 = Step::step(d, total, load(0));
    auto t1 = Step::step(d, identity, load(1));
    auto t2 = Step::step(d, identity, load(2));
    auto t3 = Step::step(d, identity, load(3));
    t0 = Step::step(d, t0, load(4));
    t1 = Step::step(d, t1, load(5));
    t2 = Step::step(d, t2, load(6));
    t3 = Step::step(d, t3, load(7));
    return Step::merge(d, Step::merge(d, t0, t1), Step::merge(d, t2, t3));
  }
}

// Whole rows are read side by side, as the processor looks ahead along rows, not down columns.
template <class Step, int Rows, class T>
HWY_INLINE void add_row_group(const T* x, std::int64_t row_stride, std::size_t width, T* totals) {
  const hn::ScalableTag<T> d;
  const std::size_t lanes = hn::Lanes(d);
  std::size_t j = 0;
  for (; j + lanes <= width; j += lanes) {
    const auto load = [&](std::int64_t row) HWY_ATTR { return hn::LoadU(d, x + row * row_stride + j); };
    hn::Store(add_rows<Step, Rows>(d, hn::Load(d, totals + j), load), d, totals + j);
  }
  if (j < width) {
    const auto load = [&](std::int64_t row)
                          HWY_ATTR { return load_first(d, x + row * row_stride + j, width - j); };
    hn::Store(add_rows<Step, Rows>(d, hn::Load(d, totals + j), load), d, totals + j);
  }
}

template <class Step, class T>
HWY_INLINE void column_block(const T* x, std::int64_t rows, std::int64_t row_stride, std::size_t width,
                             T* totals) {
  const std::size_t padded = std::min<std::size_t>(kColumns, width + 64 / sizeof(T));
  std::fill_n(totals, padded, static_cast<T>(Step::kIdentity));
  std::int64_t r = 0;
  for (; r + 8 <= rows; r += 8) add_row_group<Step, 8>(x + r * row_stride, row_stride, width, totals);
  for (; r < rows; ++r) add_row_group<Step, 1>(x + r * row_stride, row_stride, width, totals);
}

template <class Step, class T>
void reduce_columns(const void* x_memory, std::int64_t rows, std::int64_t row_stride, std::int64_t width,
                    double* value, double* extra) {
  const T* x = static_cast<const T*>(x_memory);
  HWY_ALIGN T totals[kColumns];
  for (std::int64_t r = 0; r < rows; r += kRowBlock) {
    column_block<Step>(x + r * row_stride, std::min(kRowBlock, rows - r), row_stride,
                       static_cast<std::size_t>(width), totals);
    for (std::int64_t j = 0; j < width; ++j) {
      if constexpr (Step::kAdds && sizeof(T) == 4) {
        value[j] += static_cast<double>(totals[j]);
      } else {
        const PartialResult next = Step::combine({value[j], extra[j]}, {static_cast<double>(totals[j]), 0.0});
        value[j] = next.value;
        extra[j] = next.extra;
      }
    }
  }
}

// The largest so far is the shift of the next block too, so that old sums are scaled only where it grows.
template <class T>
void logsumexp_columns(const void* x_memory, std::int64_t rows, std::int64_t row_stride, std::int64_t width,
                       double* value, double* extra) {
  const hn::ScalableTag<T> d;
  const std::size_t lanes = hn::Lanes(d);
  const std::size_t count = static_cast<std::size_t>(width);
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const T* x = static_cast<const T*>(x_memory);
  HWY_ALIGN T shifts[kColumns];
  HWY_ALIGN T sums[kColumns];
  for (std::int64_t r = 0; r < rows; r += kRowBlock) {
    const T* block = x + r * row_stride;
    const std::int64_t end = std::min(kRowBlock, rows - r);
    column_block<MaximumStep>(block, end, row_stride, count, shifts);
    for (std::size_t j = 0; j < count; ++j) {
      const double peak = MaximumStep::of(value[j], static_cast<double>(shifts[j]));
      if (peak != value[j]) extra[j] *= std::exp(value[j] - peak);
      value[j] = peak;
      // An infinite peak is not subtracted: e^-inf = 0 and NaN come out right, and +inf is put right below.
      shifts[j] = static_cast<T>(std::isinf(peak) ? 0.0 : peak);
    }
    std::fill_n(sums, kColumns, T{0});
    for (std::int64_t i = 0; i < end; ++i) {
      for (std::size_t j = 0; j < count; j += lanes) {
        const T* place = block + i * row_stride + j;
        const auto v = j + lanes <= count ? hn::LoadU(d, place) : load_first(d, place, count - j);
        const auto e = exp_nonpositive(d, hn::Sub(v, hn::Load(d, shifts + j)));
        hn::Store(hn::Add(hn::Load(d, sums + j), e), d, sums + j);
      }
    }
    for (std::size_t j = 0; j < count; ++j) {
      extra[j] = value[j] == infinity ? 1.0 : extra[j] + static_cast<double>(sums[j]);
    }
  }
}

template <class Combine, class T>
void finish_columns(const double* value, const double* extra, std::int64_t fold, std::int64_t inner,
                    std::int64_t width, void* out) {
  for (std::int64_t j = 0; j < width; ++j) {
    PartialResult total{value[j], extra[j]};
    for (std::int64_t f = 1; f < fold; ++f) {
      total = Combine::combine(total, {value[f * inner + j], extra[f * inner + j]});
    }
    static_cast<T*>(out)[j] = static_cast<T>(Combine::finish(total));
  }
}

template <class Step, class T>
constexpr ReduceKernel kernel_of() {
  return {{Step::kIdentity, 0.0}, &reduce_row<Step, T>, &reduce_columns<Step, T>, &finish_columns<Step, T>,
          &Step::combine,         &Step::finish,        sizeof(T) * 0.02};
}

template <class T>
const ReduceKernel* find_kernel(Reduce operation) {
  static constexpr ReduceKernel kSum = kernel_of<SumStep, T>();
  static constexpr ReduceKernel kProduct = kernel_of<ProductStep, T>();
  static constexpr ReduceKernel kMaximum = kernel_of<MaximumStep, T>();
  static constexpr ReduceKernel kMinimum = kernel_of<MinimumStep, T>();
  static constexpr ReduceKernel kSquares = kernel_of<SquareStep, T>();
  static constexpr ReduceKernel kMagnitudes = kernel_of<MagnitudeStep, T>();
  static constexpr ReduceKernel kLogSumExp = {{LogSumExpCombine::kIdentity, 0.0},
                                              &logsumexp_row<T>,
                                              &logsumexp_columns<T>,
                                              &finish_columns<LogSumExpCombine, T>,
                                              &LogSumExpCombine::combine,
                                              &LogSumExpCombine::finish,
                                              sizeof(T) * 0.1};
  switch (operation) {
    case Reduce::sum: return &kSum;
    case Reduce::product: return &kProduct;
    case Reduce::maximum: return &kMaximum;
    case Reduce::minimum: return &kMinimum;
    case Reduce::sum_of_squares: return &kSquares;
    case Reduce::sum_of_magnitudes: return &kMagnitudes;
    case Reduce::logsumexp: return &kLogSumExp;
    default: return nullptr;
  }
}

const ReduceKernel* find_reduce_here(Reduce operation, DType type) {
  return detail::floating_or_nothing(type, [&]<class T>(T) { return find_kernel<T>(operation); });
}

}  // namespace likely::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace likely::kernels {

HWY_EXPORT(find_reduce_here);

const ReduceKernel* reduce_kernel(Reduce operation, DType type) {
  return HWY_DYNAMIC_DISPATCH(find_reduce_here)(operation, type);
}

}  // namespace likely::kernels
#endif
