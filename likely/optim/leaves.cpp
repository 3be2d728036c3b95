#include "likely/optim/leaves.hpp"

#include <string>

namespace likely::optim {

void detail::check_leaves(const char* optimizer, const std::vector<Leaf>& leaves, std::size_t gradients,
                          std::size_t expected) {
  if (leaves.size() != expected) {
    refuse(optimizer, "made for a model of " + std::to_string(expected) + " tensors, got one of " +
                          std::to_string(leaves.size()));
  }
  if (gradients != leaves.size()) {
    refuse(optimizer, "the model has " + std::to_string(leaves.size()) + " tensors, the gradient " +
                          std::to_string(gradients));
  }
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    if (!leaves[i].learned) continue;
    const Tensor& value = *leaves[i].value;
    const Tensor& gradient = *leaves[i].gradient;
    const std::string which = "tensor " + std::to_string(i);
    if (!gradient.defined()) refuse(optimizer, which + " has no gradient");
    if (!(value.shape() == gradient.shape())) {
      refuse(optimizer,
             which + " has shape " + value.shape().string() + ", its gradient " + gradient.shape().string());
    }
    if (value.dtype() != gradient.dtype()) {
      refuse(optimizer, which + " is " + std::string(name_of(value.dtype())) + ", its gradient " +
                            std::string(name_of(gradient.dtype())));
    }
  }
}

}  // namespace likely::optim
