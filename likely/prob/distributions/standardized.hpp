// Numbers by their distance from a location in units of a scale, also where something on the way to them is
// too large for its type. Internal to prob/.
#pragma once

#include <utility>

#include "likely/core/tensor.hpp"
#include "likely/ops/arithmetic.hpp"
#include "likely/ops/compare.hpp"
#include "likely/prob/distributions/support.hpp"

namespace likely::detail {

// Of a floating tensor. One pass over the numbers, without a trace on any tape.
bool all_finite(const Tensor& x);

// plain(inputs ...), and where that is not finite careful(inputs ...), which costs more or has fewer digits.
// Either sees the harmless numbers 1, 2, 3 ... where the other one answers, so that no NaN flows back from
// there. Ordinary numbers cost no more than a look at the result.
template <class Plain, class Careful, class... Tensors>
Tensor with_care(const Plain& plain, const Careful& careful, const Tensors&... inputs) {
  Tensor result = plain(inputs...);
  if (all_finite(result)) return result;
  const Tensor fine = is_finite(result);
  const auto but_where = [](const Tensor& mask, const Tensor& x, std::size_t number) {
    return masked_fill(expand(x, mask.shape()), mask, static_cast<double>(number));
  };
  const auto part = [&]<std::size_t... kPlace>(const auto& f, const Tensor& mask,
                                               std::index_sequence<kPlace...>) {
    return f(but_where(mask, inputs, kPlace + 1)...);
  };
  constexpr auto kPlaces = std::index_sequence_for<Tensors...>();
  return where(fine, part(plain, logical_not(fine), kPlaces), part(careful, fine, kPlaces));
}

// (x - location) / scale, also where the difference is too large for its type.
Tensor standardized(const Tensor& x, const Tensor& location, const Tensor& scale);

// log|x - location| - log(scale), where the quotient itself may be too large.
Tensor log_standardized(const Tensor& x, const Tensor& location, const Tensor& scale);

}  // namespace likely::detail
