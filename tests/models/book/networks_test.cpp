// The textbook's models as models: made, refused, trained, in both types. (tests/equations has their
// formulas.)
#include "likely/models/book/chapter_03/networks.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "likely/core/create.hpp"
#include "likely/likely.hpp"
#include "likely/models/book/book.hpp"
#include "tests/support/check_gradients.hpp"

namespace likely::book {
namespace {

using testing::expect_refusal;
using testing::numbers;

// What most tests of the equations take for parameters: a matrix of a lower rank, or a symmetric one, would
// let a layer pass that drops or transposes.
TEST(BookNetworks, AreTestedWithNumbersOfFullRank) {
  for (int seed = 0; seed < 30; ++seed) {
    for (const std::int64_t size : {3, 5, 9}) {
      std::vector<double> a = numbers({size, size}, 1.0, seed).to_vector<double>();
      const auto n = static_cast<std::size_t>(size);
      EXPECT_GT(std::abs(a[1] - a[n]), 1e-3) << seed;
      for (std::size_t k = 0; k < n; ++k) {  // elimination with the largest of what is left
        std::size_t row = k, column = k;
        for (std::size_t i = k; i < n; ++i) {
          for (std::size_t j = k; j < n; ++j) {
            if (std::abs(a[i * n + j]) > std::abs(a[row * n + column])) {
              row = i;
              column = j;
            }
          }
        }
        ASSERT_GT(std::abs(a[row * n + column]), 1e-3) << "rank " << k << " of " << n << ", seed " << seed;
        for (std::size_t j = 0; j < n; ++j) std::swap(a[k * n + j], a[row * n + j]);
        for (std::size_t i = 0; i < n; ++i) std::swap(a[i * n + k], a[i * n + column]);
        for (std::size_t i = k + 1; i < n; ++i) {
          const double factor = a[i * n + k] / a[k * n + k];
          for (std::size_t j = k; j < n; ++j) a[i * n + j] -= factor * a[k * n + j];
        }
      }
    }
  }
}

TEST(BookNetworks, AreMadeInBothTypes) {
  for (const DType dtype : {DType::f32, DType::f64}) {
    const ShallowNetwork shallow(3, 8, 2, {.dtype = dtype}, Rng(1));
    const DeepNetwork deep(3, {8, 5}, 2, {.activation = Activation::silu, .dtype = dtype}, Rng(1));
    const Tensor x = numbers({4, 7, 3}).to(dtype);
    EXPECT_EQ(shallow(x).shape(), Shape({4, 7, 2}));
    EXPECT_EQ(shallow(x).dtype(), dtype);
    EXPECT_EQ(deep(x).shape(), Shape({4, 7, 2}));
    EXPECT_EQ(deep(x).dtype(), dtype);
  }
  std::vector<std::string> names;
  for (const Part& part : named_parts(DeepNetwork(3, {8}, 2, Rng(1)))) names.push_back(part.name);
  EXPECT_EQ(names, (std::vector<std::string>{"layers.0.weight", "layers.0.bias", "layers.1.weight",
                                             "layers.1.bias"}));
}

TEST(BookNetworks, StartWithJointsWhereTheInputsAre) {
  const ShallowNetwork network(1, 200, 1, {.joints_low = 2.0, .joints_high = 3.0, .dtype = DType::f64},
                               Rng(2));
  double lowest = 10.0, highest = -10.0;
  for (std::int64_t d = 0; d < 200; ++d) {
    const double joint = -network.hidden.bias.at({d}) / network.hidden.weight.at({d, 0});
    EXPECT_GE(joint, 2.0 - 1e-5);
    EXPECT_LE(joint, 3.0 + 1e-5);
    lowest = std::min(lowest, joint);
    highest = std::max(highest, joint);
  }
  EXPECT_LT(lowest, 2.1);  // they are spread out
  EXPECT_GT(highest, 2.9);
  expect_refusal([] { ShallowNetwork(1, 2, 1, {.joints_low = 1.0, .joints_high = 1.0}, Rng(1)); },
                 "[NetworkOptions] joints_low must be below joints_high, got 1.000000 and 1.000000");
}

TEST(BookNetworks, RefuseLayersThatDoNotFit) {
  const auto layer = [](std::int64_t out, std::int64_t in, Activation a) {
    return layer_of(zeros({out, in}), zeros({out}), a);
  };
  expect_refusal([&] { ShallowNetwork(layer(3, 2, Activation::relu), layer(1, 4, Activation::none)); },
                 "[ShallowNetwork] layer 1 takes 4 numbers, the one before gives 3");
  expect_refusal([&] { DeepNetwork(std::vector<nn::Linear>{layer(3, 2, Activation::relu)}); },
                 "[DeepNetwork] the last layer must have no activation, got relu");
  expect_refusal([] { DeepNetwork(std::vector<nn::Linear>{}); },
                 "[DeepNetwork] at least one layer is needed");
  expect_refusal(
      [] {
        layer_of(zeros({3, 2}), zeros({2}));
      },
      "[layer_of] the weight must be (out, in) and the bias (out,), got (3, 2) and (2,)");
  expect_refusal([] { ShallowNetwork(2, 0, 1, Rng(1)); }, "[Linear] out must be >= 1, got 0");
}

TEST(BookNetworks, HaveRightDerivatives) {
  const DeepNetwork network(2, {4, 3}, 1, {.activation = Activation::tanh, .dtype = DType::f64}, Rng(5));
  const Tensor x = numbers({6, 2}, 2.0);
  std::vector<Tensor> parameters;
  for (const Part& part : named_parts(network)) parameters.push_back(part.value);
  testing::check_gradients("deep network",
                           [&](const std::vector<Tensor>& p) {
                             DeepNetwork moved = network;
                             std::size_t next = 0;
                             for_each_leaf(moved, [&](Tensor& tensor, PartKind) { tensor = p[next++]; });
                             return moved(x);
                           },
                           parameters, {.tolerance = 1e-5});
}

template <class Model>
double trained(Model model, const data::Dataset& rows, int epochs, double lr) {
  optim::Adam adam(model, {.lr = lr});
  const auto result =
      train::fit(model, adam, {.train = rows},
                 [](auto& m, const data::Batch& b) {
                   return least_squares(m(b.x), b.y) / static_cast<double>(b.x.dim(0));
                 },
                 {.epochs = epochs, .batch = 32, .seed = 1, .progress = train::Progress::silent});
  const data::Batch all = rows.all();
  return least_squares(model(all.x), all.y).item() / static_cast<double>(rows.size());
}

TEST(BookModels, LearnByFit) {
  // Each ends near the variance of the noise of its data.
  EXPECT_LT(trained(Line(), data::line_data(200, Rng(1)), 40, 0.05), 0.14 * 0.14 * 1.3);
  EXPECT_LT(trained(Gabor(0.0, 15.0), data::gabor_data(200, Rng(2)), 40, 0.1), 0.1 * 0.1 * 1.3);
  const NetworkOptions on_data{.joints_low = 0.0, .joints_high = 1.0};
  EXPECT_LT(trained(ShallowNetwork(1, 20, 1, on_data, Rng(3)), data::piecewise_data(200, Rng(4)), 60, 0.02),
            0.1 * 0.1 * 1.3);
  EXPECT_LT(
      trained(DeepNetwork(1, {20, 20}, 1, on_data, Rng(5)), data::piecewise_data(200, Rng(4)), 60, 0.01),
      0.1 * 0.1 * 1.3);
}

TEST(BookModels, LogisticLearnsByFit) {
  // Answers drawn with a probability that is known: the fit is near it.
  Rng rng(7);
  const Tensor x = rng.uniform({2000, 1}, -3.0, 3.0);
  const Tensor y = rng.bernoulli(sigmoid(0.5 + 1.5 * x));
  Logistic model;
  optim::Adam adam(model, {.lr = 0.05});
  train::fit(model, adam, {.train = data::Dataset(x, y)},
             [](const Logistic& m, const data::Batch& b) { return -mean(m.law(b.x).log_prob(b.y)); },
             {.epochs = 20, .batch = 100, .seed = 1, .progress = train::Progress::silent});
  EXPECT_NEAR(model.phi.at({0}), 0.5, 0.3);
  EXPECT_NEAR(model.phi.at({1}), 1.5, 0.3);
}

TEST(LossSurface, IsTheLossAtEachPoint) {
  const Tensor x = numbers({5, 1}, 10.0, 1), y = numbers({5, 1}, 1.0, 2);
  const Tensor phi0 = numbers({3}, 5.0, 3), phi1 = numbers({4}, 20.0, 4);
  const Tensor surface = loss_surface(gabor, x, y, phi0, phi1);
  ASSERT_EQ(surface.shape(), Shape({3, 4}));
  for (std::int64_t j = 0; j < 3; ++j) {
    for (std::int64_t k = 0; k < 4; ++k) {
      double expected = 0.0;
      for (std::int64_t i = 0; i < 5; ++i) {
        const double u = phi0.at({j}) + 0.06 * phi1.at({k}) * x.at({i, 0});
        expected += std::pow(std::sin(u) * std::exp(-u * u / 32.0) - y.at({i, 0}), 2.0);
      }
      EXPECT_NEAR(surface.at({j, k}), expected, 1e-13);
    }
  }
  expect_refusal(
      [&] {
        loss_surface(gabor, x, y, reshape(phi0, {3, 1}), phi1);
      },
      "[loss_surface] phi0 must be a vector of at least one, got shape (3, 1)");
  expect_refusal([&] { loss_surface(gabor, x, numbers({4}), phi0, phi1); },
                 "[loss_surface] x and y must have one size, got shapes (5, 1) and (4,)");
}

}  // namespace
}  // namespace likely::book
