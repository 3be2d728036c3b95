#include "likely/ops/arithmetic.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <tuple>
#include <vector>

#include "likely/autodiff/gradient.hpp"
#include "likely/core/create.hpp"
#include "likely/core/threads.hpp"
#include "likely/ops/reduce.hpp"
#include "likely/ops/view.hpp"
#include "tests/support/check_gradients.hpp"

namespace likely {
namespace {

using testing::check_gradients;
using testing::expect_refusal;
using testing::numbers;
using In = const std::vector<Tensor>&;
using Floats = std::vector<float>;
using Doubles = std::vector<double>;
using Integers = std::vector<std::int64_t>;

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// Positive and away from 0.
Tensor positive(const Shape& shape, int seed = 0) { return numbers(shape, 0.8, seed) + 1.5; }

struct BinaryCase {
  const char* name;
  Tensor (*f)(const Tensor&, const Tensor&);
};
const BinaryCase kBinary[] = {
    {"add", [](const Tensor& a, const Tensor& b) { return a + b; }},
    {"subtract", [](const Tensor& a, const Tensor& b) { return a - b; }},
    {"multiply", [](const Tensor& a, const Tensor& b) { return a * b; }},
    {"divide", [](const Tensor& a, const Tensor& b) { return a / b; }},
    {"pow", [](const Tensor& a, const Tensor& b) { return pow(a, b); }},
    {"maximum", [](const Tensor& a, const Tensor& b) { return maximum(a, b); }},
    {"minimum", [](const Tensor& a, const Tensor& b) { return minimum(a, b); }},
};

TEST(Arithmetic, GradientsOfTwoTensors) {
  for (const BinaryCase& c : kBinary) {
    const auto f = [&](In x) { return c.f(x[0], x[1]); };
    check_gradients(c.name, f, {positive({2, 3}), positive({2, 3}, 1)});
    check_gradients(c.name, f, {positive({2, 3}), positive({3}, 1)});
    check_gradients(c.name, f, {positive({2, 1}), positive({1, 3}, 1)});
    check_gradients(c.name, f, {positive({}), positive({2, 2}, 1)});
    check_gradients(c.name, f, {positive({1}), positive({1, 1}, 1)});
    check_gradients(c.name, f, {positive({0, 3}), positive({3}, 1)});
    check_gradients(c.name,
                    [&](In x) {
                      return c.f(transpose(x[0]), slice(x[1], {{.step = 2}, {.step = -1}}));
                    },
                    {positive({2, 3}), positive({5, 2}, 1)});
    check_gradients(c.name, [&](In x) { return c.f(x[0], x[0] * 0.5); }, {positive({3})});
  }
}

struct UnaryCase {
  const char* name;
  Tensor (*f)(const Tensor&);
};
const UnaryCase kUnary[] = {
    {"negative", [](const Tensor& x) { return -x; }},
    {"add number", [](const Tensor& x) { return x + 2.5; }},
    {"number add", [](const Tensor& x) { return 2.5 + x; }},
    {"subtract number", [](const Tensor& x) { return x - 2.5; }},
    {"number subtract", [](const Tensor& x) { return 2.5 - x; }},
    {"multiply number", [](const Tensor& x) { return x * 2.5; }},
    {"number multiply", [](const Tensor& x) { return 2.5 * x; }},
    {"divide number", [](const Tensor& x) { return x / 3.0; }},
    {"divide power of two", [](const Tensor& x) { return x / 4.0; }},
    {"number divide", [](const Tensor& x) { return 2.5 / x; }},
    {"1 divide", [](const Tensor& x) { return 1.0 / x; }},
    {"pow 0", [](const Tensor& x) { return pow(x, 0.0); }},
    {"pow 1", [](const Tensor& x) { return pow(x, 1.0); }},
    {"pow 2", [](const Tensor& x) { return pow(x, 2.0); }},
    {"pow 3", [](const Tensor& x) { return pow(x, 3.0); }},
    {"pow -1.5", [](const Tensor& x) { return pow(x, -1.5); }},
    {"pow of number", [](const Tensor& x) { return pow(1.7, x); }},
    {"maximum number", [](const Tensor& x) { return maximum(x, 1.4); }},
    {"minimum number", [](const Tensor& x) { return minimum(x, 1.4); }},
    {"clip", [](const Tensor& x) { return clip(x, 1.2, 1.8); }},
    {"abs", [](const Tensor& x) { return abs(x - 1.5); }},
    {"square", [](const Tensor& x) { return square(x); }},
    {"reciprocal", [](const Tensor& x) { return reciprocal(x); }},
    {"sign", [](const Tensor& x) { return sign(x - 1.5); }},
    {"floor", [](const Tensor& x) { return floor(x * 3.0); }},
    {"ceil", [](const Tensor& x) { return ceil(x * 3.0); }},
    {"round", [](const Tensor& x) { return round(x * 3.0); }},
};

TEST(Arithmetic, GradientsOfOneTensor) {
  for (const UnaryCase& c : kUnary) {
    const auto f = [&](In x) { return c.f(x[0]); };
    check_gradients(c.name, f, {positive({2, 3})});
    check_gradients(c.name, f, {positive({})});
    check_gradients(c.name, f, {positive({1, 1})});
    check_gradients(c.name, f, {positive({0})});
    check_gradients(c.name, [&](In x) { return c.f(transpose(x[0])); }, {positive({2, 3})});
    check_gradients(c.name, [&](In x) { return c.f(expand(x[0], {2, 3})); }, {positive({3})});
  }
}

Tensor slope(const Tensor& at, const std::function<Tensor(const Tensor&)>& f) {
  return grad(at, [&](const Tensor& x) { return sum(f(x)); });
}

TEST(Arithmetic, SlopesAtKinksAndTies) {
  const Tensor x = tensor({-1.0, 0.0, 2.0});
  EXPECT_EQ(slope(x, [](const Tensor& t) { return abs(t); }).to_vector<float>(), (Floats{-1, 0, 1}));
  EXPECT_EQ(slope(x, [](const Tensor& t) { return maximum(t, 0.0); }).to_vector<float>(),
            (Floats{0, 0.5, 1}));
  EXPECT_EQ(slope(x, [](const Tensor& t) { return minimum(t, 0.0); }).to_vector<float>(),
            (Floats{1, 0.5, 0}));
  EXPECT_EQ(slope(x, [](const Tensor& t) { return clip(t, -1.0, 0.0); }).to_vector<float>(),
            (Floats{1, 1, 0}));
  EXPECT_EQ(slope(x, [](const Tensor& t) { return sign(t); }).to_vector<float>(), (Floats{0, 0, 0}));
  // Also where the tie is at infinity.
  const Tensor infinite = tensor({-kInf, kInf});
  EXPECT_EQ(slope(infinite,
                  [](const Tensor& t) {
                    return maximum(t, tensor({-kInf, kInf}));
                  })
                .to_vector<float>(),
            (Floats{0.5, 0.5}));
}

TEST(Arithmetic, SlopesOfPowersAtZero) {
  const Tensor zero = zeros({3}, DType::f64);
  const Tensor exponents = tensor({0.0, 1.0, 2.0}, DType::f64);
  const auto both = [&](const std::tuple<Tensor, Tensor>& at) {
    return grad(at, [](const Tensor& a, const Tensor& b) { return sum(pow(a, b)); });
  };
  const auto [base, exponent] = both({zero, exponents});
  EXPECT_EQ(base.to_vector<double>(), (Doubles{0, 1, 0}));
  EXPECT_EQ(exponent.to_vector<double>(), (Doubles{0, 0, 0}));
  // The second derivative of x^0, x^1 and x^2 is 0, 0 and 2.
  const Tensor bend = slope(zero, [&](const Tensor& t) {
    return grad(t, [&](const Tensor& u) { return sum(pow(u, exponents)); });
  });
  EXPECT_EQ(bend.to_vector<double>(), (Doubles{0, 0, 2}));
  EXPECT_EQ(slope(zero, [](const Tensor& t) { return pow(t, 0.0); }).to_vector<double>(), (Doubles{0, 0, 0}));
  EXPECT_EQ(slope(zero, [](const Tensor& t) { return pow(t, 3.0); }).to_vector<double>(), (Doubles{0, 0, 0}));
}

TEST(Arithmetic, TypesMeetInTheLargerOne) {
  const DType all[] = {DType::boolean, DType::i64, DType::f32, DType::f64};
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < 4; ++j) {
      // Bools add up as whole numbers.
      const DType expected = i == 0 && j == 0 ? DType::i64 : all[std::max(i, j)];
      EXPECT_EQ((ones({2}, all[i]) + ones({2}, all[j])).dtype(), expected);
      EXPECT_EQ((ones({2}, all[i]) + ones({2}, all[j])).at({1}), 2.0);
    }
  }
}

