// copy_strided: moves bits, so elements are seen as unsigned numbers of their size.
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include <algorithm>
#include <cstring>

#include "likely/core/strided_copy.hpp"
#include "likely/core/strided_walk.hpp"

namespace likely::detail {

namespace {

constexpr std::int64_t kEdge = StridedWalk::kTurnEdge;

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
  const std::size_t bytes = static_cast<std::size_t>(n) * sizeof(T);
  if (stream) {
    stream_bytes(reinterpret_cast<const char*>(from), reinterpret_cast<char*>(to), bytes);
  } else {
    std::memcpy(to, from, bytes);
  }
}

// Turns a small square: to[i * to_step + j] = from[i + j * from_step], as vectors of 16 bytes.
inline constexpr std::int64_t kSquare32 = 4;
inline void turn_square(const std::uint32_t* from, std::int64_t from_step, std::uint32_t* to,
                        std::int64_t to_step) {
  using Vector = std::uint32_t __attribute__((vector_size(16)));
  Vector v[4];
  for (int j = 0; j < 4; ++j) std::memcpy(&v[j], from + j * from_step, sizeof(Vector));
  const Vector low01 = __builtin_shufflevector(v[0], v[1], 0, 4, 1, 5);
  const Vector high01 = __builtin_shufflevector(v[0], v[1], 2, 6, 3, 7);
  const Vector low23 = __builtin_shufflevector(v[2], v[3], 0, 4, 1, 5);
  const Vector high23 = __builtin_shufflevector(v[2], v[3], 2, 6, 3, 7);
  const Vector turned[4] = {__builtin_shufflevector(low01, low23, 0, 1, 4, 5),
                            __builtin_shufflevector(low01, low23, 2, 3, 6, 7),
                            __builtin_shufflevector(high01, high23, 0, 1, 4, 5),
                            __builtin_shufflevector(high01, high23, 2, 3, 6, 7)};
  for (int i = 0; i < 4; ++i) std::memcpy(to + i * to_step, &turned[i], sizeof(Vector));
}

inline constexpr std::int64_t kSquare64 = 2;
inline void turn_square(const std::uint64_t* from, std::int64_t from_step, std::uint64_t* to,
                        std::int64_t to_step) {
  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j < 2; ++j) to[i * to_step + j] = from[i + j * from_step];
  }
}

inline void turn_square(const std::uint8_t* from, std::int64_t, std::uint8_t* to, std::int64_t) {
  *to = *from;
}

template <class T>
constexpr std::int64_t kSquare = sizeof(T) == 4   ? kSquare32
                                 : sizeof(T) == 8 ? kSquare64
                                                  : 1;

template <class T>
void turn(const T* from, std::int64_t from_column, T* to, std::int64_t to_row, std::int64_t rows,
          std::int64_t columns) {
  constexpr std::int64_t kStep = kSquare<T>;
  const std::int64_t whole_rows = rows / kStep * kStep;
  const std::int64_t whole_columns = columns / kStep * kStep;
  for (std::int64_t j = 0; j < whole_columns; j += kStep) {
    for (std::int64_t i = 0; i < whole_rows; i += kStep) {
      turn_square(from + i + j * from_column, from_column, to + i * to_row + j, to_row);
    }
    for (std::int64_t i = whole_rows; i < rows; ++i) {
      for (std::int64_t k = j; k < j + kStep; ++k) to[i * to_row + k] = from[i + k * from_column];
    }
  }
  for (std::int64_t j = whole_columns; j < columns; ++j) {
    for (std::int64_t i = 0; i < rows; ++i) to[i * to_row + j] = from[i + j * from_column];
  }
}

// Through a buffer of its own, so that source and target are both touched in whole cache lines once: steps
// that are powers of two would otherwise throw each other out of the cache.
template <class T>
void turn_buffered(const T* from, std::int64_t from_column, T* to, std::int64_t to_row, std::int64_t rows,
                   std::int64_t columns, bool stream) {
  alignas(64) T buffer[kEdge * kEdge];
  turn(from, from_column, buffer, kEdge, rows, columns);
  for (std::int64_t i = 0; i < rows; ++i) copy_row(buffer + i * kEdge, to + i * to_row, columns, stream);
}

template <class T>
void move(const Shape& shape, const T* from, const Strides& from_strides, T* to, const Strides& to_strides) {
  const StridedWalk walk(shape, from_strides, to_strides);
  const bool stream = shape.size() * static_cast<std::int64_t>(sizeof(T)) >= kStreamBytes;
  walk.run(static_cast<double>(sizeof(T)) / 10.0, [&](const Rectangle& piece) {
    const T* x = from + piece.from;
    T* y = to + piece.to;
    if (walk.to_column == 1 && walk.from_column == 1) {
      const bool past_caches = stream && piece.columns >= kEdge;
      for (std::int64_t i = 0; i < piece.rows; ++i) {
        copy_row(x + i * walk.from_row, y + i * walk.to_row, piece.columns, past_caches);
      }
      if (past_caches) finish_stream();
      return;
    }
    if (walk.to_column == 1 && walk.from_row == 1 && piece.rows > 1) {
      if (piece.rows * piece.columns >= kEdge * kEdge / 4) {
        turn_buffered(x, walk.from_column, y, walk.to_row, piece.rows, piece.columns, stream);
        if (stream) finish_stream();
      } else {
        turn(x, walk.from_column, y, walk.to_row, piece.rows, piece.columns);
      }
      return;
    }
    for (std::int64_t i = 0; i < piece.rows; ++i, x += walk.from_row, y += walk.to_row) {
      if (walk.to_column == 1 && walk.from_column == 0) {
        std::fill_n(y, piece.columns, *x);
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

}  // namespace likely::detail
