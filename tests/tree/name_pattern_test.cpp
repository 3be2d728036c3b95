#include "likely/tree/name_pattern.hpp"

#include <gtest/gtest.h>

namespace likely {
namespace {

TEST(NamePattern, StarsStandForAnyCharacters) {
  EXPECT_TRUE(name_fits("encoder.3.bias", "*.bias"));
  EXPECT_TRUE(name_fits("encoder.3.bias", "encoder.*"));
  EXPECT_TRUE(name_fits("encoder.3.bias", "*3*"));
  EXPECT_TRUE(name_fits("encoder.3.bias", "e*.*s"));
  EXPECT_TRUE(name_fits("aab", "*ab"));  // a first guess that has to be taken back
  EXPECT_TRUE(name_fits("", "*"));
  EXPECT_TRUE(name_fits("", ""));
  EXPECT_TRUE(name_fits("a", "a**"));
}

TEST(NamePattern, EverythingElseStandsForItself) {
  EXPECT_FALSE(name_fits("encoder.3.bias", "bias"));
  EXPECT_FALSE(name_fits("bias", "*.bias"));
  EXPECT_FALSE(name_fits("encoder.30.bias", "encoder.3.*"));
  EXPECT_FALSE(name_fits("a", ""));
  EXPECT_FALSE(name_fits("ab", "a"));
  EXPECT_FALSE(name_fits("a", "a?"));
}

TEST(NamePattern, BarsSeparateAlternatives) {
  EXPECT_TRUE(name_fits("norm.weight", "*.bias|norm.*"));
  EXPECT_TRUE(name_fits("x.bias", "*.bias|norm.*"));
  EXPECT_FALSE(name_fits("x.weight", "*.bias|norm.*"));
}

}  // namespace
}  // namespace likely
