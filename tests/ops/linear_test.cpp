#include "likely/ops/linear.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

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
using Inputs = std::vector<Tensor>;

constexpr Activation kAll[] = {Activation::none,    Activation::relu, Activation::tanh,
                               Activation::sigmoid, Activation::gelu, Activation::silu};

double apply(double x, Activation activation) {
  switch (activation) {
    case Activation::none: return x;
    case Activation::relu: return x > 0 ? x : 0;
    case Activation::tanh: return std::tanh(x);
    case Activation::sigmoid: return 1 / (1 + std::exp(-x));
    case Activation::gelu: return x * 0.5 * std::erfc(-x / std::numbers::sqrt2);
    case Activation::silu: return x / (1 + std::exp(-x));
  }
  return 0;
}

// The definition in double, for x (rows, in).
Tensor by_definition(const Tensor& x, const Tensor& weight, const Tensor& bias, Activation activation) {
  std::vector<double> y;
  for (std::int64_t i = 0; i < x.dim(0); ++i) {
    for (std::int64_t j = 0; j < weight.dim(0); ++j) {
      double sum = bias.defined() ? bias.at({j}) : 0.0;
      for (std::int64_t l = 0; l < x.dim(1); ++l) sum += x.at({i, l}) * weight.at({j, l});
      y.push_back(apply(sum, activation));
    }
  }
  return tensor(y, {x.dim(0), weight.dim(0)});
}

void expect_layer(const Tensor& x, const Tensor& weight, const Tensor& bias, Activation activation) {
  const Tensor expected = by_definition(x, weight, bias, activation);
  const Tensor y = linear(x, weight, bias, activation);
  ASSERT_EQ(y.shape(), expected.shape());
  EXPECT_TRUE(allclose(y, expected, 1e-11, 1e-11)) << name_of(activation);
  const Tensor single = linear(x.to(DType::f32), weight.to(DType::f32),
                               bias.defined() ? bias.to(DType::f32) : bias, activation);
  EXPECT_EQ(single.dtype(), DType::f32);
  EXPECT_TRUE(allclose(single.to(DType::f64), expected, 1e-4, 1e-5)) << name_of(activation);
}

TEST(Linear, IsTheActivationOfTheAffineMap) {
  for (const Activation activation : kAll) {
    for (const std::int64_t out : {1, 3, 40, 300}) {
      expect_layer(numbers({5, 7}, 2.0), numbers({out, 7}, 1.0, 1), numbers({out}, 1.0, 2), activation);
      expect_layer(numbers({67, 2}, 2.0), numbers({out, 2}, 1.0, 1), {}, activation);
    }
    expect_layer(numbers({600, 3}), numbers({10, 3}, 1.0, 1), numbers({10}, 1.0, 2), activation);
  }
}

TEST(Linear, TakesAnyLeadingAxes) {
  const Tensor weight = numbers({4, 3}, 1.0, 1);
  const Tensor bias = numbers({4}, 1.0, 2);
  const Tensor x = numbers({2, 5, 3});
  const Tensor flat = by_definition(reshape(x, {10, 3}), weight, bias, Activation::tanh);
  EXPECT_TRUE(allclose(linear(x, weight, bias, Activation::tanh), reshape(flat, {2, 5, 4}), 1e-12, 1e-12));
  const Tensor one = linear(select(select(x, 0, 0), 0, 0), weight, bias, Activation::tanh);
  EXPECT_TRUE(allclose(one, select(flat, 0, 0), 1e-12, 1e-12));
  EXPECT_EQ(linear(zeros({0, 3}), zeros({4, 3}), zeros({4})).shape(), (Shape{0, 4}));
  EXPECT_EQ(linear(zeros({2, 3}), zeros({0, 3}), zeros({0})).shape(), (Shape{2, 0}));
  EXPECT_TRUE(array_equal(linear(zeros({2, 0}), zeros({1, 0}), tensor({1.5})), full({2, 1}, 1.5)));
}

TEST(Linear, TakesAnyStrides) {
  const Tensor bias = slice(numbers({8}, 1.0, 2), 0, {.step = 2});
  expect_layer(transpose(numbers({3, 5})), transpose(numbers({3, 4}, 1.0, 1)), bias, Activation::relu);
  expect_layer(slice(numbers({5, 6}), 1, {.step = 2}), slice(numbers({4, 3}, 1.0, 1), 0, {.step = -1}), bias,
               Activation::relu);
  const Tensor turned = permute(numbers({3, 2, 5}), {2, 1, 0});
  EXPECT_TRUE(array_equal(linear(turned, numbers({4, 3})), linear(contiguous(turned), numbers({4, 3}))));
}

