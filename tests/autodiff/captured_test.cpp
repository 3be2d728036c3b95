// Tensors captured inside an inner gradient keep their outer derivatives.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>
#include <thread>

#include "likely/autodiff/custom.hpp"
#include "likely/autodiff/gradient.hpp"
#include "likely/core/create.hpp"
#include "likely/ops/arithmetic.hpp"
#include "likely/ops/math.hpp"
#include "likely/ops/reduce.hpp"
#include "tests/support/check_gradients.hpp"
#include "tests/support/refusal.hpp"

namespace likely {
namespace {

using testing::check_gradients;
using testing::expect_refusal;
using testing::numbers;
using In = const std::vector<Tensor>&;

Tensor f64(double value) { return tensor(value, DType::f64); }

// x times the slope of y^2 at x is 2 x^2, whose slope at 3 is 12. With y a constant it would be 6, or 4.
TEST(Captured, TheLeafOfAnInnerGradient) {
  const Tensor slope = grad(f64(3.0), [](const Tensor& x) {
    Tensor captured;
    const Tensor inner = grad(x, [&](const Tensor& y) {
      captured = y;
      return y * y;
    });
    return captured * inner;
  });
  EXPECT_DOUBLE_EQ(slope.item(), 12.0);
}

// Alone, the captured x^3 has the slope 3 x^2 = 12 at 2.
TEST(Captured, TheValueOfAnInnerGradientAlone) {
  const auto [value, slope] = value_and_grad(f64(2.0), [](const Tensor& x) {
    Tensor captured;
    grad(x, [&](const Tensor& y) { return captured = y * y * y; });
    return captured;
  });
  EXPECT_DOUBLE_EQ(value.item(), 8.0);
  EXPECT_DOUBLE_EQ(slope.item(), 12.0);
}

TEST(Captured, FirstAndSecondDerivativesOfLeafIntermediateAndValue) {
  for (const std::string which : {"leaf", "intermediate", "value"}) {
    check_gradients(which,
                    [&](In x) {
                      Tensor captured;
                      const Tensor inner = grad(x[0], [&](const Tensor& y) {
                        const Tensor between = exp(y) * x[1];
                        const Tensor value = sum(between * y);
                        captured = which == "leaf" ? y : which == "intermediate" ? between : value;
                        return value;
                      });
                      return sin(captured) * inner;
                    },
                    {numbers({3}), numbers({3}, 1.0, 1)});
  }
}

TEST(Captured, ThroughTwoLevels) {
  check_gradients("two levels",
                  [](In x) {
                    Tensor inner_capture, innermost_capture;
                    const Tensor slope = grad(x[0], [&](const Tensor& y) {
                      const Tensor bend = grad(y * x[1], [&](const Tensor& z) {
                        innermost_capture = z * z;
                        return sum(sin(z));
                      });
                      inner_capture = y * bend;
                      // Still one level up: captured where its own tape has ended, used where the next one
                      // records.
                      return sum(bend * innermost_capture);
                    });
                    return slope * inner_capture + innermost_capture;
                  },
                  {numbers({2}), numbers({2}, 1.0, 1)});
}

TEST(Captured, InPullBacksTangentsAndHessians) {
  // f(x) = x * y^2 with y = x captured inside a pull-back, that is x^3: f' = 3 x^2, f'' = 6 x.
  const auto cube = [](const Tensor& x) {
    Tensor captured;
    vjp(x, [&](const Tensor& y) {
      captured = y * y;
      return captured;
    });
    return x * captured;
  };
  EXPECT_DOUBLE_EQ(grad(f64(2.0), cube).item(), 12.0);
  EXPECT_DOUBLE_EQ(jvp(f64(2.0), f64(1.0), cube).tangent.item(), 12.0);
  EXPECT_DOUBLE_EQ(hessian(f64(2.0), cube).item(), 12.0);
  EXPECT_DOUBLE_EQ(hvp(f64(2.0), f64(1.0), cube).item(), 12.0);
  const Tensor third = grad(f64(2.0), [&](const Tensor& x) { return hessian(x, cube); });
  EXPECT_DOUBLE_EQ(third.item(), 6.0);

  const auto through_jvp = [](const Tensor& x) {
    Tensor captured;
    jvp(x, x, [&](const Tensor& y) { return captured = y * y * y; });
    return captured;
  };
  EXPECT_DOUBLE_EQ(grad(f64(2.0), through_jvp).item(), 12.0);
}

TEST(Captured, AfterAnExceptionInTheInnerGradient) {
  const Tensor slope = grad(f64(2.0), [](const Tensor& x) {
    Tensor captured;
    try {
      grad(x, [&](const Tensor& y) -> Tensor {
        captured = y * y * y;
        throw Error("no");
      });
    } catch (const Error&) {
    }
    return captured;
  });
  EXPECT_DOUBLE_EQ(slope.item(), 12.0);
}

TEST(Captured, IsAConstantWhenNothingRecordsAnyMore) {
  Tensor captured;
  grad(f64(2.0), [&](const Tensor& x) { return grad(x, [&](const Tensor& y) { return captured = y * y; }); });
  const Tensor slope = grad(f64(3.0), [&](const Tensor& x) { return x * captured; });
  EXPECT_DOUBLE_EQ(slope.item(), 4.0);
  captured.set({}, 7.0);
  EXPECT_DOUBLE_EQ(captured.item(), 7.0);
}

TEST(Captured, AnInnerGradientOfConstantsLeavesConstants) {
  const Tensor slope = grad(f64(3.0), [](const Tensor& x) {
    Tensor captured;
    grad(f64(5.0), [&](const Tensor& y) { return captured = y * y; });
    captured.set({}, 4.0);  // the outer gradient has no part in it
    return x * captured;
  });
  EXPECT_DOUBLE_EQ(slope.item(), 4.0);
}

TEST(Captured, CannotBeWrittenToWhileAnOuterGradientIsTaken) {
  expect_refusal(
      [] {
        grad(f64(3.0), [](const Tensor& x) {
          Tensor captured;
          grad(x, [&](const Tensor& y) { return captured = y * y; });
          captured.set({}, 1.0);
          return captured;
        });
      },
      "[mutable_data] a tensor that a gradient is being taken of cannot be written to");
}

TEST(Captured, AnotherThreadRefusesIt) {
  std::string said;
  grad(f64(3.0), [&](const Tensor& x) {
    Tensor captured;
    grad(x, [&](const Tensor& y) { return captured = y * y; });
    std::thread([&] { said = testing::refusal_of([&] { captured * 2.0; }); }).join();
    return x;
  });
  EXPECT_EQ(said,
            "[gradient] a tensor of another thread's gradient is used; take a gradient inside one thread");
}

TEST(Captured, ACheckpointRefusesWhatItIsNotGiven) {
  expect_refusal(
      [] {
        grad(f64(3.0), [](const Tensor& x) {
          Tensor captured;
          grad(x, [&](const Tensor& y) { return captured = y * y; });
          return checkpoint([&](const Tensor& t) { return t * captured; }, x);
        });
      },
      "[checkpoint] the function uses a tensor that is being learned without getting it as an argument; pass "
      "it "
      "as one");
}

}  // namespace
}  // namespace likely
