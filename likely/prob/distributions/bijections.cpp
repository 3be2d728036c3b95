#include "likely/prob/distributions/bijections.hpp"

#include "likely/core/create.hpp"
#include "likely/ops/activation.hpp"
#include "likely/prob/distributions/standardized.hpp"
#include "likely/prob/distributions/support.hpp"

namespace likely {

namespace {

Tensor everywhere(const Shape& shape, bool value) {
  return constant(shape, value ? 1.0 : 0.0, DType::boolean);
}

}  // namespace

Affine::Affine(const Parameter& shift_given, const Parameter& scale_given) {
  auto parameters = detail::checked("Affine", {{"shift", shift_given, detail::Domain::finite},
                                               {"scale", scale_given, detail::Domain::not_zero}});
  shift = std::move(parameters[0]);
  scale = std::move(parameters[1]);
}

Tensor Affine::forward(const Tensor& x) const { return x * scale + shift; }

Tensor Affine::inverse(const Tensor& y) const { return detail::standardized(y, shift, scale); }

Tensor Affine::log_slope(const Tensor& x) const {
  const Shape shape = broadcast_shapes("Affine", x.shape(), detail::batch_of(shift, scale));
  return expand(log(abs(scale)), shape);
}

Tensor Affine::outside(const Tensor& y) const { return everywhere(y.shape(), false); }

Tensor Affine::rises(const Tensor& x) const {
  return expand(scale > 0.0, broadcast_shapes("Affine", x.shape(), scale.shape()));
}

Tensor RisingBijection::rises(const Tensor& x) { return everywhere(x.shape(), true); }

Tensor ExpMap::forward(const Tensor& x) { return exp(x); }
Tensor ExpMap::inverse(const Tensor& y) { return log(y); }
Tensor ExpMap::log_slope(const Tensor& x) { return x; }
Tensor ExpMap::outside(const Tensor& y) { return y <= 0.0; }

Tensor SoftplusMap::forward(const Tensor& x) { return softplus(x); }
// log(e^y - 1), without overflow.
Tensor SoftplusMap::inverse(const Tensor& y) { return y + log(-expm1(-y)); }
Tensor SoftplusMap::log_slope(const Tensor& x) { return logsigmoid(x); }
Tensor SoftplusMap::outside(const Tensor& y) { return y <= 0.0; }

Tensor SigmoidMap::forward(const Tensor& x) { return sigmoid(x); }
Tensor SigmoidMap::inverse(const Tensor& y) { return logit(y); }
Tensor SigmoidMap::log_slope(const Tensor& x) { return logsigmoid(x) + logsigmoid(-x); }
Tensor SigmoidMap::outside(const Tensor& y) { return logical_or(y <= 0.0, y >= 1.0); }

Tensor TanhMap::forward(const Tensor& x) { return tanh(x); }
Tensor TanhMap::inverse(const Tensor& y) { return (log1p(y) - log1p(-y)) * 0.5; }
// log(1 - tanh^2 x) = 2 (log 2 - x - log(1 + e^-2x)), which keeps its digits for large x.
Tensor TanhMap::log_slope(const Tensor& x) { return (std::numbers::ln2 - x - softplus(x * -2.0)) * 2.0; }
Tensor TanhMap::outside(const Tensor& y) { return logical_or(y <= -1.0, y >= 1.0); }

}  // namespace likely
