// What a call says when it refuses.
#pragma once

#include <string>

#include "likely/core/error.hpp"

namespace likely::choice::testing {

template <class Call>
std::string refusal(const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing was refused";
}

}  // namespace likely::choice::testing
