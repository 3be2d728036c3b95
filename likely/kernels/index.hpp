// Picking elements by number and adding them back, over contiguous arrays seen as (outer, length, inner) with
// the indexed axis in the middle. Indices lie in [0, length): the caller checks. Internal to likely.
#pragma once

#include <cstddef>
#include <cstdint>

namespace likely::kernels {

struct IndexedShape {
  std::int64_t outer, length, inner;
};

// out[o, j, :] = x[o, index[j], :] for n indices; out is (outer, n, inner). Element sizes are 1, 4 and 8
// bytes.
void gather_rows(std::size_t element_size, const void* x, IndexedShape shape, const std::int64_t* index,
                 std::int64_t n, void* out);

// out[o, j, i] = x[o, index[o, j, i], i]; index and out are (outer, n, inner).
void gather_elements(std::size_t element_size, const void* x, IndexedShape shape, const std::int64_t* index,
                     std::int64_t n, void* out);

// to[o, index[j], :] += source[o, j, :]. Additions to one element happen in the order of j, whatever the
// number of threads. T is float, double or std::int64_t.
template <class T>
void scatter_add_rows(T* to, IndexedShape shape, const std::int64_t* index, std::int64_t n, const T* source);

// to[o, index[o, j, i], i] += source[o, j, i].
template <class T>
void scatter_add_elements(T* to, IndexedShape shape, const std::int64_t* index, std::int64_t n,
                          const T* source);

// The number of the first index outside [0, length), or -1.
std::int64_t first_outside(const std::int64_t* index, std::int64_t n, std::int64_t length);

}  // namespace likely::kernels
