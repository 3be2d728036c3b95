#include "likely/autodiff/dependence.hpp"

#include <fmt/format.h>

#include "likely/core/error.hpp"

namespace likely::detail {

void refuse_independent_loss(const char* caller, const char* what) {
  refuse(caller,
         fmt::format("the {} does not depend on the model: it uses none of its parameters. It must be "
                     "computed from the model that it is handed, by operations on tensors: item(), at() "
                     "and data() read constants out",
                     what));
}

}  // namespace likely::detail
