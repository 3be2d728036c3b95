// copy_strided: moves bits, so elements are seen as unsigned numbers of their size.
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include <algorithm>
#include <cstring>
#include <utility>

#include "likely/core/strided_copy.hpp"
#include "likely/core/strided_walk.hpp"

namespace likely::detail {

namespace {

// Rows that are worth the stores that pass the caches.
constexpr std::int64_t kLongRow = 64;
// Targets larger than this leave the caches before anybody reads them, so they are written past the caches.
constexpr std::int64_t kStreamBytes = std::int64_t{8} << 20;

void stream_bytes(const char* from, char* to, std::size_t bytes) {
#if defined(__SSE2__)
  const std::size_t head = std::min(bytes, (64 - reinterpret_cast<std::uintptr_t>(to) % 64) % 64);
  std::memcpy(to, from, head);
  std::size_t done = head;
  for (; done + 64 <= bytes; done += 64) {
    for (std::size_t i = 0; i < 64; i += 16) {
      _mm_stream_si128(reinterpret_cast<__m128i*>(to + done + i),
                       _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + done + i)));
    }
  }
  std::memcpy(to + done, from + done, bytes - done);
#else
  std::memcpy(to, from, bytes);
#endif
}

void finish_stream() {
#if defined(__SSE2__)
  _mm_sfence();
#endif
}

template <class T>
void copy_row(const T* from, T* to, std::int64_t n, bool stream) {
  if (n < 8) {
    for (std::int64_t i = 0; i < n; ++i) to[i] = from[i];
    return;
  }
  const std::size_t bytes = static_cast<std::size_t>(n) * sizeof(T);
  if (stream) {
    stream_bytes(reinterpret_cast<const char*>(from), reinterpret_cast<char*>(to), bytes);
  } else {
    std::memcpy(to, from, bytes);
  }
}

// The elements of two vectors in turn: of their lower halves (half 0) or of their upper ones (half 1).
template <std::size_t Half, class Vector, std::size_t... I>
inline Vector interleave(Vector a, Vector b, std::index_sequence<I...>) {
  constexpr std::size_t n = sizeof...(I);
  return __builtin_shufflevector(a, b, (Half * n / 2 + I / 2 + I % 2 * n)...);
}

// to[i * to_step + j] = from[i + j * from_step] for a square of 16 bytes by 16 bytes: each round of
// interleaving doubles the length of the pieces of a row that lie together.
template <class T>
constexpr std::int64_t kSquare = 16 / static_cast<std::int64_t>(sizeof(T));

template <class T>
inline void turn_square(const T* from, std::int64_t from_step, T* to, std::int64_t to_step) {
  constexpr int n = static_cast<int>(kSquare<T>);
  typedef T Vector __attribute__((vector_size(16)));
  constexpr std::make_index_sequence<static_cast<std::size_t>(n)> kLanes;
  Vector v[n];
  for (int j = 0; j < n; ++j) std::memcpy(&v[j], from + j * from_step, sizeof(Vector));
  for (int round = 1; round < n; round *= 2) {
    Vector next[n];
    for (int j = 0; j < n / 2; ++j) {
      next[2 * j] = interleave<0>(v[j], v[j + n / 2], kLanes);
      next[2 * j + 1] = interleave<1>(v[j], v[j + n / 2], kLanes);
    }
    for (int j = 0; j < n; ++j) v[j] = next[j];
  }
  for (int i = 0; i < n; ++i) std::memcpy(to + i * to_step, &v[i], sizeof(Vector));
}

// A cache line by a cache line, through a buffer: lines are read whole and written whole. In a matrix whose
// width is a power of two they would otherwise throw each other out of the cache.
template <class T>
constexpr std::int64_t kLine = 64 / static_cast<std::int64_t>(sizeof(T));

template <class T>
void turn_block(const T* from, std::int64_t from_step, T* to, std::int64_t to_step, bool stream) {
  alignas(64) T buffer[kLine<T> * kLine<T>];
  for (std::int64_t j = 0; j < kLine<T>; j += kSquare<T>) {
    for (std::int64_t i = 0; i < kLine<T>; i += kSquare<T>) {
      turn_square(from + i + j * from_step, from_step, buffer + i * kLine<T> + j, kLine<T>);
    }
  }
  for (std::int64_t i = 0; i < kLine<T>; ++i) {
    if (stream) {
      stream_bytes(reinterpret_cast<const char*>(buffer + i * kLine<T>),
                   reinterpret_cast<char*>(to + i * to_step), 64);
    } else {
      std::memcpy(to + i * to_step, buffer + i * kLine<T>, 64);
    }
  }
}

