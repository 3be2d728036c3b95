// The densities of special_density.hpp in vectors: ordinary numbers whole, what under- or overflows lane by
// lane.
#include "likely/core/dispatch.hpp"
#include "likely/kernels/simd_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "likely/kernels/special/density_vector.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "likely/kernels/elementwise/loops-inl.hpp"
#include "likely/kernels/elementwise/math-inl.hpp"
#include "likely/kernels/special/density.hpp"
#include "likely/kernels/special/gamma-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace likely::kernels::HWY_NAMESPACE {

using Wide = hn::ScalableTag<double>;
using WideVector = hn::Vec<Wide>;

// 2 (1/3 + z / 5 + z^2 / 7 + ...) for z up to 0.01: log((1 + v) / (1 - v)) = 2 v + v^3 times this of v^2.
template <class D, class V>
HWY_INLINE V logarithm_rest(D d, V z) {
  if constexpr (kIsFloat32<D>) {
    return polynomial(d, z, 2.0 / 3, 2.0 / 5, 2.0 / 7, 2.0 / 9);
  } else {
    return polynomial(d, z, 2.0 / 3, 2.0 / 5, 2.0 / 7, 2.0 / 9, 2.0 / 11, 2.0 / 13, 2.0 / 15, 2.0 / 17);
  }
}

inline constexpr double kNear = 0.1;
inline constexpr double kUsual = 1e290;

// k log(k / t) + t - k for t = k + difference, and where that is far the logarithm of t / k.
HWY_INLINE WideVector deviance(Wide d, WideVector k, WideVector difference, WideVector log_ratio) {
  const auto v = hn::Div(difference, hn::Add(hn::Add(k, k), difference));
  const auto z = hn::Mul(v, v);
  const auto cube = hn::Mul(hn::Mul(k, v), z);
  const auto near = hn::NegMulAdd(cube, logarithm_rest(d, z), hn::Mul(difference, v));
  const auto far = hn::NegMulAdd(k, log_ratio, difference);
  return hn::IfThenElse(hn::Lt(hn::Abs(v), constant(d, kNear)), near, far);
}

template <int kOrder, bool kForF32>
struct LogPoisson {
  static constexpr double kLeast = kForF32 ? double{std::numeric_limits<float>::min()} : 1.0 / kUsual;
  static constexpr std::size_t kInputs = 4;  // k, the rest, log t, t
  static HWY_INLINE auto usual(Wide d, const WideVector (&x)[kInputs]) {
    const auto bounded = hn::And(hn::Le(x[3], constant(d, kUsual)), hn::Le(x[0], constant(d, kUsual)));
    const auto positive = hn::And(hn::Ge(x[3], constant(d, kLeast)), hn::Ge(x[0], hn::Zero(d)));
    return hn::And(bounded, positive);
  }
  static HWY_INLINE WideVector of(Wide d, const WideVector (&x)[kInputs]) {
    const auto k = x[0], t = x[3];
    const auto small = hn::Lt(k, constant(d, kLargeCount));
    const auto logarithm = log(d, hn::Div(t, hn::IfThenElse(small, constant(d, 1.0), k)));
    if constexpr (kOrder == 1) return hn::Sub(logarithm, x[1]);
    const auto direct = hn::NegMulAdd(k, logarithm, t);
    const auto main = hn::IfThenElse(small, direct, deviance(d, k, hn::Sub(t, k), logarithm));
    return hn::Neg(hn::Add(main, x[1]));
  }
  static double scalar(const double (&x)[kInputs]) {
    const double least = kForF32 ? kLeast : std::numeric_limits<double>::min();
    return kernels::log_poisson(kOrder, x[0], x[2], x[3], least);
  }
};

