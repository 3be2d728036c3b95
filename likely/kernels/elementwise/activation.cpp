#include "likely/core/dispatch.hpp"
#include "likely/kernels/simd_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "likely/kernels/elementwise/activation.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "likely/kernels/elementwise/activation-inl.hpp"
#include "likely/kernels/elementwise/loops-inl.hpp"
#include "likely/kernels/elementwise/tables.hpp"

HWY_BEFORE_NAMESPACE();
namespace likely::kernels::HWY_NAMESPACE {

template <class T>
UnaryRow find_activation(Unary operation) {
  switch (operation) {
    case Unary::tanh: return &unary_loop<T, Tanh>;
    case Unary::relu: return &unary_loop<T, Relu>;
    case Unary::leaky_relu: return &unary_loop<T, LeakyRelu>;
    case Unary::elu: return &unary_loop<T, Elu>;
    case Unary::gelu: return &unary_loop<T, Gelu>;
    case Unary::gelu_tanh: return &unary_loop<T, GeluTanh>;
    case Unary::silu: return &unary_loop<T, Silu>;
    case Unary::hardswish: return &unary_loop<T, HardSwish>;
    case Unary::softplus: return &unary_loop<T, Softplus>;
    case Unary::sigmoid: return &unary_loop<T, Sigmoid>;
    case Unary::logsigmoid: return &unary_loop<T, LogSigmoid>;
    case Unary::heaviside: return &unary_loop<T, Heaviside>;
    case Unary::rect: return &unary_loop<T, Rect>;
    default: return nullptr;
  }
}

UnaryRow find_activation_unary_here(Unary operation, DType type) {
  return detail::floating_or_nothing(type, [&]<class T>(T) { return find_activation<T>(operation); });
}

}  // namespace likely::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace likely::kernels {

HWY_EXPORT(find_activation_unary_here);

UnaryRow find_activation_unary(Unary operation, DType type) {
  return HWY_DYNAMIC_DISPATCH(find_activation_unary_here)(operation, type);
}

}  // namespace likely::kernels
#endif