// plain_number_test.cpp has more of them.
TEST(Arithmetic, ANumberMeetsTheTensorsType) {
  EXPECT_EQ((arange(3) + 1).dtype(), DType::i64);
  EXPECT_EQ((arange(3) + 1.0).dtype(), DType::f32);
  EXPECT_EQ((arange(3) + 0.5).to_vector<float>(), (Floats{0.5, 1.5, 2.5}));
  EXPECT_EQ((arange(3) + 0.5).dtype(), DType::f32);
  EXPECT_EQ((arange(3) * 2).to_vector<std::int64_t>(), (Integers{0, 2, 4}));
  EXPECT_EQ((2 - arange(3)).to_vector<std::int64_t>(), (Integers{2, 1, 0}));
  EXPECT_EQ((ones({2}, DType::f64) * 0.1).at({0}), 0.1);
  EXPECT_EQ((tensor({true, false}) + 1).to_vector<std::int64_t>(), (Integers{2, 1}));
  EXPECT_EQ((-tensor({true, false})).to_vector<std::int64_t>(), (Integers{-1, 0}));
  EXPECT_EQ(maximum(arange(3), 1).to_vector<std::int64_t>(), (Integers{1, 1, 2}));
  EXPECT_EQ(minimum(arange(3), 0.5).to_vector<float>(), (Floats{0, 0.5, 0.5}));
  EXPECT_EQ(clip(arange(4), 1, 2).to_vector<std::int64_t>(), (Integers{1, 1, 2, 2}));
  EXPECT_EQ(clip(arange(4), 0.5, 2.5).to_vector<float>(), (Floats{0.5, 1, 2, 2.5}));
  EXPECT_EQ(pow(arange(4), 3).to_vector<std::int64_t>(), (Integers{0, 1, 8, 27}));
  EXPECT_EQ(pow(arange(4), 3).dtype(), DType::i64);
  EXPECT_EQ(pow(arange(3), 0.5).dtype(), DType::f32);
  EXPECT_EQ(pow(2, arange(4)).dtype(), DType::i64);
  EXPECT_EQ(pow(2, arange(4)).to_vector<std::int64_t>(), (Integers{1, 2, 4, 8}));
  EXPECT_EQ(pow(0.5, arange(3)).to_vector<float>(), (Floats{1, 0.5, 0.25}));
}

