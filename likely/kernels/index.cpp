#include "likely/kernels/index.hpp"

#include <algorithm>

#include "likely/core/threads.hpp"

namespace likely::kernels {

namespace {

// Bits of elements whose type does not matter here.
using Bits8 [[gnu::may_alias]] = std::uint8_t;
using Bits32 [[gnu::may_alias]] = std::uint32_t;
using Bits64 [[gnu::may_alias]] = std::uint64_t;

// Calls body(first, last) for consecutive ranges of [0, count), each about 8192 elements of work.
template <class Body>
void for_ranges(std::int64_t count, std::int64_t elements_each, const Body& body) {
  const std::int64_t each = std::max<std::int64_t>(1, 8192 / std::max<std::int64_t>(elements_each, 1));
  const double work = 1.0 * static_cast<double>(count) * static_cast<double>(elements_each);
  parallel_tiles((count + each - 1) / each, work,
                 [&](std::int64_t tile) { body(tile * each, std::min(count, (tile + 1) * each)); });
}

// Calls body(o, begin, end) for ranges of the inner axis: different tiles never write to the same element.
template <class Body>
void for_columns(const IndexedShape& shape, std::int64_t n, const Body& body) {
  constexpr std::int64_t kColumns = 64;
  const std::int64_t blocks = (shape.inner + kColumns - 1) / kColumns;
  const double work = 1.0 * static_cast<double>(shape.outer * n) * static_cast<double>(shape.inner);
  if (shape.inner < kColumns) {
    for_ranges(shape.outer, n * shape.inner, [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t o = first; o < last; ++o) body(o, 0, shape.inner);
    });
    return;
  }
  parallel_tiles(shape.outer * blocks, work, [&](std::int64_t tile) {
    const std::int64_t begin = tile % blocks * kColumns;
    body(tile / blocks, begin, std::min(shape.inner, begin + kColumns));
  });
}

template <class T>
void gather_rows_of(const T* x, IndexedShape shape, const std::int64_t* index, std::int64_t n, T* out) {
  for_ranges(shape.outer * n, shape.inner, [&](std::int64_t first, std::int64_t last) {
    std::int64_t o = first / n, j = first % n;
    for (std::int64_t row = first; row < last; ++row) {
      std::copy_n(x + (o * shape.length + index[j]) * shape.inner, shape.inner, out + row * shape.inner);
      if (++j == n) {
        j = 0;
        ++o;
      }
    }
  });
}

template <class T>
void gather_elements_of(const T* x, IndexedShape shape, const std::int64_t* index, std::int64_t n, T* out) {
  for_ranges(shape.outer * n, shape.inner, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t row = first; row < last; ++row) {
      const T* from = x + row / n * shape.length * shape.inner;
      for (std::int64_t i = 0; i < shape.inner; ++i) {
        out[row * shape.inner + i] = from[index[row * shape.inner + i] * shape.inner + i];
      }
    }
  });
}

// Calls f with pointers to elements of the given size.
template <class F>
void with_elements(std::size_t element_size, const void* x, void* out, const F& f) {
  switch (element_size) {
    case 1: f(static_cast<const Bits8*>(x), static_cast<Bits8*>(out)); break;
    case 4: f(static_cast<const Bits32*>(x), static_cast<Bits32*>(out)); break;
    default: f(static_cast<const Bits64*>(x), static_cast<Bits64*>(out)); break;
  }
}

}  // namespace

void gather_rows(std::size_t element_size, const void* x, IndexedShape shape, const std::int64_t* index,
                 std::int64_t n, void* out) {
  if (n == 0) return;
  with_elements(element_size, x, out,
                [&](const auto* from, auto* to) { gather_rows_of(from, shape, index, n, to); });
}

void gather_elements(std::size_t element_size, const void* x, IndexedShape shape, const std::int64_t* index,
                     std::int64_t n, void* out) {
  if (n == 0) return;
  with_elements(element_size, x, out,
                [&](const auto* from, auto* to) { gather_elements_of(from, shape, index, n, to); });
}

template <class T>
void scatter_add_rows(T* to, IndexedShape shape, const std::int64_t* index, std::int64_t n, const T* source) {
  for_columns(shape, n, [&](std::int64_t o, std::int64_t begin, std::int64_t end) {
    T* rows = to + o * shape.length * shape.inner;
    const T* from = source + o * n * shape.inner;
    for (std::int64_t j = 0; j < n; ++j) {
      T* row = rows + index[j] * shape.inner;
      for (std::int64_t i = begin; i < end; ++i) row[i] += from[j * shape.inner + i];
    }
  });
}

template <class T>
void scatter_add_elements(T* to, IndexedShape shape, const std::int64_t* index, std::int64_t n,
                          const T* source) {
  for_columns(shape, n, [&](std::int64_t o, std::int64_t begin, std::int64_t end) {
    T* rows = to + o * shape.length * shape.inner;
    const T* from = source + o * n * shape.inner;
    const std::int64_t* which = index + o * n * shape.inner;
    for (std::int64_t j = 0; j < n; ++j) {
      for (std::int64_t i = begin; i < end; ++i) {
        rows[which[j * shape.inner + i] * shape.inner + i] += from[j * shape.inner + i];
      }
    }
  });
}

template void scatter_add_rows(float*, IndexedShape, const std::int64_t*, std::int64_t, const float*);
template void scatter_add_rows(double*, IndexedShape, const std::int64_t*, std::int64_t, const double*);
template void scatter_add_rows(std::int64_t*, IndexedShape, const std::int64_t*, std::int64_t,
                               const std::int64_t*);
template void scatter_add_elements(float*, IndexedShape, const std::int64_t*, std::int64_t, const float*);
template void scatter_add_elements(double*, IndexedShape, const std::int64_t*, std::int64_t, const double*);
template void scatter_add_elements(std::int64_t*, IndexedShape, const std::int64_t*, std::int64_t,
                                   const std::int64_t*);

std::int64_t first_outside(const std::int64_t* index, std::int64_t n, std::int64_t length) {
  const auto bound = static_cast<std::uint64_t>(length);
  std::uint64_t outside = 0;
  for (std::int64_t i = 0; i < n; ++i) outside |= static_cast<std::uint64_t>(index[i]) >= bound ? 1u : 0u;
  if (outside == 0) return -1;
  return std::find_if(index, index + n,
                      [&](std::int64_t k) { return static_cast<std::uint64_t>(k) >= bound; }) -
         index;
}

}  // namespace likely::kernels
