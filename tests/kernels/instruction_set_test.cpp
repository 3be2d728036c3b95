#include "likely/kernels/instruction_set.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "likely/core/error.hpp"
#include "likely/kernels/gemm/gemm.hpp"

namespace likely::kernels {
namespace {

TEST(InstructionSet, RefusesAnUnknownName) { EXPECT_THROW(use_instruction_set("abacus"), Error); }

TEST(InstructionSet, IsTheOneThatWasAskedFor) {
  const std::string before = instruction_set();
  for (const std::string& name : instruction_sets()) {
    use_instruction_set(name);
    EXPECT_EQ(instruction_set(), name);
  }
  use_instruction_set(before);
  EXPECT_EQ(instruction_set(), before);
}

// Widths of vectors do not change a product's bits, only whether multiply and add are rounded once or twice.
TEST(InstructionSet, ProductsHaveTheSameBitsWithAnyFusedMultiplyAdd) {
  std::mt19937 generator(1);
  std::uniform_real_distribution<float> uniform(-1, 1);
  std::vector<float> a(70 * 300);
  std::vector<float> b(300 * 90);
  for (float& value : a) value = uniform(generator);
  for (float& value : b) value = uniform(generator);
  std::vector<std::vector<float>> results;
  const std::string before = instruction_set();
  const auto sets = instruction_sets();
  ASSERT_FALSE(sets.empty());
  for (const auto& name : sets) {
    if (name != "avx512" && name != "avx2") continue;
    use_instruction_set(name);
    std::vector<float> c(70 * 90);
    gemm(false, true, 70, 90, 300, 1.0f, a.data(), 300, b.data(), 300, 0.0f, c.data(), 90);
    results.push_back(c);
  }
  use_instruction_set(before);
  for (const auto& result : results) EXPECT_EQ(result, results.front());
}

}  // namespace
}  // namespace likely::kernels
