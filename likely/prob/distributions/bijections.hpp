// Maps of numbers that can be undone, element by element, for Transformed.
//
// A bijection is any type with
//   Tensor forward(const Tensor& x) const;            y
//   Tensor inverse(const Tensor& y) const;            x, for y in its range
//   Tensor log_slope(const Tensor& x) const;          log |dy/dx|
//   Tensor outside(const Tensor& y) const;            bool: where y is not in its range
//   Tensor rises(const Tensor& x) const;              bool: where y grows with x
// Its range is an interval, and 0 is mapped into it.
#pragma once

#include "likely/core/parts.hpp"
#include "likely/prob/distributions/parameters.hpp"

namespace likely {

// y = shift + scale x. Refuses a shift that is not finite and a scale that is 0 or not finite.
class Affine {
 public:
  Tensor shift, scale;
  Affine(const Parameter& shift, const Parameter& scale);

  Tensor forward(const Tensor& x) const;
  Tensor inverse(const Tensor& y) const;
  Tensor log_slope(const Tensor& x) const;
  Tensor outside(const Tensor& y) const;
  Tensor rises(const Tensor& x) const;

  LIKELY_PARTS(shift, scale)
};

// What the maps below share: they rise and have no parts.
struct RisingBijection {
  static Tensor rises(const Tensor& x);
  LIKELY_PARTS()
};

// y = e^x > 0.
struct ExpMap : RisingBijection {
  static Tensor forward(const Tensor& x);
  static Tensor inverse(const Tensor& y);
  static Tensor log_slope(const Tensor& x);
  static Tensor outside(const Tensor& y);
};

// y = log(1 + e^x) > 0.
struct SoftplusMap : RisingBijection {
  static Tensor forward(const Tensor& x);
  static Tensor inverse(const Tensor& y);
  static Tensor log_slope(const Tensor& x);
  static Tensor outside(const Tensor& y);
};

// y = 1 / (1 + e^-x), between 0 and 1.
struct SigmoidMap : RisingBijection {
  static Tensor forward(const Tensor& x);
  static Tensor inverse(const Tensor& y);
  static Tensor log_slope(const Tensor& x);
  static Tensor outside(const Tensor& y);
};

// y = tanh x, between -1 and 1.
struct TanhMap : RisingBijection {
  static Tensor forward(const Tensor& x);
  static Tensor inverse(const Tensor& y);
  static Tensor log_slope(const Tensor& x);
  static Tensor outside(const Tensor& y);
};

}  // namespace likely
