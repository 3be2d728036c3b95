#include "likely/core/parts.hpp"

#include "likely/core/error.hpp"

namespace likely {

void detail::refuse_other_lengths(const char* caller) {
  refuse(caller, "the vectors or optionals of the two models do not have as many elements");
}

}  // namespace likely
