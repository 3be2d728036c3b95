#include "likely/kernels/reduce/cumulative.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <type_traits>

#include "likely/core/dispatch.hpp"
#include "likely/core/error.hpp"
#include "likely/core/threads.hpp"

namespace likely::kernels {

namespace {

// Each: the type that is carried, its value before the first element, and one step, which returns the output.
template <class T>
struct RunningSum {
  using Carry = std::conditional_t<std::is_integral_v<T>, std::uint64_t, double>;
  static constexpr Carry kStart = 0;
  static T step(Carry& carry, T x) { return static_cast<T>(carry += static_cast<Carry>(x)); }
  static constexpr double kNanoseconds = 1.3;
};

template <class T>
struct RunningProduct {
  using Carry = std::conditional_t<std::is_integral_v<T>, std::uint64_t, double>;
  static constexpr Carry kStart = 1;
  static T step(Carry& carry, T x) { return static_cast<T>(carry *= static_cast<Carry>(x)); }
  static constexpr double kNanoseconds = 1.3;
};

// The largest element so far and the sum of e^(x - largest).
struct ScaledSum {
  double peak = -std::numeric_limits<double>::infinity();
  double sum = 0.0;
};

template <class T>
struct RunningLogSumExp {
  using Carry = ScaledSum;
  static constexpr Carry kStart = {};
  static T step(Carry& carry, T value) {
    const double x = static_cast<double>(value);
    if (x <= carry.peak) {
      // Equal infinities have no difference.
      carry.sum += x == carry.peak ? 1.0 : std::exp(x - carry.peak);
    } else {
      // Also the way of NaN, which then stays.
      carry.sum = carry.sum * std::exp(carry.peak - x) + 1.0;
      carry.peak = std::isnan(carry.peak) ? carry.peak : x;
    }
    return static_cast<T>(
        std::isinf(carry.peak) && !std::isnan(carry.sum) ? carry.peak : carry.peak + std::log(carry.sum));
  }
  static constexpr double kNanoseconds = 20.0;
};

// Columns that run side by side.
constexpr std::int64_t kColumns = 64;

template <class Running, class T>
void cumulate_row(const T* x, T* out, std::int64_t length, std::int64_t step) {
  auto carry = Running::kStart;
  for (std::int64_t i = 0; i < length; ++i) out[i * step] = Running::step(carry, x[i * step]);
}

template <class Running, class T>
void cumulate_columns(const T* x, T* out, std::int64_t length, std::int64_t step, std::int64_t width) {
  typename Running::Carry carry[kColumns];
  std::fill_n(carry, width, Running::kStart);
  for (std::int64_t i = 0; i < length; ++i, x += step, out += step) {
    for (std::int64_t j = 0; j < width; ++j) out[j] = Running::step(carry[j], x[j]);
  }
}

template <class Running, class T>
void cumulate_typed(const void* x_memory, void* out_memory, std::int64_t outer, std::int64_t length,
                    std::int64_t inner, bool reversed) {
  const T* x = static_cast<const T*>(x_memory);
  T* out = static_cast<T*>(out_memory);
  const std::int64_t chunks = (inner + kColumns - 1) / kColumns;
  const std::int64_t start = reversed ? (length - 1) * inner : 0;
  const std::int64_t step = reversed ? -inner : inner;
  const std::int64_t together =
      inner == 1 ? std::max<std::int64_t>(1, 4096 / length) : std::max<std::int64_t>(1, 64 / length);
  const double work = Running::kNanoseconds * static_cast<double>(outer * length * inner);
  parallel_tiles((outer * chunks + together - 1) / together, work, [&](std::int64_t tile) {
    const std::int64_t end = std::min(outer * chunks, (tile + 1) * together);
    for (std::int64_t i = tile * together; i < end; ++i) {
      const std::int64_t column = i % chunks * kColumns;
      const std::int64_t offset = i / chunks * length * inner + start + column;
      if (inner == 1) {
        cumulate_row<Running>(x + offset, out + offset, length, step);
      } else {
        cumulate_columns<Running>(x + offset, out + offset, length, step, std::min(kColumns, inner - column));
      }
    }
  });
}

template <template <class> class Running>
bool cumulate_numbers(DType type, const void* x, void* out, std::int64_t outer, std::int64_t length,
                      std::int64_t inner, bool reversed) {
  constexpr bool kOfWhole = !std::is_same_v<Running<float>, RunningLogSumExp<float>>;
  return detail::with_type("cumulate", type, [&]<class T>(T) {
    if constexpr (std::is_floating_point_v<T> || (kOfWhole && std::is_same_v<T, std::int64_t>)) {
      cumulate_typed<Running<T>, T>(x, out, outer, length, inner, reversed);
      return true;
    } else {
      return false;
    }
  });
}

}  // namespace

void cumulate(Cumulative operation, DType type, const void* x, void* out, std::int64_t outer,
              std::int64_t length, std::int64_t inner, bool reversed) {
  if (outer == 0 || length == 0 || inner == 0) return;
  bool done = false;
  switch (operation) {
    case Cumulative::sum:
      done = cumulate_numbers<RunningSum>(type, x, out, outer, length, inner, reversed);
      break;
    case Cumulative::product:
      done = cumulate_numbers<RunningProduct>(type, x, out, outer, length, inner, reversed);
      break;
    case Cumulative::logsumexp:
      done = cumulate_numbers<RunningLogSumExp>(type, x, out, outer, length, inner, reversed);
      break;
  }
  if (!done) refuse("cumulate", "no such running total of " + std::string(name_of(type)));
}

}  // namespace likely::kernels
