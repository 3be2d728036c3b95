#include "likely/core/strided_copy.hpp"

#include <fmt/format.h>

#include <cmath>
#include <type_traits>

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
  switch (source.dtype()) {
    case DType::f32: return convert_all<To, float>(source, to);
    case DType::f64: return convert_all<To, double>(source, to);
    case DType::i64: return convert_all<To, std::int64_t>(source, to);
    case DType::boolean: return convert_all<To, bool>(source, to);
  }
}

}  // namespace

double element(const void* elements, DType dtype, std::int64_t position) {
  switch (dtype) {
    case DType::f32: return static_cast<double>(static_cast<const float*>(elements)[position]);
    case DType::f64: return static_cast<const double*>(elements)[position];
    case DType::i64: return static_cast<double>(static_cast<const std::int64_t*>(elements)[position]);
    case DType::boolean: return static_cast<const bool*>(elements)[position] ? 1.0 : 0.0;
  }
  return 0.0;
}

void set_element(const char* operation, void* elements, DType dtype, std::int64_t position, double value) {
  switch (dtype) {
    case DType::f32: static_cast<float*>(elements)[position] = static_cast<float>(value); break;
    case DType::f64: static_cast<double*>(elements)[position] = value; break;
    case DType::i64:
      if (std::trunc(value) != value || !(value >= -0x1p63 && value < 0x1p63)) {
        refuse(operation, fmt::format("{} is no whole number that i64 holds", value));
      }
      static_cast<std::int64_t*>(elements)[position] = static_cast<std::int64_t>(value);
      break;
    case DType::boolean: static_cast<bool*>(elements)[position] = value != 0.0; break;
  }
}

void copy_to_dense(const Tensor& source, void* target) {
  copy_strided(size_of(source.dtype()), source.shape(), source.raw(), source.strides(), target,
               row_major_strides(source.shape()));
}

void convert_to_dense(const Tensor& source, void* target, DType target_type) {
  if (source.size() == 0) return;
  if (source.dtype() == target_type) return copy_to_dense(source, target);
  switch (target_type) {
    case DType::f32: return convert_from(source, static_cast<float*>(target));
    case DType::f64: return convert_from(source, static_cast<double*>(target));
    case DType::i64: return convert_from(source, static_cast<std::int64_t*>(target));
    case DType::boolean: return convert_from(source, static_cast<bool*>(target));
  }
}

}  // namespace likely::detail
