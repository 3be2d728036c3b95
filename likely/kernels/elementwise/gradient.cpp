#include "likely/core/dispatch.hpp"
#include "likely/kernels/simd_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "likely/kernels/elementwise/gradient.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "likely/kernels/elementwise/gradient-inl.hpp"
#include "likely/kernels/elementwise/loops-inl.hpp"
#include "likely/kernels/elementwise/tables.hpp"

HWY_BEFORE_NAMESPACE();
namespace likely::kernels::HWY_NAMESPACE {

template <class T>
BinaryRow find_gradient(Binary operation) {
  switch (operation) {
    case Binary::tanh_gradient: return &binary_loop<T, TanhGradient>;
    case Binary::sigmoid_gradient: return &binary_loop<T, SigmoidGradient>;
    case Binary::relu_gradient: return &binary_loop<T, ReluGradient>;
    case Binary::leaky_relu_gradient: return &binary_loop<T, LeakyReluGradient>;
    case Binary::elu_gradient: return &binary_loop<T, EluGradient>;
    case Binary::gelu_gradient: return &binary_loop<T, GeluGradient>;
    case Binary::gelu_tanh_gradient: return &binary_loop<T, GeluTanhGradient>;
    case Binary::silu_gradient: return &binary_loop<T, SiluGradient>;
    case Binary::hardswish_gradient: return &binary_loop<T, HardSwishGradient>;
    case Binary::softplus_gradient: return &binary_loop<T, SoftplusGradient>;
    case Binary::abs_gradient: return &binary_loop<T, AbsGradient>;
    default: return nullptr;
  }
}

BinaryRow find_gradient_binary_here(Binary operation, DType type) {
  return detail::floating_or_nothing(type, [&]<class T>(T) { return find_gradient<T>(operation); });
}

}  // namespace likely::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace likely::kernels {

HWY_EXPORT(find_gradient_binary_here);

BinaryRow find_gradient_binary(Binary operation, DType type) {
  return HWY_DYNAMIC_DISPATCH(find_gradient_binary_here)(operation, type);
}

}  // namespace likely::kernels
#endif
