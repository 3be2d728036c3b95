#include "tests/support/refusal.hpp"

#include <gtest/gtest.h>

#include "likely/core/error.hpp"

namespace likely::testing {

std::string refusal_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing was refused";
}

void expect_refusal(const std::function<void()>& call, const std::string& message) {
  EXPECT_EQ(refusal_of(call), message);
}

}  // namespace likely::testing
