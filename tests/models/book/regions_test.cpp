// Linear regions: the formulas against counting, and counting against brute force.
#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <vector>

#include "likely/core/create.hpp"
#include "likely/likely.hpp"
#include "likely/models/book/book.hpp"
#include "tests/support/check_gradients.hpp"
#include "tests/support/golden.hpp"
#include "tests/support/shared_data.hpp"

namespace likely::book {
namespace {

using testing::expect_refusal;

using Corners = std::vector<std::vector<double>>;

Corners square_of(double half) { return {{-half, -half}, {half, -half}, {half, half}, {-half, half}}; }

DeepNetwork random_network(std::int64_t inputs, const std::vector<std::int64_t>& units, std::uint64_t seed) {
  return {inputs, units, 2, {.dtype = DType::f64}, Rng(seed)};
}

double area_of(const Corners& c) {
  double twice = 0.0;
  for (std::size_t i = 0; i < c.size(); ++i) {
    const std::vector<double>&p = c[i], &q = c[(i + 1) % c.size()];
    twice += p[0] * q[1] - p[1] * q[0];
  }
  return 0.5 * twice;
}

TEST(RegionCounts, ShallowIsASumOfBinomials) {
  EXPECT_EQ(shallow_regions(1, 3), 4);
  EXPECT_EQ(shallow_regions(2, 3), 7);
  EXPECT_EQ(shallow_regions(3, 3), 8);
  EXPECT_EQ(shallow_regions(7, 3), 8);  // never more than 2^D
  EXPECT_EQ(shallow_regions(1, 4'000'000'000'000), 4'000'000'000'001);
  EXPECT_EQ(shallow_regions(62, 62), std::int64_t{1} << 62);
  expect_refusal([] { shallow_regions(63, 63); },
                 "[shallow_regions] the number of regions does not fit in 63 bits");
  expect_refusal([] { shallow_regions(0, 3); }, "[shallow_regions] inputs must be >= 1, got 0");
  expect_refusal([] { deep_regions(3, 2, 1); },
                 "[deep_regions] there must be at least as many units as inputs, got 2 and 3");
  expect_refusal([] { deep_regions(10, 50, 6); },
                 "[deep_regions] the number of regions does not fit in 63 bits");
}

TEST(RegionCounts, OfTheBook) {
  LIKELY_SHARED_DATA(file, "udl_golden/udl_golden.json");
  for (int i = 0; i < 3; ++i) {
    const std::vector<double> c = testing::golden_numbers(file, "/ch03_regions/cases/" + std::to_string(i));
    EXPECT_EQ(static_cast<double>(
                  shallow_regions(static_cast<std::int64_t>(c[0]), static_cast<std::int64_t>(c[1]))),
              c[2]);
  }
  EXPECT_EQ(static_cast<double>(count_parameters(ShallowNetwork(10, 8, 1, Rng(1)))),
            testing::golden_number(file, "/ch03_regions/n_params_Di10_D8"));
}

TEST(LinearRegions, OfShallowNetworksAreAsManyAsLinesMake) {
  // Random lines are in general position; the square is so large that all of them cross in it.
  for (const std::int64_t units : {1, 2, 5, 9}) {
    const auto regions = linear_regions(random_network(2, {units}, 3), square_of(1e4));
    EXPECT_EQ(static_cast<std::int64_t>(regions.size()), shallow_regions(2, units));
  }
  EXPECT_EQ(static_cast<std::int64_t>(linear_regions(random_network(1, {12}, 4), {{-50.0}, {50.0}}).size()),
            shallow_regions(1, 12));
}

TEST(LinearRegions, CoverEverythingOnceAndAreLinear) {
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    const DeepNetwork network = random_network(2, {7, 6, 5}, seed);
    const auto regions = linear_regions(network, square_of(2.0));
    double area = 0.0;
    std::set<std::vector<bool>> patterns;
    for (const Region& region : regions) {
      const double each = area_of(region.corners);
      EXPECT_GT(each, 0.0);
      area += each;
      patterns.insert(region.on);
      EXPECT_EQ(region.on.size(), 18U);
      // The mean of the corners lies inside; the outputs there are the mean of the outputs.
      std::vector<double> place(2, 0.0), expected(2, 0.0);
      const auto count = static_cast<double>(region.corners.size());
      for (std::size_t i = 0; i < region.corners.size(); ++i) {
        for (std::size_t d = 0; d < 2; ++d) {
          place[d] += region.corners[i][d] / count;
          expected[d] += region.outputs[i][d] / count;
        }
      }
      const Tensor y = network(tensor(place, {1, 2}));
      for (std::int64_t d = 0; d < 2; ++d)
        EXPECT_NEAR(y.at({0, d}), expected[static_cast<std::size_t>(d)], 1e-10);
    }
    EXPECT_NEAR(area, 16.0, 1e-9);
    EXPECT_EQ(patterns.size(), regions.size());  // a convex region each
    // Brute force: the ways the units are on at the points of a grid. It misses only regions smaller than its
    // mesh.
    constexpr std::int64_t kSide = 400;
    std::vector<double> points;
    for (std::int64_t i = 0; i < kSide; ++i) {
      for (std::int64_t j = 0; j < kSide; ++j) {
        points.push_back(-2.0 + 4.0 * (static_cast<double>(i) + 0.5) / kSide);
        points.push_back(-2.0 + 4.0 * (static_cast<double>(j) + 0.5) / kSide);
      }
    }
    const std::int64_t seen = count_patterns(network, tensor(points, {kSide * kSide, 2}));
    EXPECT_LE(seen, static_cast<std::int64_t>(regions.size()));
    std::int64_t large = 0;
    for (const Region& region : regions) large += area_of(region.corners) > 0.01 ? 1 : 0;
    EXPECT_GE(seen, large);
  }
}

TEST(LinearRegions, OfASegmentInTenDimensions) {
  const DeepNetwork network = random_network(10, {20, 20}, 8);
  const std::vector<double> from(10, -1.0), to{1.0, 0.5, 2.0, -1.0, 0.0, 3.0, 1.0, 1.0, -2.0, 0.25};
  const auto regions = linear_regions(network, {from, to});
  // Brute force: places along the way where the pattern changes.
  constexpr std::int64_t kSteps = 20000;
  std::vector<double> points;
  for (std::int64_t i = 0; i < kSteps; ++i) {
    const double t = (static_cast<double>(i) + 0.5) / kSteps;
    for (std::size_t d = 0; d < 10; ++d) points.push_back((1.0 - t) * from[d] + t * to[d]);
  }
  EXPECT_EQ(count_patterns(network, tensor(points, {kSteps, 10})), static_cast<std::int64_t>(regions.size()));
  double length = 0.0;
  for (const Region& region : regions) {
    ASSERT_EQ(region.corners.size(), 2U);
    double squared = 0.0;
    for (std::size_t d = 0; d < 10; ++d)
      squared += std::pow(region.corners[1][d] - region.corners[0][d], 2.0);
    length += std::sqrt(squared);
  }
  double squared = 0.0;
  for (std::size_t d = 0; d < 10; ++d) squared += std::pow(to[d] - from[d], 2.0);
  EXPECT_NEAR(length, std::sqrt(squared), 1e-9);
}

TEST(LinearRegions, OfLinesThroughOnePoint) {
  // Four lines through the origin: 8 sectors, and no slivers where they meet.
  const Tensor weight = tensor({{1.0, 0.0}, {0.0, 1.0}, {0.7, 0.7}, {0.3, -0.9}}, DType::f64);
  const ShallowNetwork lines(layer_of(weight, zeros({4}, DType::f64), Activation::relu),
                             layer_of(ones({1, 4}, DType::f64), zeros({1}, DType::f64)));
  EXPECT_EQ(linear_regions(DeepNetwork(lines), square_of(1.0)).size(), 8U);
  // A triangle of the plane through three points of space.
  const DeepNetwork space = random_network(3, {6}, 2);
  EXPECT_GE(linear_regions(space, {{5.0, 0.0, 0.0}, {0.0, 5.0, 0.0}, {0.0, 0.0, 5.0}}).size(), 2U);
}

TEST(LinearRegions, RefuseWhatIsNotFlat) {
  const DeepNetwork network = random_network(2, {3}, 1);
  expect_refusal(
      [&] {
        linear_regions(network, {{0.0, 0.0}});
      },
      "[linear_regions] at least two corners are needed, got 1");
  expect_refusal(
      [&] {
        linear_regions(network, {{0.0}, {1.0}});
      },
      "[linear_regions] corners must have 2 coordinates, got 1");
  expect_refusal(
      [&] {
        linear_regions(network, {{0.0, 1.0}, {0.0, 1.0}});
      },
      "[linear_regions] the two corners must differ");
  const std::string message = "[linear_regions] the corners must go once around a flat convex polygon";
  expect_refusal([&] { linear_regions(network, {{0.0, 0.0}, {1.0, 1.0}, {1.0, 0.0}, {0.0, 1.0}}); }, message);
  expect_refusal([&] { linear_regions(network, {{0.0, 0.0}, {1.0, 1.0}, {2.0, 2.0}}); }, message);
  expect_refusal(
      [&] {
        linear_regions(random_network(3, {3}, 1),
                       {{0.0, 0.0, 0.0}, {1.0, 0.0, 0.0}, {1.0, 1.0, 0.5}, {0.0, 1.0, 0.0}});
      },
      message);
  const DeepNetwork smooth(2, {3}, 1, {.activation = Activation::tanh}, Rng(1));
  expect_refusal([&] { linear_regions(smooth, square_of(1.0)); },
                 "[linear_regions] layer 0 must have activation relu, got tanh");
}

}  // namespace
}  // namespace likely::book
