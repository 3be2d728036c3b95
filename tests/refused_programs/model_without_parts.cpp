// is_tensor_or_struct_with_LIKELY_PARTS_or_container_of_them
#include "likely/tree/tree.hpp"

struct Model {
  likely::Tensor weight;
};

auto names_of(const Model& model) { return likely::named_parts(model); }
