#include <gtest/gtest.h>

#include "likely/ops/activation.hpp"
#include "likely/ops/arithmetic.hpp"
#include "likely/ops/compare.hpp"
#include "likely/ops/math.hpp"
#include "tests/support/reference.hpp"

namespace likely::testing {
namespace {

using In = const std::vector<Tensor>&;

TEST(Parity, Arithmetic) {
  expect_parity("arithmetic", {{"add", [](In x) { return x[0] + x[1]; }},
                               {"subtract", [](In x) { return x[0] - x[1]; }},
                               {"multiply", [](In x) { return x[0] * x[1]; }},
                               {"divide", [](In x) { return x[0] / x[1]; }},
                               {"pow", [](In x) { return pow(x[0], x[1]); }},
                               {"pow_number", [](In x) { return pow(x[0], 3.0); }},
                               {"maximum", [](In x) { return maximum(x[0], x[1]); }},
                               {"minimum", [](In x) { return minimum(x[0], x[1]); }},
                               {"clip", [](In x) { return clip(x[0], -0.7, 0.9); }},
                               {"where", [](In x) { return where(x[0] > 0.1, x[0] * 2.0, x[1]); }},
                               {"abs", [](In x) { return abs(x[0]); }},
                               {"sign", [](In x) { return sign(x[0]); }},
                               {"square", [](In x) { return square(x[0]); }},
                               {"reciprocal", [](In x) { return reciprocal(x[0]); }}});
}

TEST(Parity, Functions) {
  // PyTorch's trigamma, the derivative of digamma, is right to ten digits.
  constexpr double kTolerance = 1e-9;
  expect_parity("functions",
                {{"exp", [](In x) { return exp(x[0]); }},
                 {"expm1", [](In x) { return expm1(x[0]); }},
                 {"sin", [](In x) { return sin(x[0]); }},
                 {"cos", [](In x) { return cos(x[0]); }},
                 {"tanh", [](In x) { return tanh(x[0]); }},
                 {"erf", [](In x) { return erf(x[0]); }},
                 {"erfc", [](In x) { return erfc(x[0]); }},
                 {"sqrt", [](In x) { return sqrt(x[0]); }},
                 {"rsqrt", [](In x) { return rsqrt(x[0]); }},
                 {"log", [](In x) { return log(x[0]); }},
                 {"log1p", [](In x) { return log1p(x[0]); }},
                 {"lgamma", [](In x) { return lgamma(x[0]); }},
                 {"digamma", [](In x) { return digamma(x[0]); }}},
                kTolerance);
}

TEST(Parity, Activations) {
  expect_parity("activations", {{"logit", [](In x) { return logit(x[0]); }},
                                {"relu", [](In x) { return relu(x[0]); }},
                                {"leaky_relu", [](In x) { return leaky_relu(x[0], 0.2); }},
                                {"elu", [](In x) { return elu(x[0], 1.3); }},
                                {"gelu", [](In x) { return gelu(x[0]); }},
                                {"gelu_tanh", [](In x) { return gelu_tanh(x[0]); }},
                                {"silu", [](In x) { return silu(x[0]); }},
                                {"hardswish", [](In x) { return hardswish(x[0]); }},
                                {"softplus", [](In x) { return softplus(x[0]); }},
                                {"sigmoid", [](In x) { return sigmoid(x[0]); }},
                                {"logsigmoid", [](In x) { return logsigmoid(x[0]); }}});
}

}  // namespace
}  // namespace likely::testing