struct LogBetaDensity {
  static constexpr std::size_t kInputs = 4;  // a, b, the rest, x
  static HWY_INLINE auto usual(Wide d, const WideVector (&x)[kInputs]) {
    const auto bounded = hn::And(hn::Le(x[0], constant(d, kUsual)), hn::Le(x[1], constant(d, kUsual)));
    const auto inside = hn::And(hn::Ge(x[3], constant(d, 1.0 / kUsual)), hn::Lt(x[3], constant(d, 1.0)));
    return hn::And(bounded, inside);
  }
  static HWY_INLINE WideVector of(Wide d, const WideVector (&in)[kInputs]) {
    const auto a = in[0], b = in[1], x = in[3];
    const auto one = constant(d, 1.0);
    const auto y = hn::Sub(one, x);
    const auto log_x = log(d, x);
    const auto log_y = log1p_inside(d, hn::Neg(x), y);
    const auto small = hn::Lt(hn::Min(a, b), constant(d, kLargeCount));
    const auto direct = hn::Sub(hn::MulAdd(hn::Sub(a, one), log_x, hn::Mul(hn::Sub(b, one), log_y)), in[2]);
    if (hn::AllTrue(d, small)) return direct;
    const auto difference = hn::Sub(hn::Mul(b, x), hn::Mul(a, y));
    const auto first = deviance(d, a, difference, log(d, hn::Mul(x, hn::Add(one, hn::Div(b, a)))));
    const auto second = deviance(d, b, hn::Neg(difference), log(d, hn::Mul(y, hn::Add(one, hn::Div(a, b)))));
    const auto sum = hn::Add(hn::Add(hn::Add(first, second), in[2]), hn::Add(log_x, log_y));
    return hn::IfThenElse(small, direct, hn::Neg(sum));
  }
  static double scalar(const double (&x)[kInputs]) {
    return kernels::log_beta_density(x[0], x[1], x[2], x[3]);
  }
};

template <int kOrder, bool kForF32>
struct CountRest {
  static constexpr std::size_t kInputs = 1;
  // log Gamma(k + 1) is exact where it is 0, and in f64 near there, only in the C library.
  static HWY_INLINE auto usual(Wide d, const WideVector (&x)[kInputs]) {
    const auto bounded = hn::Le(x[0], constant(d, kUsual));
    if constexpr (kOrder == 0 && !kForF32) return hn::And(bounded, hn::Ge(x[0], constant(d, kLargeCount)));
    return hn::And(bounded, hn::Ge(x[0], hn::Zero(d)));
  }
  static HWY_INLINE WideVector of(Wide d, const WideVector (&x)[kInputs]) {
    const auto one = constant(d, 1.0);
    const auto small = hn::Lt(x[0], constant(d, kLargeCount));
    const auto k = hn::IfThenElse(small, constant(d, kLargeCount), x[0]);
    const auto inverse = hn::Div(one, k);
    const auto square = hn::Mul(inverse, inverse);
    if constexpr (kOrder == 1) {
      const auto series = polynomial(d, square, 1.0 / 12, -1.0 / 120, 1.0 / 252, -1.0 / 240, 1.0 / 132,
                                     -691.0 / 32760, 1.0 / 12, -3617.0 / 8160);
      const auto large = hn::NegMulAdd(square, series, hn::Mul(inverse, constant(d, 0.5)));
      if (hn::AllFalse(d, small)) return large;
      return hn::IfThenElse(small, Digamma::of(d, hn::Add(x[0], one)), large);
    }
    const auto series =
        hn::Mul(inverse, polynomial(d, square, 1.0 / 12, -1.0 / 360, 1.0 / 1260, -1.0 / 1680, 1.0 / 1188,
                                    -691.0 / 360360, 1.0 / 156, -3617.0 / 122400));
    const auto large =
        hn::MulAdd(log(d, hn::Mul(k, constant(d, 6.283185307179586477))), constant(d, 0.5), series);
    if (!kForF32 || hn::AllFalse(d, small)) return large;
    const auto of_small = LogGamma::of(d, hn::Add(x[0], one));
    const auto zero = hn::Or(hn::Eq(x[0], hn::Zero(d)), hn::Eq(x[0], one));
    return hn::IfThenElse(small, hn::IfThenZeroElse(zero, of_small), large);
  }
  static double scalar(const double (&x)[kInputs]) { return kernels::count_rest(kOrder, x[0]); }
};

struct LogGap {
  static constexpr std::size_t kInputs = 2;
  static HWY_INLINE auto usual(Wide d, const WideVector (&x)[kInputs]) {
    const auto least = constant(d, 1e-140), most = constant(d, 1e140);
    return hn::And(hn::Ge(hn::Min(x[0], x[1]), least), hn::Le(hn::Max(x[0], x[1]), most));
  }
  static HWY_INLINE WideVector of(Wide d, const WideVector (&x)[kInputs]) {
    const auto w = hn::Div(hn::Sub(x[0], x[1]), x[1]);
    return deviance(d, constant(d, 1.0), w, log(d, hn::Div(x[0], x[1])));
  }
  static double scalar(const double (&x)[kInputs]) { return kernels::log_gap(x[0], x[1]); }
};

