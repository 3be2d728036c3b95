// The transforms of Winograd's minimal filtering, on vectors of channels or of images.
// Included once for each instruction set (Highway's convention, hence the guard).
//
// In one dimension, with d six inputs, g three weights and y four outputs:  y = A^T [(G g) . (B^T d)]. With
// the points 0, a, -a, b, -b and infinity, row by row:
//   B^T d:  a^2 b^2 d0 - (a^2 + b^2) d2 + d4;   (d4 - b^2 d2) +- a (d3 - b^2 d1);   (d4 - a^2 d2) +- b (d3 -
//   a^2 d1);
//           a^2 b^2 d1 - (a^2 + b^2) d3 + d5
//   G g:    g0 / (a^2 b^2);   (g0 +- a g1 + a^2 g2) / (2 a^2 (a^2 - b^2));   (g0 +- b g1 + b^2 g2) / (2 b^2
//   (b^2 - a^2));   g2 A^T m:  sum over the points p of p^j m_p for y_j, and m_infinity added to the last
// The gradient of the weights is the same with four "weights" (the gradients of the outputs) and three
// outputs. Five weights and two outputs have the same B, since they need the same six inputs; their gradients
// are written as the transposes of the three maps, A, G^T and B. The usual points a = 1, b = 2 have five
// times the rounding error of a direct sum; these have twice (docs/kernels.md).
#if defined(LIKELY_KERNELS_CONVOLUTION_WINOGRAD_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef LIKELY_KERNELS_CONVOLUTION_WINOGRAD_INL
#undef LIKELY_KERNELS_CONVOLUTION_WINOGRAD_INL
#else
#define LIKELY_KERNELS_CONVOLUTION_WINOGRAD_INL
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstdint>

#include "likely/kernels/gemm/tile-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace likely::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using FloatTag = hn::ScalableTag<float>;
using FloatVector = hn::Vec<FloatTag>;

HWY_INLINE FloatVector constant(float value) { return hn::Set(FloatTag(), value); }

// All their powers below are exact.
inline constexpr float kA = 0.625f;
inline constexpr float kB = 1.5f;
inline constexpr float kA2 = kA * kA;
inline constexpr float kB2 = kB * kB;

// B^T d
struct InputTransform {
  static constexpr int kFrom = 6;
  static constexpr int kTo = 6;
  static HWY_INLINE void apply(const FloatVector (&d)[6], FloatVector (&t)[6]) {
    const auto a2 = constant(kA2);
    const auto b2 = constant(kB2);
    const auto product = constant(kA2 * kB2);
    const auto sum = constant(kA2 + kB2);
    t[0] = hn::MulAdd(product, d[0], hn::NegMulAdd(sum, d[2], d[4]));
    const auto even_a = hn::NegMulAdd(b2, d[2], d[4]);
    const auto odd_a = hn::NegMulAdd(b2, d[1], d[3]);
    t[1] = hn::MulAdd(constant(kA), odd_a, even_a);
    t[2] = hn::NegMulAdd(constant(kA), odd_a, even_a);
    const auto even_b = hn::NegMulAdd(a2, d[2], d[4]);
    const auto odd_b = hn::NegMulAdd(a2, d[1], d[3]);
    t[3] = hn::MulAdd(constant(kB), odd_b, even_b);
    t[4] = hn::NegMulAdd(constant(kB), odd_b, even_b);
    t[5] = hn::MulAdd(product, d[1], hn::NegMulAdd(sum, d[3], d[5]));
  }
};

inline constexpr float kScaleA = 1 / (2 * kA2 * (kA2 - kB2));
inline constexpr float kScaleB = 1 / (2 * kB2 * (kB2 - kA2));

// G g, for three or five weights or four gradients of outputs
template <int kCount>
struct WeightTransform {
  static constexpr int kFrom = kCount;
  static constexpr int kTo = 6;
  static HWY_INLINE void apply(const FloatVector (&g)[kCount], FloatVector (&t)[6]) {
    t[0] = hn::Mul(constant(1 / (kA2 * kB2)), g[0]);
    const auto pair = [&](float point, float scale, FloatVector& plus, FloatVector& minus) HWY_ATTR {
      const float square = point * point;
      auto even = hn::MulAdd(constant(scale * square), g[2], hn::Mul(constant(scale), g[0]));
      auto odd = hn::Mul(constant(scale * point), g[1]);
      if constexpr (kCount >= 4) odd = hn::MulAdd(constant(scale * square * point), g[3], odd);
      if constexpr (kCount >= 5) even = hn::MulAdd(constant(scale * square * square), g[4], even);
      plus = hn::Add(even, odd);
      minus = hn::Sub(even, odd);
    };
    pair(kA, kScaleA, t[1], t[2]);
    pair(kB, kScaleB, t[3], t[4]);
    t[5] = g[kCount - 1];
  }
};

// A^T m, for two or four outputs or three or five weights
template <int kCount>
struct OutputTransform {
  static constexpr int kFrom = 6;
  static constexpr int kTo = kCount;
  static HWY_INLINE void apply(const FloatVector (&m)[6], FloatVector (&y)[kCount]) {
    const auto sum_a = hn::Add(m[1], m[2]);
    const auto difference_a = hn::Sub(m[1], m[2]);
    const auto sum_b = hn::Add(m[3], m[4]);
    const auto difference_b = hn::Sub(m[3], m[4]);
    y[0] = hn::Add(m[0], hn::Add(sum_a, sum_b));
    y[1] = hn::MulAdd(constant(kB), difference_b, hn::Mul(constant(kA), difference_a));
    if constexpr (kCount >= 3) y[2] = hn::MulAdd(constant(kB2), sum_b, hn::Mul(constant(kA2), sum_a));
    if constexpr (kCount >= 4) {
      y[3] = hn::MulAdd(constant(kB2 * kB), difference_b, hn::Mul(constant(kA2 * kA), difference_a));
    }
    if constexpr (kCount >= 5) {
      y[4] = hn::MulAdd(constant(kB2 * kB2), sum_b, hn::Mul(constant(kA2 * kA2), sum_a));
    }
    y[kCount - 1] = hn::Add(y[kCount - 1], m[5]);
  }
};