TEST(Linear, MeetsInTheLargerType) {
  EXPECT_EQ(linear(zeros({2, 3}), zeros({4, 3}, DType::f64)).dtype(), DType::f64);
  EXPECT_EQ(linear(zeros({2, 3}), zeros({4, 3}), zeros({4}, DType::f64)).dtype(), DType::f64);
}

TEST(Linear, HasGradients) {
  for (const Activation activation : kAll) {
    const std::string name(name_of(activation));
    check_gradients(name, [=](const Inputs& x) { return linear(x[0], x[1], x[2], activation); },
                    {numbers({3, 2}), numbers({4, 2}, 1.0, 1), numbers({4}, 1.0, 2)});
    check_gradients(name + " without bias",
                    [=](const Inputs& x) { return linear(x[0], x[1], {}, activation); },
                    {numbers({2, 1, 3}), numbers({2, 3}, 1.0, 1)});
    check_gradients(name + " of a vector",
                    [=](const Inputs& x) { return linear(x[0], x[1], x[2], activation); },
                    {numbers({2}), numbers({3, 2}, 1.0, 1), numbers({3}, 1.0, 2)});
    check_gradients(name + " strided",
                    [=](const Inputs& x) {
                      return linear(transpose(x[0]), transpose(x[1]), slice(x[2], 0, {.step = -1}),
                                    activation);
                    },
                    {numbers({2, 3}), numbers({2, 4}, 1.0, 1), numbers({4}, 1.0, 2)});
    check_gradients(
        name + " twice",
        [=](const Inputs& x) {
          return linear(linear(x[0], x[1], x[2], activation), x[3], {}, Activation::tanh);
        },
        {numbers({2, 2}), numbers({3, 2}, 1.0, 1), numbers({3}, 1.0, 2), numbers({1, 3}, 1.0, 3)});
  }
}

TEST(Linear, RecordedAndNotAreTheSameBits) {
  const Tensor x = numbers({9, 5}).to(DType::f32);
  const Tensor weight = numbers({7, 5}, 1.0, 1).to(DType::f32);
  const Tensor bias = numbers({7}, 1.0, 2).to(DType::f32);
  for (const Activation activation : kAll) {
    const auto [value, gradient] =
        value_and_grad(weight, [&](const Tensor& w) { return sum(linear(x, w, bias, activation)); });
    EXPECT_TRUE(array_equal(value, sum(linear(x, weight, bias, activation)))) << name_of(activation);
    EXPECT_EQ(gradient.shape(), weight.shape());
  }
}

TEST(Linear, SameBitsForAnyNumberOfThreads) {
  const int before = threads();
  const Tensor x = numbers({300, 200}).to(DType::f32);
  const Inputs parameters{numbers({210, 200}, 0.1, 1).to(DType::f32), numbers({210}, 1.0, 2).to(DType::f32)};
  const auto run = [&] {
    Inputs result = grad(
        parameters, [&](const Inputs& p) { return sum(square(linear(x, p[0], p[1], Activation::tanh))); });
    result.push_back(linear(x, parameters[0], parameters[1], Activation::gelu));
    return result;
  };
  set_threads(1);
  const Inputs one = run();
  for (const int n : {2, 3}) {
    set_threads(n);
    const Inputs many = run();
    for (std::size_t i = 0; i < one.size(); ++i) EXPECT_TRUE(array_equal(many[i], one[i])) << n << ", " << i;
  }
  set_threads(before);
}

TEST(Linear, Refuses) {
  expect_refusal(
      [] {
        linear(zeros({2, 3}), zeros({4, 5}));
      },
      "[linear] the input has shape (2, 3), the weight (4, 5): the last dimension must be 5");
  expect_refusal(
      [] {
        linear(zeros({}), zeros({4, 5}));
      },
      "[linear] the input has shape (), the weight (4, 5): the last dimension must be 5");
  expect_refusal(
      [] {
        linear(zeros({2, 3}), zeros({3}));
      },
      "[linear] the weight must be (out, in), got shape (3,)");
  expect_refusal(
      [] {
        linear(zeros({2, 3}), zeros({4, 3}), zeros({3}));
      },
      "[linear] the bias must have shape (4,), got (3,)");
  expect_refusal(
      [] {
        linear(zeros({2, 3}, DType::i64), zeros({4, 3}));
      },
      "[linear] floating numbers are needed, got i64");
}

}  // namespace
}  // namespace likely