template <class T>
void turn_edge(const T* from, std::int64_t from_step, T* to, std::int64_t to_step, std::int64_t rows,
               std::int64_t columns) {
  constexpr std::int64_t n = kSquare<T>;
  const std::int64_t whole_rows = rows / n * n;
  const std::int64_t whole_columns = columns / n * n;
  for (std::int64_t i = 0; i < whole_rows; i += n) {
    for (std::int64_t j = 0; j < whole_columns; j += n) {
      turn_square(from + i + j * from_step, from_step, to + i * to_step + j, to_step);
    }
  }
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::int64_t j = i < whole_rows ? whole_columns : 0; j < columns; ++j) {
      to[i * to_step + j] = from[i + j * from_step];
    }
  }
}

template <class T>
void turn(const T* from, std::int64_t from_step, T* to, std::int64_t to_step, std::int64_t rows,
          std::int64_t columns, bool stream) {
  constexpr std::int64_t side = kLine<T>;
  if (rows < kSquare<T> || columns < kSquare<T>) {
    for (std::int64_t i = 0; i < rows; ++i) {
      for (std::int64_t j = 0; j < columns; ++j) to[i * to_step + j] = from[i + j * from_step];
    }
    return;
  }
  for (std::int64_t j = 0; j < columns; j += side) {
    for (std::int64_t i = 0; i < rows; i += side) {
      const T* source = from + i + j * from_step;
      T* target = to + i * to_step + j;
      if (rows - i < side || columns - j < side) {
        turn_edge(source, from_step, target, to_step, std::min(side, rows - i), std::min(side, columns - j));
        continue;
      }
      // The next block's lines lie far apart on both sides, where no hardware looks ahead.
      if (columns - j >= 2 * side) {
        for (std::int64_t k = 0; k < side; ++k) {
          __builtin_prefetch(source + (side + k) * from_step);
          if (!stream) __builtin_prefetch(target + k * to_step + side, 1);
        }
      }
      turn_block(source, from_step, target, to_step, stream);
    }
  }
}

template <class T>
void move(const Shape& shape, const T* from, const Strides& from_strides, T* to, const Strides& to_strides) {
  const StridedWalk walk(shape, from_strides, to_strides);
  const bool stream = shape.size() * static_cast<std::int64_t>(sizeof(T)) >= kStreamBytes;
  walk.run(static_cast<double>(sizeof(T)) / 10.0, [&](const Rectangle& piece) {
    const T* x = from + piece.from;
    T* y = to + piece.to;
    if (walk.to_column == 1 && walk.from_column == 1) {
      const bool past_caches = stream && piece.columns >= kLongRow;
      for (std::int64_t i = 0; i < piece.rows; ++i) {
        copy_row(x + i * walk.from_row, y + i * walk.to_row, piece.columns, past_caches);
      }
      if (past_caches) finish_stream();
      return;
    }
    if (walk.to_column == 1 && walk.from_row == 1 && piece.rows > 1) {
      // Stores past the caches are worth it in whole lines only.
      const auto step = static_cast<std::uintptr_t>(walk.to_row) * sizeof(T);
      const bool past_caches = stream && (reinterpret_cast<std::uintptr_t>(y) | step) % 64 == 0;
      turn(x, walk.from_column, y, walk.to_row, piece.rows, piece.columns, past_caches);
      if (past_caches) finish_stream();
      return;
    }
    for (std::int64_t i = 0; i < piece.rows; ++i, x += walk.from_row, y += walk.to_row) {
      if (walk.to_column == 1 && walk.from_column == 0) {
        std::fill_n(y, piece.columns, *x);
      } else if (walk.to_column == 1 && walk.from_column == -1) {
        for (std::int64_t j = 0; j < piece.columns; ++j) y[j] = x[-j];
      } else {
        for (std::int64_t j = 0; j < piece.columns; ++j) y[j * walk.to_column] = x[j * walk.from_column];
      }
    }
  });
}

template <class T>
void move_as(const Shape& shape, const void* from, const Strides& from_strides, void* to,
             const Strides& to_strides) {
  move(shape, static_cast<const T*>(from), from_strides, static_cast<T*>(to), to_strides);
}

}  // namespace

void copy_strided(std::size_t bytes, const Shape& shape, const void* from, const Strides& from_strides,
                  void* to, const Strides& to_strides) {
  if (shape.size() == 0) return;
  switch (bytes) {
    case 1: return move_as<std::uint8_t>(shape, from, from_strides, to, to_strides);
    case 4: return move_as<std::uint32_t>(shape, from, from_strides, to, to_strides);
    default: return move_as<std::uint64_t>(shape, from, from_strides, to, to_strides);
  }
}

void transpose_block(std::size_t bytes, const void* from, std::int64_t from_step, void* to,
                     std::int64_t to_step, std::int64_t rows, std::int64_t columns) {
  const auto turn_as = [&]<class T>(T* target) {
    turn(static_cast<const T*>(from), from_step, target, to_step, rows, columns, false);
  };
  switch (bytes) {
    case 1: return turn_as(static_cast<std::uint8_t*>(to));
    case 4: return turn_as(static_cast<std::uint32_t*>(to));
    default: return turn_as(static_cast<std::uint64_t*>(to));
  }
}

}  // namespace likely::detail
