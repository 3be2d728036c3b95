// What distributions refuse, word for word.
#include <gtest/gtest.h>

#include <limits>

#include "likely/core/create.hpp"
#include "likely/likely.hpp"
#include "tests/support/check_gradients.hpp"

namespace likely {
namespace {

using testing::expect_refusal;

const double kNan = std::numeric_limits<double>::quiet_NaN();
const double kInf = std::numeric_limits<double>::infinity();

TEST(Refusal, ParametersOutsideTheirDomain) {
  expect_refusal([] { Normal(kNan, 1.0); }, "[Normal] location must be finite, got nan");
  expect_refusal(
      [] {
        Normal(0.0, tensor({{1.0, 2.0}, {3.0, -1.0}}));
      },
      "[Normal] scale must be finite and above 0, got -1 at (1, 1)");
  expect_refusal([] { Normal(0.0, kInf); }, "[Normal] scale must be finite and above 0, got inf");
  expect_refusal([] { Laplace(0.0, 0.0); }, "[Laplace] scale must be finite and above 0, got 0");
  expect_refusal([] { Cauchy(kInf, 1.0); }, "[Cauchy] location must be finite, got inf");
  expect_refusal([] { Gumbel(0.0, -2.0); }, "[Gumbel] scale must be finite and above 0, got -2");
  expect_refusal([] { LogNormal(0.0, -2.0); }, "[LogNormal] scale must be finite and above 0, got -2");
  expect_refusal([] { Exponential(0.0); }, "[Exponential] rate must be finite and above 0, got 0");
  expect_refusal(
      [] {
        Gamma(tensor({2.0, -1.0}), 1.0);
      },
      "[Gamma] concentration must be finite and above 0, got -1 at (1,)");
  expect_refusal([] { Gamma(1.0, 0.0); }, "[Gamma] rate must be finite and above 0, got 0");
  expect_refusal([] { InverseGamma(1.0, 0.0); }, "[InverseGamma] scale must be finite and above 0, got 0");
  expect_refusal([] { Beta(-3.0, 1.0); }, "[Beta] alpha must be finite and above 0, got -3");
  expect_refusal([] { Beta(3.0, 0.0); }, "[Beta] beta must be finite and above 0, got 0");
  expect_refusal([] { StudentT(0.0, 0.0, 1.0); }, "[StudentT] degrees must be finite and above 0, got 0");
  expect_refusal([] { VonMises(0.0, -1.0); },
                 "[VonMises] concentration must be finite and not below 0, got -1");
  expect_refusal([] { Poisson(0.0); }, "[Poisson] rate must be finite and above 0, got 0");
  expect_refusal(
      [] {
        Poisson::from_log_rate(tensor({0.0, kInf}));
      },
      "[Poisson] log_rate must be finite, got inf at (1,)");
  expect_refusal([] { Bernoulli{kInf}; }, "[Bernoulli] logits must be finite, got inf");
  expect_refusal([] { Bernoulli::from_probabilities(1.0); },
                 "[Bernoulli] probabilities must lie in (0, 1), got 1");
  expect_refusal(
      [] {
        Uniform(tensor({0.0, 2.0}), tensor({1.0, 2.0}));
      },
      "[Uniform] low must be below high, got 2 and 2 at (1,)");
  expect_refusal([] { Uniform(3.0, 2.0); }, "[Uniform] low must be below high, got 3 and 2");
}

TEST(Refusal, ShapesAndEmptyTensors) {
  expect_refusal([] { Normal(zeros({2}), ones({3})); }, "[Normal] shapes do not broadcast: (2,) and (3,)");
  expect_refusal([] { Normal(Tensor(), 1.0); },
                 "[tensor] an empty tensor was used where one with elements is needed");
}

TEST(Refusal, WhatIsNotAnAnswer) {
  expect_refusal(
      [] {
        Bernoulli(0.0).log_prob(tensor({0.0, 2.0}));
      },
      "[Bernoulli] x must lie in [0, 1], got 2 at (1,)");
}

}  // namespace
}  // namespace likely
