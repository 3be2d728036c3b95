// Chapter 3, shallow neural networks: each numbered equation against plain arithmetic.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "likely/core/create.hpp"
#include "likely/likely.hpp"
#include "likely/models/book/book.hpp"
#include "tests/support/check_gradients.hpp"
#include "tests/support/plain_network.hpp"

namespace likely::book {
namespace {

using testing::expect_some_on_and_off;
using testing::numbers;
using testing::plain_identity;
using testing::plain_layer;
using testing::plain_relu;
using testing::plain_tanh;
using testing::Row;
using testing::row_of;

const std::vector<double> kPlaces{-2.0, -0.7, 0.0, 0.31, 0.5, 0.77, 1.4, 3.0};

// Three hidden units, one input, one output.
constexpr std::array<double, 3> kTheta0{0.3, -1.0, -0.5}, kTheta1{-1.0, 1.8, 0.65}, kPhi{-2.0, -1.0, 7.0};
constexpr double kPhi0 = 0.1;

ShallowNetwork three_units() {
  return {layer_of(reshape(tensor(kTheta1), {3, 1}), tensor(kTheta0), Activation::relu),
          layer_of(reshape(tensor(kPhi), {1, 3}), tensor({kPhi0}, DType::f64))};
}

Tensor column(const std::vector<double>& x) { return tensor(x, {static_cast<std::int64_t>(x.size()), 1}); }

// A network of given sizes whose parameters are different numbers.
ShallowNetwork network_of(std::int64_t inputs, std::int64_t units, std::int64_t outputs,
                          Activation activation) {
  return {layer_of(numbers({units, inputs}, 2.0, 1), numbers({units}, 1.0, 2), activation),
          layer_of(numbers({outputs, units}, 1.5, 3), numbers({outputs}, 1.0, 4))};
}

// Compares the hidden units and the outputs of a network with plain loops, point by point.
void expect_plain(const ShallowNetwork& network, const Tensor& x, double (*a)(double)) {
  const Tensor h = network.hidden(x), y = network(x);
  if (network.hidden.activation == Activation::relu) expect_some_on_and_off(h);
  ASSERT_EQ(h.shape(), Shape({x.dim(0), network.hidden.weight.dim(0)}));
  ASSERT_EQ(y.shape(), Shape({x.dim(0), network.out.weight.dim(0)}));
  for (std::int64_t i = 0; i < x.dim(0); ++i) {
    const Row hidden = plain_layer(network.hidden.weight, network.hidden.bias, row_of(x, i), a);
    const Row out = plain_layer(network.out.weight, network.out.bias, hidden, plain_identity);
    for (std::size_t d = 0; d < hidden.size(); ++d)
      EXPECT_NEAR(h.at({i, static_cast<std::int64_t>(d)}), hidden[d], 1e-13)
          << "unit " << d << " at row " << i;
    for (std::size_t j = 0; j < out.size(); ++j)
      EXPECT_NEAR(y.at({i, static_cast<std::int64_t>(j)}), out[j], 1e-13)
          << "output " << j << " at row " << i;
  }
}

TEST(Udl03, Eq1_ThreeHiddenUnits) {
  const ShallowNetwork network = three_units();
  const Tensor y = network(column(kPlaces));
  const Tensor single = cast_parts(network, DType::f32)(column(kPlaces).to(DType::f32));
  for (std::size_t i = 0; i < kPlaces.size(); ++i) {
    const double x = kPlaces[i];
    const double expected = 0.1 - 2.0 * std::max(0.0, 0.3 - x) - std::max(0.0, -1.0 + 1.8 * x) +
                            7.0 * std::max(0.0, -0.5 + 0.65 * x);
    EXPECT_NEAR(y.at({static_cast<std::int64_t>(i), 0}), expected, 1e-14);
    EXPECT_NEAR(single.at({static_cast<std::int64_t>(i), 0}), expected, 2e-6);
  }
  EXPECT_EQ(count_parameters(network), 10);
}

TEST(Udl03, Eq2_Relu) {
  const std::vector<double> z{-1e300, -3.5, -1e-300, -0.0, 0.0, 1e-300, 0.25, 1e300};
  const Tensor a = relu(tensor(z));
  for (std::size_t i = 0; i < z.size(); ++i)
    EXPECT_EQ(a.at({static_cast<std::int64_t>(i)}), z[i] < 0.0 ? 0.0 : z[i]) << z[i];
}

TEST(Udl03, Eq3_HiddenUnits) {
  const Tensor h = three_units().hidden(column(kPlaces));
  ASSERT_EQ(h.shape(), Shape({8, 3}));
  for (std::size_t i = 0; i < kPlaces.size(); ++i) {
    const auto row = static_cast<std::int64_t>(i);
    EXPECT_NEAR(h.at({row, 0}), std::max(0.0, 0.3 - kPlaces[i]), 1e-15);
    EXPECT_NEAR(h.at({row, 1}), std::max(0.0, -1.0 + 1.8 * kPlaces[i]), 1e-15);
    EXPECT_NEAR(h.at({row, 2}), std::max(0.0, -0.5 + 0.65 * kPlaces[i]), 1e-15);
  }
}

TEST(Udl03, Eq4_OutputOfHiddenUnits) {
  const Tensor h = numbers({5, 3}, 2.0);
  const Tensor y = three_units().out(h);
  for (std::int64_t i = 0; i < 5; ++i)
    EXPECT_NEAR(y.at({i, 0}), 0.1 - 2.0 * h.at({i, 0}) - h.at({i, 1}) + 7.0 * h.at({i, 2}), 1e-14);
}

TEST(Udl03, Eq5_HiddenUnitOfOneInput) {
  const ShallowNetwork network = network_of(1, 9, 1, Activation::tanh);
  const Tensor h = network.hidden(column(kPlaces));
  for (std::int64_t i = 0; i < 8; ++i) {
    for (std::int64_t d = 0; d < 9; ++d) {
      const double z = network.hidden.bias.at({d}) +
                       network.hidden.weight.at({d, 0}) * kPlaces[static_cast<std::size_t>(i)];
      EXPECT_NEAR(h.at({i, d}), std::tanh(z), 1e-14);
    }
  }
}

TEST(Udl03, Eq6_OutputOfManyUnits) {
  const ShallowNetwork network = network_of(1, 9, 1, Activation::relu);
  const Tensor h = numbers({4, 9}, 1.0, 7);
  const Tensor y = network.out(h);
  for (std::int64_t i = 0; i < 4; ++i) {
    double expected = network.out.bias.at({0});
    for (std::int64_t d = 0; d < 9; ++d) expected += network.out.weight.at({0, d}) * h.at({i, d});
    EXPECT_NEAR(y.at({i, 0}), expected, 1e-14);
  }
  expect_plain(network, column(kPlaces), plain_relu);
  EXPECT_EQ(count_parameters(network), 3 * 9 + 1);
}

TEST(Udl03, Eq7_FourHiddenUnits) {
  const ShallowNetwork network = network_of(1, 4, 2, Activation::relu);
  const Tensor h = network.hidden(column(kPlaces));
  expect_some_on_and_off(h);
  for (std::int64_t i = 0; i < 8; ++i) {
    const Row expected = plain_layer(network.hidden.weight, network.hidden.bias,
                                     {kPlaces[static_cast<std::size_t>(i)]}, plain_relu);
    ASSERT_EQ(expected.size(), 4U);
    for (std::int64_t d = 0; d < 4; ++d)
      EXPECT_NEAR(h.at({i, d}), expected[static_cast<std::size_t>(d)], 1e-14);
  }
}

TEST(Udl03, Eq8_TwoOutputs) {
  const ShallowNetwork network = network_of(1, 4, 2, Activation::relu);
  const Tensor y = network(column(kPlaces));
  for (std::int64_t i = 0; i < 8; ++i) {
    const double x = kPlaces[static_cast<std::size_t>(i)];
    for (std::int64_t j = 0; j < 2; ++j) {
      double expected = network.out.bias.at({j});
      for (std::int64_t d = 0; d < 4; ++d)
        expected += network.out.weight.at({j, d}) *
                    std::max(0.0, network.hidden.bias.at({d}) + network.hidden.weight.at({d, 0}) * x);
      EXPECT_NEAR(y.at({i, j}), expected, 1e-14);
    }
  }
  // Both outputs have their joints at the same places: those of the hidden units.
  std::vector<double> joints{-50.0, 50.0};
  for (std::int64_t d = 0; d < 4; ++d)
    joints.push_back(-network.hidden.bias.at({d}) / network.hidden.weight.at({d, 0}));
  std::sort(joints.begin(), joints.end());
  ASSERT_EQ(joints.front(), -50.0);
  ASSERT_EQ(joints.back(), 50.0);
  std::vector<Region> regions = linear_regions(DeepNetwork(network), {{-50.0}, {50.0}});
  ASSERT_EQ(regions.size(), 5U);
  std::sort(regions.begin(), regions.end(),
            [](const Region& a, const Region& b) { return a.corners[0][0] < b.corners[0][0]; });
  for (std::size_t r = 0; r < 5; ++r) {
    const Region& region = regions[r];
    EXPECT_NEAR(region.corners[0][0], joints[r], 1e-10);
    EXPECT_NEAR(region.corners[1][0], joints[r + 1], 1e-10);
    const double middle = 0.5 * (region.corners[0][0] + region.corners[1][0]);
    const Tensor there = network(column({middle}));
    for (std::int64_t j = 0; j < 2; ++j) {
      const auto output = static_cast<std::size_t>(j);
      EXPECT_NEAR(there.at({0, j}), 0.5 * (region.outputs[0][output] + region.outputs[1][output]), 1e-12);
    }
  }
}

TEST(Udl03, Eq9_TwoInputs) {
  const ShallowNetwork network = network_of(2, 3, 1, Activation::relu);
  const Tensor x = numbers({11, 2}, 3.0, 5);
  const Tensor h = network.hidden(x);
  testing::expect_on_and_off(h);
  const Tensor &theta0 = network.hidden.bias, &theta = network.hidden.weight;
  for (std::int64_t i = 0; i < 11; ++i) {
    for (std::int64_t d = 0; d < 3; ++d) {
      const double z = theta0.at({d}) + theta.at({d, 0}) * x.at({i, 0}) + theta.at({d, 1}) * x.at({i, 1});
      EXPECT_NEAR(h.at({i, d}), z < 0.0 ? 0.0 : z, 1e-14);
    }
  }
}

TEST(Udl03, Eq10_OutputForTwoInputs) {
  const ShallowNetwork network = network_of(2, 3, 1, Activation::relu);
  expect_plain(network, numbers({11, 2}, 3.0, 5), plain_relu);
  EXPECT_EQ(count_parameters(network), 3 * 3 + 4);
  // Three units, two inputs: seven regions, if the lines cross in the square that is looked at.
  const ShallowNetwork lines{layer_of(tensor({{1.0, 0.0}, {0.0, 1.0}, {1.0, 1.0}}, DType::f64),
                                      tensor({0.0, 0.0, -0.5}, DType::f64), Activation::relu),
                             layer_of(tensor({{1.0, -2.0, 3.0}}, DType::f64), tensor({0.0}, DType::f64))};
  EXPECT_EQ(linear_regions(DeepNetwork(lines), {{-1.0, -1.0}, {1.0, -1.0}, {1.0, 1.0}, {-1.0, 1.0}}).size(),
            7U);
}

TEST(Udl03, Eq11_HiddenUnitsInGeneral) {
  for (const std::int64_t inputs : {1, 2, 5, 10}) {
    const ShallowNetwork network = network_of(inputs, 8, 3, Activation::tanh);
    const Tensor x = numbers({6, inputs}, 1.0, 6);
    const Tensor h = network.hidden(x);
    for (std::int64_t i = 0; i < 6; ++i) {
      for (std::int64_t d = 0; d < 8; ++d) {
        double z = network.hidden.bias.at({d});
        for (std::int64_t k = 0; k < inputs; ++k) z += network.hidden.weight.at({d, k}) * x.at({i, k});
        EXPECT_NEAR(h.at({i, d}), std::tanh(z), 1e-14);
      }
    }
  }
}

TEST(Udl03, Eq12_OutputsInGeneral) {
  for (const std::int64_t outputs : {1, 2, 7}) {
    expect_plain(network_of(4, 6, outputs, Activation::tanh), numbers({5, 4}, 2.0, 8), plain_tanh);
    expect_plain(network_of(4, 6, outputs, Activation::relu), numbers({5, 4}, 2.0, 8), plain_relu);
  }
  // The number of parameters (D_i + 1) D + (D + 1) D_o, for the network of the book: 10 inputs, 8 units.
  EXPECT_EQ(count_parameters(ShallowNetwork(10, 8, 1, Rng(1))), 97);
  EXPECT_EQ(count_parameters(ShallowNetwork(10, 8, 3, Rng(1))), 11 * 8 + 9 * 3);
}

TEST(Udl03, Eq13_HardSwish) {
  const std::vector<double> z{-100.0, -3.0001, -3.0, -2.9, -1.5, -0.0, 0.7, 2.999, 3.0, 3.0001, 50.0};
  const Tensor a = hardswish(tensor(z));
  for (std::size_t i = 0; i < z.size(); ++i) {
    const double expected = z[i] < -3.0 ? 0.0 : z[i] > 3.0 ? z[i] : z[i] * (z[i] + 3.0) / 6.0;
    EXPECT_NEAR(a.at({static_cast<std::int64_t>(i)}), expected, 1e-14) << z[i];
  }
}

TEST(Udl03, Eq14_ReluIsHomogeneous) {
  const Tensor z = numbers({40}, 3.0);
  for (const double alpha : {0.0, 0.125, 1.0, 8.0}) {
    EXPECT_TRUE(array_equal(relu(alpha * z), alpha * relu(z)));
    for (std::int64_t i = 0; i < 40; ++i) EXPECT_EQ(relu(alpha * z).at({i}), alpha * plain_relu(z.at({i})));
  }
  // Only for factors that are not negative.
  EXPECT_FALSE(allclose(relu(-1.0 * z), -1.0 * relu(z), 0.0, 0.1));
}

TEST(Udl03, Eq15_HeavisideAndRect) {
  const std::vector<double> z{-2.0, -1e-300, -0.0, 0.0, 0.5, 1.0, std::nextafter(1.0, 2.0), 7.0};
  const Tensor step = heaviside(tensor(z)), box = rect(tensor(z));
  for (std::size_t i = 0; i < z.size(); ++i) {
    const auto at = static_cast<std::int64_t>(i);
    EXPECT_EQ(step.at({at}), z[i] < 0.0 ? 0.0 : 1.0) << z[i];
    EXPECT_EQ(box.at({at}), z[i] >= 0.0 && z[i] <= 1.0 ? 1.0 : 0.0) << z[i];
  }
  // Flat, so that nothing can be learned through them.
  EXPECT_EQ(sum(abs(grad(tensor(z), [](const Tensor& x) { return sum(heaviside(x) + rect(x)); }))).item(),
            0.0);
}

}  // namespace
}  // namespace likely::book