TEST(Arithmetic, WholeNumbers) {
  const Tensor a = tensor({7, -7, 7, -7, 5});
  const Tensor b = tensor({2, 2, -2, -2, 0});
  EXPECT_EQ((a / b).to_vector<std::int64_t>(), (Integers{3, -4, -4, 3, 0}));
  EXPECT_EQ((a / 2).to_vector<std::int64_t>(), (Integers{3, -4, 3, -4, 2}));
  EXPECT_EQ(abs(a).to_vector<std::int64_t>(), (Integers{7, 7, 7, 7, 5}));
  EXPECT_EQ(sign(a).to_vector<std::int64_t>(), (Integers{1, -1, 1, -1, 1}));
  EXPECT_EQ(square(b).to_vector<std::int64_t>(), (Integers{4, 4, 4, 4, 0}));
  EXPECT_EQ(square(tensor({true, false})).dtype(), DType::i64);
  const std::int64_t big = (std::int64_t{1} << 53) + 1;
  for (const Tensor& x : {floor(tensor({big})), ceil(tensor({big})), round(tensor({big}))}) {
    EXPECT_EQ(x.to_vector<std::int64_t>(), (Integers{big}));
  }
  EXPECT_EQ(reciprocal(tensor({2, 4})).to_vector<float>(), (Floats{0.5, 0.25}));
  EXPECT_EQ((1.0 / tensor({2, 4})).dtype(), DType::f32);
  EXPECT_EQ(pow(tensor({1, -1, 3}), tensor({-5, -3, 2})).to_vector<std::int64_t>(), (Integers{1, -1, 9}));
}

