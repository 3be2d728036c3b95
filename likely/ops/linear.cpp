#include "likely/ops/linear.hpp"

#include <algorithm>

#include "likely/autodiff/tape.hpp"
#include "likely/core/dispatch.hpp"
#include "likely/core/layer_error.hpp"
#include "likely/core/threads.hpp"
#include "likely/kernels/elementwise/elementwise.hpp"
#include "likely/kernels/gemm/gemm.hpp"
#include "likely/ops/activation.hpp"
#include "likely/ops/cast.hpp"
#include "likely/ops/math.hpp"
#include "likely/ops/matmul.hpp"
#include "likely/ops/matrix_layout.hpp"
#include "likely/ops/reduce.hpp"
#include "likely/ops/view.hpp"

namespace likely {

namespace {

void check(const Tensor& x, const Tensor& weight, const Tensor& bias) {
  if (weight.rank() != 2) {
    refuse("linear", "the weight must be (out, in), got shape " + weight.shape().string());
  }
  if (x.rank() == 0 || x.shape().back() != weight.shape()[1]) {
    refuse("linear", "the input has shape " + x.shape().string() + ", the weight " + weight.shape().string() +
                         ": the last dimension must be " + std::to_string(weight.shape()[1]));
  }
  if (bias.defined() && !(bias.shape() == Shape{weight.shape()[0]})) {
    refuse("linear", "the bias must have shape " + Shape{weight.shape()[0]}.string() + ", got " +
                         bias.shape().string());
  }
  for (const Tensor* tensor : {&x, &weight, &bias}) {
    if (tensor->defined() && !is_floating(tensor->dtype())) {
      refuse("linear", "floating numbers are needed, got " + std::string(name_of(tensor->dtype())));
    }
  }
}

kernels::Unary kernel_of(Activation activation) {
  switch (activation) {
    case Activation::tanh: return kernels::Unary::tanh;
    case Activation::sigmoid: return kernels::Unary::sigmoid;
    case Activation::gelu: return kernels::Unary::gelu;
    default: return kernels::Unary::silu;
  }
}

// y = activation(y), in place.
void activate_in_place(Tensor& y, Activation activation) {
  constexpr std::int64_t kTileElements = 8192;
  const kernels::Unary kernel = kernel_of(activation);
  const kernels::UnaryRow row = kernels::unary_row(kernel, y.dtype());
  const auto element = static_cast<std::int64_t>(size_of(y.dtype()));
  const std::int64_t size = y.size();
  char* const begin = static_cast<char*>(y.mutable_raw());
  const double work = kernels::nanoseconds_per_element(kernel, y.dtype()) * static_cast<double>(size);
  parallel_tiles((size + kTileElements - 1) / kTileElements, work, [&](std::int64_t tile) {
    const std::int64_t first = tile * kTileElements;
    char* const place = begin + first * element;
    row(place, place, std::min(kTileElements, size - first), 0.0, 0.0);
  });
}

// y = x W^T + b, and relu of it.
template <class T>
void multiply(const detail::MatrixOperand& x, const detail::MatrixOperand& weight, const Tensor& bias,
              bool relu, std::int64_t rows, Tensor& y) {
  const std::int64_t in = weight.tensor().shape()[1];
  const std::int64_t out = weight.tensor().shape()[0];
  kernels::gemm(x.layout().transposed, !weight.layout().transposed, rows, out, in, T(1), x.tensor().data<T>(),
                x.layout().distance, weight.tensor().data<T>(), weight.layout().distance, T(0),
                y.mutable_data<T>(), out, {.bias = bias.defined() ? bias.data<T>() : nullptr, .relu = relu});
}

Tensor as_matrix(const Tensor& x, std::int64_t columns) {
  if (x.rank() == 2) return x;
  return reshape(x, {x.shape().sub(0, x.rank() - 1).size(), columns});
}

// On plain numbers of one type.
Tensor linear_numbers(const Tensor& x, const Tensor& weight, const Tensor& bias, Activation activation) {
  const std::int64_t out = weight.shape()[0];
  Shape shape = x.shape();
  shape[x.rank() - 1] = out;
  Tensor y = Tensor::uninitialized(shape, x.dtype());
  if (y.size() == 0) return y;
  const std::int64_t rows = y.size() / out;
  const Tensor matrix = as_matrix(x, weight.shape()[1]);
  const detail::MatrixOperand left(matrix);
  const detail::MatrixOperand right(weight);
  const Tensor addend = bias.defined() ? bias.contiguous() : bias;
  const bool relu = activation == Activation::relu;
  detail::with_floating("linear", x.dtype(),
                        [&]<class T>(T) { multiply<T>(left, right, addend, relu, rows, y); });
  if (!relu && activation != Activation::none) activate_in_place(y, activation);
  return y;
}

// The gradient before the activation, for those that only need their output.
Tensor before_activation(const Tensor& y, const Tensor& g, Activation activation) {
  switch (activation) {
    case Activation::relu: return relu_gradient(y, g);
    case Activation::tanh: return tanh_gradient(y, g);
    case Activation::sigmoid: return sigmoid_gradient(y, g);
    default: return g;
  }
}

}  // namespace

std::string_view name_of(Activation activation) {
  switch (activation) {
    case Activation::none: return "none";
    case Activation::relu: return "relu";
    case Activation::tanh: return "tanh";
    case Activation::sigmoid: return "sigmoid";
    case Activation::gelu: return "gelu";
    case Activation::silu: return "silu";
  }
  return "?";
}

Tensor activate(const Tensor& x, Activation activation) {
  switch (activation) {
    case Activation::none: return x;
    case Activation::relu: return relu(x);
    case Activation::tanh: return tanh(x);
    case Activation::sigmoid: return sigmoid(x);
    case Activation::gelu: return gelu(x);
    case Activation::silu: return silu(x);
  }
  return x;
}

Tensor linear(const Tensor& x, const Tensor& weight, const Tensor& bias, Activation activation) {
  concerning({&weight, &bias}, [&] { check(x, weight, bias); });
  if (Tape* tape = recording_tape(x, weight, bias)) {
    if (activation == Activation::gelu || activation == Activation::silu) {
      // Their derivatives need what comes before them, so it has to be kept anyway.
      return activate(linear(x, weight, bias), activation);
    }
    const Tensor lower_x = tape->below(x);
    const Tensor lower_weight = tape->below(weight);
    const Tensor y = linear(lower_x, lower_weight, tape->below(bias), activation);
    const Tensor kept = activation == Activation::none ? Tensor() : y;
    return tape->record(
        "linear", y, {&x, &weight, &bias},
        [x = lower_x, weight = lower_weight, kept, activation](const Tensor& g, Pull& pull) {
          const Tensor before = before_activation(kept, g, activation);
          const std::int64_t out = weight.shape()[0];
          pull(0, [&] { return reshape(matmul(as_matrix(before, out), weight), x.shape()); });
          pull(1, [&] { return matmul(transpose(as_matrix(before, out)), as_matrix(x, weight.shape()[1])); });
          pull(2, [&] { return sum_to(before, {out}); });
        });
  }
  DType dtype = promote(x.dtype(), weight.dtype());
  if (bias.defined()) dtype = promote(dtype, bias.dtype());
  const auto fits = [dtype](const Tensor& t) { return !t.defined() || t.dtype() == dtype; };
  if (fits(x) && fits(weight) && fits(bias)) return linear_numbers(x, weight, bias, activation);
  return linear_numbers(x.to(dtype), weight.to(dtype), bias.defined() ? bias.to(dtype) : bias, activation);
}

}  // namespace likely
