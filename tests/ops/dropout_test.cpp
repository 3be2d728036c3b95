#include "likely/ops/dropout.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "likely/autodiff/gradient.hpp"
#include "likely/core/create.hpp"
#include "likely/core/threads.hpp"
#include "likely/ops/arithmetic.hpp"
#include "likely/ops/reduce.hpp"
#include "likely/ops/view.hpp"
#include "tests/support/check_gradients.hpp"

namespace likely {
namespace {

using testing::check_gradients;
using testing::expect_refusal;
using testing::numbers;

TEST(Dropout, KeepsTheExpectation) {
  for (const DType dtype : {DType::f32, DType::f64}) {
    const Tensor x = full({200'000}, 2.0, dtype);
    for (const double p : {0.1, 0.5, 0.9}) {
      const Tensor y = dropout(x, p, Rng(1));
      EXPECT_EQ(y.dtype(), dtype);
      double kept = 0;
      for (const double v : y.to_vector<double>()) {
        ASSERT_TRUE(v == 0.0 || std::abs(v - 2.0 / (1.0 - p)) < 1e-5) << v;
        kept += v != 0.0 ? 1 : 0;
      }
      EXPECT_NEAR(kept / 200'000, 1.0 - p, 5 * std::sqrt(p * (1 - p) / 200'000));
    }
  }
}

TEST(Dropout, RepeatsWithItsRngAlone) {
  const Tensor x = ones({1000});
  Rng rng(3);
  const Tensor first = dropout(x, 0.5, rng);
  EXPECT_TRUE(array_equal(first, dropout(x, 0.5, rng)));
  EXPECT_FALSE(array_equal(first, dropout(x, 0.5, rng.split())));
}

TEST(Dropout, DropsTheSameInTheBackwardPass) {
  const Tensor x = ones({1000});
  const Tensor y = dropout(x, 0.3, Rng(4));
  const Tensor g = grad(x, [](const Tensor& in) { return sum(dropout(in, 0.3, Rng(4))); });
  EXPECT_TRUE(array_equal(y, g));
}

TEST(Dropout, WithoutProbabilityDoesNothing) {
  const Tensor x = numbers({3, 4});
  EXPECT_TRUE(array_equal(dropout(x, 0.0, Rng(1)), x));
  EXPECT_EQ(dropout(zeros({0, 2}), 0.5, Rng(1)).shape().string(), "(0, 2)");
  EXPECT_EQ(dropout(tensor(1.0), 0.5, Rng(1)).rank(), 0);
}

TEST(Dropout, Gradients) {
  check_gradients("dropout", [](const auto& in) { return square(dropout(in[0], 0.4, Rng(5))); },
                  {numbers({4, 5})});
  check_gradients("dropout, strided",
                  [](const auto& in) { return square(dropout(transpose(in[0]), 0.4, Rng(5))); },
                  {numbers({4, 5})});
}

TEST(Dropout, GivesTheSameBitsForAnyNumberOfThreads) {
  const Tensor x = Rng(1).normal({300'001});
  const int saved = threads();
  set_threads(1);
  const Tensor expected = dropout(x, 0.3, Rng(2));
  for (const int count : {2, 3}) {
    set_threads(count);
    EXPECT_TRUE(array_equal(dropout(x, 0.3, Rng(2)), expected));
  }
  set_threads(saved);
}

TEST(Dropout, Refuses) {
  expect_refusal([] { dropout(ones({2}), 1.0, Rng(1)); }, "[dropout] p must lie in [0, 1), got 1");
  expect_refusal([] { dropout(ones({2}), -0.5, Rng(1)); }, "[dropout] p must lie in [0, 1), got -0.5");
  expect_refusal([] { dropout(ones({2}), std::nan(""), Rng(1)); }, "[dropout] p must lie in [0, 1), got nan");
  expect_refusal([] { dropout(tensor({1, 2}), 0.5, Rng(1)); }, "[dropout] x must be floating, got i64");
}

}  // namespace
}  // namespace likely
