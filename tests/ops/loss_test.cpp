#include "likely/ops/loss.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "likely/autodiff/gradient.hpp"
#include "likely/core/create.hpp"
#include "likely/core/threads.hpp"
#include "likely/ops/arithmetic.hpp"
#include "likely/ops/index.hpp"
#include "likely/ops/math.hpp"
#include "likely/ops/reduce.hpp"
#include "likely/ops/rng.hpp"
#include "likely/ops/view.hpp"
#include "tests/support/check_gradients.hpp"

namespace likely {
namespace {

using testing::check_gradients;
using testing::expect_refusal;
using testing::numbers;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr LossOptions kSum{Reduction::sum};
constexpr LossOptions kNone{Reduction::none};

// -sum_k t_k log softmax(x)_k for one row, in double.
double row_loss(const std::vector<double>& x, const std::vector<double>& t) {
  double largest = -kInfinity, total = 0, loss = 0;
  for (const double v : x) largest = std::max(largest, v);
  for (const double v : x) total += std::exp(v - largest);
  for (std::size_t k = 0; k < x.size(); ++k) {
    if (t[k] != 0.0) loss += t[k] * (largest + std::log(total) - x[k]);
  }
  return loss;
}

TEST(SoftmaxCrossEntropy, IsTheFormula) {
  for (const DType dtype : {DType::f32, DType::f64}) {
    const Tensor x = numbers({2, 3, 5}, 3.0).to(dtype);
    const Tensor labels = tensor({{4, 0, 1}, {2, 2, 3}});
    const Tensor weights = square(numbers({2, 3, 5}, 1.0, 4)).to(dtype);
    const Tensor hard = softmax_cross_entropy(x, labels, kNone);
    const Tensor soft = softmax_cross_entropy(x, weights, kNone);
    EXPECT_EQ(hard.dtype(), dtype);
    double total = 0;
    for (std::int64_t i = 0; i < 2; ++i) {
      for (std::int64_t j = 0; j < 3; ++j) {
        const std::vector<double> row = select(select(x, 0, i), 0, j).to_vector<double>();
        std::vector<double> t(5);
        t[static_cast<std::size_t>(labels.at({i, j}))] = 1.0;
        EXPECT_NEAR(hard.at({i, j}), row_loss(row, t), 2e-6);
        total += row_loss(row, t);
        const std::vector<double> w = select(select(weights, 0, i), 0, j).to_vector<double>();
        EXPECT_NEAR(soft.at({i, j}), row_loss(row, w), 4e-6);
      }
    }
    EXPECT_NEAR(softmax_cross_entropy(x, labels, kSum).item(), total, 1e-5);
    EXPECT_NEAR(softmax_cross_entropy(x, labels).item(), total / 6, 1e-6);
    EXPECT_NEAR(softmax_cross_entropy(x, one_hot(labels, 5)).item(), total / 6, 1e-6);
    EXPECT_EQ(softmax_cross_entropy(x, labels).rank(), 0);
  }
}

TEST(SoftmaxCrossEntropy, IsRightForLargeLogitsAndMasks) {
  for (const DType dtype : {DType::f32, DType::f64}) {
    const Tensor x =
        tensor({{1e4, 1e4}, {1e4, -1e4}, {-1e4, -1e4}, {0.0, -kInfinity}, {0.0, -kInfinity}}).to(dtype);
    const Tensor labels = tensor({0, 1, 1, 0, 1});
    const Tensor loss = softmax_cross_entropy(x, labels, kNone);
    EXPECT_NEAR(loss.at({0}), std::log(2.0), 1e-6);
    EXPECT_EQ(loss.at({1}), 2e4);
    EXPECT_NEAR(loss.at({2}), std::log(2.0), 1e-6);
    EXPECT_EQ(loss.at({3}), 0.0);
    EXPECT_EQ(loss.at({4}), kInfinity);
    EXPECT_TRUE(array_equal(softmax_cross_entropy(x, one_hot(labels, 2, dtype), kNone), loss));
    const Tensor g = grad(x, [&](const Tensor& in) { return softmax_cross_entropy(in, labels, kSum); });
    EXPECT_TRUE(allclose(
        g, tensor({{-0.5, 0.5}, {1.0, -1.0}, {0.5, -0.5}, {0.0, 0.0}, {1.0, -1.0}}).to(dtype), 1e-6, 1e-7));
  }
}

TEST(SoftmaxCrossEntropy, Gradients) {
  const Tensor x = numbers({2, 2, 3}, 2.0);
  const Tensor labels = tensor({{2, 0}, {1, 1}});
  for (const Reduction reduction : {Reduction::mean, Reduction::sum, Reduction::none}) {
    check_gradients("labels",
                    [&](const auto& in) { return softmax_cross_entropy(in[0], labels, {reduction}); }, {x});
    check_gradients("weights",
                    [&](const auto& in) { return softmax_cross_entropy(in[0], in[1], {reduction}); },
                    {x, numbers({2, 2, 3}, 1.0, 1)});
  }
  check_gradients("strided",
                  [](const auto& in) {
                    return softmax_cross_entropy(transpose(in[0]), tensor({1, 2}), kNone);
                  },
                  {numbers({3, 2})});
  check_gradients("one class",
                  [](const auto& in) {
                    return softmax_cross_entropy(in[0], tensor({0, 0}));
                  },
                  {numbers({2, 1})});
  check_gradients("one row", [](const auto& in) { return softmax_cross_entropy(in[0], tensor(1)); },
                  {numbers({3})});
}

// The gradient of a mean is made along with the losses, that of anything else afterwards.
TEST(SoftmaxCrossEntropy, TheGradientOfAMeanIsTheOneOfItsSum) {
  Rng rng(3);
  for (const std::int64_t classes : {1, 7, 1000, 5000}) {
    for (const DType dtype : {DType::f32, DType::f64}) {
      const Tensor x = rng.normal({6, classes}, 0.0, 3.0, dtype);
      const Tensor y = rng.randint(0, classes, {6});
      const auto gradient = [&](const auto& loss) { return grad(x, loss); };
      const Tensor of_sum = gradient(
          [&](const Tensor& t) { return softmax_cross_entropy(t, y, {.reduction = Reduction::sum}) / 6.0; });
      const double close = dtype == DType::f32 ? 1e-6 : 1e-14;
      const Tensor of_mean = gradient([&](const Tensor& t) { return softmax_cross_entropy(t, y); });
      EXPECT_TRUE(allclose(of_mean, of_sum, close, 1e-3 * close)) << classes;
      const Tensor of_rows = gradient([&](const Tensor& t) {
        return -mean(-softmax_cross_entropy(t, y, {.reduction = Reduction::none}));
      });
      EXPECT_TRUE(allclose(of_rows, of_sum, close, 1e-3 * close)) << classes;
      const Tensor tripled = gradient([&](const Tensor& t) { return 3.0 * softmax_cross_entropy(t, y); });
      EXPECT_TRUE(allclose(tripled, 3.0 * of_sum, close, 1e-3 * close)) << classes;
    }
  }
}

TEST(SoftmaxCrossEntropy, ThirdDerivativesFollow) {
  // log(1 + e^-d) for logits (d, 0) and label 0: its third derivative is s (1 - s) (1 - 2 s) times -1.
  const double d = 0.7;
  const Tensor third = grad(tensor(d, DType::f64), [](const Tensor& a) {
    return grad(a, [](const Tensor& b) {
      return grad(b, [](const Tensor& c) {
        const Tensor logits = reshape(c, {1, 1}) * tensor({{1.0, 0.0}}, DType::f64);
        return softmax_cross_entropy(logits, tensor({0}));
      });
    });
  });
  const double s = 1 / (1 + std::exp(-d));
  EXPECT_NEAR(third.item(), s * (1 - s) * (1 - 2 * s), 1e-12);
}

TEST(SoftmaxCrossEntropy, TargetsMayBeOfAnotherFloatingType) {
  const Tensor x = numbers({2, 3}).to(DType::f32);
  const Tensor t = numbers({2, 3}, 1.0, 2);
  EXPECT_EQ(softmax_cross_entropy(x, t).dtype(), DType::f32);
  EXPECT_NEAR(softmax_cross_entropy(x, t).item(), softmax_cross_entropy(x, t.to(DType::f32)).item(), 1e-6);
}

TEST(SoftmaxCrossEntropy, EmptyBatches) {
  const Tensor none = zeros({0}, DType::i64);
  EXPECT_EQ(softmax_cross_entropy(zeros({0, 3}), none, kSum).item(), 0.0);
  EXPECT_EQ(softmax_cross_entropy(zeros({0, 3}), none, kNone).shape().string(), "(0,)");
  expect_refusal(
      [&] {
        softmax_cross_entropy(zeros({0, 3}), none);
      },
      "[softmax_cross_entropy] there is nothing to average over, use another reduction");
}

TEST(SoftmaxCrossEntropy, Refuses) {
  const Tensor x = zeros({2, 3});
  const std::string op = "[softmax_cross_entropy] ";
  expect_refusal(
      [&] {
        softmax_cross_entropy(tensor({1, 2}), tensor(0));
      },
      op + "logits must be floating, got i64");
  expect_refusal(
      [&] {
        softmax_cross_entropy(zeros({2, 0}), tensor({0, 0}));
      },
      op + "logits must hold at least one element along the axis, got shape (2, 0)");
  expect_refusal(
      [&] {
        softmax_cross_entropy(x, tensor({0, 1, 2}));
      },
      op + "labels must have the logits' shape without the last axis: (3,) for (2, 3)");
  expect_refusal([&] { softmax_cross_entropy(x, tensor({0, 3})); }, op + "label 3 of row 1 is not in [0, 3)");
  expect_refusal(
      [&] {
        softmax_cross_entropy(x, tensor({-1, 0}));
      },
      op + "label -1 of row 0 is not in [0, 3)");
  expect_refusal(
      [&] {
        softmax_cross_entropy(zeros({1, 2, 3}), reshape(tensor({0, 7}), {1, 2}));
      },
      op + "label 7 of row (0, 1) is not in [0, 3)");
  expect_refusal([&] { softmax_cross_entropy(x, zeros({2})); },
                 op + "targets that are not i64 labels must have the logits' shape: (2,) for (2, 3)");
  expect_refusal(
      [&] {
        softmax_cross_entropy(x, tensor({true, false}));
      },
      op + "targets that are not i64 labels must be floating, got bool");
  const std::string why = " has no softmax: it holds NaN or +inf, or nothing but -inf";
  expect_refusal(
      [&] {
        softmax_cross_entropy(tensor({{0.0, 1.0}, {std::nan(""), 0.0}}), tensor({0, 0}));
      },
      op + "row 1 of the logits (2, 2)" + why);
  expect_refusal(
      [&] {
        softmax_cross_entropy(full({2, 2}, -kInfinity), ones({2, 2}));
      },
      op + "row 0 of the logits (2, 2)" + why);
  expect_refusal(
      [&] {
        softmax_cross_entropy(zeros({2, 2}), tensor({{0.0, 1.0}, {std::nan(""), 0.0}}));
      },
      op + "the targets in row 1 of (2, 2) make a loss that is not a number");
}

TEST(BinaryCrossEntropy, IsTheFormula) {
  for (const DType dtype : {DType::f32, DType::f64}) {
    const Tensor x = tensor({-1e4, -100.0, -1.5, 0.0, 0.5, 100.0, 1e4}).to(dtype);
    for (const double t : {0.0, 0.3, 1.0}) {
      const Tensor loss = binary_cross_entropy_from_logits(x, full_like(x, t), kNone);
      EXPECT_EQ(loss.dtype(), dtype);
      for (std::int64_t i = 0; i < x.size(); ++i) {
        const double v = x.at({i});
        const double softplus = v > 0 ? v + std::log1p(std::exp(-v)) : std::log1p(std::exp(v));
        EXPECT_NEAR(loss.at({i}), softplus - t * v, 1e-6 * std::max(1.0, std::abs(v))) << v << ", " << t;
      }
    }
  }
  const Tensor x = numbers({2, 3});
  const Tensor t = tensor({{true, false, false}, {true, true, false}});
  const Tensor each = binary_cross_entropy_from_logits(x, t, kNone);
  EXPECT_NEAR(binary_cross_entropy_from_logits(x, t, kSum).item(), sum(each).item(), 1e-12);
  EXPECT_NEAR(binary_cross_entropy_from_logits(x, t).item(), sum(each).item() / 6, 1e-12);
}

TEST(BinaryCrossEntropy, Gradients) {
  for (const Reduction reduction : {Reduction::mean, Reduction::sum, Reduction::none}) {
    check_gradients(
        "binary_cross_entropy_from_logits",
        [&](const auto& in) { return binary_cross_entropy_from_logits(in[0], in[1], {reduction}); },
        {numbers({2, 3}, 3.0), numbers({2, 3}, 1.0, 1)});
  }
  check_gradients("strided",
                  [](const auto& in) {
                    return binary_cross_entropy_from_logits(transpose(in[0]), tensor({{1, 0}, {0, 1}}));
                  },
                  {numbers({2, 2})});
  const Tensor g = grad(tensor({-1e4, 1e4}), [](const Tensor& x) {
    return binary_cross_entropy_from_logits(x, tensor({1.0, 1.0}), kSum);
  });
  EXPECT_TRUE(array_equal(g, tensor({-1.0, 0.0})));
}

TEST(BinaryCrossEntropy, Refuses) {
  const std::string op = "[binary_cross_entropy_from_logits] ";
  expect_refusal(
      [] {
        binary_cross_entropy_from_logits(tensor({1, 2}), zeros({2}));
      },
      op + "logits must be floating, got i64");
  expect_refusal([] { binary_cross_entropy_from_logits(zeros({2}), zeros({3})); },
                 op + "logits and targets differ in shape: (2,) and (3,)");
  expect_refusal([] { binary_cross_entropy_from_logits(zeros({0}), zeros({0})); },
                 op + "there is nothing to average over, use another reduction");
  expect_refusal(
      [] {
        binary_cross_entropy_from_logits(reshape(tensor({0.0, std::nan("")}), {1, 2}), zeros({1, 2}));
      },
      op + "the loss at (0, 1) is not a number: logit nan, target 0");
  expect_refusal([] { binary_cross_entropy_from_logits(tensor({-kInfinity}), zeros({1})); },
                 op + "the loss at (0,) is not a number: logit -inf, target 0");
}

TEST(Losses, GiveTheSameBitsForAnyNumberOfThreads) {
  const Tensor x = Rng(1).normal({400, 300});
  const Tensor labels = Rng(2).randint(0, 300, {400});
  const Tensor weights = Rng(3).uniform({400, 300});
  const auto run = [&] {
    std::vector<Tensor> all;
    for (const auto& [value, gradient] :
         {value_and_grad(x, [&](const Tensor& in) { return softmax_cross_entropy(in, labels); }),
          value_and_grad(x, [&](const Tensor& in) { return softmax_cross_entropy(in, weights); }),
          value_and_grad(x,
                         [&](const Tensor& in) { return binary_cross_entropy_from_logits(in, weights); })}) {
      all.push_back(value);
      all.push_back(gradient);
    }
    return all;
  };
  const int saved = threads();
  set_threads(1);
  const std::vector<Tensor> expected = run();
  for (const int count : {2, 3}) {
    set_threads(count);
    const std::vector<Tensor> again = run();
    for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_TRUE(array_equal(again[i], expected[i])) << i;
  }
  set_threads(saved);
}

TEST(RegressionLosses, ByHand) {
  const Tensor prediction = tensor({1.0, -2.0, 0.5, 4.0}), target = tensor({0, 1, 0, 0});
  // Errors 1, -3, 0.5 and 4.
  EXPECT_FLOAT_EQ(static_cast<float>(mean_squared_error(prediction, target).item()), 26.25F / 4.0F);
  EXPECT_EQ(mean_squared_error(prediction, target, kSum).item(), 26.25);
  EXPECT_EQ(mean_absolute_error(prediction, target).item(), 8.5 / 4.0);
  EXPECT_EQ(mean_absolute_error(prediction, target, kNone).to_vector<float>(),
            (std::vector<float>{1.0F, 3.0F, 0.5F, 4.0F}));
  EXPECT_EQ(huber(prediction, target, {.delta = 2.0, .reduction = Reduction::none}).to_vector<float>(),
            (std::vector<float>{0.5F, 4.0F, 0.125F, 6.0F}));
  // Where the error is 0 the slope of all three is 0.
  for (const auto& loss : {+[](const Tensor&p, const Tensor&t) { return mean_squared_error(p, t); },
                           +[](const Tensor&p, const Tensor&t) { return mean_absolute_error(p, t); },
                           +[](const Tensor&p, const Tensor&t) { return huber(p, t); }}) {
    const Tensor same = numbers({5});
    EXPECT_EQ(sum(abs(grad(same, [&](const Tensor& p) { return loss(p, same); }))).item(), 0.0);
  }
}

TEST(RegressionLosses, KeepTheDigitsOfF64) {
  // In f32 both numbers are the same.
  const Tensor loss = mean_squared_error(tensor({16777216.0}), tensor({16777217.0}, DType::f64));
  EXPECT_EQ(loss.dtype(), DType::f64);
  EXPECT_EQ(loss.item(), 1.0);
}

TEST(RegressionLosses, RefuseToBroadcast) {
  const Tensor column = zeros({3, 1}), row = zeros({3});
  expect_refusal([&] { mean_squared_error(column, row); },
                 "[mean_squared_error] prediction and target differ in shape: (3, 1) and (3,)");
  expect_refusal([&] { mean_absolute_error(row, zeros({})); },
                 "[mean_absolute_error] prediction and target differ in shape: (3,) and ()");
  expect_refusal([&] { huber(column, row); },
                 "[huber] prediction and target differ in shape: (3, 1) and (3,)");
  expect_refusal([&] { huber(row, row, {.delta = 0.0}); }, "[huber] delta must be finite and above 0, got 0");
  expect_refusal([] { mean_squared_error(zeros({0}), zeros({0})); },
                 "[mean_squared_error] there is nothing to average over, use another reduction");
  EXPECT_EQ(mean_squared_error(zeros({0}), zeros({0}), kSum).item(), 0.0);
}

}  // namespace
}  // namespace likely