// n * (1 / n) is not always 1: division by a number is division.
TEST(Arithmetic, DivisionByANumberIsExact) {
  for (int n = 1; n < 200; ++n) {
    EXPECT_EQ((full({2}, n) / static_cast<double>(n)).at({1}), 1.0) << n;
    EXPECT_EQ((full({2}, n, DType::f64) / static_cast<double>(n)).at({1}), 1.0) << n;
  }
  EXPECT_EQ((tensor({1.0, -1.0}) / 0.0).to_vector<float>(),
            (Floats{std::numeric_limits<float>::infinity(), -std::numeric_limits<float>::infinity()}));
}

TEST(Arithmetic, ValuesAgainstPlainLoops) {
  const Tensor a = numbers({3, 4}, 2.0, 1);
  const Tensor b = numbers({4}, 2.0, 2);
  const Doubles x = a.to_vector<double>();
  const Doubles y = b.to_vector<double>();
  for (std::size_t i = 0; i < 12; ++i) {
    const std::int64_t row = static_cast<std::int64_t>(i) / 4;
    const std::int64_t column = static_cast<std::int64_t>(i) % 4;
    const double p = x[i];
    const double q = y[i % 4];
    EXPECT_EQ((a + b).at({row, column}), p + q);
    EXPECT_EQ((a - b).at({row, column}), p - q);
    EXPECT_EQ((a * b).at({row, column}), p * q);
    EXPECT_EQ((a / b).at({row, column}), p / q);
    EXPECT_EQ(maximum(a, b).at({row, column}), std::max(p, q));
    EXPECT_EQ(minimum(a, b).at({row, column}), std::min(p, q));
    EXPECT_NEAR(pow(abs(a), b).at({row, column}), std::pow(std::abs(p), q), 1e-14);
    EXPECT_EQ(floor(a).at({row, column}), std::floor(p));
    EXPECT_EQ(ceil(a).at({row, column}), std::ceil(p));
  }
  EXPECT_EQ(round(tensor({0.5, 1.5, 2.5, -0.5, -1.2})).to_vector<float>(), (Floats{0, 2, 2, 0, -1}));
}

TEST(Arithmetic, NanAndInfinity) {
  EXPECT_TRUE(std::isnan(maximum(tensor({kNan}), tensor({1.0})).item()));
  EXPECT_TRUE(std::isnan(minimum(tensor({1.0}), tensor({kNan})).item()));
  EXPECT_TRUE(std::isnan(clip(tensor({kNan}), 0.0, 1.0).item()));
  EXPECT_EQ(clip(tensor({kInf, -kInf}), 0.0, 1.0).to_vector<float>(), (Floats{1, 0}));
  EXPECT_EQ(abs(tensor({-kInf})).item(), kInf);
  EXPECT_TRUE(std::isnan((tensor({kInf}) - tensor({kInf})).item()));
  EXPECT_EQ(reciprocal(tensor({0.0})).item(), kInf);
}

