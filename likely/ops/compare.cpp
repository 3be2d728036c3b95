#include "likely/ops/compare.hpp"

#include <cmath>

#include "likely/autodiff/tape.hpp"
#include "likely/core/create.hpp"
#include "likely/core/dispatch.hpp"
#include "likely/core/layer_error.hpp"
#include "likely/kernels/strided/strided.hpp"
#include "likely/ops/cast.hpp"
#include "likely/ops/elementwise.hpp"
#include "likely/ops/view.hpp"

namespace likely {

using kernels::Compare;
using kernels::Logical;

namespace {

// What every element is found to be.
Tensor everywhere(const Tensor& x, bool truth) { return full(x.shape(), truth ? 1.0 : 0.0, DType::boolean); }

// x ? number. Whole numbers are compared with the whole number that lies on the right side of a floating one:
// x < 1.5 where x < 2.
Tensor compare_with(const char* name, Compare operation, const Tensor& x, const PlainNumber& number) {
  if (is_floating(x.dtype()) || number.is_whole())
    return detail::compare(name, operation, x, number.beside(x));
  const double value = number.value();
  if (std::isnan(value)) return everywhere(x, operation == Compare::not_equal);
  const bool up = operation == Compare::less || operation == Compare::greater_equal;
  const double bound = up ? std::ceil(value) : std::floor(value);
  const bool is_equality = operation == Compare::equal || operation == Compare::not_equal;
  if (is_equality && bound != value) return everywhere(x, operation == Compare::not_equal);
  constexpr double kBeyond = 0x1p63;
  if (bound >= kBeyond || bound < -kBeyond) {
    const bool below = operation == Compare::less || operation == Compare::less_equal;
    return everywhere(x, operation == Compare::not_equal || (!is_equality && below == (bound > 0.0)));
  }
  return detail::compare(name, operation, x, full({}, bound, DType::i64));
}

void check_condition(const char* name, const Tensor& condition) {
  if (condition.dtype() != DType::boolean) {
    refuse(name, "the condition must be bool, got " + std::string(name_of(condition.dtype())));
  }
}

Tensor map_to_bool(const char* name, kernels::CastRow (*row_of)(DType), const Tensor& x, bool otherwise) {
  if (!x.defined()) refuse(name, "an empty tensor was given");
  const kernels::CastRow row = row_of(x.dtype());
  if (row == nullptr) {  // whole numbers and bools are all alike
    return detail::with_type(name, x.dtype(),
                             [&](auto) { return full(x.shape(), otherwise ? 1.0 : 0.0, DType::boolean); });
  }
  const Tensor dense = x.with_track({}).contiguous();
  Tensor result = Tensor::uninitialized(x.shape(), DType::boolean);
  row(dense.raw(), result.mutable_raw(), x.size());
  return result;
}

}  // namespace

Tensor equal(const Tensor& a, const Tensor& b) { return detail::compare("equal", Compare::equal, a, b); }
Tensor not_equal(const Tensor& a, const Tensor& b) {
  return detail::compare("not_equal", Compare::not_equal, a, b);
}
Tensor less(const Tensor& a, const Tensor& b) { return detail::compare("less", Compare::less, a, b); }
Tensor less_equal(const Tensor& a, const Tensor& b) {
  return detail::compare("less_equal", Compare::less_equal, a, b);
}
Tensor greater(const Tensor& a, const Tensor& b) {
  return detail::compare("greater", Compare::greater, a, b);
}
Tensor greater_equal(const Tensor& a, const Tensor& b) {
  return detail::compare("greater_equal", Compare::greater_equal, a, b);
}

Tensor equal(const Tensor& x, PlainNumber number) { return compare_with("equal", Compare::equal, x, number); }
Tensor not_equal(const Tensor& x, PlainNumber number) {
  return compare_with("not_equal", Compare::not_equal, x, number);
}
Tensor less(const Tensor& x, PlainNumber number) { return compare_with("less", Compare::less, x, number); }
Tensor less_equal(const Tensor& x, PlainNumber number) {
  return compare_with("less_equal", Compare::less_equal, x, number);
}
Tensor greater(const Tensor& x, PlainNumber number) {
  return compare_with("greater", Compare::greater, x, number);
}
Tensor greater_equal(const Tensor& x, PlainNumber number) {
  return compare_with("greater_equal", Compare::greater_equal, x, number);
}

Tensor logical_and(const Tensor& a, const Tensor& b) {
  return detail::logical("logical_and", Logical::logical_and, a, b);
}
Tensor logical_or(const Tensor& a, const Tensor& b) {
  return detail::logical("logical_or", Logical::logical_or, a, b);
}
Tensor logical_xor(const Tensor& a, const Tensor& b) {
  return detail::logical("logical_xor", Logical::logical_xor, a, b);
}
Tensor logical_not(const Tensor& x) {
  if (x.dtype() != DType::boolean) {
    refuse("logical_not", "bools are needed, got " + std::string(name_of(x.dtype())));
  }
  return logical_xor(x, full({}, 1.0, DType::boolean));
}

Tensor is_finite(const Tensor& x) { return map_to_bool("is_finite", kernels::is_finite_row, x, true); }
Tensor is_nan(const Tensor& x) { return map_to_bool("is_nan", kernels::is_nan_row, x, false); }

Tensor where(const Tensor& condition, const Tensor& a, const Tensor& b) {
  check_condition("where", condition);
  if (Tape* tape = recording_tape(a, b)) {
    const Tensor y = where(condition, tape->below(a), tape->below(b));
    return tape->record("where", y, {&a, &b},
                        [condition, sa = a.shape(), sb = b.shape()](const Tensor& g, Pull& pull) {
                          pull(0, [&] { return sum_to(where(condition, g, 0.0), sa); });
                          pull(1, [&] { return sum_to(where(condition, 0.0, g), sb); });
                        });
  }
  const DType common = promote(a.dtype(), b.dtype());
  if (a.dtype() != b.dtype()) return where(condition, cast(a, common), cast(b, common));
  const Shape shape = concerning({&a, &b, &condition}, [&] {
    return broadcast_shapes("where", broadcast_shapes("where", a.shape(), b.shape()), condition.shape());
  });
  const Tensor c = expand(condition, shape);
  const Tensor x = expand(a, shape);
  const Tensor y = expand(b, shape);
  Tensor result = Tensor::uninitialized(shape, common);
  kernels::apply_where(common, {c.raw(), c.strides().data()}, {x.raw(), x.strides().data()},
                       {y.raw(), y.strides().data()}, result.mutable_raw(), shape.rank(), shape.data());
  return result;
}

Tensor where(const Tensor& condition, const Tensor& a, PlainNumber b) {
  return where(condition, a, b.beside(a));
}
Tensor where(const Tensor& condition, PlainNumber a, const Tensor& b) {
  return where(condition, a.beside(b), b);
}

Tensor masked_fill(const Tensor& x, const Tensor& mask, PlainNumber value) {
  check_condition("masked_fill", mask);
  if (!(broadcast_shapes("masked_fill", x.shape(), mask.shape()) == x.shape())) {
    refuse("masked_fill",
           "the mask " + mask.shape().string() + " does not broadcast to " + x.shape().string());
  }
  if (Tape* tape = recording_tape(x)) {
    return tape->record(
        "masked_fill", masked_fill(tape->below(x), mask, value), {&x},
        [mask](const Tensor& g, Pull& pull) { pull(0, [&] { return masked_fill(g, mask, 0.0); }); });
  }
  return where(mask, value, x);
}

}  // namespace likely
