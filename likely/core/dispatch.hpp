// The one choice by element type: f(T{}) is called with the C++ type behind a DType. Whoever adds a type is
// led here by the compiler; until it has a case, every operation refuses it by name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "likely/core/dtype.hpp"

namespace likely::detail {

// "[softmax] is not defined for f16", or "[softmax] there is no element type 7".
[[noreturn, gnu::cold]] void refuse_type(const char* operation, DType type);
// "[softmax] floating numbers are needed, got i64"; a floating type that nobody has written it for, or no
// type at all, is refused as above.
[[noreturn, gnu::cold]] void refuse_not_floating(const char* operation, DType type);

// f(T{}), or otherwise() for a type without a case. The functions below are what others call.
template <class Result, class F, class Otherwise>
Result choose_by_type(DType type, const F& f, const Otherwise& otherwise) {
  switch (type) {  // no default, so that the compiler asks what a new type is
    case DType::f32: return f(float{});
    case DType::f64: return f(double{});
    case DType::i64: return f(std::int64_t{});
    case DType::boolean: return f(bool{});
  }
  return otherwise();
}

// For every type; refuses what is none.
template <class F>
auto with_type(const char* operation, DType type, const F& f) -> decltype(f(float{})) {
  using Result = decltype(f(float{}));
  return choose_by_type<Result>(type, f, [&]() -> Result { refuse_type(operation, type); });
}

// For f32 and f64; refuses all others.
template <class F>
auto with_floating(const char* operation, DType type, const F& f) -> decltype(f(float{})) {
  using Result = decltype(f(float{}));
  const auto floating_alone = [&]<class T>(T zero) -> Result {
    if constexpr (std::is_floating_point_v<T>) {
      return f(zero);
    } else {
      refuse_not_floating(operation, type);
    }
  };
  return choose_by_type<Result>(type, floating_alone,
                                [&]() -> Result { refuse_not_floating(operation, type); });
}

// As with_type, but what is no type gets nothing, a null pointer or false, which the caller refuses by name.
template <class F>
auto type_or_nothing(DType type, const F& f) -> decltype(f(float{})) {
  using Result = decltype(f(float{}));
  return choose_by_type<Result>(type, f, [] { return Result{}; });
}

// As with_floating, but all others get nothing.
template <class F>
auto floating_or_nothing(DType type, const F& f) -> decltype(f(float{})) {
  using Result = decltype(f(float{}));
  const auto floating_alone = [&]<class T>(T zero) -> Result {
    if constexpr (std::is_floating_point_v<T>) {
      return f(zero);
    } else {
      return Result{};
    }
  };
  return choose_by_type<Result>(type, floating_alone, [] { return Result{}; });
}

// Whether with_floating has it: what is done in loops for float and for double would pass over any other.
inline bool is_f32_or_f64(DType type) {
  return floating_or_nothing(type, [](auto) { return true; });
}

// What a floating type holds, as double.
struct FloatingLimits {
  double epsilon;       // from 1 to the next number
  double least;         // above 0
  double least_normal;  // above 0, with all digits
  double largest;       // that is finite
  double below_one;     // the largest number below 1
};
inline FloatingLimits limits_of(const char* operation, DType type) {
  return with_floating(operation, type, []<class T>(T) {
    using Limits = std::numeric_limits<T>;
    return FloatingLimits{.epsilon = double{Limits::epsilon()},
                          .least = double{Limits::denorm_min()},
                          .least_normal = double{Limits::min()},
                          .largest = double{Limits::max()},
                          .below_one = 1.0 - 0.5 * double{Limits::epsilon()}};
  });
}

// In kernels the elements of a bool tensor are bytes.
template <class T>
using stored_as = std::conditional_t<std::is_same_v<T, bool>, std::uint8_t, T>;

// What type_or_nothing or floating_or_nothing find, kept for every type, and Entry{} for what is none.
template <class Entry>
class TypeTable {
 public:
  template <class Find>
  void fill(const Find& find) {
    for (std::size_t place = 0; place < kPlaces; ++place) entries_[place] = find(static_cast<DType>(place));
  }
  const Entry& operator[](DType type) const {
    const auto place = static_cast<std::size_t>(type);
    return entries_[place < kPlaces ? place : kPlaces];
  }

 private:
  static constexpr std::size_t kPlaces = 8;  // more than there are types
  Entry entries_[kPlaces + 1] = {};          // the last one stays empty
};

}  // namespace likely::detail