template <class Op>
HWY_INLINE WideVector with_unusual(Wide d, const WideVector (&x)[Op::kInputs]) {
  const auto usual = Op::usual(d, x);
  if (HWY_LIKELY(hn::AllTrue(d, usual))) return Op::of(d, x);
  WideVector safe[Op::kInputs];
  for (std::size_t j = 0; j < Op::kInputs; ++j) safe[j] = hn::IfThenElse(usual, x[j], constant(d, 0.5));
  HWY_ALIGN double from[Op::kInputs][hn::MaxLanes(d)];
  HWY_ALIGN double to[hn::MaxLanes(d)];
  HWY_ALIGN double marks[hn::MaxLanes(d)];
  for (std::size_t j = 0; j < Op::kInputs; ++j) hn::Store(x[j], d, from[j]);
  hn::Store(Op::of(d, safe), d, to);
  hn::Store(hn::IfThenElseZero(usual, constant(d, 1.0)), d, marks);
  for (std::size_t i = 0; i < hn::Lanes(d); ++i) {
    if (marks[i] != 0.0) continue;
    double lane[Op::kInputs];
    for (std::size_t j = 0; j < Op::kInputs; ++j) lane[j] = from[j][i];
    to[i] = Op::scalar(lane);
  }
  return hn::Load(d, to);
}

template <class Op>
void density_loop(const std::array<const double*, Op::kInputs>& inputs, double* out, std::int64_t n) {
  const Wide d;
  const std::size_t lanes = hn::Lanes(d);
  const auto count = static_cast<std::size_t>(n);
  std::size_t i = 0;
  WideVector x[Op::kInputs];
  for (; i + lanes <= count; i += lanes) {
    for (std::size_t j = 0; j < Op::kInputs; ++j) x[j] = hn::LoadU(d, inputs[j] + i);
    hn::StoreU(with_unusual<Op>(d, x), d, out + i);
  }
  if (i == count) return;
  // The same arithmetic for what is left; the lanes beyond hold any ordinary number.
  HWY_ALIGN double buffer[hn::MaxLanes(d)];
  for (std::size_t j = 0; j < Op::kInputs; ++j) {
    std::fill_n(buffer, lanes, 0.5);
    std::copy(inputs[j] + i, inputs[j] + count, buffer);
    x[j] = hn::Load(d, buffer);
  }
  hn::Store(with_unusual<Op>(d, x), d, buffer);
  std::copy(buffer, buffer + (count - i), out + i);
}

struct ExpGap {
  static constexpr bool kCheap = false;
  ExpGap(double, double) {}
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    // x^2 (1/2 + x / 6 + x^2 / 24 + ...)
    V series;
    if constexpr (kIsFloat32<D>) {
      series = polynomial(d, x, 1.0 / 2, 1.0 / 6, 1.0 / 24, 1.0 / 120, 1.0 / 720, 1.0 / 5040, 1.0 / 40320);
    } else {
      series = polynomial(d, x, 1.0 / 2, 1.0 / 6, 1.0 / 24, 1.0 / 120, 1.0 / 720, 1.0 / 5040, 1.0 / 40320,
                          1.0 / 362880, 1.0 / 3628800, 1.0 / 39916800, 1.0 / 479001600, 1.0 / 6227020800,
                          1.0 / 87178291200, 1.0 / 1307674368000);
    }
    const auto near = hn::Mul(hn::Mul(x, x), series);
    const auto power = expm1(d, x);
    const auto infinity = hn::Set(d, std::numeric_limits<hn::TFromD<D>>::infinity());
    const auto far = hn::IfThenElse(hn::Eq(power, infinity), power, hn::Sub(power, x));
    return hn::IfThenElse(hn::Lt(hn::Abs(x), constant(d, 0.5)), near, far);
  }
};

