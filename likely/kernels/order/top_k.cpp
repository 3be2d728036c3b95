// The k best of a row: a vector comparison with the k-th best so far lets almost nothing through, so a long
// row costs little more than reading it.
#include "likely/core/dispatch.hpp"
#include "likely/kernels/simd_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "likely/kernels/order/top_k.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <string>

#include "likely/core/error.hpp"
#include "likely/core/threads.hpp"
#include "likely/kernels/order/items.hpp"
#include "likely/kernels/order/order.hpp"
#include "likely/kernels/scratch.hpp"

HWY_BEFORE_NAMESPACE();
namespace likely::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Elements that are looked at one by one before there is a threshold worth comparing with.
inline constexpr std::int64_t kFirstLook = 256;
// Candidates beyond k that are kept before the threshold is raised: few, so that it follows the data closely.
inline constexpr std::int64_t kSpare = 16;

template <class T>
struct Candidates {
  const T* x;
  Direction direction;
  std::int64_t k;
  std::int64_t capacity;
  Item<T>* items;
  std::int64_t count = 0;
  T threshold{};
  bool has_threshold = false;

  bool better(T value) const {
    return direction == Direction::descending ? value > threshold : value < threshold;
  }

  void add(std::int64_t index) {
    items[count++] = item_of(x[index], static_cast<std::uint64_t>(index), direction);
    if (count == capacity) shrink();
  }

  // Keeps the k best. A later element that equals the k-th loses to it, so only better ones matter from now
  // on; a NaN as the k-th is no threshold.
  void shrink() {
    if (count <= k) return;
    std::nth_element(items, items + (k - 1), items + count);
    count = k;
    threshold = x[index_of(items[k - 1])];
    has_threshold = threshold == threshold;
  }
};

template <class D, class V>
HWY_INLINE hn::Mask<D> better_lanes(D, V v, V limit, Direction direction) {
  return direction == Direction::descending ? hn::Gt(v, limit) : hn::Lt(v, limit);
}

// Adds what is better among four vectors of elements from place i on; mostly there is nothing.
template <class T>
HWY_INLINE void add_better(Candidates<T>& best, std::int64_t i) {
  const hn::ScalableTag<T> d;
  const std::size_t lanes = hn::Lanes(d);
  const T* x = best.x + i;
  const auto limit = hn::Set(d, best.threshold);
  const auto m0 = better_lanes(d, hn::LoadU(d, x), limit, best.direction);
  const auto m1 = better_lanes(d, hn::LoadU(d, x + lanes), limit, best.direction);
  const auto m2 = better_lanes(d, hn::LoadU(d, x + 2 * lanes), limit, best.direction);
  const auto m3 = better_lanes(d, hn::LoadU(d, x + 3 * lanes), limit, best.direction);
  if (HWY_LIKELY(hn::AllFalse(d, hn::Or(hn::Or(m0, m1), hn::Or(m2, m3))))) return;
  for (int part = 0; part < 4; ++part) {
    const auto mask = part == 0 ? m0 : part == 1 ? m1 : part == 2 ? m2 : m3;
    HWY_ALIGN std::uint8_t bytes[8] = {};
    hn::StoreMaskBits(d, mask, bytes);
    std::uint64_t bits;
    std::memcpy(&bits, bytes, sizeof(bits));
    for (; bits != 0; bits &= bits - 1) {
      const std::int64_t place = i + part * static_cast<std::int64_t>(lanes) + std::countr_zero(bits);
      // The threshold may have risen since the comparison.
      if (!best.has_threshold || best.better(best.x[place])) best.add(place);
    }
  }
}

template <class T>
void top_k_row(const T* x, T* values, std::int64_t* indices, std::int64_t n, std::int64_t k,
               Direction direction) {
  const std::int64_t group = 4 * static_cast<std::int64_t>(hn::Lanes(hn::ScalableTag<T>()));
  const std::int64_t first = std::min(n, std::max(kFirstLook, 2 * k));
  const std::int64_t capacity = std::max(first + 1, 2 * k + kSpare);
  Candidates<T> best{x, direction, k, capacity, scratch<Item<T>>(ScratchSlot::order_items, capacity)};
  for (std::int64_t i = 0; i < first; ++i) best.add(i);
  best.shrink();
  best.capacity = 2 * k + kSpare;
  std::int64_t i = first;
  for (; i + group <= n; i += group) {
    if (HWY_LIKELY(best.has_threshold)) {
      add_better(best, i);
      continue;
    }
    for (std::int64_t j = i; j < i + group; ++j) {
      if (!best.has_threshold || best.better(x[j])) best.add(j);
    }
  }
  for (; i < n; ++i) {
    if (!best.has_threshold || best.better(x[i])) best.add(i);
  }
  best.shrink();
  std::sort(best.items, best.items + best.count);
  for (std::int64_t j = 0; j < k; ++j) {
    const std::int64_t index = index_of(best.items[j]);
    if (values != nullptr) values[j] = x[index];
    if (indices != nullptr) indices[j] = index;
  }
}

template <class T>
void top_k_typed(const void* x_memory, void* values_memory, std::int64_t* indices, std::int64_t rows,
                 std::int64_t length, std::int64_t k, Direction direction) {
  const T* x = static_cast<const T*>(x_memory);
  T* values = static_cast<T*>(values_memory);
  const std::int64_t together = std::max<std::int64_t>(1, 8192 / length);
  const double work = 0.3 * static_cast<double>(rows * (length + 10 * std::min(length, kFirstLook + 2 * k)));
  parallel_tiles((rows + together - 1) / together, work, [&](std::int64_t tile) {
    const std::int64_t end = std::min(rows, (tile + 1) * together);
    for (std::int64_t row = tile * together; row < end; ++row) {
      top_k_row(x + row * length, values == nullptr ? nullptr : values + row * k,
                indices == nullptr ? nullptr : indices + row * k, length, k, direction);
    }
  });
}

void top_k_here(DType type, const void* x, void* values, std::int64_t* indices, std::int64_t rows,
                std::int64_t length, std::int64_t k, Direction direction) {
  detail::with_type("top_k", type, [&]<class T>(T) {
    top_k_typed<detail::stored_as<T>>(x, values, indices, rows, length, k, direction);
  });
}

}  // namespace likely::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace likely::kernels {

HWY_EXPORT(top_k_here);

void top_k_rows(DType type, const void* x, void* values, std::int64_t* indices, std::int64_t rows,
                std::int64_t length, std::int64_t k, Direction direction) {
  if (k < 0 || k > length) {
    refuse("top_k", "k must be between 0 and the length of a row, " + std::to_string(length) + ", got " +
                        std::to_string(k));
  }
  if (length > std::int64_t{0xffffffff}) {
    refuse("top_k", "a row of " + std::to_string(length) + " elements is too long");
  }
  if (rows == 0 || k == 0) return;
  HWY_DYNAMIC_DISPATCH(top_k_here)(type, x, values, indices, rows, length, k, direction);
}

}  // namespace likely::kernels
#endif
