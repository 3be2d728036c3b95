#include "likely/ops/elementwise.hpp"

#include "likely/autodiff/tape.hpp"
#include "likely/core/dispatch.hpp"
#include "likely/core/layer_error.hpp"
#include "likely/kernels/strided/strided.hpp"
#include "likely/ops/cast.hpp"
#include "likely/ops/view.hpp"

namespace likely::detail {

namespace {

// An operand seen in the broadcast shape; dimensions of size 1 stand still.
Strides broadcast_strides(const Tensor& x, const Shape& shape) {
  if (x.shape() == shape) return x.strides();
  Strides strides = Strides::filled(shape.rank(), 0);
  const int lead = shape.rank() - x.rank();
  for (int i = 0; i < x.rank(); ++i) {
    if (x.shape()[i] != 1) strides[lead + i] = x.strides()[i];
  }
  return strides;
}

}  // namespace

Tensor unary(const char* name, kernels::Unary operation, Save save, UnaryRule rule, const Tensor& x, double p,
             double q) {
  if (Tape* tape = recording_tape(x)) {
    Tensor lower = tape->below(x);
    Tensor y = unary(name, operation, save, rule, lower, p, q);
    if (rule == nullptr) return y;
    Tensor saved = save == Save::input ? std::move(lower) : save == Save::output ? y : Tensor();
    return tape->record(name, std::move(y), {&x},
                        [rule, saved = std::move(saved), p, q](const Tensor& g, Pull& pull) {
                          pull(0, [&] { return rule(saved, g, p, q); });
                        });
  }
  const DType dtype = x.dtype();
  if (kernels::unary_row(operation, dtype) == nullptr) {
    if (is_floating(dtype)) refuse_type(name, dtype);
    const bool whole = dtype == DType::boolean && kernels::unary_row(operation, DType::i64) != nullptr;
    return unary(name, operation, save, rule, cast(x, whole ? DType::i64 : DType::f32), p, q);
  }
  Tensor y = Tensor::uninitialized_like(x);
  if (x.is_contiguous()) {
    kernels::apply_unary(operation, dtype, x.raw(), y.mutable_raw(), x.size(), p, q);
  } else {
    kernels::apply_unary(operation, dtype, {x.raw(), x.strides().data()}, y.mutable_raw(), x.rank(),
                         x.shape().data(), p, q);
  }
  return y;
}

Tensor binary(const char* name, kernels::Binary operation, const BinaryRules& rules, const Tensor& a,
              const Tensor& b, double p) {
  if (Tape* tape = recording_tape(a, b)) {
    Tensor lower_a = tape->below(a);
    Tensor lower_b = tape->below(b);
    Tensor y = binary(name, operation, rules, lower_a, lower_b, p);
    if (rules.use_inputs) {
      Tensor output = rules.use_output ? y : Tensor();
      return tape->record(name, std::move(y), {&a, &b},
                          [rules, a = std::move(lower_a), b = std::move(lower_b), y = std::move(output), p](
                              const Tensor& g, Pull& pull) {
                            if (rules.first != nullptr) {
                              pull(0, [&] { return sum_to(rules.first(a, b, y, g, p), a.shape()); });
                            }
                            if (rules.second != nullptr) {
                              pull(1, [&] { return sum_to(rules.second(a, b, y, g, p), b.shape()); });
                            }
                          });
    }
    if (a.shape() == b.shape()) {
      return tape->record(name, std::move(y), {&a, &b}, [rules, p](const Tensor& g, Pull& pull) {
        const Tensor none;
        pull(0, [&] { return rules.first(none, none, none, g, p); });
        pull(1, [&] { return rules.second(none, none, none, g, p); });
      });
    }
    // Nothing to keep but the shapes.
    return tape->record(name, std::move(y), {&a, &b},
                        [rules, sa = a.shape(), sb = b.shape(), p](const Tensor& g, Pull& pull) {
                          const Tensor none;
                          pull(0, [&] { return sum_to(rules.first(none, none, none, g, p), sa); });
                          pull(1, [&] { return sum_to(rules.second(none, none, none, g, p), sb); });
                        });
  }
  if (a.dtype() != b.dtype()) {
    const DType common = promote(a.dtype(), b.dtype());
    return binary(name, operation, rules, cast(a, common), cast(b, common), p);
  }
  const DType dtype = a.dtype();
  if (kernels::binary_row(operation, dtype) == nullptr) {
    if (dtype != DType::boolean) refuse_type(name, dtype);
    return binary(name, operation, rules, cast(a, DType::i64), cast(b, DType::i64), p);
  }
  if (a.is_contiguous() && b.is_contiguous() && a.shape() == b.shape()) {
    Tensor y = Tensor::uninitialized_like(a);
    kernels::apply_binary(operation, dtype, a.raw(), b.raw(), y.mutable_raw(), y.size(), p);
    return y;
  }
  const Shape shape = concerning({&a, &b}, [&] { return broadcast_shapes(name, a.shape(), b.shape()); });
  Tensor y = Tensor::uninitialized(shape, dtype);
  const Strides strides_a = broadcast_strides(a, shape);
  const Strides strides_b = broadcast_strides(b, shape);
  kernels::apply_binary(operation, dtype, {a.raw(), strides_a.data()}, {b.raw(), strides_b.data()},
                        y.mutable_raw(), shape.rank(), shape.data(), p);
  return y;
}

namespace {

// Calls run(operand a, operand b, output, rank, shape) on the broadcast operands; the output is bool.
template <class Run>
Tensor to_bools(const char* name, const Tensor& a, const Tensor& b, Run run) {
  const Shape shape = broadcast_shapes(name, a.shape(), b.shape());
  Tensor y = Tensor::uninitialized(shape, DType::boolean);
  const Strides strides_a = broadcast_strides(a, shape);
  const Strides strides_b = broadcast_strides(b, shape);
  run(kernels::Operand{a.raw(), strides_a.data()}, kernels::Operand{b.raw(), strides_b.data()},
      y.mutable_raw(), shape.rank(), shape.data());
  return y;
}

}  // namespace

Tensor compare(const char* name, kernels::Compare operation, const Tensor& a, const Tensor& b) {
  const DType common = promote(a.dtype(), b.dtype());
  return to_bools(name, a.with_track({}).to(common), b.with_track({}).to(common),
                  [&](auto x, auto y, void* out, int rank, const auto* shape) {
                    kernels::apply_compare(operation, common, x, y, out, rank, shape);
                  });
}

Tensor logical(const char* name, kernels::Logical operation, const Tensor& a, const Tensor& b) {
  if (a.dtype() != DType::boolean || b.dtype() != DType::boolean) {
    refuse(name, "bools are needed, got " + std::string(name_of(a.dtype())) + " and " +
                     std::string(name_of(b.dtype())));
  }
  return to_bools(name, a, b, [&](auto x, auto y, void* out, int rank, const auto* shape) {
    kernels::apply_logical(operation, x, y, out, rank, shape);
  });
}

}  // namespace likely::detail
