#include "likely/ops/compare.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <tuple>
#include <vector>

#include "likely/autodiff/gradient.hpp"
#include "likely/core/create.hpp"
#include "likely/ops/arithmetic.hpp"
#include "likely/ops/math.hpp"
#include "likely/ops/reduce.hpp"
#include "likely/ops/view.hpp"
#include "tests/support/check_gradients.hpp"

namespace likely {
namespace {

using testing::check_gradients;
using testing::expect_refusal;
using testing::numbers;
using In = const std::vector<Tensor>&;
using Bools = std::vector<std::uint8_t>;

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

Bools bools(const Tensor& x) {
  EXPECT_EQ(x.dtype(), DType::boolean);
  return x.to_vector<std::uint8_t>();
}

TEST(Compare, TwoTensors) {
  const Tensor a = tensor({1.0, 2.0, 3.0, kNan, kInf});
  const Tensor b = tensor({2.0, 2.0, 2.0, kNan, kInf});
  EXPECT_EQ(bools(a == b), (Bools{0, 1, 0, 0, 1}));
  EXPECT_EQ(bools(a != b), (Bools{1, 0, 1, 1, 0}));
  EXPECT_EQ(bools(a < b), (Bools{1, 0, 0, 0, 0}));
  EXPECT_EQ(bools(a <= b), (Bools{1, 1, 0, 0, 1}));
  EXPECT_EQ(bools(a > b), (Bools{0, 0, 1, 0, 0}));
  EXPECT_EQ(bools(a >= b), (Bools{0, 1, 1, 0, 1}));
}

TEST(Compare, WithANumber) {
  const Tensor x = tensor({1.0, 2.0, 3.0});
  EXPECT_EQ(bools(x == 2.0), (Bools{0, 1, 0}));
  EXPECT_EQ(bools(x != 2.0), (Bools{1, 0, 1}));
  EXPECT_EQ(bools(x < 2.0), (Bools{1, 0, 0}));
  EXPECT_EQ(bools(x <= 2.0), (Bools{1, 1, 0}));
  EXPECT_EQ(bools(x > 2.0), (Bools{0, 0, 1}));
  EXPECT_EQ(bools(x >= 2.0), (Bools{0, 1, 1}));
  // The number takes the tensor's type, as 0.1 in f32 is not 0.1 in f64.
  EXPECT_EQ(bools(tensor({0.1}) == 0.1), (Bools{1}));
  EXPECT_EQ(bools(arange(3) < 1.5), (Bools{1, 1, 0}));
  EXPECT_EQ(bools(arange(3) == 1.0), (Bools{0, 1, 0}));
  EXPECT_EQ(bools(tensor({true, false}) == 1.0), (Bools{1, 0}));
}

TEST(Compare, TypesAndBroadcasting) {
  EXPECT_EQ(bools(arange(3) == tensor({0.0, 1.5, 2.0})), (Bools{1, 0, 1}));
  EXPECT_EQ(bools(tensor({{1}, {2}}) < tensor({1, 2, 3})), (Bools{0, 1, 1, 0, 0, 1}));
  EXPECT_EQ((tensor({{1}, {2}}) < tensor({1, 2, 3})).shape(), (Shape{2, 3}));
  const std::int64_t big = (std::int64_t{1} << 53) + 1;
  EXPECT_EQ(bools(tensor({big}) == tensor({big - 1})), (Bools{0}));
  EXPECT_EQ(bools(tensor({true, false}) == tensor({true, true})), (Bools{1, 0}));
  EXPECT_EQ(bools(transpose(tensor({{1, 2}, {3, 4}})) == tensor({{1, 3}, {2, 4}})), (Bools{1, 1, 1, 1}));
  EXPECT_EQ((zeros({0}) == zeros({0})).size(), 0);
  EXPECT_EQ(bools(tensor(1.0) == tensor(1.0)), (Bools{1}));
  expect_refusal([] { zeros({2}) == zeros({3}); }, "[equal] shapes do not broadcast: (2,) and (3,)");
  expect_refusal([] { zeros({2}) != zeros({3}); }, "[not_equal] shapes do not broadcast: (2,) and (3,)");
  expect_refusal([] { zeros({2}) < zeros({3}); }, "[less] shapes do not broadcast: (2,) and (3,)");
  expect_refusal([] { zeros({2}) <= zeros({3}); }, "[less_equal] shapes do not broadcast: (2,) and (3,)");
  expect_refusal([] { zeros({2}) > zeros({3}); }, "[greater] shapes do not broadcast: (2,) and (3,)");
  expect_refusal([] { zeros({2}) >= zeros({3}); }, "[greater_equal] shapes do not broadcast: (2,) and (3,)");
}

TEST(Compare, Logic) {
  const Tensor a = tensor({true, true, false, false});
  const Tensor b = tensor({true, false, true, false});
  EXPECT_EQ(bools(logical_and(a, b)), (Bools{1, 0, 0, 0}));
  EXPECT_EQ(bools(logical_or(a, b)), (Bools{1, 1, 1, 0}));
  EXPECT_EQ(bools(logical_xor(a, b)), (Bools{0, 1, 1, 0}));
  EXPECT_EQ(bools(logical_not(a)), (Bools{0, 0, 1, 1}));
  EXPECT_EQ(logical_and(a, tensor({{true}, {false}})).shape(), (Shape{2, 4}));
  expect_refusal([&] { logical_and(a, arange(4)); }, "[logical_and] bools are needed, got bool and i64");
  expect_refusal([&] { logical_or(zeros({4}), a); }, "[logical_or] bools are needed, got f32 and bool");
  expect_refusal([&] { logical_xor(zeros({4}), a); }, "[logical_xor] bools are needed, got f32 and bool");
  expect_refusal([&] { logical_not(arange(4)); }, "[logical_not] bools are needed, got i64");
}

TEST(Compare, FiniteAndNan) {
  for (const DType dtype : {DType::f32, DType::f64}) {
    const Tensor x = tensor({0.0, 1.0, kInf, -kInf, kNan}, dtype);
    EXPECT_EQ(bools(is_finite(x)), (Bools{1, 1, 0, 0, 0}));
    EXPECT_EQ(bools(is_nan(x)), (Bools{0, 0, 0, 0, 1}));
  }
  EXPECT_EQ(bools(is_finite(arange(2))), (Bools{1, 1}));
  EXPECT_EQ(bools(is_nan(arange(2))), (Bools{0, 0}));
  EXPECT_EQ(bools(is_nan(transpose(tensor({{1.0, kNan}, {0.0, 2.0}})))), (Bools{0, 0, 1, 0}));
}

TEST(Compare, WhereChooses) {
  const Tensor condition = tensor({true, false, true});
  EXPECT_EQ(where(condition, tensor({1.0, 2.0, 3.0}), tensor({4.0, 5.0, 6.0})).to_vector<float>(),
            (std::vector<float>{1, 5, 3}));
  EXPECT_EQ(where(condition, arange(3), 9).to_vector<std::int64_t>(), (std::vector<std::int64_t>{0, 9, 2}));
  EXPECT_EQ(where(condition, 9, arange(3)).to_vector<std::int64_t>(), (std::vector<std::int64_t>{9, 1, 9}));
  EXPECT_EQ(where(condition, tensor({{1}, {2}}), tensor(0.5)).to_vector<float>(),
            (std::vector<float>{1, 0.5, 1, 2, 0.5, 2}));
  EXPECT_EQ(where(condition, ones({3}), ones({3}, DType::f64)).dtype(), DType::f64);
  EXPECT_EQ(where(condition, tensor({true, true, false}), tensor({false, false, false})).dtype(),
            DType::boolean);
  expect_refusal([] { where(arange(3), zeros({3}), zeros({3})); },
                 "[where] the condition must be bool, got i64");
  expect_refusal([&] { where(condition, zeros({3}), zeros({2})); },
                 "[where] shapes do not broadcast: (3,) and (2,)");
  expect_refusal([&] { where(condition, zeros({2}), zeros({2})); },
                 "[where] shapes do not broadcast: (2,) and (3,)");
}

TEST(Compare, WhereGradients) {
  const Tensor mask = numbers({2, 3}, 1.0, 5) > 0.0;
  const auto f = [&](In x) { return where(mask, square(x[0]), exp(x[1])); };
  check_gradients("where", f, {numbers({2, 3}), numbers({2, 3}, 1.0, 1)});
  check_gradients("where", f, {numbers({3}), numbers({2, 1}, 1.0, 1)});
  check_gradients("where", f, {numbers({}), numbers({1, 3}, 1.0, 1)});
  check_gradients("where", [&](In x) { return where(mask, transpose(x[0]), 2.0); }, {numbers({3, 2})});
  check_gradients("where", [&](In x) { return where(mask, 2.0, square(x[0])); }, {numbers({2, 3})});
  check_gradients("where", [&](In x) { return where(select(mask, 0, 0), x[0], x[0] * 2.0); },
                  {numbers({4, 3})});
  check_gradients("masked_fill", [&](In x) { return masked_fill(square(x[0]), mask, -1.0); },
                  {numbers({2, 3})});
  check_gradients("masked_fill", [&](In x) { return masked_fill(transpose(x[0]), select(mask, 0, 1), 3.0); },
                  {numbers({3, 2})});
}

TEST(Compare, TheSideNotChosenGetsNoGradientEvenWhereItIsNotFinite) {
  const Tensor x = tensor({0.0, 2.0});
  const auto [a, b] = grad(std::tuple(x, x), [](const Tensor& u, const Tensor& v) {
    return sum(where(tensor({false, true}), u * kInf, v * kNan));
  });
  EXPECT_EQ(a.at({1}), kInf);
  EXPECT_EQ(where(tensor({true, false}), a, 0.0).at({1}), 0.0);
  EXPECT_EQ(b.dtype(), DType::f32);
  const Tensor g = grad(x, [](const Tensor& t) { return sum(where(t > 1.0, t, tensor(kNan))); });
  EXPECT_EQ(g.to_vector<float>(), (std::vector<float>{0, 1}));
}

TEST(Compare, MaskedFill) {
  const Tensor x = tensor({{1.0, 2.0}, {3.0, 4.0}});
  EXPECT_EQ(masked_fill(x, tensor({true, false}), -kInf).to_vector<float>()[0],
            -std::numeric_limits<float>::infinity());
  EXPECT_EQ(masked_fill(x, tensor({{true}, {false}}), 0.0).to_vector<float>(),
            (std::vector<float>{0, 0, 3, 4}));
  EXPECT_EQ(masked_fill(arange(2), tensor({true, false}), 7.0).to_vector<std::int64_t>(),
            (std::vector<std::int64_t>{7, 1}));
  expect_refusal([&] { masked_fill(x, x, 0.0); }, "[masked_fill] the condition must be bool, got f32");
  expect_refusal(
      [&] {
        masked_fill(x, zeros({3, 2, 2}, DType::boolean), 0.0);
      },
      "[masked_fill] the mask (3, 2, 2) does not broadcast to (2, 2)");
  expect_refusal([&] { masked_fill(x, zeros({3}, DType::boolean), 0.0); },
                 "[masked_fill] shapes do not broadcast: (2, 2) and (3,)");
}

}  // namespace
}  // namespace likely
