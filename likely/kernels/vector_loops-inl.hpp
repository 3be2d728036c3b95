// Loops over contiguous memory for vector kernels: the body is written once, for four vectors at a time, for
// one and for a part of one, so that an element's bits do not depend on where it stands.
#if defined(LIKELY_KERNELS_VECTOR_LOOPS_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef LIKELY_KERNELS_VECTOR_LOOPS_INL_HPP
#undef LIKELY_KERNELS_VECTOR_LOOPS_INL_HPP
#else
#define LIKELY_KERNELS_VECTOR_LOOPS_INL_HPP
#endif

#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cstdint>
#include <limits>

#include "likely/kernels/elementwise/loops-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace likely::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// How a loop body reads and writes memory: kCount whole vectors, or the beginning of one.
template <int kVectors, class D>
struct WholeVectors {
  static constexpr int kCount = kVectors;
  using V = hn::Vec<D>;
  using T = hn::TFromD<D>;
  HWY_INLINE void load(const T* from, V (&v)[kCount]) const {
    for (int k = 0; k < kCount; ++k)
      v[k] = hn::LoadU(D(), from + static_cast<std::size_t>(k) * hn::Lanes(D()));
  }
  HWY_INLINE V zero_beyond(V v) const { return v; }
  HWY_INLINE V lowest_beyond(V v) const { return v; }
  // Asks for the same memory of a later row; harmless where there is none.
  HWY_INLINE void prefetch(const T* from) const {
    for (int k = 0; k < kCount; ++k) hwy::Prefetch(from + static_cast<std::size_t>(k) * hn::Lanes(D()));
  }
  HWY_INLINE void store(const V (&v)[kCount], T* to) const {
    for (int k = 0; k < kCount; ++k) hn::StoreU(v[k], D(), to + static_cast<std::size_t>(k) * hn::Lanes(D()));
  }
};

template <class D>
struct PartOfVector {
  static constexpr int kCount = 1;
  using V = hn::Vec<D>;
  using T = hn::TFromD<D>;
  std::size_t elements;
  // What lies beyond the part is 0.
  HWY_INLINE void load(const T* from, V (&v)[1]) const { v[0] = load_first(D(), from, elements); }
  HWY_INLINE void prefetch(const T* from) const { hwy::Prefetch(from); }
  HWY_INLINE V zero_beyond(V v) const { return hn::IfThenElseZero(hn::FirstN(D(), elements), v); }
  HWY_INLINE V lowest_beyond(V v) const {
    const V lowest = hn::Set(D(), std::numeric_limits<T>::lowest());
    return hn::IfThenElse(hn::FirstN(D(), elements), v, lowest);
  }
  HWY_INLINE void store(const V (&v)[1], T* to) const { store_first(v[0], D(), to, elements); }
};

// Four vectors, written around the caches.
template <class D>
struct StreamedVectors : WholeVectors<4, D> {
  HWY_INLINE void store(const hn::Vec<D> (&v)[4], hn::TFromD<D>* to) const {
    for (int k = 0; k < 4; ++k) hn::Stream(v[k], D(), to + static_cast<std::size_t>(k) * hn::Lanes(D()));
  }
};

// Calls body(access, i) for the vectors of [0, n): four at a time, then one at a time, then a part of one.
template <class D, class Body>
HWY_INLINE void for_vectors(D d, std::int64_t n, const Body& body) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  std::int64_t i = 0;
  for (; i + 4 * lanes <= n; i += 4 * lanes) body(WholeVectors<4, D>(), i);
  for (; i + lanes <= n; i += lanes) body(WholeVectors<1, D>(), i);
  if (i < n) body(PartOfVector<D>{static_cast<std::size_t>(n - i)}, i);
}

// The same for a body that writes to out + i, around the caches if `stream`: that saves reading the memory
// first, a third of the traffic, and pays where the output would not stay in the caches anyway.
template <class D, class Body, class T = hn::TFromD<D>>
HWY_INLINE void for_vectors_to(T* out, bool stream, D d, std::int64_t n, const Body& body) {
  std::int64_t i = 0;
  if (stream) {
    const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
    const auto misaligned =
        static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(out) / sizeof(T)) % lanes;
    if (misaligned != 0) {
      i = std::min(n, lanes - misaligned);
      body(PartOfVector<D>{static_cast<std::size_t>(i)}, 0);
    }
    for (; i + 4 * lanes <= n; i += 4 * lanes) body(StreamedVectors<D>(), i);
  }
  for_vectors(d, n - i, [&](auto access, std::int64_t k) HWY_ATTR { body(access, i + k); });
}

}  // namespace likely::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
