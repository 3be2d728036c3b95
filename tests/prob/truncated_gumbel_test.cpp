// TruncatedGumbel at its ends; tests/support/laws.cpp and tests/reference/data/laws.txt have the rest.
#include "likely/prob/distributions/truncated_gumbel.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "likely/core/create.hpp"
#include "likely/likely.hpp"
#include "tests/support/check_gradients.hpp"

namespace likely {
namespace {

using testing::check_gradients;
using testing::expect_refusal;
using In = const std::vector<Tensor>&;

constexpr double kInf = std::numeric_limits<double>::infinity();

TEST(TruncatedGumbel, WithoutABoundIsGumbel) {
  const Tensor location = tensor({0.3, -2.0}, DType::f64), scale = tensor(1.7, DType::f64);
  const TruncatedGumbel law(location, kInf, scale);
  const Gumbel plain(location, scale);
  const Tensor x = linspace(-6.0, 20.0, 9, DType::f64);
  EXPECT_TRUE(allclose(law.log_prob(unsqueeze(x, -1)), plain.log_prob(unsqueeze(x, -1)), 1e-13));
  EXPECT_TRUE(allclose(law.cdf(unsqueeze(x, -1)), plain.cdf(unsqueeze(x, -1)), 1e-13));
  EXPECT_TRUE(allclose(law.rsample(Rng(1), {50}), plain.rsample(Rng(1), {50}), 1e-13));
  EXPECT_TRUE(allclose(law.mean(), plain.mean(), 1e-13));
  EXPECT_TRUE(allclose(law.variance(), plain.variance(), 1e-13));
  EXPECT_TRUE(allclose(law.entropy(), plain.entropy(), 1e-13));
  EXPECT_EQ(law.quantile(tensor(1.0)).at({0}), kInf);
  // Bounds and none in one batch, and the derivatives of all.
  const Tensor bounds = tensor({kInf, -1.0}, DType::f64);
  const auto [by_location, by_bound, by_scale] =
      grad(std::tuple(location, bounds, scale), [&](const Tensor& m, const Tensor& T, const Tensor& s) {
        const TruncatedGumbel both(m, T, s);
        return sum(both.rsample(Rng(2), {20})) + sum(both.log_prob(tensor(-1.5, DType::f64))) +
               sum(both.cdf(tensor(-1.5, DType::f64)));
      });
  for (const Tensor& slope : {by_location, by_bound, by_scale})
    EXPECT_TRUE(all(is_finite(slope)).item() != 0.0);
  EXPECT_EQ(by_bound.at({0}), 0.0);
}

TEST(TruncatedGumbel, SamplesStayBelowTheBoundHoweverFarItIs) {
  for (const DType dtype : {DType::f32, DType::f64}) {
    for (const double distance : {-1e4, -50.0, -1.0, 0.0, 3.0, 50.0, 1e4}) {
      const TruncatedGumbel law(tensor(0.0, dtype), tensor(distance, dtype));
      const Tensor x = law.sample(Rng(3), {2000});
      EXPECT_LE(max(x).item(), distance);
      EXPECT_TRUE(all(is_finite(x)).item() != 0.0) << distance;
      EXPECT_TRUE(all(is_finite(law.log_prob(x))).item() != 0.0 || distance <= -50.0) << distance;
      // At the bound the density is e^(location - bound) / scale exactly.
      EXPECT_NEAR(law.log_prob(tensor(distance, dtype)).item(), -distance, 1e-6 * std::abs(distance));
      EXPECT_EQ(law.cdf(tensor(distance, dtype)).item(), 1.0);
      EXPECT_EQ(law.cdf(tensor(distance + 1.0, dtype)).item(), 1.0);
      EXPECT_EQ(law.log_prob(tensor(distance + 1.0, dtype)).item(), -kInf);
      EXPECT_EQ(law.quantile(tensor(1.0, dtype)).item(), distance);
      const auto [m, T] = grad(std::tuple(tensor(0.0, dtype), tensor(distance, dtype)),
                               [&](const Tensor& a, const Tensor& b) {
                                 const TruncatedGumbel moved(a, b);
                                 return sum(moved.rsample(Rng(3), {20})) + moved.log_prob(stop_gradient(b)) +
                                        moved.mean() + moved.variance();
                               });
      EXPECT_TRUE(std::isfinite(m.item())) << distance;
      EXPECT_TRUE(std::isfinite(T.item())) << distance;
    }
  }
}

TEST(TruncatedGumbel, Derivatives) {
  const Tensor m = tensor({0.3, 4.0, -2.0}, DType::f64), T = tensor({0.9, 1.0, 6.0}, DType::f64),
               s = tensor(1.3, DType::f64);
  check_gradients("log_prob",
                  [](In in) { return TruncatedGumbel(in[0], in[1], in[2]).log_prob(in[1] - in[3]); },
                  {m, T, s, tensor({0.2, 1.0, 2.0})});
  check_gradients("cdf", [](In in) { return TruncatedGumbel(in[0], in[1], in[2]).cdf(in[1] - in[3]); },
                  {m, T, s, tensor({0.2, 1.0, 2.0})});
  check_gradients("quantile", [](In in) { return TruncatedGumbel(in[0], in[1], in[2]).quantile(in[3]); },
                  {m, T, s, tensor({0.2, 0.5, 0.9})});
  check_gradients("rsample", [](In in) { return TruncatedGumbel(in[0], in[1], in[2]).rsample(Rng(4), {5}); },
                  {m, T, s});
  check_gradients("moments",
                  [](In in) {
                    const TruncatedGumbel law(in[0], in[1], in[2]);
                    return law.mean() + law.variance() * 2.0 + law.entropy() * 3.0;
                  },
                  {m, T, s});
  check_gradients("Gumbel::quantile", [](In in) { return Gumbel(in[0], in[1]).quantile(in[2]); },
                  {m, s, tensor({0.2, 0.5, 0.9})});
}

TEST(TruncatedGumbel, Refusals) {
  expect_refusal([] { TruncatedGumbel(0.0, std::nan("")); },
                 "[TruncatedGumbel] bound must be finite, got nan");
  expect_refusal(
      [] {
        TruncatedGumbel(0.0, tensor({kInf, -kInf}));
      },
      "[TruncatedGumbel] bound must be finite, got -inf at (1,)");
  expect_refusal([] { TruncatedGumbel(kInf, 0.0); }, "[TruncatedGumbel] location must be finite, got inf");
  expect_refusal([] { TruncatedGumbel(0.0, 0.0, 0.0); },
                 "[TruncatedGumbel] scale must be finite and above 0, got 0");
  expect_refusal([] { TruncatedGumbel(0.0, 0.0).quantile(tensor(-0.5)); },
                 "[TruncatedGumbel] the probability of a quantile must lie in [0, 1], got -0.5");
  expect_refusal([] { Gumbel(0.0, 1.0).quantile(tensor(2.0)); },
                 "[Gumbel] the probability of a quantile must lie in [0, 1], got 2");
}

}  // namespace
}  // namespace likely