TEST(Arithmetic, AssignmentMakesANewValue) {
  Tensor x = tensor({1.0, 2.0});
  const Tensor before = x;
  x += tensor({10.0, 20.0});
  x *= tensor(2.0);
  x -= tensor({2.0, 4.0});
  x /= tensor({2.0, 4.0});
  EXPECT_EQ(x.to_vector<float>(), (Floats{10, 10}));
  EXPECT_EQ(before.to_vector<float>(), (Floats{1, 2}));
}

TEST(Arithmetic, AssignmentTakesNumbers) {
  Tensor x = tensor({1.0, 2.0}, DType::f64);
  const Tensor before = x;
  x += 1;
  x *= 3.0;
  x -= 2;
  x /= 4;
  EXPECT_EQ(x.dtype(), DType::f64);
  EXPECT_EQ(x.to_vector<double>(), (std::vector<double>{1.0, 1.75}));
  EXPECT_EQ(before.to_vector<double>(), (std::vector<double>{1.0, 2.0}));
  Tensor whole = tensor({5, 6});
  whole /= 2;
  EXPECT_EQ(whole.to_vector<std::int64_t>(), (std::vector<std::int64_t>{2, 3}));
  whole += 0.5;  // as whole + 0.5
  EXPECT_EQ(whole.dtype(), DType::f32);
  Buffer buffer = tensor({1.0});
  buffer += 1;
  EXPECT_EQ(buffer.item(), 2.0);
}

TEST(Arithmetic, AssignmentPassesTheGradientOn) {
  testing::check_gradients("assigned",
                           [](const std::vector<Tensor>& t) {
                             Tensor x = t[0];
                             x += 1.5;
                             x *= t[1];
                             x -= 2;
                             x *= 3;
                             x /= t[0] * t[0] + 1;
                             x /= 2.5;
                             x += t[1];
                             x -= t[0];
                             return x;
                           },
                           {testing::numbers({3, 2}, 1.0, 1), testing::numbers({2}, 1.0, 2)});
}

TEST(Arithmetic, Refusals) {
  expect_refusal([] { zeros({2, 3}) + zeros({2}); }, "[add] shapes do not broadcast: (2, 3) and (2,)");
  expect_refusal([] { zeros({2}) - zeros({3}); }, "[subtract] shapes do not broadcast: (2,) and (3,)");
  expect_refusal([] { zeros({2}) * zeros({3}); }, "[multiply] shapes do not broadcast: (2,) and (3,)");
  expect_refusal([] { zeros({2}) / zeros({3}); }, "[divide] shapes do not broadcast: (2,) and (3,)");
  expect_refusal([] { pow(zeros({2}), zeros({3})); }, "[pow] shapes do not broadcast: (2,) and (3,)");
  expect_refusal([] { maximum(zeros({2}), zeros({3})); }, "[maximum] shapes do not broadcast: (2,) and (3,)");
  expect_refusal([] { minimum(zeros({2}), zeros({3})); }, "[minimum] shapes do not broadcast: (2,) and (3,)");
  expect_refusal([] { clip(zeros({2}), 1.0, 0.0); },
                 "[clip] low must not be above high, got 1.000000 and 0.000000");
  expect_refusal([] { clip(zeros({2}), kNan, 0.0); },
                 "[clip] low must not be above high, got nan and 0.000000");
  expect_refusal([] { Tensor() + zeros({2}); },
                 "[tensor] an empty tensor was used where one with elements is needed");
}

TEST(Arithmetic, SameBitsForAnyNumberOfThreads) {
  const int before = threads();
  const Tensor a = numbers({300, 1000}, 3.0).to(DType::f32);
  const Tensor b = numbers({1000}, 2.0, 1).to(DType::f32);
  std::vector<Tensor> results;
  for (const int n : {1, 2, 3}) {
    set_threads(n);
    results.push_back(a * b + transpose(reshape(a, {1000, 300})) / 3.0);
  }
  set_threads(before);
  EXPECT_TRUE(array_equal(results[0], results[1]));
  EXPECT_TRUE(array_equal(results[0], results[2]));
}

}  // namespace
}  // namespace likely
