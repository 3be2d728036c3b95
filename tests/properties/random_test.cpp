#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <numbers>

#include "likely/core/create.hpp"
#include "likely/core/threads.hpp"
#include "likely/ops/dropout.hpp"
#include "likely/ops/reparameterize.hpp"
#include "likely/ops/rng.hpp"
#include "tests/properties/elementwise.hpp"
#include "tests/properties/families.hpp"
#include "tests/support/plain_special.hpp"

namespace likely::testing {

namespace {

using plain::Array;
using plain::Number;
using plain::Real;

Tensor tensor_of(const Array& x) {
  std::vector<double> values;
  for (const Number& element : x.elements) values.push_back(static_cast<double>(element.value));
  return tensor(values, Shape(std::span<const std::int64_t>(x.shape)));
}

// The number that was drawn; its slopes by the parameters are those that keep its probability.
Number moved(double drawn, const std::vector<Number>& parameters,
             const std::function<Real(const std::vector<Real>&, Real)>& cdf,
             const std::function<Real(const std::vector<Real>&, Real)>& density) {
  const auto y = static_cast<Real>(drawn);
  std::vector<Real> at;
  for (const Number& parameter : parameters) at.push_back(parameter.value);
  const Real here = density(at, y);
  return plain::apply(
      [&](const std::vector<Real>& moved_to) { return y - (cdf(moved_to, y) - cdf(at, y)) / here; },
      parameters);
}

Op drawn_op(const std::string& name, const std::string& declared, std::vector<Input> inputs,
            std::function<Tensor(const Tensors&)> call, std::function<Array(const Arrays&)> loop) {
  return {.name = name,
          .declares = {declared},
          .inputs = std::move(inputs),
          .sizes = {"a=3 b=5", "a=7 b=9"},
          .call = std::move(call),
          .loop = std::move(loop),
          .types = {DType::f64},
          .second = false,
          .same_bits = true,
          // As special.hpp promises: about 1e-13, and rather less in a ratio of two.
          .gradient_slack = 1e5};
}

}  // namespace

Ops random_ops() {
  Ops ops;
  const Input parameter{.axes = "ab", .low = 0.5, .high = 6.0};
  ops.push_back(drawn_op(
      "random_log_gamma", "random_log_gamma(Rng, Tensor)", {parameter},
      [](const Tensors& x) { return random_log_gamma(Rng(5), x[0]); },
      [](const Arrays& x) {
        const std::vector<double> drawn = random_log_gamma(Rng(5), tensor_of(x[0])).to_vector<double>();
        Array y(x[0].shape);
        for (std::int64_t i = 0; i < y.size(); ++i) {
          y[i] = moved(
              drawn[static_cast<std::size_t>(i)], {x[0][i]},
              [](const std::vector<Real>& p, Real log_z) { return plain::gamma_p(p[0], std::exp(log_z)); },
              [](const std::vector<Real>& p, Real log_z) {
                return std::exp(p[0] * log_z - std::exp(log_z) - std::lgamma(p[0]));
              });
        }
        return y;
      }));
  ops.push_back(drawn_op(
      "random_logit_beta", "random_logit_beta(Rng, Tensor, Tensor)", {parameter, parameter},
      [](const Tensors& x) { return random_logit_beta(Rng(6), x[0], x[1]); },
      [](const Arrays& x) {
        const std::vector<double> drawn =
            random_logit_beta(Rng(6), tensor_of(x[0]), tensor_of(x[1])).to_vector<double>();
        Array y(x[0].shape);
        for (std::int64_t i = 0; i < y.size(); ++i) {
          const auto sigmoid = [](Real u) { return 1 / (1 + std::exp(-u)); };
          y[i] = moved(
              drawn[static_cast<std::size_t>(i)], {x[0][i], x[1][i]},
              [&](const std::vector<Real>& p, Real u) {
                return plain::incomplete_beta(p[0], p[1], sigmoid(u));
              },
              [&](const std::vector<Real>& p, Real u) {
                const Real log_beta = std::lgamma(p[0]) + std::lgamma(p[1]) - std::lgamma(p[0] + p[1]);
                return std::exp(p[0] * std::log(sigmoid(u)) + p[1] * std::log(sigmoid(-u)) - log_beta);
              });
        }
        return y;
      }));
  ops.push_back(drawn_op(
      "random_von_mises", "random_von_mises(Rng, Tensor)", {parameter},
      [](const Tensors& x) { return random_von_mises(Rng(7), x[0]); },
      [](const Arrays& x) {
        const std::vector<double> drawn = random_von_mises(Rng(7), tensor_of(x[0])).to_vector<double>();
        Array y(x[0].shape);
        for (std::int64_t i = 0; i < y.size(); ++i) {
          y[i] = moved(
              drawn[static_cast<std::size_t>(i)], {x[0][i]},
              [](const std::vector<Real>& p, Real t) { return plain::von_mises_cdf(t, p[0]); },
              [](const std::vector<Real>& p, Real t) { return plain::von_mises_density(t, p[0]); });
        }
        return y;
      }));
  // Which elements are kept, one tells by dropping out of ones; how many, is tested below.
  ops.push_back({.name = "dropout",
                 .declares = {"dropout(Tensor, number, Rng)"},
                 .inputs = {{.axes = "ab"}},
                 .sizes = {"a=7 b=13", "a=259 b=131"},
                 .call = [](const Tensors& x) { return dropout(x[0], 0.25, Rng(3)); },
                 .loop =
                     [](const Arrays& x) {
                       const std::vector<double> kept =
                           dropout(ones({x[0].size()}), 0.25, Rng(3)).to_vector<double>();
                       Array y(x[0].shape);
                       for (std::int64_t i = 0; i < y.size(); ++i) {
                         y[i] = kept[static_cast<std::size_t>(i)] == 0 ? Number(0) : x[0][i] / Number(0.75L);
                       }
                       return y;
                     },
                 .same_bits = true});
  return ops;
}

INSTANTIATE_TEST_SUITE_P(Random, OpProperties, ::testing::ValuesIn(random_ops()), name_of_op);

namespace {

// A draw of any shape. The law is checked by its mean and variance; tests/ops/rng_distributions_test.cpp
// knows more.
struct Drawing {
  std::string declared;
  std::function<Tensor(Rng&, const Shape&, DType)> draw;
  double mean, variance;
  double low, high;
  std::vector<DType> types = {DType::f32, DType::f64};
};

constexpr double kInfinite = std::numeric_limits<double>::infinity();

std::vector<Drawing> drawings() {
  const double euler = std::numbers::egamma;
  const double pi = std::numbers::pi;
  const auto filled = [](const Shape& shape, double value, DType type) { return full(shape, value, type); };
  return {
      {"Rng::bits(Shape)",
       [](Rng& r, const Shape& s, DType) { return r.bits(s); },
       0,
       0x1p126 / 3,
       -0x1p63,
       0x1p63,
       {DType::i64}},
      {"Rng::uniform(Shape, number, number, DType)",
       [](Rng& r, const Shape& s, DType t) { return r.uniform(s, -1.0, 3.0, t); }, 1.0, 16.0 / 12, -1.0, 3.0},
      {"Rng::normal(Shape, number, number, DType)",
       [](Rng& r, const Shape& s, DType t) { return r.normal(s, 1.0, 2.0, t); }, 1.0, 4.0, -kInfinite,
       kInfinite},
      {"Rng::truncated_normal(Shape, number, number, number, number, DType)",
       [](Rng& r, const Shape& s, DType t) { return r.truncated_normal(s, -kInfinite, 0.0, 0.0, 1.0, t); },
       -std::sqrt(2 / pi), 1 - 2 / pi, -kInfinite, 0.0},
      {"Rng::exponential(Shape, number, DType)",
       [](Rng& r, const Shape& s, DType t) { return r.exponential(s, 2.0, t); }, 0.5, 0.25, 0.0, kInfinite},
      {"Rng::gumbel(Shape, DType)", [](Rng& r, const Shape& s, DType t) { return r.gumbel(s, t); }, euler,
       pi * pi / 6, -kInfinite, kInfinite},
      {"Rng::bernoulli(Shape, number, DType)",
       [](Rng& r, const Shape& s, DType t) { return r.bernoulli(s, 0.3, t); }, 0.3, 0.21, 0.0, 1.0},
      {"Rng::bernoulli(Tensor)",
       [=](Rng& r, const Shape& s, DType t) { return r.bernoulli(filled(s, 0.3, t)); }, 0.3, 0.21, 0.0, 1.0},
      {"Rng::categorical(Tensor)",
       [](Rng& r, Shape s, DType) {
         s.push_back(3);
         return r.categorical(zeros(s));
       },
       1.0,
       2.0 / 3,
       0.0,
       2.0,
       {DType::i64}},
      {"Rng::randint(int64_t, int64_t, Shape)",
       [](Rng& r, const Shape& s, DType) { return r.randint(-2, 3, s); },
       0.0,
       2.0,
       -2.0,
       2.0,
       {DType::i64}},
      {"Rng::gamma(Tensor)", [=](Rng& r, const Shape& s, DType t) { return r.gamma(filled(s, 2.5, t)); }, 2.5,
       2.5, 0.0, kInfinite},
      {"Rng::gamma(Shape, number, DType)", [](Rng& r, const Shape& s, DType t) { return r.gamma(s, 2.5, t); },
       2.5, 2.5, 0.0, kInfinite},
      {"Rng::beta(Tensor, Tensor)",
       [=](Rng& r, const Shape& s, DType t) { return r.beta(filled(s, 2.0, t), filled(s, 3.0, t)); }, 0.4,
       0.04, 0.0, 1.0},
      {"Rng::beta(Shape, number, number, DType)",
       [](Rng& r, const Shape& s, DType t) { return r.beta(s, 2.0, 3.0, t); }, 0.4, 0.04, 0.0, 1.0},
      {"Rng::poisson(Tensor)",
       [=](Rng& r, const Shape& s, DType) { return r.poisson(filled(s, 3.0, DType::f64)); },
       3.0,
       3.0,
       0.0,
       kInfinite,
       {DType::i64}},
      {"Rng::poisson(Shape, number)",
       [](Rng& r, const Shape& s, DType) { return r.poisson(s, 3.0); },
       3.0,
       3.0,
       0.0,
       kInfinite,
       {DType::i64}},
  };
}

bool same_bits(const Tensor& a, const Tensor& b) {
  return a.shape() == b.shape() && a.dtype() == b.dtype() &&
         std::memcmp(a.raw(), b.raw(), static_cast<std::size_t>(a.size()) * size_of(a.dtype())) == 0;
}

TEST(RandomDraws, HaveShapeTypeLawAndTheSameBitsAlways) {
  for (const Drawing& drawing : drawings()) {
    for (const DType type : drawing.types) {
      SCOPED_TRACE(drawing.declared + ", " + std::string(name_of(type)));
      const Shape odd{3, 7, 13};
      Rng rng(11);
      const Tensor first = drawing.draw(rng, odd, type);
      EXPECT_EQ(first.shape(), odd);
      EXPECT_EQ(first.dtype(), type);
      EXPECT_FALSE(same_bits(drawing.draw(rng, odd, type), first)) << "the second draw is another";
      for (const Shape& shape : {Shape{0, 5}, Shape{5, 0}, Shape{}, Shape{1}}) {
        EXPECT_EQ(drawing.draw(rng, shape, type).shape(), shape);
      }
      // An element depends on its place in row-major order alone, and on no number of threads.
      constexpr std::int64_t kMany = 40'000;
      std::vector<Tensor> many;
      const int before = threads();
      for (const int count : {1, 2, 3}) {
        set_threads(count);
        Rng again(11);
        many.push_back(drawing.draw(again, {kMany}, type));
      }
      set_threads(before);
      EXPECT_TRUE(same_bits(many[0], many[1]) && same_bits(many[0], many[2]))
          << "other bits with more threads";
      EXPECT_EQ(std::memcmp(first.raw(), many[0].raw(), 273 * size_of(type)), 0)
          << "the shape changes the numbers";
      double sum = 0, squares = 0;
      for (const double value : many[0].to_vector<double>()) {
        ASSERT_GE(value, drawing.low);
        ASSERT_LE(value, drawing.high);
        sum += value - drawing.mean;
        squares += (value - drawing.mean) * (value - drawing.mean);
      }
      EXPECT_NEAR(sum / kMany / std::sqrt(drawing.variance), 0.0, 5 / std::sqrt(double{kMany}));
      EXPECT_NEAR(squares / kMany / drawing.variance, 1.0, 0.1);
    }
  }
}

TEST(RandomDraws, APermutationHoldsEachNumberOnce) {
  for (const std::int64_t n : {0, 1, 13, 4097}) {
    std::vector<bool> seen(static_cast<std::size_t>(n), false);
    for (const std::int64_t i : Rng(4).permutation(n).to_vector<std::int64_t>())
      seen.at(static_cast<std::size_t>(i)) = true;
    EXPECT_EQ(std::count(seen.begin(), seen.end(), true), n);
  }
}

TEST(RandomDraws, DropoutKeepsItsShare) {
  const Tensor y = dropout(ones({40'000}), 0.25, Rng(8));
  double kept = 0;
  for (const double value : y.to_vector<double>()) kept += value > 0 ? 1 : 0;
  EXPECT_NEAR(kept / 40'000, 0.75, 5 * std::sqrt(0.75 * 0.25 / 40'000));
}

}  // namespace

std::vector<std::string> random_draws() {
  std::vector<std::string> covered = {"Rng::permutation(int64_t)"};
  for (const Drawing& drawing : drawings()) covered.push_back(drawing.declared);
  return covered;
}

}  // namespace likely::testing