// A y, for two gradients of outputs
struct OutputGradient {
  static constexpr int kFrom = 2;
  static constexpr int kTo = 6;
  static HWY_INLINE void apply(const FloatVector (&y)[2], FloatVector (&t)[6]) {
    t[0] = y[0];
    t[1] = hn::MulAdd(constant(kA), y[1], y[0]);
    t[2] = hn::NegMulAdd(constant(kA), y[1], y[0]);
    t[3] = hn::MulAdd(constant(kB), y[1], y[0]);
    t[4] = hn::NegMulAdd(constant(kB), y[1], y[0]);
    t[5] = y[1];
  }
};

// G^T m, for five weights
struct WeightGradient {
  static constexpr int kFrom = 6;
  static constexpr int kTo = 5;
  static HWY_INLINE void apply(const FloatVector (&m)[6], FloatVector (&g)[5]) {
    const FloatVector scaled[6] = {hn::Mul(constant(1 / (kA2 * kB2)), m[0]), hn::Mul(constant(kScaleA), m[1]),
                                   hn::Mul(constant(kScaleA), m[2]),         hn::Mul(constant(kScaleB), m[3]),
                                   hn::Mul(constant(kScaleB), m[4]),         m[5]};
    OutputTransform<5>::apply(scaled, g);
  }
};

// B t
struct InputGradient {
  static constexpr int kFrom = 6;
  static constexpr int kTo = 6;
  static HWY_INLINE void apply(const FloatVector (&t)[6], FloatVector (&d)[6]) {
    const auto product = constant(kA2 * kB2);
    const auto sum = constant(kA2 + kB2);
    const auto sum_a = hn::Add(t[1], t[2]);
    const auto difference_a = hn::Sub(t[1], t[2]);
    const auto sum_b = hn::Add(t[3], t[4]);
    const auto difference_b = hn::Sub(t[3], t[4]);
    d[0] = hn::Mul(product, t[0]);
    d[1] = hn::NegMulAdd(constant(kA * kB2), difference_a,
                         hn::NegMulAdd(constant(kB * kA2), difference_b, hn::Mul(product, t[5])));
    d[2] =
        hn::NegMulAdd(constant(kB2), sum_a, hn::NegMulAdd(constant(kA2), sum_b, hn::Neg(hn::Mul(sum, t[0]))));
    d[3] = hn::MulAdd(constant(kA), difference_a,
                      hn::MulAdd(constant(kB), difference_b, hn::Neg(hn::Mul(sum, t[5]))));
    d[4] = hn::Add(t[0], hn::Add(sum_a, sum_b));
    d[5] = t[5];
  }
};

// Both dimensions: load(i, j) gives the vector at row i and column j, store(i, j, vector) takes the result,
// of rows [kBegin, kEnd) only.
template <class Transform, int kBegin = 0, int kEnd = Transform::kTo, class Load, class Store>
HWY_INLINE void transform_both(const Load& load, const Store& store) {
  constexpr int kFrom = Transform::kFrom;
  constexpr int kTo = Transform::kTo;
  FloatVector half[kTo][kFrom];
  HWY_UNROLL(6)
  for (int j = 0; j < kFrom; ++j) {
    FloatVector column[kFrom];
    FloatVector result[kTo];
    HWY_UNROLL(6)
    for (int i = 0; i < kFrom; ++i) column[i] = load(i, j);
    Transform::apply(column, result);
    HWY_UNROLL(6)
    for (int i = kBegin; i < kEnd; ++i) half[i][j] = result[i];
  }
  HWY_UNROLL(6)
  for (int i = kBegin; i < kEnd; ++i) {
    FloatVector result[kTo];
    Transform::apply(half[i], result);
    HWY_UNROLL(6)
    for (int j = 0; j < kTo; ++j) store(i, j, result[j]);
  }
}

// C (+)= A B, where the columns of B are whole vectors.
inline void multiply_planes(std::int64_t rows, std::int64_t columns, Tile<float> tile) {
  constexpr std::int64_t kLanes = lanes_of<float>();
  constexpr std::int64_t kWidth = kTileVectors * kLanes;
  // Groups of rows as equal as can be: a group of one or two would wait for its own sums.
  const std::int64_t groups = (rows + kTileRows - 1) / kTileRows;
  const std::int64_t most = (rows + groups - 1) / groups;
  const float* const a = tile.a;
  const float* const b = tile.b;
  float* const c = tile.c;
  for (std::int64_t column = 0; column < columns; column += tile.columns) {
    tile.columns = columns - column == kWidth + kLanes ? kWidth - kLanes : std::min(kWidth, columns - column);
    const std::int64_t vectors = tile.columns / kLanes;
    tile.b = b + column;
    for (std::int64_t row = 0; row < rows; row += most) {
      tile.a = a + row * tile.row_stride;
      tile.c = c + row * tile.ldc + column;
      tile_function<float, false>(std::min(most, rows - row), vectors)(tile);
    }
  }
}

}  // namespace likely::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
