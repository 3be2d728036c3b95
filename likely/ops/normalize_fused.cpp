#include "likely/ops/normalize_fused.hpp"

#include <vector>

#include "likely/autodiff/gradient.hpp"
#include "likely/core/create.hpp"
#include "likely/core/dispatch.hpp"
#include "likely/kernels/normalize/normalize.hpp"
#include "likely/ops/activation.hpp"
#include "likely/ops/arithmetic.hpp"
#include "likely/ops/math.hpp"
#include "likely/ops/reduce.hpp"
#include "likely/ops/view.hpp"

namespace likely::detail {

namespace {

// The same normalization times the weight, written with public operations: what the derivatives of the fused
// backward pass are taken of.
Tensor composed_norm(const Norm& norm, const Tensor& x, const Tensor& weight) {
  const Shape shape = x.shape();
  const bool in_groups = norm.kind == NormKind::group;
  const Tensor cut = in_groups ? reshape(x, {shape[0], norm.groups, shape[1] / norm.groups * shape[2]}) : x;
  const Axes axes = norm.kind == NormKind::batch ? Axes{0, 2} : in_groups ? Axes{2} : Axes{1, 2};
  const Tensor centred = norm.kind == NormKind::rms ? cut : cut - mean(cut, axes, true);
  const Tensor h = centred * rsqrt(mean(square(centred), axes, true) + norm.epsilon);
  const Tensor y = in_groups ? reshape(h, shape) : h;
  return weight.defined() ? y * reshape(weight, {shape[1], 1}) : y;
}

template <class T>
const T* pointer(const Tensor& x) {
  return x.defined() ? x.data<T>() : nullptr;
}

template <class T>
T* mutable_pointer(Tensor& x) {
  return x.defined() ? x.mutable_data<T>() : nullptr;
}

Tensor dense(const Tensor& x) { return x.defined() ? x.contiguous() : x; }

kernels::ImageShape image_shape(const Tensor& x) { return {x.shape()[0], x.shape()[1], x.shape()[2]}; }

// How many means a normalization keeps.
std::int64_t statistics(const Norm& norm, const Shape& shape) {
  return norm.kind == NormKind::batch   ? shape[1]
         : norm.kind == NormKind::group ? shape[0] * norm.groups
                                        : shape[0];
}

NormOutput norm_of_numbers(const Norm& norm, const Tensor& input, const Tensor& weight, const Tensor& bias,
                           const Tensor& residual) {
  const Tensor x = input.contiguous();
  const Tensor w = dense(weight), b = dense(bias), added = dense(residual);
  const Shape kept{statistics(norm, x.shape())};
  const auto make = [&](const Shape& shape) { return Tensor::uninitialized(shape, x.dtype()); };
  NormOutput out{make(x.shape()), make(kept), make(kept),
                 norm.kind == NormKind::batch ? make(kept) : Tensor()};
  if (x.size() == 0) return out;
  const std::int64_t rows = x.shape()[0], cols = x.size() / rows;
  with_floating(norm.name, x.dtype(), [&]<class T>(T) {
    const T* from = x.data<T>();
    T* y = out.y.mutable_data<T>();
    T* mean = out.mean.mutable_data<T>();
    T* rstd = out.rstd.mutable_data<T>();
    switch (norm.kind) {
      case NormKind::layer:
        kernels::layer_norm(from, pointer<T>(w), pointer<T>(b), norm.epsilon, y, mean, rstd, rows, cols);
        break;
      case NormKind::rms: kernels::rms_norm(from, pointer<T>(w), norm.epsilon, y, rstd, rows, cols); break;
      case NormKind::batch:
        kernels::batch_norm(from, image_shape(x), pointer<T>(w), pointer<T>(b), pointer<T>(added), norm.relu,
                            norm.epsilon, y, mean, out.variance.mutable_data<T>(), rstd);
        break;
      case NormKind::group:
        kernels::group_norm(from, image_shape(x), norm.groups, pointer<T>(w), pointer<T>(b), norm.epsilon, y,
                            mean, rstd);
        break;
    }
  });
  return out;
}

// What the forward pass left for the backward pass: constants.
struct Saved {
  Tensor mean, rstd;
  Tensor relu_output;  // empty without a relu
};

// Gradients that are not wanted are empty.
struct NormGradients {
  Tensor x, weight, bias, residual;
};

struct Wanted {
  bool weight, bias, residual;
};

NormGradients gradients_of_numbers(const Norm& norm, const Tensor& input, const Tensor& gradient,
                                   const Tensor& weight, const Saved& saved, const Wanted& wanted) {
  const Tensor x = input.contiguous();
  const Tensor g = gradient.contiguous();
  const Tensor w = dense(weight);
  const Shape channels{x.shape()[1]};
  const bool empty = x.size() == 0;
  const auto make = [&](const Shape& shape) {
    return empty ? zeros(shape, x.dtype()) : Tensor::uninitialized(shape, x.dtype());
  };
  NormGradients d{make(x.shape()), wanted.weight ? make(channels) : Tensor(),
                  wanted.bias ? make(channels) : Tensor(), wanted.residual ? make(x.shape()) : Tensor()};
  if (empty) return d;
  const std::int64_t rows = x.shape()[0], cols = x.size() / rows;
  with_floating(norm.name, x.dtype(), [&]<class T>(T) {
    const T* from = x.data<T>();
    const T* mean = saved.mean.data<T>();
    const T* rstd = saved.rstd.data<T>();
    T* dx = d.x.mutable_data<T>();
    T* dw = mutable_pointer<T>(d.weight);
    T* db = mutable_pointer<T>(d.bias);
    switch (norm.kind) {
      case NormKind::layer:
        kernels::layer_norm_backward(from, g.data<T>(), pointer<T>(w), mean, rstd, dx, dw, db, rows, cols);
        break;
      case NormKind::rms:
        kernels::rms_norm_backward(from, g.data<T>(), pointer<T>(w), rstd, dx, dw, rows, cols);
        break;
      case NormKind::batch:
        kernels::batch_norm_backward(from, g.data<T>(), pointer<T>(saved.relu_output), image_shape(x), mean,
                                     rstd, pointer<T>(w), dx, dw, db, mutable_pointer<T>(d.residual));
        break;
      case NormKind::group:
        kernels::group_norm_backward(from, g.data<T>(), image_shape(x), norm.groups, mean, rstd,
                                     pointer<T>(w), dx, dw, db);
        break;
    }
  });
  return d;
}

Tensor through_relu(const Saved& saved, const Tensor& g) {
  return saved.relu_output.defined() ? relu_gradient(saved.relu_output, g) : g;
}

// One backward pass makes all gradients; each is recorded as a node of its own, with the derivative of the
// composed form. Which elements a relu lets pass is a constant to them.
NormGradients norm_gradients(const Norm& norm, const Tensor& x, const Tensor& g, const Tensor& weight,
                             const Saved& saved, const Wanted& wanted) {
  Tape* tape = recording_tape(x, g, weight);
  if (tape == nullptr) return gradients_of_numbers(norm, x, g, weight, saved, wanted);
  const std::vector<Tensor> lower{tape->below(x), tape->below(g), tape->below(weight)};
  NormGradients d = norm_gradients(norm, lower[0], lower[1], lower[2], saved, wanted);
  const auto record = [&](const Tensor& value, std::size_t which) {
    return tape->record(norm.gradient_name, value, {&x, &g, &weight},
                        [norm, lower, saved, which](const Tensor& h, Pull& pull) {
                          const auto composed = [&](const std::vector<Tensor>& in) {
                            const auto forward = vjp(std::vector<Tensor>{in[0], in[2]}, [&](const auto& p) {
                              return composed_norm(norm, p[0], p[1]);
                            });
                            return forward.pull_back(through_relu(saved, in[1]))[which];
                          };
                          const std::vector<Tensor> pulled = vjp(lower, composed).pull_back(h);
                          for (int i = 0; i < 3; ++i) {
                            pull(i, [&] { return pulled[static_cast<std::size_t>(i)]; });
                          }
                        });
  };
  d.x = record(d.x, 0);
  if (d.weight.defined()) d.weight = record(d.weight, 1);
  if (d.bias.defined()) {
    d.bias = tape->record(
        norm.gradient_name, d.bias, {&g}, [saved, shape = x.shape()](const Tensor& h, Pull& pull) {
          pull(0, [&] { return through_relu(saved, expand(reshape(h, {shape[1], 1}), shape)); });
        });
  }
  if (d.residual.defined()) {
    d.residual = tape->record(norm.gradient_name, d.residual, {&g}, [saved](const Tensor& h, Pull& pull) {
      pull(0, [&] { return through_relu(saved, h); });
    });
  }
  return d;
}

}  // namespace

NormOutput fused_norm(const Norm& norm, const Tensor& x, const Tensor& weight, const Tensor& bias,
                      const Tensor& residual) {
  Tape* tape = recording_tape(x, weight, bias, residual);
  if (tape == nullptr) return norm_of_numbers(norm, x, weight, bias, residual);
  const Tensor lower_x = tape->below(x);
  const Tensor lower_weight = tape->below(weight);
  NormOutput out = fused_norm(norm, lower_x, lower_weight, tape->below(bias), tape->below(residual));
  const Saved saved{out.mean, out.rstd, norm.relu ? out.y.with_track({}) : Tensor()};
  out.y = tape->record(norm.name, out.y, {&x, &weight, &bias, &residual},
                       [norm, x = lower_x, weight = lower_weight, saved](const Tensor& g, Pull& pull) {
                         const Wanted wanted{pull.wants(1), pull.wants(2), pull.wants(3)};
                         const NormGradients d = norm_gradients(norm, x, g, weight, saved, wanted);
                         pull(0, [&] { return d.x; });
                         pull(1, [&] { return d.weight; });
                         pull(2, [&] { return d.bias; });
                         pull(3, [&] { return d.residual; });
                       });
  return out;
}

}  // namespace likely::detail
