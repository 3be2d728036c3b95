// error: static assertion failed: a part of a model has no LIKELY_PARTS
#include "likely/autodiff/gradient.hpp"

struct Inner {
  likely::Tensor weight;
};
struct Outer {
  Inner inner;
  likely::Tensor bias;
  LIKELY_PARTS(inner, bias)
};

void differentiate(Outer& model) {
  likely::grad(model, [](const Outer& m) { return m.bias; });
}
