#include "likely/ops/triangle.hpp"

#include <gtest/gtest.h>

#include "likely/core/create.hpp"
#include "likely/ops/arithmetic.hpp"
#include "likely/ops/view.hpp"
#include "tests/support/check_gradients.hpp"

namespace likely {
namespace {

using testing::check_gradients;
using testing::expect_refusal;
using testing::numbers;
using Inputs = std::vector<Tensor>;

TEST(Triangle, KeepsOneSideOfADiagonal) {
  const Tensor x = numbers({2, 3, 4});
  for (std::int64_t diagonal = -5; diagonal <= 5; ++diagonal) {
    const Tensor low = tril(x, diagonal);
    const Tensor high = triu(x, diagonal);
    for (std::int64_t b = 0; b < 2; ++b) {
      for (std::int64_t i = 0; i < 3; ++i) {
        for (std::int64_t j = 0; j < 4; ++j) {
          EXPECT_EQ(low.at({b, i, j}), j <= i + diagonal ? x.at({b, i, j}) : 0.0);
          EXPECT_EQ(high.at({b, i, j}), j >= i + diagonal ? x.at({b, i, j}) : 0.0);
        }
      }
    }
  }
}

TEST(Triangle, TakesAnyTypeAndStrides) {
  EXPECT_TRUE(array_equal(tril(tensor({{1, 2}, {3, 4}})), tensor({{1, 0}, {3, 4}})));
  EXPECT_TRUE(array_equal(triu(ones({2, 2}, DType::boolean)), tensor({{true, true}, {false, true}})));
  EXPECT_TRUE(array_equal(tril(transpose(tensor({{1, 2}, {3, 4}}))), tensor({{1, 0}, {2, 4}})));
  EXPECT_TRUE(array_equal(tril(constant({2, 2}, 1.0)), tensor({{1.0, 0.0}, {1.0, 1.0}})));
  EXPECT_EQ(tril(zeros({0, 3})).shape(), (Shape{0, 3}));
  EXPECT_EQ(triu(zeros({3, 0})).shape(), (Shape{3, 0}));
}

TEST(Triangle, HasGradients) {
  check_gradients("tril", [](const Inputs& x) { return tril(x[0], 1) * x[0]; }, {numbers({2, 3, 3})});
  check_gradients("triu", [](const Inputs& x) { return triu(transpose(x[0]), -1) * 2.0; }, {numbers({2, 3})});
}

TEST(Triangle, Refuses) {
  expect_refusal([] { tril(zeros({3})); }, "[tril] matrices are needed, got shape (3,)");
  expect_refusal([] { triu(zeros({})); }, "[triu] matrices are needed, got shape ()");
}

}  // namespace
}  // namespace likely
