#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <vector>

#include "likely/core/create.hpp"
#include "likely/ops/view.hpp"
#include "tests/support/check_gradients.hpp"

namespace likely {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

TEST(Equality, ArrayEqualLooksAtTypeShapeAndElements) {
  const Tensor x = tensor({{1.0, 2.0}, {3.0, 4.0}});
  EXPECT_TRUE(array_equal(x, tensor({{1.0, 2.0}, {3.0, 4.0}})));
  EXPECT_FALSE(array_equal(x, tensor({{1.0, 2.0}, {3.0, 5.0}})));
  EXPECT_FALSE(array_equal(x, x.to(DType::f64)));
  EXPECT_FALSE(array_equal(x, reshape(x, {4})));
  EXPECT_TRUE(array_equal(transpose(x), tensor({{1.0, 3.0}, {2.0, 4.0}})));
  EXPECT_TRUE(array_equal(zeros({0, 3}), zeros({0, 3})));
  EXPECT_FALSE(array_equal(zeros({0, 3}), zeros({3, 0})));
  EXPECT_TRUE(array_equal(tensor({0.0}), tensor({-0.0})));
  EXPECT_FALSE(array_equal(tensor({kNan}), tensor({kNan})));
}

TEST(Equality, LargeWholeNumbersAreComparedExactly) {
  const std::int64_t big = (std::int64_t{1} << 53) + 1;
  EXPECT_FALSE(
      array_equal(tensor(std::vector<std::int64_t>{big}), tensor(std::vector<std::int64_t>{big - 1})));
}

TEST(Equality, CloseWithinTolerances) {
  EXPECT_TRUE(allclose(tensor({1.0}), tensor({1.000001})));
  EXPECT_FALSE(allclose(tensor({1.0}), tensor({1.001})));
  EXPECT_TRUE(allclose(tensor({1.0}), tensor({1.1}), 0.0, 0.11));
  EXPECT_TRUE(allclose(tensor({100.0}), tensor({101.0}), 0.01, 0.0));
  EXPECT_TRUE(allclose(tensor({1, 1}), tensor(1.0)));
}

TEST(Equality, InfinityIsCloseToItselfAloneAndNanToNothing) {
  EXPECT_TRUE(allclose(tensor({kInf, -kInf}), tensor({kInf, -kInf})));
  EXPECT_FALSE(allclose(tensor({kInf}), tensor({-kInf})));
  EXPECT_FALSE(allclose(tensor({1.0}), tensor({kInf})));
  EXPECT_FALSE(allclose(tensor({kNan}), tensor({kNan})));
}

TEST(Equality, CloseRefusesShapesThatDoNotBroadcast) {
  testing::expect_refusal([] { allclose(zeros({2}), zeros({3})); },
                          "[allclose] shapes do not broadcast: (2,) and (3,)");
}

}  // namespace
}  // namespace likely
