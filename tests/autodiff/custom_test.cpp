#include "likely/autodiff/custom.hpp"

#include <gtest/gtest.h>

#include "likely/core/create.hpp"
#include "likely/ops/arithmetic.hpp"
#include "likely/ops/math.hpp"
#include "likely/ops/reduce.hpp"
#include "tests/support/check_gradients.hpp"

namespace likely {
namespace {

using testing::check_gradients;
using testing::expect_refusal;
using testing::numbers;

struct Scale {
  Tensor factor;
  LIKELY_PARTS(factor)
};

Tensor heavy(const Scale& scale, const Tensor& x) {
  Tensor h = x;
  for (int i = 0; i < 10; ++i) h = tanh(h * scale.factor) + h;
  return h;
}

TEST(StopGradient, IsAConstantToEveryTape) {
  const Tensor x = tensor(3.0, DType::f64);
  EXPECT_EQ(grad(x, [](const Tensor& t) { return stop_gradient(t) * t; }).item(), 3.0);
  EXPECT_EQ(
      grad(x,
           [](const Tensor& t) { return grad(t, [](const Tensor& u) { return stop_gradient(u * u) * u; }); })
          .item(),
      0.0);
}

TEST(CustomGradient, ReplacesTheRule) {
  const auto doubled = [](const Tensor& x) {
    return custom_gradient(
        {x}, [](const std::vector<Tensor>& in) { return square(in[0]); },
        [](const std::vector<Tensor>& in, const Tensor&, const Tensor& g) {
          return std::vector{g * in[0] * 4.0};
        });
  };
  const Tensor x = tensor(3.0, DType::f64);
  EXPECT_EQ(doubled(x).item(), 9.0);
  EXPECT_EQ(grad(x, doubled).item(), 12.0);
  EXPECT_EQ(grad(x, [&](const Tensor& t) { return grad(t, doubled); }).item(), 4.0);
}

TEST(CustomGradient, AnEmptyGradientIsZero) {
  const Tensor gradient = grad(tensor(2.0), [](const Tensor& x) {
    return custom_gradient(
        {x}, [](const std::vector<Tensor>& in) { return in[0] * 5.0; },
        [](const std::vector<Tensor>&, const Tensor&, const Tensor&) { return std::vector<Tensor>(1); });
  });
  EXPECT_EQ(gradient.item(), 0.0);
}

TEST(CustomGradient, RefusesWrongGradients) {
  const auto with = [](std::vector<Tensor> gradients) {
    grad(numbers({3}), [&](const Tensor& x) {
      return sum(custom_gradient(
          {x}, [](const std::vector<Tensor>& in) { return in[0] * 1.0; },
          [&](const std::vector<Tensor>&, const Tensor&, const Tensor&) { return gradients; }));
    });
  };
  expect_refusal([&] { with({}); }, "[custom_gradient] backward returned 0 gradients for 1 inputs");
  expect_refusal([&] { with({numbers({2})}); },
                 "[custom_gradient] backward returned shape (2,) for input 0 of shape (3,)");
}

TEST(Checkpoint, HasTheSameDerivatives) {
  check_gradients("checkpoint",
                  [](const std::vector<Tensor>& in) { return checkpoint(heavy, Scale{in[0]}, in[1]); },
                  {numbers({}), numbers({4}, 1.0, 5)});
  const Tensor x = numbers({4});
  const Scale scale{tensor(0.3, DType::f64)};
  EXPECT_TRUE(array_equal(checkpoint(heavy, scale, x), heavy(scale, x)));
  const auto plain =
      grad(std::tuple(scale, x), [](const Scale& s, const Tensor& t) { return sum(heavy(s, t)); });
  const auto kept = grad(std::tuple(scale, x),
                         [](const Scale& s, const Tensor& t) { return sum(checkpoint(heavy, s, t)); });
  EXPECT_TRUE(allclose(std::get<0>(kept).factor, std::get<0>(plain).factor, 1e-14));
  EXPECT_TRUE(allclose(std::get<1>(kept), std::get<1>(plain), 1e-14));
}

TEST(Checkpoint, KeepsLessInMemory) {
  const auto peak = [](bool save_memory) {
    const Tensor x = ones({1 << 16});
    const Scale scale{tensor(0.3)};
    reset_peak_memory();
    const std::int64_t before = memory_report().in_use;
    grad(x, [&](const Tensor& t) {
      Tensor h = t;
      for (int i = 0; i < 8; ++i) h = save_memory ? checkpoint(heavy, scale, h) : heavy(scale, h);
      return sum(h);
    });
    return memory_report().peak - before;
  };
  EXPECT_LT(peak(true), peak(false) / 3);
}

TEST(Checkpoint, RefusesACapturedParameter) {
  expect_refusal(
      [] {
        grad(numbers({3}), [](const Tensor& w) {
          const Tensor x = w * 2.0;
          return sum(checkpoint([&](const Tensor& t) { return t * w; }, x));
        });
      },
      "[checkpoint] the function uses a tensor that is being learned without getting it as an argument; pass "
      "it as "
      "one");
}

// The argument belongs to the outer gradient, the captured tensor to the inner one.
TEST(Checkpoint, RefusesACapturedTensorOfAnInnerGradient) {
  expect_refusal(
      [] {
        grad(numbers({3}), [](const Tensor& x) {
          return sum(grad(numbers({3}, 1.0, 1), [&](const Tensor& w) {
            return sum(checkpoint([&](const Tensor& t) { return t * w; }, x));
          }));
        });
      },
      "[checkpoint] the function uses a tensor that is being learned without getting it as an argument; pass "
      "it as one");
}

// One of the outer gradient is an ordinary number to the inner one, and keeps its derivative.
TEST(Checkpoint, ACapturedTensorOfAnOuterGradientKeepsItsDerivative) {
  check_gradients("captured from outside",
                  [](const std::vector<Tensor>& in) {
                    return grad(numbers({3}, 1.0, 4), [&](const Tensor& y) {
                      return sum(checkpoint([&](const Tensor& t) { return sin(t * in[0]); }, y));
                    });
                  },
                  {numbers({3})});
}

// Where nothing of the arguments is learned, there is nothing to compute again.
TEST(Checkpoint, ACapturedTensorBesideConstantArgumentsKeepsItsDerivative) {
  check_gradients("constant arguments",
                  [](const std::vector<Tensor>& in) {
                    return checkpoint([&](const Tensor& t) { return sin(t * in[0]); }, numbers({3}, 1.0, 4));
                  },
                  {numbers({3})});
}

struct Shifted {
  Tensor scale;
  Buffer shift;
  LIKELY_PARTS(scale, shift)
};

// What is no parameter of a model may still have been computed from what is learned.
TEST(Checkpoint, BuffersAndFrozenPartsOfArgumentsPassTheGradientOn) {
  const auto f = [](const Shifted& model, const Tensor& x) { return sin(model.scale * x) * model.shift; };
  for (const bool frozen : {false, true}) {
    check_gradients(frozen ? "frozen" : "buffer",
                    [&](const std::vector<Tensor>& in) {
                      Shifted model{in[0] * 2.0, Buffer(in[1] * in[0])};
                      if (frozen) model.scale.set_frozen(true);
                      return checkpoint(f, model, in[1]);
                    },
                    {numbers({3}), numbers({3}, 1.0, 1)});
  }
}

}  // namespace
}  // namespace likely
