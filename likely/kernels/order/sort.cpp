#include <algorithm>
#include <string>

#include "likely/core/dispatch.hpp"
#include "likely/core/error.hpp"
#include "likely/core/threads.hpp"
#include "likely/kernels/order/items.hpp"
#include "likely/kernels/order/order.hpp"
#include "likely/kernels/scratch.hpp"

namespace likely::kernels {

namespace {

// From here on digits are faster than comparisons.
constexpr std::int64_t kRadixLength = 768;
constexpr int kDigitBits = 11;
constexpr std::size_t kDigits = std::size_t{1} << kDigitBits;

// Sorts by the key's digits, the least first; a digit that is the same everywhere costs nothing. The result
// is in one of the two arrays.
template <class AnyItem>
AnyItem* radix_sort(AnyItem* items, AnyItem* other, std::int64_t n, int key_size) {
  constexpr int kMostPasses = (64 + kDigitBits - 1) / kDigitBits;
  const int passes = (key_size + kDigitBits - 1) / kDigitBits;
  static thread_local std::uint32_t counts[kMostPasses][kDigits];
  for (int pass = 0; pass < passes; ++pass) std::fill_n(counts[pass], kDigits, 0u);
  for (std::int64_t i = 0; i < n; ++i) {
    std::uint64_t key = key_bits(items[i]);
    for (int pass = 0; pass < passes; ++pass, key >>= kDigitBits) ++counts[pass][key % kDigits];
  }
  for (int pass = 0; pass < passes; ++pass) {
    std::uint32_t* count = counts[pass];
    const int shift = pass * kDigitBits;
    if (count[(key_bits(items[0]) >> shift) % kDigits] == static_cast<std::uint32_t>(n)) continue;
    std::uint32_t place = 0;
    for (std::size_t digit = 0; digit < kDigits; ++digit) {
      const std::uint32_t here = count[digit];
      count[digit] = place;
      place += here;
    }
    for (std::int64_t i = 0; i < n; ++i) other[count[(key_bits(items[i]) >> shift) % kDigits]++] = items[i];
    std::swap(items, other);
  }
  return items;
}

template <class T>
void sort_row(const T* x, T* values, std::int64_t* indices, std::int64_t n, Direction direction) {
  Item<T>* items = scratch<Item<T>>(ScratchSlot::order_items, n);
  for (std::int64_t i = 0; i < n; ++i) items[i] = item_of(x[i], static_cast<std::uint64_t>(i), direction);
  if (n >= kRadixLength) {
    Item<T>* other = scratch<Item<T>>(ScratchSlot::order_exchange, n);
    items = radix_sort(items, other, n, static_cast<int>(sizeof(Key<T>)) * 8);
  } else {
    std::sort(items, items + n);
  }
  if (indices != nullptr) {
    for (std::int64_t i = 0; i < n; ++i) indices[i] = index_of(items[i]);
  }
  if (values == nullptr) return;
  if (values == x) {
    // The values are still needed while they are overwritten.
    T* copy = scratch<T>(ScratchSlot::order_values, n);
    std::copy_n(x, n, copy);
    x = copy;
  }
  for (std::int64_t i = 0; i < n; ++i) values[i] = x[index_of(items[i])];
}

template <class T>
void sort_typed(const void* x_memory, void* values_memory, std::int64_t* indices, std::int64_t rows,
                std::int64_t length, Direction direction) {
  const T* x = static_cast<const T*>(x_memory);
  T* values = static_cast<T*>(values_memory);
  const std::int64_t together = std::max<std::int64_t>(1, 1024 / length);
  const double work = 15.0 * static_cast<double>(rows * length);
  parallel_tiles((rows + together - 1) / together, work, [&](std::int64_t tile) {
    const std::int64_t end = std::min(rows, (tile + 1) * together);
    for (std::int64_t row = tile * together; row < end; ++row) {
      const std::int64_t offset = row * length;
      sort_row(x + offset, values == nullptr ? nullptr : values + offset,
               indices == nullptr ? nullptr : indices + offset, length, direction);
    }
  });
}

}  // namespace

void sort_rows(DType type, const void* x, void* values, std::int64_t* indices, std::int64_t rows,
               std::int64_t length, Direction direction) {
  if (rows == 0 || length == 0) return;
  if (length > std::int64_t{0xffffffff}) {
    refuse("sort", "a row of " + std::to_string(length) + " elements is too long");
  }
  detail::with_type("sort", type, [&]<class T>(T) {
    sort_typed<detail::stored_as<T>>(x, values, indices, rows, length, direction);
  });
}

}  // namespace likely::kernels
