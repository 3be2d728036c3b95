#include "likely/kernels/random/fill.hpp"
#include "likely/kernels/random/random.hpp"
#include "likely/kernels/simd_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "likely/kernels/random/normal.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "likely/kernels/random/log-inl.hpp"
#include "likely/kernels/random/words-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace likely::kernels {
namespace HWY_NAMESPACE {

// Box-Muller: with u uniform on (0, 1) and t uniform on a circle, sqrt(-2 log u) cos t and sqrt(-2 log u) sin
// t are two independent normals. The angle lies in [-pi/2, pi/2), where short polynomials hold without any
// reduction; a random sign of the radius makes the circle whole.

// Words 0 and 1 of a block make elements 0 and 1, words 2 and 3 make elements 2 and 3.
void normal_float(const std::uint32_t* words, std::int64_t n, float* out) {
  const WordsTag du;
  const FloatTag df;
  const hn::RebindToSigned<WordsTag> di;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(du));
  for (std::int64_t pair = 0; pair < n; pair += 32) {
    for (std::int64_t i = pair; i < pair + 16; i += lanes) {
      const auto radius_bits = hn::BitCast(di, hn::ShiftRight<1>(hn::Load(du, words + i)));
      const auto angle_bits = hn::Load(du, words + i + 16);
      const auto u = hn::MulAdd(hn::ConvertTo(df, radius_bits), hn::Set(df, 0x1p-31f), hn::Set(df, 0x1p-32f));
      const auto radius = hn::Sqrt(hn::Mul(hn::Set(df, -2.0f), log_normal_range(df, u)));
      const auto sign = hn::BitCast(df, hn::ShiftLeft<31>(angle_bits));
      const auto signed_radius = hn::Xor(radius, sign);
      const auto t =
          hn::Mul(hn::ConvertTo(df, hn::BitCast(di, angle_bits)), hn::Set(df, 7.3145904e-10f));  // pi / 2^32
      const auto s = hn::Mul(t, t);
      auto cosine = hn::MulAdd(hn::Set(df, -2.61938147e-07f), s, hn::Set(df, 2.47693042e-05f));
      cosine = hn::MulAdd(cosine, s, hn::Set(df, -1.38885692e-03f));
      cosine = hn::MulAdd(cosine, s, hn::Set(df, 4.16666558e-02f));
      cosine = hn::MulAdd(cosine, s, hn::Set(df, -0.5f));
      cosine = hn::MulAdd(cosine, s, hn::Set(df, 1.0f));
      auto sine = hn::MulAdd(hn::Set(df, 2.60005471e-06f), s, hn::Set(df, -1.98066152e-04f));
      sine = hn::MulAdd(sine, s, hn::Set(df, 8.33301729e-03f));
      sine = hn::MulAdd(sine, s, hn::Set(df, -1.66666571e-01f));
      sine = hn::MulAdd(hn::Mul(sine, s), t, t);
      hn::StoreU(hn::Mul(signed_radius, cosine), df, out + i);
      hn::StoreU(hn::Mul(signed_radius, sine), df, out + i + 16);
    }
  }
}

// 1 / (first + 2 k)! with alternating signs: the Taylor coefficients of sine and cosine.
struct Taylor {
  double sine[11], cosine[12];
};

constexpr Taylor taylor() {
  Taylor t{};
  double factorial = 1.0, sign = 1.0;
  for (int k = 0; k < 12; ++k) {
    t.cosine[k] = sign / factorial;
    factorial *= 2 * k + 1;
    if (k < 11) t.sine[k] = sign / factorial;
    factorial *= 2 * k + 2;
    sign = -sign;
  }
  return t;
}

// Elements 0 and 1 of a block: 53 bits of words 0 and 1 make the radius, 53 bits of words 2 and 3 the angle.
void normal_double(const std::uint32_t* words, std::int64_t n, double* out) {
  const DoubleTag df;
  const WidesTag du;
  const hn::RebindToSigned<DoubleTag> di;
  constexpr Taylor kTaylor = taylor();
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(df));
  for (std::int64_t group = 0; group < n; group += 32) {
    for (std::int64_t lane = 0; lane < 16; lane += lanes) {
      const std::uint32_t* from = words + 2 * group + lane;
      const auto radius_bits = hn::Or(hn::ShiftRight<11>(load_wide(from, from + 16)), hn::Set(du, 1ull));
      const auto angle_bits = load_wide(from + 32, from + 48);
      const auto u = hn::Mul(hn::ConvertTo(df, hn::BitCast(di, radius_bits)), hn::Set(df, 0x1p-53));
      const auto radius = hn::Sqrt(hn::Mul(hn::Set(df, -2.0), hn::Log(df, u)));
      const auto sign = hn::BitCast(df, hn::ShiftLeft<63>(angle_bits));
      const auto signed_radius = hn::Xor(radius, sign);
      const auto centred = hn::Sub(hn::ConvertTo(df, hn::BitCast(di, hn::ShiftRight<11>(angle_bits))),
                                   hn::Set(df, 0x1p52 - 0.5));
      const auto t = hn::Mul(centred, hn::Set(df, 3.14159265358979323846 * 0x1p-53));
      const auto s = hn::Mul(t, t);
      auto cosine = hn::Set(df, kTaylor.cosine[11]);
      for (int k = 10; k >= 0; --k) cosine = hn::MulAdd(cosine, s, hn::Set(df, kTaylor.cosine[k]));
      auto sine = hn::Set(df, kTaylor.sine[10]);
      for (int k = 9; k >= 1; --k) sine = hn::MulAdd(sine, s, hn::Set(df, kTaylor.sine[k]));
      sine = hn::MulAdd(hn::Mul(sine, s), t, t);
      hn::StoreU(hn::Mul(signed_radius, cosine), df, out + group + lane);
      hn::StoreU(hn::Mul(signed_radius, sine), df, out + group + lane + 16);
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace likely::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace likely::kernels {

HWY_EXPORT(normal_float);
HWY_EXPORT(normal_double);

void fill_normal(RandomKey key, float* out, std::int64_t n) {
  fill_by_groups(key, out, n, 1.0, 1, HWY_DYNAMIC_DISPATCH(normal_float));
}

void fill_normal(RandomKey key, double* out, std::int64_t n) {
  fill_by_groups(key, out, n, 4.0, 2, HWY_DYNAMIC_DISPATCH(normal_double));
}

}  // namespace likely::kernels
#endif
