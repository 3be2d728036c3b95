#include "likely/core/finite_number.hpp"

#include <gtest/gtest.h>

namespace likely {
namespace {

TEST(FiniteNumber, IsTheWholeText) {
  EXPECT_EQ(finite_number("0.1"), 0.1);
  EXPECT_EQ(finite_number("-3"), -3.0);
  EXPECT_EQ(finite_number("1e-4"), 1e-4);
  for (const char* const text :
       {"", " 1", "1 ", "+1", "1,5", "0x10", "nan", "inf", "-infinity", "1e999", "1e-999", "one", "1.5.2"})
    EXPECT_EQ(finite_number(text), std::nullopt) << text;
}

}  // namespace
}  // namespace likely
