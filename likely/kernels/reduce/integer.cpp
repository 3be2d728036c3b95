// Reductions whose result is a whole number or a truth value. They are exact, so the cut does not matter.
#include <algorithm>
#include <atomic>
#include <limits>
#include <string>
#include <type_traits>

#include "likely/core/dispatch.hpp"
#include "likely/core/error.hpp"
#include "likely/core/threads.hpp"
#include "likely/kernels/reduce/kernels.hpp"

namespace likely::kernels {

namespace {

using Integer = std::int64_t;
using Wrapping = std::uint64_t;
using Byte = std::uint8_t;

constexpr Integer wrapped(Wrapping value) { return static_cast<Integer>(value); }

// Each: the type of the result, its value for nothing, one step, and two results put together.
struct IntegerSum {
  using Result = Integer;
  static constexpr Result kIdentity = 0;
  static Result step(Result total, Integer x) { return wrapped(Wrapping(total) + Wrapping(x)); }
  static Result merge(Result a, Result b) { return step(a, b); }
};
struct IntegerSquares : IntegerSum {
  static Result step(Result total, Integer x) { return wrapped(Wrapping(total) + Wrapping(x) * Wrapping(x)); }
};
struct IntegerMagnitudes : IntegerSum {
  static Result step(Result total, Integer x) {
    return wrapped(Wrapping(total) + (x < 0 ? Wrapping{0} - Wrapping(x) : Wrapping(x)));
  }
};
struct IntegerProduct {
  using Result = Integer;
  static constexpr Result kIdentity = 1;
  static Result step(Result total, Integer x) { return wrapped(Wrapping(total) * Wrapping(x)); }
  static Result merge(Result a, Result b) { return step(a, b); }
};
struct IntegerMaximum {
  using Result = Integer;
  static constexpr Result kIdentity = std::numeric_limits<Integer>::min();
  static Result step(Result total, Integer x) { return std::max(total, x); }
  static Result merge(Result a, Result b) { return step(a, b); }
};
struct IntegerMinimum {
  using Result = Integer;
  static constexpr Result kIdentity = std::numeric_limits<Integer>::max();
  static Result step(Result total, Integer x) { return std::min(total, x); }
  static Result merge(Result a, Result b) { return step(a, b); }
};
struct Any {
  using Result = Byte;
  static constexpr Result kIdentity = 0;
  template <class T>
  static Result step(Result total, T x) {
    return static_cast<Result>(total | (x != T{0} ? 1 : 0));
  }
  static Result merge(Result a, Result b) { return a | b; }
};
struct All {
  using Result = Byte;
  static constexpr Result kIdentity = 1;
  template <class T>
  static Result step(Result total, T x) {
    return static_cast<Result>(total & (x != T{0} ? 1 : 0));
  }
  static Result merge(Result a, Result b) { return a & b; }
};
struct CountNonzero {
  using Result = Integer;
  static constexpr Result kIdentity = 0;
  template <class T>
  static Result step(Result total, T x) {
    return total + (x != T{0} ? 1 : 0);
  }
  static Result merge(Result a, Result b) { return a + b; }
};

constexpr std::int64_t kTile = 65536;
constexpr std::int64_t kColumnTile = 512;
constexpr double kNanoseconds = 0.4;

template <class Op, class T>
typename Op::Result reduce_run(const T* x, std::int64_t n) {
  typename Op::Result total = Op::kIdentity;
  for (std::int64_t i = 0; i < n; ++i) total = Op::step(total, x[i]);
  return total;
}

template <class Op, class T>
void reduce_all(const T* x, typename Op::Result* out, std::int64_t outer, std::int64_t reduced,
                std::int64_t inner) {
  using Result = typename Op::Result;
  const double work = kNanoseconds * static_cast<double>(outer * reduced * inner);
  if (inner > 1) {
    const std::int64_t chunks = (inner + kColumnTile - 1) / kColumnTile;
    parallel_tiles(outer * chunks, work, [&](std::int64_t tile) {
      const std::int64_t row = tile / chunks;
      const std::int64_t column = tile % chunks * kColumnTile;
      const std::int64_t width = std::min(kColumnTile, inner - column);
      Result* to = out + row * inner + column;
      std::fill_n(to, width, Op::kIdentity);
      const T* from = x + row * reduced * inner + column;
      for (std::int64_t r = 0; r < reduced; ++r, from += inner) {
        for (std::int64_t j = 0; j < width; ++j) to[j] = Op::step(to[j], from[j]);
      }
    });
    return;
  }
  const std::int64_t pieces = std::max<std::int64_t>(1, (reduced + kTile - 1) / kTile);
  if (pieces == 1) {
    const std::int64_t together = std::max<std::int64_t>(1, kTile / std::max<std::int64_t>(1, reduced));
    parallel_tiles((outer + together - 1) / together, work, [&](std::int64_t tile) {
      const std::int64_t end = std::min(outer, (tile + 1) * together);
      for (std::int64_t row = tile * together; row < end; ++row)
        out[row] = reduce_run<Op>(x + row * reduced, reduced);
    });
    return;
  }
  for (std::int64_t row = 0; row < outer; ++row) {
    std::atomic<Result> total{Op::kIdentity};
    parallel_tiles(pieces, work / static_cast<double>(outer), [&](std::int64_t piece) {
      const std::int64_t begin = piece * kTile;
      const Result part = reduce_run<Op>(x + row * reduced + begin, std::min(kTile, reduced - begin));
      Result seen = total.load();
      while (!total.compare_exchange_weak(seen, Op::merge(seen, part))) {
      }
    });
    out[row] = total.load();
  }
}

template <class T>
bool reduce_truth(Reduce operation, const void* x_memory, void* out, std::int64_t outer, std::int64_t reduced,
                  std::int64_t inner) {
  const T* x = static_cast<const T*>(x_memory);
  switch (operation) {
    case Reduce::any: reduce_all<Any>(x, static_cast<Byte*>(out), outer, reduced, inner); return true;
    case Reduce::all: reduce_all<All>(x, static_cast<Byte*>(out), outer, reduced, inner); return true;
    case Reduce::count_nonzero:
      reduce_all<CountNonzero>(x, static_cast<Integer*>(out), outer, reduced, inner);
      return true;
    default: return false;
  }
}

bool reduce_whole_numbers(Reduce operation, const Integer* x, Integer* out, std::int64_t outer,
                          std::int64_t reduced, std::int64_t inner) {
  switch (operation) {
    case Reduce::sum: reduce_all<IntegerSum>(x, out, outer, reduced, inner); return true;
    case Reduce::product: reduce_all<IntegerProduct>(x, out, outer, reduced, inner); return true;
    case Reduce::maximum: reduce_all<IntegerMaximum>(x, out, outer, reduced, inner); return true;
    case Reduce::minimum: reduce_all<IntegerMinimum>(x, out, outer, reduced, inner); return true;
    case Reduce::sum_of_squares: reduce_all<IntegerSquares>(x, out, outer, reduced, inner); return true;
    case Reduce::sum_of_magnitudes: reduce_all<IntegerMagnitudes>(x, out, outer, reduced, inner); return true;
    default: return false;
  }
}

}  // namespace

void reduce_integer(Reduce operation, DType type, const void* x, void* out, std::int64_t outer,
                    std::int64_t reduced, std::int64_t inner) {
  const bool done = detail::with_type("reduce", type, [&]<class T>(T) {
    if (reduce_truth<detail::stored_as<T>>(operation, x, out, outer, reduced, inner)) return true;
    if constexpr (std::is_same_v<T, Integer>) {
      return reduce_whole_numbers(operation, static_cast<const Integer*>(x), static_cast<Integer*>(out),
                                  outer, reduced, inner);
    }
    return false;
  });
  if (!done) refuse("reduce", "no such reduction of " + std::string(name_of(type)));
}

}  // namespace likely::kernels
