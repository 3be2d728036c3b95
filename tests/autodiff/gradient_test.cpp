#include "likely/autodiff/gradient.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <optional>
#include <thread>

#include "likely/autodiff/custom.hpp"
#include "likely/core/create.hpp"
#include "likely/ops/activation.hpp"
#include "likely/ops/arithmetic.hpp"
#include "likely/ops/math.hpp"
#include "likely/ops/reduce.hpp"
#include "likely/ops/view.hpp"
#include "likely/tree/tree.hpp"
#include "tests/support/check_gradients.hpp"
#include "tests/support/refusal.hpp"

namespace likely {
namespace {

using testing::expect_refusal;
using testing::numbers;

Tensor f64(double value) { return tensor(value, DType::f64); }

struct Layer {
  Tensor weight;
  std::optional<Tensor> bias;
  Buffer calls;
  LIKELY_PARTS(weight, bias, calls)
};

struct Model {
  std::vector<Layer> layers;
  Tensor scale;
  LIKELY_PARTS(layers, scale)
};

Model small_model() {
  Layer first{numbers({3}), numbers({3}, 1.0, 1), Buffer(f64(0.0))};
  Layer second{numbers({3}, 1.0, 2), std::nullopt, Buffer(f64(0.0))};
  return {{first, second}, f64(0.5)};
}

Tensor small_loss(const Model& m) {
  Tensor h = m.layers[0].weight * m.scale + *m.layers[0].bias;
  return sum(square(tanh(h) * m.layers[1].weight));
}

TEST(Gradient, OfATensor) {
  const auto [value, gradient] = value_and_grad(f64(3.0), [](const Tensor& x) { return x * x * x; });
  EXPECT_DOUBLE_EQ(value.item(), 27.0);
  EXPECT_DOUBLE_EQ(gradient.item(), 27.0);
}

TEST(Gradient, HandsOnWhatStandsBesideTheValue) {
  const Tensor x = numbers({3});
  const auto [value, gradient, square_of] = value_and_grad(x, [](const Tensor& at) {
    const Tensor squares = at * at;
    return std::pair(sum(squares * at), squares);
  });
  for (int i = 0; i < 3; ++i) {
    EXPECT_DOUBLE_EQ(square_of.at({i}), x.at({i}) * x.at({i}));
    EXPECT_NEAR(gradient.at({i}), 3.0 * x.at({i}) * x.at({i}), 1e-15);
  }
  EXPECT_DOUBLE_EQ(value.item(), sum(x * x * x).item());
  // Of a tuple, with something that is no tensor; grad leaves it out.
  const auto both = value_and_grad(std::tuple(f64(2.0), f64(5.0)), [](const Tensor& a, const Tensor& b) {
    return std::pair(a * b, std::string("said"));
  });
  EXPECT_EQ(both.aux, "said");
  EXPECT_DOUBLE_EQ(std::get<0>(both.gradient).item(), 5.0);
  EXPECT_DOUBLE_EQ(grad(f64(3.0), [](const Tensor& a) { return std::pair(a * a, 1); }).item(), 6.0);
}

TEST(Gradient, ToWhatIsOutsideWhatStandsBesideIsATensorAsAnyOther) {
  // x^2, from beside the inner value, and d(x y^2)/dy at y = x, 2 x^2: together 3 x^2, which has the slope 6
  // x.
  const Tensor gradient = grad(f64(3.0), [](const Tensor& x) {
    const auto inner = value_and_grad(x, [&](const Tensor& y) { return std::pair(x * y * y, x * x); });
    return inner.aux + inner.gradient;
  });
  EXPECT_DOUBLE_EQ(gradient.item(), 18.0);
}

TEST(Gradient, KeepsTheBuffersOfAModelWhoseLossSaysMore) {
  Model model = small_model();
  const auto [loss, gradient, calls] = value_and_grad(model, [](Model& m) {
    m.layers[0].calls = m.layers[0].calls + 1.0;
    return std::pair(small_loss(m), 7);
  });
  EXPECT_EQ(calls, 7);
  EXPECT_DOUBLE_EQ(model.layers[0].calls.item(), 1.0);
  EXPECT_DOUBLE_EQ(loss.item(), small_loss(model).item());
}

TEST(Gradient, OfSeveralTensorsAsATuple) {
  const auto [value, gradient] = value_and_grad(std::tuple(f64(2.0), f64(5.0)),
                                                [](const Tensor& a, const Tensor& b) { return a * a * b; });
  EXPECT_DOUBLE_EQ(value.item(), 20.0);
  EXPECT_DOUBLE_EQ(std::get<0>(gradient).item(), 20.0);
  EXPECT_DOUBLE_EQ(std::get<1>(gradient).item(), 4.0);
}

TEST(Gradient, OfAModelHasTheModelsType) {
  const Model model = small_model();
  const Model gradient = grad(model, small_loss);
  ASSERT_EQ(gradient.layers.size(), 2U);
  EXPECT_FALSE(gradient.layers[1].bias.has_value());
  EXPECT_EQ(gradient.layers[0].weight.shape(), (Shape{3}));
  EXPECT_EQ(gradient.layers[0].calls.item(), 0.0);

  const double step = 1e-6;
  Model up = model;
  Model down = model;
  up.scale = model.scale + step;
  down.scale = model.scale - step;
  const double difference = (small_loss(up).item() - small_loss(down).item()) / (2 * step);
  EXPECT_NEAR(gradient.scale.item(), difference, 1e-8);
}

TEST(Gradient, BuffersThatALossChangesComeBack) {
  Model model = small_model();
  value_and_grad(model, [](Model& m) {
    m.layers[0].calls = m.layers[0].calls + 1.0;
    m.layers[1].calls = sum(m.layers[1].weight);  // tracked inside, a plain number outside
    return small_loss(m);
  });
  EXPECT_EQ(model.layers[0].calls.item(), 1.0);
  EXPECT_EQ(model.layers[1].calls.track().tape, 0U);
  EXPECT_NEAR(model.layers[1].calls.item(), sum(model.layers[1].weight).item(), 1e-15);
}

TEST(Gradient, FrozenPartsGetZeros) {
  Model model = small_model();
  freeze(model.layers[0]);
  const Model gradient = grad(model, small_loss);
  EXPECT_EQ(sum(abs(gradient.layers[0].weight)).item(), 0.0);
  EXPECT_NE(sum(abs(gradient.layers[1].weight)).item(), 0.0);
}

TEST(Gradient, UnusedParametersGetZeros) {
  const auto gradient =
      grad(std::vector{f64(1.0), numbers({2, 2})}, [](const std::vector<Tensor>& x) { return x[0] * 2.0; });
  EXPECT_EQ(gradient[0].item(), 2.0);
  EXPECT_TRUE(array_equal(gradient[1].contiguous(), zeros({2, 2}, DType::f64)));
}

TEST(Gradient, ALossThatDependsOnNothingHasZeroGradient) {
  const Tensor gradient = grad(numbers({3}), [](const Tensor&) { return tensor(4.0); });
  EXPECT_EQ(sum(abs(gradient)).item(), 0.0);
}

TEST(Gradient, ATensorUsedTwiceGetsBothContributions) {
  const Tensor gradient = grad(f64(1.5), [](const Tensor& x) {
    const Tensor y = exp(x);
    return y * y + y;
  });
  EXPECT_NEAR(gradient.item(), 2 * std::exp(3.0) + std::exp(1.5), 1e-12);
}

TEST(Gradient, RefusesWhatHasNoGradient) {
  expect_refusal([] { grad(numbers({3}), [](const Tensor& x) { return x; }); },
                 "[value_and_grad] the function must return one number, got shape (3,)");
  expect_refusal([] { grad(numbers({3}), [](const Tensor&) { return Tensor(); }); },
                 "[value_and_grad] the function returned an empty tensor");
  expect_refusal([] { grad(numbers({1}), [](const Tensor& x) { return x.to(DType::i64); }); },
                 "[value_and_grad] the function must return a floating number, got i64");
  expect_refusal(
      [] {
        const auto pull_back = vjp(numbers({3}), [](const Tensor& x) { return x * 2.0; }).pull_back;
        pull_back(numbers({2}));
      },
      "[vjp] the output's gradient has shape (2,), the output (3,)");
  expect_refusal([] { jvp(numbers({3}), numbers({2}), [](const Tensor& x) { return x; }); },
                 "[jvp] the direction must have the shapes of the point");
}

TEST(Gradient, TrackedTensorsCannotBeWrittenTo) {
  expect_refusal(
      [] {
        grad(numbers({2}), [](const Tensor& x) {
          Tensor y = x * 1.0;
          y.set({0}, 1.0);
          return sum(y);
        });
      },
      "[mutable_data] a tensor that a gradient is being taken of cannot be written to");
}

TEST(Gradient, EscapedTensorsAreConstants) {
  Tensor escaped;
  grad(f64(2.0), [&](const Tensor& x) {
    escaped = x * x;
    return escaped;
  });
  EXPECT_EQ(escaped.item(), 4.0);
  EXPECT_EQ(grad(f64(3.0), [&](const Tensor& x) { return x * escaped; }).item(), 4.0);
}

TEST(Gradient, EscapedTensorsCanBeWrittenTo) {
  Tensor escaped;
  const auto forward = vjp(numbers({2}), [&](const Tensor& x) { return escaped = x * 2.0; });
  escaped.set({0}, 7.0);
  EXPECT_EQ(escaped.at({0}), 7.0);
  EXPECT_NE(forward.value.at({0}), 7.0);
}

TEST(Gradient, ATensorOfAnotherThreadsTapeIsRefused) {
  std::string message;
  grad(f64(2.0), [&](const Tensor& x) {
    std::thread other([&] { message = testing::refusal_of([&] { (void)(x * 2.0); }); });
    other.join();
    return x;
  });
  EXPECT_EQ(message,
            "[gradient] a tensor of another thread's gradient is used; take a gradient inside one thread");
}

TEST(Gradient, ThreadsTakeGradientsIndependently) {
  std::vector<double> results(4);
  std::vector<std::thread> workers;
  for (std::size_t i = 0; i < results.size(); ++i) {
    workers.emplace_back([&results, i] {
      for (int repeat = 0; repeat < 200; ++repeat) {
        results[i] = grad(f64(static_cast<double>(i)), [](const Tensor& x) { return x * x; }).item();
      }
    });
  }
  for (std::thread& worker : workers) worker.join();
  for (std::size_t i = 0; i < results.size(); ++i) EXPECT_EQ(results[i], 2.0 * static_cast<double>(i));
}

TEST(Gradient, NestsToAnyOrder) {
  // d^4/dx^4 of x^5 = 120 x.
  const auto fifth_power = [](const Tensor& x) { return x * x * x * x * x; };
  const auto d1 = [&](const Tensor& x) { return grad(x, fifth_power); };
  const auto d2 = [&](const Tensor& x) { return grad(x, d1); };
  const auto d3 = [&](const Tensor& x) { return grad(x, d2); };
  EXPECT_NEAR(grad(f64(2.0), d3).item(), 240.0, 1e-10);
}

TEST(Gradient, AGradientInsideALossSeesOuterVariables) {
  // inner(y) = d/dx (x^2 y^3) at x = y  ->  2 y * y^3 = 2 y^4;  d/dy = 8 y^3.
  const Tensor gradient = grad(
      f64(1.5), [](const Tensor& y) { return grad(y, [&](const Tensor& x) { return x * x * y * y * y; }); });
  EXPECT_NEAR(gradient.item(), 8.0 * std::pow(1.5, 3), 1e-12);
}

TEST(Gradient, PerturbationsOfDifferentLevelsAreNotConfused) {
  // d/dx (x * d/dy (x + y)) = d/dx x = 1, the classical trap.
  const Tensor gradient = grad(
      f64(1.0), [](const Tensor& x) { return x * grad(f64(1.0), [&](const Tensor& y) { return x + y; }); });
  EXPECT_EQ(gradient.item(), 1.0);
}

TEST(Gradient, VjpCanBePulledBackSeveralTimes) {
  const auto [value, pull_back] = vjp(tensor({1.0, 2.0}, DType::f64), [](const Tensor& x) { return x * x; });
  EXPECT_TRUE(allclose(value, tensor({1.0, 4.0}, DType::f64)));
  EXPECT_TRUE(allclose(pull_back(tensor({1.0, 0.0}, DType::f64)), tensor({2.0, 0.0}, DType::f64)));
  EXPECT_TRUE(allclose(pull_back(tensor({0.0, 1.0}, DType::f64)), tensor({0.0, 4.0}, DType::f64)));
}

TEST(Gradient, JvpIsTheDerivativeAlongADirection) {
  const Tensor x = numbers({4});
  const Tensor v = numbers({4}, 1.0, 3);
  const auto f = [](const Tensor& t) { return exp(t) * sum(t); };
  const auto [value, tangent] = jvp(x, v, f);
  const Tensor expected = exp(x) * v * sum(x) + exp(x) * sum(v);
  EXPECT_TRUE(allclose(value, f(x), 1e-12));
  EXPECT_TRUE(allclose(tangent, expected, 1e-12));
}

TEST(Gradient, JvpIsDifferentiable) {
  // d/dx of (d/dx x^3 * 1) = 6 x.
  const Tensor gradient = grad(f64(2.0), [](const Tensor& x) {
    return jvp(x, f64(1.0), [](const Tensor& t) { return t * t * t; }).tangent;
  });
  EXPECT_NEAR(gradient.item(), 12.0, 1e-12);
}

TEST(Gradient, JacobianAndHessian) {
  const Tensor x = tensor({1.0, 2.0}, DType::f64);
  const Tensor j = jacobian(x, [](const Tensor& t) { return t * sum(t); });
  EXPECT_TRUE(allclose(j, tensor({{4.0, 1.0}, {2.0, 5.0}}, DType::f64), 1e-12));
  const Tensor h = hessian(x, [](const Tensor& t) {
    return square(select(t, 0, 0)) * select(t, 0, 1);  // a^2 b
  });
  EXPECT_TRUE(allclose(h, tensor({{4.0, 2.0}, {2.0, 0.0}}, DType::f64), 1e-12));
  EXPECT_EQ(jacobian(x, [](const Tensor& t) { return slice(t, 0, {0, 0}); }).shape(), (Shape{0, 2}));
}

TEST(Gradient, HvpEqualsHessianTimesDirectionAlsoForModels) {
  const Tensor x = numbers({5});
  const Tensor v = numbers({5}, 1.0, 9);
  const auto f = [](const Tensor& t) { return sum(exp(t) * sum(t)); };
  const Tensor h = hessian(x, f);
  EXPECT_TRUE(allclose(hvp(x, v, f), sum(h * v, 1), 1e-10));

  const Model model = small_model();
  const Model direction = map_parts(model, [](const Tensor& t) { return ones_like(t); });
  const Model product = hvp(model, direction, small_loss);
  const double step = 1e-5;
  const Model up = grad(map_parts(model, [&](const Tensor& t) { return t + step; }), small_loss);
  const Model down = grad(map_parts(model, [&](const Tensor& t) { return t - step; }), small_loss);
  EXPECT_NEAR(product.scale.item(), (up.scale.item() - down.scale.item()) / (2 * step), 1e-7);
}

TEST(Gradient, AHundredThousandOperationsNeitherOverflowNorSlow) {
  const Tensor gradient = grad(f64(1.0), [](const Tensor& x) {
    Tensor h = x;
    for (int i = 0; i < 100'000; ++i) h = h * 1.00001;
    return h;
  });
  EXPECT_NEAR(gradient.item(), std::pow(1.00001, 100'000), 1e-9);
}

TEST(Gradient, MemoryFallsAsTheBackwardPassProceeds) {
  const std::int64_t n = 1 << 16;
  const std::int64_t bytes = n * 4;
  std::vector<std::int64_t> seen;
  const auto watch = [&](const Tensor& t) {
    return custom_gradient(
        {t}, [](const std::vector<Tensor>& in) { return in[0] * 1.0; },
        [&](const std::vector<Tensor>&, const Tensor&, const Tensor& g) {
          seen.push_back(memory_report().in_use);
          return std::vector{g};
        });
  };
  grad(ones({n}), [&](const Tensor& x) {
    Tensor h = x;
    for (int i = 0; i < 8; ++i) h = exp(watch(h) * 0.01);
    return sum(h);
  });
  ASSERT_EQ(seen.size(), 8U);
  for (std::size_t i = 1; i < seen.size(); ++i) EXPECT_LE(seen[i], seen[i - 1] - bytes) << i;
}

}  // namespace
}  // namespace likely
