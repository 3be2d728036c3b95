// Chapter 4, deep neural networks: each numbered equation against plain arithmetic.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "likely/core/create.hpp"
#include "likely/likely.hpp"
#include "likely/models/book/book.hpp"
#include "tests/support/check_gradients.hpp"
#include "tests/support/plain_network.hpp"
#include "tests/support/zigzag.hpp"

namespace likely::book {
namespace {

using testing::expect_on_and_off;
using testing::numbers;
using testing::plain_identity;
using testing::plain_layer;
using testing::plain_relu;
using testing::plain_tanh;
using testing::Row;
using testing::row_of;
using testing::zigzag;

using Three = std::array<double, 3>;

// Two shallow networks of three hidden units: theta_d0, theta_d1, phi_0, phi_d, and the same with a dash.
constexpr Three kTheta0{0.4, -0.3, -1.0}, kTheta1{-0.9, 1.1, 0.7}, kPhi{1.3, -0.8, 1.9};
constexpr double kPhi0 = -0.35;
constexpr Three kTheta0Dash{-0.2, 0.6, 0.1}, kTheta1Dash{0.8, -1.4, 1.2}, kPhiDash{-0.7, 1.6, 0.9};
constexpr double kPhi0Dash = 0.25;

ShallowNetwork network_of(const Three& theta0, const Three& theta1, double phi0, const Three& phi) {
  return {layer_of(reshape(tensor(theta1), {3, 1}), tensor(theta0), Activation::relu),
          layer_of(reshape(tensor(phi), {1, 3}), tensor({phi0}, DType::f64))};
}
ShallowNetwork first() { return network_of(kTheta0, kTheta1, kPhi0, kPhi); }
ShallowNetwork second() { return network_of(kTheta0Dash, kTheta1Dash, kPhi0Dash, kPhiDash); }

const std::vector<double> kPlaces{-4.0, -1.5, -0.2, 0.0, 0.27, 0.44, 0.9, 1.43, 2.2, 5.0};
constexpr std::int64_t kRows = 10;
Tensor places() { return tensor(kPlaces, {kRows, 1}); }

double a(double z) { return z < 0.0 ? 0.0 : z; }

Three hidden(double x) {
  Three h{};
  for (std::size_t d = 0; d < 3; ++d) h[d] = a(kTheta0[d] + kTheta1[d] * x);
  return h;
}
double output(double x) {
  const Three h = hidden(x);
  return kPhi0 + kPhi[0] * h[0] + kPhi[1] * h[1] + kPhi[2] * h[2];
}
// h' as a function of y.
Three hidden_dash(double y) {
  Three h{};
  for (std::size_t d = 0; d < 3; ++d) h[d] = a(kTheta0Dash[d] + kTheta1Dash[d] * y);
  return h;
}
double output_dash(const Three& h) {
  return kPhi0Dash + kPhiDash[0] * h[0] + kPhiDash[1] * h[1] + kPhiDash[2] * h[2];
}

// Compares (rows, 3) or (rows, 1) with a function of each place.
template <class Function>
void expect_at_places(const Tensor& computed, const Function& expected) {
  ASSERT_EQ(computed.dim(0), kRows);
  for (std::int64_t i = 0; i < kRows; ++i) {
    const Row row = expected(kPlaces[static_cast<std::size_t>(i)]);
    ASSERT_EQ(computed.dim(1), static_cast<std::int64_t>(row.size()));
    for (std::size_t d = 0; d < row.size(); ++d)
      EXPECT_NEAR(computed.at({i, static_cast<std::int64_t>(d)}), row[d], 1e-13) << "row " << i << ", " << d;
  }
}
Row row(const Three& three) { return {three.begin(), three.end()}; }

// psi_0 and Psi from their definitions.
constexpr double psi0(std::size_t d) { return kTheta0Dash[d] + kTheta1Dash[d] * kPhi0; }
constexpr double psi(std::size_t d, std::size_t j) { return kTheta1Dash[d] * kPhi[j]; }

// A network of these sizes whose parameters are different numbers.
DeepNetwork network_of(const std::vector<std::int64_t>& sizes, Activation activation) {
  std::vector<nn::Linear> layers;
  for (std::size_t k = 0; k + 1 < sizes.size(); ++k) {
    const int seed = static_cast<int>(2 * k);
    layers.push_back(layer_of(numbers({sizes[k + 1], sizes[k]}, 1.5, seed),
                              numbers({sizes[k + 1]}, 1.0, seed + 1),
                              k + 2 == sizes.size() ? Activation::none : activation));
  }
  return DeepNetwork(layers);
}

TEST(Udl04, Eq1_HiddenUnitsOfTheFirstNetwork) {
  expect_on_and_off(first().hidden(places()));
  expect_at_places(first().hidden(places()), [](double x) { return row(hidden(x)); });
}

TEST(Udl04, Eq2_OutputOfTheFirstNetwork) {
  expect_at_places(first()(places()), [](double x) { return Row{output(x)}; });
}

TEST(Udl04, Eq3_HiddenUnitsOfTheSecondNetwork) {
  expect_on_and_off(second().hidden(first()(places())));
  expect_at_places(second().hidden(first()(places())), [](double x) { return row(hidden_dash(output(x))); });
}

TEST(Udl04, Eq4_OutputOfTheSecondNetwork) {
  expect_at_places(second()(first()(places())),
                   [](double x) { return Row{output_dash(hidden_dash(output(x)))}; });
}

TEST(Udl04, Eq5_SecondUnitsByTheFirst) {
  const DeepNetwork deep = compose(first(), second());
  expect_on_and_off(deep.hidden_units(places())[1]);
  expect_at_places(deep.hidden_units(places())[1], [](double x) {
    const Three h = hidden(x);
    Row dash;
    for (std::size_t d = 0; d < 3; ++d) {
      dash.push_back(a(kTheta0Dash[d] + kTheta1Dash[d] * kPhi0 + kTheta1Dash[d] * kPhi[0] * h[0] +
                       kTheta1Dash[d] * kPhi[1] * h[1] + kTheta1Dash[d] * kPhi[2] * h[2]));
    }
    return dash;
  });
}

TEST(Udl04, Eq6_CompositionIsADeepNetwork) {
  const DeepNetwork deep = compose(first(), second());
  ASSERT_EQ(deep.layers.size(), 3U);
  for (std::int64_t d = 0; d < 3; ++d) {
    const auto unit = static_cast<std::size_t>(d);
    EXPECT_NEAR(deep.layers[1].bias.at({d}), psi0(unit), 1e-15);
    for (std::int64_t j = 0; j < 3; ++j)
      EXPECT_NEAR(deep.layers[1].weight.at({d, j}), psi(unit, static_cast<std::size_t>(j)), 1e-15);
  }
  // The two networks one after the other, in any sizes.
  const DeepNetwork wide = network_of({4, 6, 5, 2}, Activation::tanh),
                    next = network_of({2, 7, 3}, Activation::relu);
  const Tensor x = numbers({9, 4}, 2.0, 3);
  const DeepNetwork both = compose(wide, next);
  ASSERT_EQ(both.layers.size(), 4U);
  EXPECT_TRUE(allclose(both(x), next(wide(x)), 1e-13, 1e-13));
  testing::expect_refusal([&] { compose(next, wide); },
                          "[compose] the first network has 3 outputs, the second takes 4");
}

TEST(Udl04, Eq7_FirstHiddenLayer) {
  expect_at_places(compose(first(), second()).hidden_units(places())[0],
                   [](double x) { return row(hidden(x)); });
}

// A network of two layers of three units whose second units switch inside the places.
DeepNetwork two_layers() {
  return DeepNetwork({layer_of(tensor({{-0.9}, {1.1}, {0.7}}, DType::f64),
                               tensor({0.4, -0.3, -1.0}, DType::f64), Activation::relu),
                      layer_of(tensor({{0.8, -1.2, 0.5}, {-1.1, 0.9, 0.6}, {1.3, 0.7, -2.1}}, DType::f64),
                               tensor({-0.2, 0.3, -1.4}, DType::f64), Activation::relu),
                      layer_of(tensor({{0.9, -1.7, 0.4}}, DType::f64), tensor({0.15}, DType::f64))});
}

TEST(Udl04, Eq8_SecondHiddenLayer) {
  const DeepNetwork deep = two_layers();
  const std::vector<Tensor> h = deep.hidden_units(places());
  ASSERT_EQ(h.size(), 2U);
  expect_on_and_off(h[0]);
  expect_on_and_off(h[1]);
  for (std::int64_t i = 0; i < kRows; ++i) {
    for (std::int64_t d = 0; d < 3; ++d) {
      const Tensor &bias = deep.layers[1].bias, &weight = deep.layers[1].weight;
      const double z = bias.at({d}) + weight.at({d, 0}) * h[0].at({i, 0}) +
                       weight.at({d, 1}) * h[0].at({i, 1}) + weight.at({d, 2}) * h[0].at({i, 2});
      EXPECT_NEAR(h[1].at({i, d}), a(z), 1e-13);
    }
  }
}

TEST(Udl04, Eq9_OutputOfTheSecondLayer) {
  const DeepNetwork deep = two_layers();
  const Tensor h = deep.hidden_units(places())[1], y = deep(places());
  expect_on_and_off(h);
  const Tensor& phi = deep.layers[2].weight;
  for (std::int64_t i = 0; i < kRows; ++i) {
    EXPECT_NEAR(y.at({i, 0}),
                deep.layers[2].bias.at({0}) + phi.at({0, 0}) * h.at({i, 0}) + phi.at({0, 1}) * h.at({i, 1}) +
                    phi.at({0, 2}) * h.at({i, 2}),
                1e-13);
  }
  EXPECT_EQ(count_parameters(deep), 3 * 3 + 1 + 3 * 4);
}

TEST(Udl04, Eq10_OneExpression) {
  expect_at_places(compose(first(), second())(places()), [](double x) {
    double y = kPhi0Dash;
    for (std::size_t d = 0; d < 3; ++d) {
      y += kPhiDash[d] *
           a(psi0(d) + psi(d, 0) * a(kTheta0[0] + kTheta1[0] * x) +
             psi(d, 1) * a(kTheta0[1] + kTheta1[1] * x) + psi(d, 2) * a(kTheta0[2] + kTheta1[2] * x));
    }
    return Row{y};
  });
}

TEST(Udl04, Eq11_FirstLayerAsMatrix) {
  const nn::Linear layer = compose(first(), second()).layers[0];
  ASSERT_EQ(layer.weight.shape(), Shape({3, 1}));
  ASSERT_EQ(layer.bias.shape(), Shape({3}));
  // x as a matrix of one row, one column a point, as the book writes it.
  const Tensor h = relu(unsqueeze(layer.bias, 1) + matmul(layer.weight, transpose(places())));
  EXPECT_TRUE(allclose(transpose(h), layer(places()), 1e-14, 1e-14));
  expect_at_places(layer(places()), [](double x) { return row(hidden(x)); });
}

TEST(Udl04, Eq12_SecondLayerAsMatrix) {
  const DeepNetwork deep = compose(first(), second());
  ASSERT_EQ(deep.layers[1].weight.shape(), Shape({3, 3}));
  const Tensor h = tensor({{0.5, 2.0, 1.25}, {0.0, 0.1, 3.0}}, DType::f64);
  const Tensor dash = deep.layers[1](h);
  for (std::int64_t i = 0; i < 2; ++i) {
    for (std::size_t d = 0; d < 3; ++d) {
      double z = psi0(d);
      for (std::size_t j = 0; j < 3; ++j) z += psi(d, j) * h.at({i, static_cast<std::int64_t>(j)});
      EXPECT_NEAR(dash.at({i, static_cast<std::int64_t>(d)}), a(z), 1e-14);
    }
  }
}

TEST(Udl04, Eq13_OutputAsMatrix) {
  const nn::Linear layer = compose(first(), second()).layers[2];
  ASSERT_EQ(layer.weight.shape(), Shape({1, 3}));
  const Tensor h = tensor({{0.5, 2.0, 1.25}, {0.0, 0.1, 3.0}}, DType::f64);
  for (std::int64_t i = 0; i < 2; ++i)
    EXPECT_NEAR(layer(h).at({i, 0}), output_dash({h.at({i, 0}), h.at({i, 1}), h.at({i, 2})}), 1e-14);
}

TEST(Udl04, Eq14_MatrixNotation) {
  const DeepNetwork deep = network_of({1, 3, 3, 1}, Activation::tanh);
  const Tensor y = deep(places());
  for (std::int64_t i = 0; i < kRows; ++i) {
    const Row h = plain_layer(deep.layers[0].weight, deep.layers[0].bias, row_of(places(), i), plain_tanh);
    const Row dash = plain_layer(deep.layers[1].weight, deep.layers[1].bias, h, plain_tanh);
    EXPECT_NEAR(y.at({i, 0}),
                plain_layer(deep.layers[2].weight, deep.layers[2].bias, dash, plain_identity)[0], 1e-14);
  }
}

TEST(Udl04, Eq15_KLayers) {
  for (const std::vector<std::int64_t>& sizes :
       {std::vector<std::int64_t>{3, 2}, {2, 5, 1}, {4, 7, 3, 6, 2}, {1, 4, 4, 4, 4, 4, 4, 3}}) {
    const DeepNetwork network = network_of(sizes, Activation::relu);
    const Tensor x = numbers({6, sizes[0]}, 2.0, 9);
    const Tensor y = network(x);
    const std::vector<Tensor> units = network.hidden_units(x);
    ASSERT_EQ(units.size() + 2, sizes.size());
    for (const Tensor& layer : units) testing::expect_some_on_and_off(layer);
    std::int64_t parameters = 0;
    for (std::size_t k = 0; k + 1 < sizes.size(); ++k) parameters += (sizes[k] + 1) * sizes[k + 1];
    EXPECT_EQ(count_parameters(network), parameters);
    for (std::int64_t i = 0; i < 6; ++i) {
      Row h = row_of(x, i);
      for (std::size_t k = 0; k < network.layers.size(); ++k) {
        const bool last = k + 1 == network.layers.size();
        h = plain_layer(network.layers[k].weight, network.layers[k].bias, h,
                        last ? plain_identity : plain_relu);
        const Row computed = row_of(last ? y : units[k], i);
        ASSERT_EQ(computed.size(), h.size());
        for (std::size_t d = 0; d < h.size(); ++d)
          EXPECT_NEAR(computed[d], h[d], 1e-12 * (1.0 + std::abs(h[d])));
      }
    }
  }
}

TEST(Udl04, Eq16_Nested) {
  const DeepNetwork network = network_of({3, 4, 5, 2}, Activation::relu);
  const auto column = [](const Tensor& v) { return unsqueeze(v, 1); };
  const auto omega = [&](std::size_t k) { return network.layers[k].weight; };
  const auto beta = [&](std::size_t k) { return column(network.layers[k].bias); };
  const Tensor x = numbers({8, 3}, 2.0, 5);
  const Tensor y =
      beta(2) +
      matmul(omega(2), relu(beta(1) + matmul(omega(1), relu(beta(0) + matmul(omega(0), transpose(x))))));
  EXPECT_TRUE(allclose(transpose(y), network(x), 1e-13, 1e-13));
  for (const Tensor& layer : network.hidden_units(x)) testing::expect_some_on_and_off(layer);
  for (std::int64_t i = 0; i < 8; ++i) {
    for (std::int64_t o = 0; o < 2; ++o) {
      double output_o = network.layers[2].bias.at({o});
      for (std::int64_t p = 0; p < 5; ++p) {
        double outer = network.layers[1].bias.at({p});
        for (std::int64_t q = 0; q < 4; ++q) {
          double inner = network.layers[0].bias.at({q});
          for (std::int64_t r = 0; r < 3; ++r) inner += network.layers[0].weight.at({q, r}) * x.at({i, r});
          outer += network.layers[1].weight.at({p, q}) * a(inner);
        }
        output_o += network.layers[2].weight.at({o, p}) * a(outer);
      }
      EXPECT_NEAR(network(x).at({i, o}), output_o, 1e-12);
    }
  }
}

// One network of `units` beside another: x_1 goes to the first, x_2 to the second.
ShallowNetwork side_by_side(const ShallowNetwork& p, const ShallowNetwork& q) {
  const auto block = [](const Tensor& m, const Tensor& n) {
    return concat({concat({m, zeros({m.dim(0), n.dim(1)}, DType::f64)}, 1),
                   concat({zeros({n.dim(0), m.dim(1)}, DType::f64), n}, 1)},
                  0);
  };
  return {layer_of(block(p.hidden.weight, q.hidden.weight), concat({p.hidden.bias, q.hidden.bias}, 0),
                   Activation::relu),
          layer_of(block(p.out.weight, q.out.weight), concat({p.out.bias, q.out.bias}, 0))};
}

// Lines in general position that all cross near the middle of the unit square.
ShallowNetwork lines(std::int64_t count) {
  std::vector<double> theta, theta0;
  for (std::int64_t k = 0; k < count; ++k) {
    const double angle = 3.141592653589793 * static_cast<double>(k) / static_cast<double>(count);
    const double offset = 0.04 * std::sin(static_cast<double>(3 * k * k + 1));
    theta.push_back(std::cos(angle));
    theta.push_back(std::sin(angle));
    theta0.push_back(offset - 0.5 * (std::cos(angle) + std::sin(angle)));
  }
  return {layer_of(tensor(theta, {count, 2}), tensor(theta0), Activation::relu),
          layer_of(numbers({1, count}), zeros({1}, DType::f64))};
}

std::size_t regions_in_square(const DeepNetwork& network, double low, double high) {
  return linear_regions(network, {{low, low}, {high, low}, {high, high}, {low, high}}).size();
}

TEST(Udl04, Eq17_RegionsOfOneInput) {
  // Each layer folds the line, D + 1 times: as many regions as the formula says.
  for (const std::int64_t units : {3, 4, 5}) {
    const double end = static_cast<double>(units);
    DeepNetwork network(zigzag(units));
    for (std::int64_t layers = 1; layers <= 3; ++layers) {
      const auto found = linear_regions(network, {{-0.5}, {end}});
      std::int64_t power = 1;
      for (std::int64_t k = 0; k < layers; ++k) power *= units + 1;
      EXPECT_EQ(static_cast<std::int64_t>(found.size()), power) << units << " units, " << layers << " layers";
      EXPECT_EQ(deep_regions(1, units, layers), power);
      network = compose(DeepNetwork(zigzag(units, -0.5, end)), network);
    }
  }
  // Fewer than three units cannot make a zigzag: one unit after another has at most 3 regions, not 4, and
  // two pairs of units fewer than 9. The formula is refused there.
  testing::expect_refusal(
      [] { deep_regions(1, 1, 2); },
      "[deep_regions] for several layers (4.17) is known to be reached only with units >= 3 "
      "inputs, got 1 units and 1 inputs");
  testing::expect_refusal(
      [] { deep_regions(1, 2, 2); },
      "[deep_regions] for several layers (4.17) is known to be reached only with units >= 3 "
      "inputs, got 2 units and 1 inputs");
  testing::expect_refusal(
      [] { log10_deep_regions(2, 5, 2); },
      "[log10_deep_regions] for several layers (4.17) is known to be reached only with units >= 3 "
      "inputs, got 5 units and 2 inputs");
  EXPECT_EQ(deep_regions(1, 1, 1), 2);
  testing::expect_refusal(
      [] { deep_regions(4'000'000'000'000'000'000, 5'000'000'000'000'000'000, 2); },
      "[deep_regions] for several layers (4.17) is known to be reached only with units >= 3 inputs, got "
      "5000000000000000000 units and 4000000000000000000 inputs");
  // Two units give three segments of (h_1, h_2), and a line crosses at most two of them: 2 + 2 x 2 joints.
  const ShallowNetwork hinge(
      layer_of(tensor({{-1.0}, {1.0}}, DType::f64), tensor({1.0, 0.0}, DType::f64), Activation::relu),
      layer_of(eye(2, DType::f64), zeros({2}, DType::f64)));
  const ShallowNetwork pair(
      layer_of(ones({2, 2}, DType::f64), tensor({-2.0, -1.5}, DType::f64), Activation::relu),
      layer_of(tensor({{1.0, -3.0}}, DType::f64), zeros({1}, DType::f64)));
  EXPECT_EQ(linear_regions(compose(hinge, pair), {{-10.0}, {10.0}}).size(), 7U);
  std::size_t most_of_ones = 0;
  for (int seed = 0; seed < 50; ++seed) {
    const Rng rng(static_cast<std::uint64_t>(seed));
    const DeepNetwork ones_of_one(1, {1, 1}, 1, {.dtype = DType::f64}, rng);
    most_of_ones = std::max(most_of_ones, linear_regions(ones_of_one, {{-1e3}, {1e3}}).size());
    DeepNetwork pairs(1, {2, 2}, 1, {.dtype = DType::f64}, rng);
    pairs.layers[1].bias = numbers({2}, 1.0, seed);
    EXPECT_LE(linear_regions(pairs, {{-1e3}, {1e3}}).size(), 7U);
  }
  EXPECT_LE(most_of_ones, 3U);
  // Nobody has more.
  for (int seed = 0; seed < 20; ++seed) {
    const DeepNetwork network(1, {4, 4, 4}, 1, {.dtype = DType::f64}, Rng(static_cast<std::uint64_t>(seed)));
    const auto found = linear_regions(network, {{-1e3}, {1e3}});
    EXPECT_LE(static_cast<std::int64_t>(found.size()), deep_regions(1, 4, 3));
  }
}

TEST(Udl04, Eq17_RegionsOfTwoInputs) {
  const DeepNetwork folded = compose(side_by_side(zigzag(3), zigzag(3)), lines(6));
  EXPECT_EQ(regions_in_square(DeepNetwork(lines(6)), 0.0, 1.0), 22U);
  EXPECT_EQ(regions_in_square(DeepNetwork(side_by_side(zigzag(3), zigzag(3))), -0.5, 3.0), 16U);
  EXPECT_EQ(regions_in_square(folded, -0.5, 3.0), 352U);
  EXPECT_EQ(deep_regions(2, 6, 2), 352);
  // With 7 units, D / D_i = 3.5 must be rounded down for the formula to give a whole number,
  EXPECT_EQ(deep_regions(2, 7, 2), 16 * 29);
  // and there is a network with more: four units fold one input, three the other.
  std::vector<Region> more = linear_regions(compose(side_by_side(zigzag(4), zigzag(3)), lines(7)),
                                            {{-0.5, -0.5}, {4.0, -0.5}, {4.0, 3.0}, {-0.5, 3.0}});
  EXPECT_EQ(more.size(), 20U * 29U);
  // With fewer than 3 units an input it says nothing: for 3 units it would be 4 x 7 = 28, and here are 34.
  const DeepNetwork narrow(
      {layer_of(tensor({{0.7, -0.3}, {-0.1, 2.3}, {-0.9, 0.8}}, DType::f64),
                tensor({1.7, 4.5, 1.5}, DType::f64), Activation::relu),
       layer_of(tensor({{1.6, -1.2, 0.2}, {-1.1, 4.0, -0.4}, {1.5, -0.9, 3.0}}, DType::f64),
                tensor({-1.6, 1.3, -4.2}, DType::f64), Activation::relu),
       layer_of(tensor({{1.0, -2.0, 3.0}}, DType::f64), tensor({0.0}, DType::f64))});
  EXPECT_EQ(regions_in_square(narrow, -20.0, 20.0), 34U);
  testing::expect_refusal([] { deep_regions(2, 3, 2); },
                          "[deep_regions] for several layers (4.17) is known to be reached only with units "
                          ">= 3 inputs, got 3 units and 2 inputs");
}

TEST(Udl04, Eq17_Formula) {
  // Pascal's triangle and repeated multiplication, where nothing is rounded.
  const auto plain = [](int inputs, int units, int layers) {
    std::vector<double> row{1.0};
    for (int n = 1; n <= units; ++n) {
      row.push_back(0.0);
      for (std::size_t j = row.size() - 1; j > 0; --j) row[j] += row[j - 1];
    }
    double total = 0.0;
    for (int j = 0; j <= inputs; ++j) total += row[static_cast<std::size_t>(j)];
    const int folds = units / inputs + 1;
    for (int k = 0; k < inputs * (layers - 1); ++k) total *= folds;
    return total;
  };
  for (const int inputs : {1, 2, 5}) {
    for (const int units : {5, 6, 10, 13, 17}) {
      for (const int layers : {1, 2, 3}) {
        if (layers > 1 && units < 3 * inputs) continue;  // refused, see above
        const double expected = plain(inputs, units, layers);
        EXPECT_EQ(static_cast<double>(deep_regions(inputs, units, layers)), expected);
        EXPECT_NEAR(log10_deep_regions(inputs, units, layers), std::log10(expected), 1e-12);
      }
    }
  }
  // 10 inputs, 50 units, 50 layers: about 10^391 regions.
  EXPECT_NEAR(log10_deep_regions(10, 50, 50), 490.0 * std::log10(6.0) + std::log10(13432735556.0), 1e-9);
}

TEST(Udl04, Eq18_FactorsMoveThroughReLUs) {
  const Tensor beta0 = numbers({4}, 1.0, 1), beta1 = numbers({3}, 1.0, 2);
  const Tensor omega0 = numbers({4, 2}, 1.5, 3), omega1 = numbers({3, 4}, 1.5, 4),
               x = numbers({12, 2}, 2.0, 5);
  const auto left = [&](double l0, double l1) {
    return linear(linear(x, l0 * omega0, beta0, Activation::relu), l1 * omega1, beta1, Activation::relu);
  };
  const auto right = [&](double l0, double l1) {
    return l0 * l1 *
           linear(linear(x, omega0, beta0 / l0, Activation::relu), omega1, beta1 / (l0 * l1),
                  Activation::relu);
  };
  for (const auto& [l0, l1] : {std::pair(0.5, 3.0), std::pair(7.0, 0.01), std::pair(1.0, 1.0)}) {
    EXPECT_TRUE(allclose(left(l0, l1), right(l0, l1), 1e-12, 1e-12));
    testing::expect_some_on_and_off(left(l0, l1));
    for (std::int64_t i = 0; i < 12; ++i) {
      const Row h = plain_layer(l0 * omega0, beta0, row_of(x, i), plain_relu);
      const Row y = plain_layer(l1 * omega1, beta1, h, plain_relu);
      for (std::size_t d = 0; d < 3; ++d)
        EXPECT_NEAR(right(l0, l1).at({i, static_cast<std::int64_t>(d)}), y[d], 1e-12);
    }
  }
  EXPECT_FALSE(allclose(left(-0.5, 3.0), right(-0.5, 3.0), 1e-3, 1e-3));  // only for factors above 0
}

}  // namespace
}  // namespace likely::book