template <int kOrder>
struct Log1pSquare {
  static constexpr bool kCheap = false;
  Log1pSquare(double, double) {}
  template <class D, class V>
  HWY_INLINE V operator()(D d, V r) const {
    const auto one = constant(d, 1.0);
    const auto size = hn::Abs(r);
    if constexpr (kOrder == 1) {
      // The same function of r and of 1 / r.
      const auto s = hn::IfThenElse(hn::Gt(size, one), hn::Div(one, r), r);
      return hn::Div(hn::Add(s, s), hn::MulAdd(s, s, one));
    }
    // Where the 1 is lost.
    const auto large = hn::Gt(size, constant(d, kIsFloat32<D> ? 1e5 : 1e9));
    const auto bounded = hn::IfThenElse(large, one, size);
    const auto square = hn::Mul(bounded, bounded);
    const auto near = log1p_inside(d, square, hn::Add(square, one));
    if (HWY_LIKELY(hn::AllFalse(d, large))) return hn::IfThenElse(hn::Eq(r, r), near, r);
    const auto half = log(d, size);
    return hn::IfThenElse(large, hn::Add(half, half), hn::IfThenElse(hn::Eq(r, r), near, r));
  }
};

void log_poisson_here(int order, bool for_f32, const double* k, const double* rest, const double* log_t,
                      const double* t, double* out, std::int64_t n) {
  if (for_f32) {
    if (order == 0) return density_loop<LogPoisson<0, true>>({k, rest, log_t, t}, out, n);
    return density_loop<LogPoisson<1, true>>({k, rest, log_t, t}, out, n);
  }
  if (order == 0) return density_loop<LogPoisson<0, false>>({k, rest, log_t, t}, out, n);
  density_loop<LogPoisson<1, false>>({k, rest, log_t, t}, out, n);
}

void log_beta_density_here(const double* a, const double* b, const double* rest, const double* x, double* out,
                           std::int64_t n) {
  density_loop<LogBetaDensity>({a, b, rest, x}, out, n);
}

void count_rest_here(int order, bool for_f32, const double* k, double* out, std::int64_t n) {
  if (order == 1) return density_loop<CountRest<1, true>>({k}, out, n);
  if (for_f32) return density_loop<CountRest<0, true>>({k}, out, n);
  density_loop<CountRest<0, false>>({k}, out, n);
}

void log_gap_here(const double* a, const double* b, double* out, std::int64_t n) {
  density_loop<LogGap>({a, b}, out, n);
}

UnaryRow exp_gap_here(DType type) {
  return detail::with_floating("exp_gap", type,
                               []<class T>(T) -> UnaryRow { return &unary_loop<T, ExpGap>; });
}

UnaryRow log1p_square_here(int order, DType type) {
  return detail::with_floating("log1p_square", type, [&]<class T>(T) -> UnaryRow {
    return order == 0 ? &unary_loop<T, Log1pSquare<0>> : &unary_loop<T, Log1pSquare<1>>;
  });
}

}  // namespace likely::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace likely::kernels {

HWY_EXPORT(log_poisson_here);
HWY_EXPORT(log_beta_density_here);
HWY_EXPORT(count_rest_here);
HWY_EXPORT(log_gap_here);
HWY_EXPORT(exp_gap_here);
HWY_EXPORT(log1p_square_here);

void log_poisson(int order, bool for_f32, const double* k, const double* rest, const double* log_t,
                 const double* t, double* out, std::int64_t n) {
  HWY_DYNAMIC_DISPATCH(log_poisson_here)(order, for_f32, k, rest, log_t, t, out, n);
}

void log_beta_density(const double* a, const double* b, const double* rest, const double* x, double* out,
                      std::int64_t n) {
  HWY_DYNAMIC_DISPATCH(log_beta_density_here)(a, b, rest, x, out, n);
}

void count_rest(int order, bool for_f32, const double* k, double* out, std::int64_t n) {
  HWY_DYNAMIC_DISPATCH(count_rest_here)(order, for_f32, k, out, n);
}

void log_gap(const double* a, const double* b, double* out, std::int64_t n) {
  HWY_DYNAMIC_DISPATCH(log_gap_here)(a, b, out, n);
}

UnaryRow exp_gap_row(DType type) { return HWY_DYNAMIC_DISPATCH(exp_gap_here)(type); }

UnaryRow log1p_square_row(int order, DType type) {
  return HWY_DYNAMIC_DISPATCH(log1p_square_here)(order, type);
}

}  // namespace likely::kernels
#endif
