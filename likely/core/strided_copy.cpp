#include "likely/core/strided_copy.hpp"

#include <fmt/format.h>

#include <cmath>
#include <type_traits>

#include "likely/core/dispatch.hpp"
#include "likely/core/error.hpp"
#include "likely/core/strided_walk.hpp"
#include "likely/core/tensor.hpp"

namespace likely::detail {

namespace {

template <class To, class From>
To convert(From value) {
  if constexpr (std::is_same_v<To, bool>) {
    return value != From{0};
  } else if constexpr (std::is_floating_point_v<From> && std::is_same_v<To, std::int64_t>) {
    // Out of range is undefined in C++; saturate, and let NaN be what no index or label is.
    if (std::isnan(value)) return INT64_MIN;
    if (value >= static_cast<From>(9.2233720368547758e18)) return INT64_MAX;
    if (value <= static_cast<From>(-9.2233720368547758e18)) return INT64_MIN;
    return static_cast<To>(value);
  } else {
    return static_cast<To>(value);
  }
}

// A price of moving one element, for parallel_tiles: about what memory allows one core.
template <class To, class From>
constexpr double kNanosecondsPerElement = static_cast<double>(sizeof(To) + sizeof(From)) / 20.0;

template <class To, class From>
void convert_all(const Tensor& source, To* to) {
  const auto* from = static_cast<const From*>(source.raw());
  const StridedWalk walk(source.shape(), source.strides(), row_major_strides(source.shape()));
  walk.run(kNanosecondsPerElement<To, From>, [&](const Rectangle& piece) {
    for (std::int64_t row = 0; row < piece.rows; ++row) {
      const From* x = from + piece.from + row * walk.from_row;
      To* y = to + piece.to + row * walk.to_row;
      if (walk.from_column == 1) {
        for (std::int64_t i = 0; i < piece.columns; ++i) y[i] = convert<To>(x[i]);
      } else {
        for (std::int64_t i = 0; i < piece.columns; ++i) y[i] = convert<To>(x[i * walk.from_column]);
      }
    }
  });
}

template <class To>
void convert_from(const Tensor& source, To* to) {
  with_type("to", source.dtype(), [&]<class From>(From) { convert_all<To, From>(source, to); });
}

}  // namespace

double element(const char* operation, const void* elements, DType dtype, std::int64_t position) {
  return with_type(operation, dtype, [&]<class T>(T) {
    return static_cast<double>(static_cast<const T*>(elements)[position]);
  });
}

void set_element(const char* operation, void* elements, DType dtype, std::int64_t position, double value) {
  with_type(operation, dtype, [&]<class T>(T) {
    if constexpr (std::is_same_v<T, std::int64_t>) {
      if (std::trunc(value) != value || !(value >= -0x1p63 && value < 0x1p63)) {
        refuse(operation, fmt::format("{} is no whole number that i64 holds", value));
      }
    }
    static_cast<T*>(elements)[position] = static_cast<T>(value);
  });
}

void copy_to_dense(const Tensor& source, void* target) {
  copy_strided(size_of(source.dtype()), source.shape(), source.raw(), source.strides(), target,
               row_major_strides(source.shape()));
}

void convert_to_dense(const Tensor& source, void* target, DType target_type) {
  if (source.size() == 0) return;
  if (source.dtype() == target_type) return copy_to_dense(source, target);
  with_type("to", target_type, [&]<class To>(To) { convert_from(source, static_cast<To*>(target)); });
}

}  // namespace likely::detail
