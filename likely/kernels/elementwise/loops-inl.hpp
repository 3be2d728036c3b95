// The loops behind row kernels: whole vectors, then one partial vector through the same arithmetic, so that
// an element's bits do not depend on where in the row it stands.
#if defined(LIKELY_KERNELS_ELEMENTWISE_LOOPS_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef LIKELY_KERNELS_ELEMENTWISE_LOOPS_INL_HPP
#undef LIKELY_KERNELS_ELEMENTWISE_LOOPS_INL_HPP
#else
#define LIKELY_KERNELS_ELEMENTWISE_LOOPS_INL_HPP
#endif

#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

HWY_BEFORE_NAMESPACE();
namespace likely::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Masked memory access that never touches the lanes left out exists from AVX2 on, for lanes of 4 and 8 bytes.
template <class T>
inline constexpr bool kMaskedMemory = HWY_TARGET <= HWY_AVX2&& HWY_ARCH_X86 && sizeof(T) >= 4;

template <class D, class T = hn::TFromD<D>>
HWY_INLINE hn::Vec<D> load_first(D d, const T* from, std::size_t count) {
  if constexpr (kMaskedMemory<T>) {
    return hn::MaskedLoad(hn::FirstN(d, count), d, from);
  } else {
    HWY_ALIGN T buffer[hn::MaxLanes(d)] = {};
    std::memcpy(buffer, from, count * sizeof(T));
    return hn::Load(d, buffer);
  }
}

template <class D, class T = hn::TFromD<D>>
HWY_INLINE void store_first(hn::Vec<D> v, D d, T* to, std::size_t count) {
  if constexpr (kMaskedMemory<T>) {
    hn::BlendedStore(v, hn::FirstN(d, count), d, to);
  } else {
    HWY_ALIGN T buffer[hn::MaxLanes(d)];
    hn::Store(v, d, buffer);
    std::memcpy(to, buffer, count * sizeof(T));
  }
}

// Long rows come from beyond the second cache. A costly operation fills the window in which the processor
// looks ahead by itself, so lines are asked for a kilobyte early, four at a time. That helps the processors
// with AVX-512 that were measured (a tenth) and hinders those without (a tenth).
inline constexpr bool kPrefetch = HWY_TARGET <= HWY_AVX3;
inline constexpr std::size_t kFarBytes = 16384;
inline constexpr std::size_t kAheadBytes = 1024;
inline constexpr std::size_t kGroupBytes = 256;

template <class T>
HWY_INLINE void prefetch_group(const T* from) {
  const char* bytes = reinterpret_cast<const char*>(from) + kAheadBytes;
  for (std::size_t line = 0; line < kGroupBytes; line += 64) hwy::Prefetch(bytes + line);
}

// Op is made from (p, q) and called as op(d, x) -> y on whole vectors.
template <class T, class Op>
void unary_loop(const void* x_memory, void* y_memory, std::int64_t n, double p, double q) {
  const hn::ScalableTag<T> d;
  const std::size_t lanes = hn::Lanes(d);
  const std::size_t count = static_cast<std::size_t>(n);
  const T* x = static_cast<const T*>(x_memory);
  T* y = static_cast<T*>(y_memory);
  const Op op(p, q);
  std::size_t i = 0;
  if constexpr (Op::kCheap) {
    for (; i + 4 * lanes <= count; i += 4 * lanes) {
      const auto y0 = op(d, hn::LoadU(d, x + i));
      const auto y1 = op(d, hn::LoadU(d, x + i + lanes));
      const auto y2 = op(d, hn::LoadU(d, x + i + 2 * lanes));
      const auto y3 = op(d, hn::LoadU(d, x + i + 3 * lanes));
      hn::StoreU(y0, d, y + i);
      hn::StoreU(y1, d, y + i + lanes);
      hn::StoreU(y2, d, y + i + 2 * lanes);
      hn::StoreU(y3, d, y + i + 3 * lanes);
    }
  }
  const std::size_t whole = count / lanes * lanes;
  const bool far = kPrefetch && !Op::kCheap && count * sizeof(T) >= kFarBytes;
  while (i < whole) {
    std::size_t end = whole;
    if (far) {
      prefetch_group(x + i);
      prefetch_group(y + i);
      end = HWY_MIN(whole, i + kGroupBytes / sizeof(T));
    }
    for (; i < end; i += lanes) hn::StoreU(op(d, hn::LoadU(d, x + i)), d, y + i);
  }
  if (i < count) store_first(op(d, load_first(d, x + i, count - i)), d, y + i, count - i);
}

// Op is made from p and called as op(d, a, b). An operand with step 0 is read again and again from a small
// buffer that holds it in every lane: one loop serves all four kinds of steps.
template <class T, class Op>
void binary_loop(const void* a_memory, const void* b_memory, void* out_memory, std::int64_t n, int a_step,
                 int b_step, double p) {
  const hn::ScalableTag<T> d;
  const std::size_t lanes = hn::Lanes(d);
  const std::size_t count = static_cast<std::size_t>(n);
  if (count == 0) return;
  const T* a = static_cast<const T*>(a_memory);
  const T* b = static_cast<const T*>(b_memory);
  T* out = static_cast<T*>(out_memory);
  HWY_ALIGN T a_splat[hn::MaxLanes(d)];
  HWY_ALIGN T b_splat[hn::MaxLanes(d)];
  if (a_step == 0) {
    hn::Store(hn::Set(d, *a), d, a_splat);
    a = a_splat;
  }
  if (b_step == 0) {
    hn::Store(hn::Set(d, *b), d, b_splat);
    b = b_splat;
  }
  const std::size_t a_lanes = a_step == 0 ? 0 : lanes;
  const std::size_t b_lanes = b_step == 0 ? 0 : lanes;
  const Op op(p);
  std::size_t i = 0;
  if constexpr (Op::kCheap) {
    for (; i + 4 * lanes <= count; i += 4 * lanes) {
      const auto y0 = op(d, hn::LoadU(d, a), hn::LoadU(d, b));
      const auto y1 = op(d, hn::LoadU(d, a + a_lanes), hn::LoadU(d, b + b_lanes));
      const auto y2 = op(d, hn::LoadU(d, a + 2 * a_lanes), hn::LoadU(d, b + 2 * b_lanes));
      const auto y3 = op(d, hn::LoadU(d, a + 3 * a_lanes), hn::LoadU(d, b + 3 * b_lanes));
      hn::StoreU(y0, d, out + i);
      hn::StoreU(y1, d, out + i + lanes);
      hn::StoreU(y2, d, out + i + 2 * lanes);
      hn::StoreU(y3, d, out + i + 3 * lanes);
      a += 4 * a_lanes;
      b += 4 * b_lanes;
    }
  }
  const std::size_t whole = count / lanes * lanes;
  const bool far = kPrefetch && !Op::kCheap && count * sizeof(T) >= kFarBytes;
  while (i < whole) {
    std::size_t end = whole;
    if (far) {
      prefetch_group(a);
      prefetch_group(b);
      prefetch_group(out + i);
      end = HWY_MIN(whole, i + kGroupBytes / sizeof(T));
    }
    for (; i < end; i += lanes, a += a_lanes, b += b_lanes) {
      hn::StoreU(op(d, hn::LoadU(d, a), hn::LoadU(d, b)), d, out + i);
    }
  }
  if (i < count) {
    const std::size_t rest = count - i;
    store_first(op(d, load_first(d, a, rest), load_first(d, b, rest)), d, out + i, rest);
  }
}

}  // namespace likely::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
