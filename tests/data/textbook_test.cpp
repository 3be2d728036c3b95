#include "likely/data/textbook.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "likely/core/create.hpp"
#include "likely/io/json.hpp"
#include "likely/io/text.hpp"
#include "tests/support/check_gradients.hpp"
#include "tests/support/shared_data.hpp"

namespace likely::data {
namespace {

using testing::expect_refusal;

struct Points {
  std::vector<double> x, y;
};
Points points_of(const Dataset& dataset) {
  const Batch all = dataset.all();
  EXPECT_EQ(all.x.shape(), (Shape{dataset.size(), 1}));
  return {all.x.to_vector<double>(), all.y.to_vector<double>()};
}

// The mean and the standard deviation of y - f(x) where low <= x < high.
template <class F>
std::pair<double, double> residuals(const Points& points, const F& f, double low = -1e9, double high = 1e9) {
  double count = 0.0;
  double sum = 0.0;
  double squares = 0.0;
  for (std::size_t i = 0; i < points.x.size(); ++i) {
    if (points.x[i] < low || points.x[i] >= high) continue;
    const double away = points.y[i] - f(points.x[i]);
    count += 1.0;
    sum += away;
    squares += away * away;
  }
  return {sum / count, std::sqrt(squares / count)};
}

double by_hand(double x) {
  const auto relu = [](double z) { return z > 0.0 ? z : 0.0; };
  return 0.1 - 2.0 * relu(0.3 - x) - relu(-1.0 + 1.8 * x) + 7.0 * relu(-0.5 + 0.65 * x);
}

TEST(Textbook, LinesHaveTheirParametersAndNoise) {
  const Points points = points_of(line_data(20'000, Rng(1), {.phi0 = -1.0, .phi1 = 3.0, .noise = 0.2}));
  const auto [mean, deviation] = residuals(points, [](double x) { return -1.0 + 3.0 * x; });
  EXPECT_NEAR(mean, 0.0, 0.006);
  EXPECT_NEAR(deviation, 0.2, 0.005);
  for (const double x : points.x) EXPECT_TRUE(x >= 0.0 && x <= 2.0);
}

// The least-squares line of the book's points, and the size of what it leaves over.
TEST(Textbook, LineDefaultsAreTheBooks) {
  LIKELY_SHARED_DATA(path, "udl_golden/udl_golden.json");
  const auto golden = io::parse_json<io::SortedJson>(io::read_text(path)).at("ch02_linear_regression");
  const auto minimum = golden.at("closed_form_minimum").get<std::vector<double>>();
  const LineOptions defaults;
  EXPECT_NEAR(defaults.phi0, minimum[0], 0.01);
  EXPECT_NEAR(defaults.phi1, minimum[1], 0.01);
  EXPECT_NEAR(defaults.noise, std::sqrt(minimum[2] / 10.0), 0.01);  // 12 points, 2 parameters
}

TEST(Textbook, PiecewiseFunctionIsTheBooksNetwork) {
  const PiecewiseFunction f;
  for (double x = 0.0; x <= 1.0; x += 0.01) EXPECT_NEAR(f(x), by_hand(x), 1e-12);
  LIKELY_SHARED_DATA(path, "udl_golden/udl_golden.json");
  const auto golden = io::parse_json<io::SortedJson>(io::read_text(path));
  const auto expect_losses = [](const io::SortedJson& stored, const PiecewiseFunction& network,
                                const auto& loss) {
    const auto x = stored.at("x").get<std::vector<double>>();
    const auto y = stored.at("y").get<std::vector<double>>();
    double sum = 0.0;
    for (std::size_t i = 0; i < x.size(); ++i) sum += loss(network(x[i]), y[i]);
    return sum;
  };
  const double squares =
      expect_losses(golden.at("ch05_gaussian"), f, [](double mu, double y) { return (mu - y) * (mu - y); });
  EXPECT_NEAR(squares, golden.at("ch05_gaussian").at("sum_squares").get<double>(), 1e-9);
  const double nll = expect_losses(golden.at("ch05_bernoulli"), BinaryOptions().f, [](double z, double y) {
    return std::log1p(std::exp(-z)) + (1.0 - y) * z;  // -log sig[z] or -log(1 - sig[z]) (5.20)
  });
  EXPECT_NEAR(nll, golden.at("ch05_bernoulli").at("nll").get<double>(), 1e-9);
}

TEST(Textbook, PiecewiseDataLieAroundTheFunction) {
  const auto [mean, deviation] = residuals(points_of(piecewise_data(20'000, Rng(2))), by_hand);
  EXPECT_NEAR(mean, 0.0, 0.003);
  EXPECT_NEAR(deviation, 0.1, 0.003);
}

TEST(Textbook, HeteroscedasticNoiseGrowsWithX) {
  const Points points = points_of(heteroscedastic_data(40'000, Rng(3)));
  for (const double low : {0.0, 0.3, 0.6, 0.9}) {
    const auto [mean, deviation] = residuals(points, by_hand, low, low + 0.1);
    // The mean of (0.03 + 0.25 x)^2 over a tenth.
    const double middle = 0.03 + 0.25 * (low + 0.05);
    const double expected = std::sqrt(middle * middle + 0.025 * 0.025 / 12.0);
    EXPECT_NEAR(mean, 0.0, 0.1 * expected);
    EXPECT_NEAR(deviation, expected, 0.05 * expected) << "from " << low;
  }
}

TEST(Textbook, BinaryLabelsFollowTheSigmoid) {
  const Batch all = binary_data(40'000, Rng(4)).all();
  EXPECT_EQ(all.y.dtype(), DType::i64);
  const std::vector<double> x = all.x.to_vector<double>();
  const std::vector<double> y = all.y.to_vector<double>();
  double expected[5] = {};
  double ones[5] = {};
  for (std::size_t i = 0; i < x.size(); ++i) {
    const auto part = std::min(static_cast<std::size_t>(x[i] * 5.0), std::size_t{4});
    expected[part] += 1.0 / (1.0 + std::exp(-BinaryOptions().f(x[i])));
    ones[part] += y[i];
  }
  for (int part = 0; part < 5; ++part) EXPECT_NEAR(ones[part], expected[part], 200.0) << part;
}

TEST(Textbook, GaborDataFollowTheModel) {
  const auto gabor = [](double x) {
    const double u = -1.0 + 0.06 * 12.0 * x;
    return std::sin(u) * std::exp(-u * u / 32.0);
  };
  const Points exact = points_of(gabor_data(500, Rng(5), {.phi0 = -1.0, .phi1 = 12.0, .noise = 0.0}));
  for (std::size_t i = 0; i < exact.x.size(); ++i) EXPECT_NEAR(exact.y[i], gabor(exact.x[i]), 2e-6);
  const auto [mean, deviation] =
      residuals(points_of(gabor_data(20'000, Rng(5), {.phi0 = -1.0, .phi1 = 12.0, .noise = 0.3})), gabor);
  EXPECT_NEAR(mean, 0.0, 0.01);
  EXPECT_NEAR(deviation, 0.3, 0.01);
}

TEST(Textbook, RefusesWhatMakesNoSense) {
  expect_refusal([] { line_data(0, Rng(1)); }, "[line_data] at least one row is needed, got 0");
  expect_refusal([] { gabor_data(5, Rng(1), {.low = 1.0, .high = 1.0}); },
                 "[gabor_data] low must be below high, got 1.000000 and 1.000000");
  expect_refusal([] { piecewise_data(5, Rng(1), {.noise = -0.5}); },
                 "[piecewise_data] the noise must not be negative, got -0.500000");
  expect_refusal([] { heteroscedastic_data(5, Rng(1), {.noise = 0.0, .noise_slope = -1.0}); },
                 "[heteroscedastic_data] the noise must not be negative, got -1.000000");
}

}  // namespace
}  // namespace likely::data
