// error: static assertion failed: a member of this model holds tensors and is missing from its LIKELY_PARTS
#include "likely/tree/tree.hpp"

struct Model {
  likely::Tensor weight, bias;
  LIKELY_PARTS(weight)
};

auto names_of(const Model& model) { return likely::named_parts(model); }
