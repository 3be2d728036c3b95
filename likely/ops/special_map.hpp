// A function of double numbers, applied to every element. Internal to ops/.
#pragma once

#include <array>

#include "likely/core/tensor.hpp"
#include "likely/ops/rng_draws.hpp"
#include "likely/ops/view.hpp"

namespace likely::detail {

// f(x, y, ...) of each element of the inputs, which broadcast and must not be tracked. The result has their
// common floating type. `nanoseconds` is what one call takes.
template <class Function, class... Tensors>
Tensor map_numbers(const char* name, double nanoseconds, const Function& f, const Tensors&... inputs) {
  DType dtype = DType::boolean;
  Shape shape;
  ((dtype = promote(dtype, inputs.dtype())), ...);
  ((shape = broadcast_shapes(name, shape, inputs.shape())), ...);
  const std::array<Tensor, sizeof...(inputs)> dense = {expand(inputs.to(DType::f64), shape).contiguous()...};
  std::array<const double*, sizeof...(inputs)> x;
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = dense[i].template data<double>();
  return fill_floating(
      name, shape, is_floating(dtype) ? dtype : DType::f32, [&]<class T>(T* out, std::int64_t n) {
        for_each_element(n, nanoseconds, [&](std::int64_t i) {
          out[i] = static_cast<T>(std::apply([&](const auto*... at) { return f(at[i]...); }, x));
        });
      });
}

}  // namespace likely::detail
