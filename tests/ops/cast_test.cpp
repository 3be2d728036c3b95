#include "likely/ops/cast.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "likely/autodiff/gradient.hpp"
#include "likely/core/create.hpp"
#include "likely/ops/arithmetic.hpp"
#include "likely/ops/reduce.hpp"
#include "likely/ops/view.hpp"
#include "tests/support/check_gradients.hpp"

namespace likely {
namespace {

TEST(Cast, BetweenAllTypes) {
  const Tensor x = tensor({-1.7, 0.0, 2.3}, DType::f64);
  EXPECT_EQ(cast(x, DType::i64).to_vector<std::int64_t>(), (std::vector<std::int64_t>{-1, 0, 2}));
  EXPECT_EQ(cast(x, DType::boolean).to_vector<std::uint8_t>(), (std::vector<std::uint8_t>{1, 0, 1}));
  EXPECT_EQ(cast(x, DType::f32).to_vector<float>(), (std::vector<float>{-1.7F, 0.0F, 2.3F}));
  EXPECT_EQ(cast(tensor({true, false}), DType::f64).to_vector<double>(), (std::vector<double>{1, 0}));
  EXPECT_EQ(cast(transpose(tensor({{1, 2}, {3, 4}})), DType::f32).to_vector<float>(),
            (std::vector<float>{1, 3, 2, 4}));
  EXPECT_EQ(cast(zeros({0, 2}), DType::i64).shape(), (Shape{0, 2}));
}

TEST(Cast, TheSameTypeIsTheSameTensor) {
  const Tensor x = zeros({3});
  EXPECT_EQ(cast(x, DType::f32).raw(), x.raw());
}

TEST(Cast, GradientsComeBackInTheTypeOfTheInput) {
  const Tensor g = grad(tensor({1.0, 2.0}), [](const Tensor& x) { return sum(square(cast(x, DType::f64))); });
  EXPECT_EQ(g.dtype(), DType::f32);
  EXPECT_EQ(g.to_vector<float>(), (std::vector<float>{2, 4}));
  testing::check_gradients("cast",
                           [](const std::vector<Tensor>& x) { return square(cast(x[0], DType::f64)); },
                           {testing::numbers({2, 3})});
  // Down and up again: an f32 in the middle rounds differences, not derivatives.
  const Tensor wide = grad(tensor({0.5, 2.0}, DType::f64), [](const Tensor& x) {
    return sum(square(cast(cast(x, DType::f32), DType::f64)));
  });
  EXPECT_EQ(wide.to_vector<double>(), (std::vector<double>{1, 4}));
}

TEST(Cast, ThroughWholeNumbersThereIsNoGradient) {
  const Tensor g = grad(tensor({1.5, 2.5}),
                        [](const Tensor& x) { return sum(cast(cast(x, DType::i64), DType::f32) * x); });
  EXPECT_EQ(g.to_vector<float>(), (std::vector<float>{1, 2}));
}

TEST(Cast, AnEmptyTensorIsRefused) {
  testing::expect_refusal([] { cast(Tensor(), DType::f64); },
                          "[tensor] an empty tensor was used where one with elements is needed");
}

}  // namespace
}  // namespace likely
