#include "likely/data/standardizer.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "likely/core/create.hpp"
#include "likely/data/batches.hpp"
#include "likely/io/model_file.hpp"
#include "likely/ops/arithmetic.hpp"
#include "likely/ops/view.hpp"
#include "tests/support/check_gradients.hpp"
#include "tests/support/temporary_folder.hpp"

namespace likely::data {
namespace {

using testing::expect_refusal;

TEST(Standardizer, TakesMeanAndDeviationOfTheTrainingPart) {
  // Means 3 and -1, deviations sqrt(8/3) and 0.
  const Dataset train(tensor({{1.0, -1.0}, {3.0, -1.0}, {5.0, -1.0}}));
  const Standardizer scaler = Standardizer::fit(train);
  const double deviation = std::sqrt(8.0 / 3.0);
  EXPECT_TRUE(allclose(scaler.mean, tensor({3.0, -1.0})));
  EXPECT_TRUE(allclose(scaler.scale, tensor({deviation, 1.0})));
  EXPECT_TRUE(allclose(scaler.apply(train).all().x,
                       tensor({{-2.0 / deviation, 0.0}, {0.0, 0.0}, {2.0 / deviation, 0.0}}), 1e-6, 1e-6));
  const Dataset test(tensor({{3.0 + deviation, 4.0}}), tensor({7}));
  EXPECT_TRUE(allclose(scaler.apply(test).batches(1)[0].x, tensor({{1.0, 5.0}})));
  EXPECT_TRUE(array_equal(scaler.apply(test).targets(), tensor({7})));
}

TEST(Standardizer, ComesBackToTheUnitsOfTheData) {
  const Tensor prices = Rng(1).normal({50, 1}, 1000.0, 30.0, DType::f64);
  const Standardizer scaler = Standardizer::fit(prices);
  EXPECT_EQ(scaler.mean.dtype(), DType::f64);
  EXPECT_TRUE(allclose(scaler.invert(scaler.apply(prices)), prices, 1e-12));
}

TEST(Standardizer, KeepsTheDigitsOfDataFarFromZero) {
  // 1e9 + {0, 1, 2, ...}: the sum of squares in f64 would have lost everything.
  const Tensor x = reshape(arange(0.0, 3000.0, 1.0, DType::f64), {3000, 1}) + 1e9;
  EXPECT_NEAR(Standardizer::fit(x).scale.item(), std::sqrt((3000.0 * 3000.0 - 1.0) / 12.0), 1e-6);
}

TEST(Standardizer, TakesNumbersOfAnySize) {
  // -1, 0, 1, 4 with mean 1 and variance 3.5, times any size: a power of two changes no digit.
  const Tensor plain = tensor({-1.0, 0.0, 1.0, 4.0}, DType::f64);
  for (const int power : {-1060, -1000, -660, -500, -401, -399, 0, 399, 401, 532, 660, 1000, 1020}) {
    const double size = std::ldexp(1.0, power);
    const Tensor x = plain * size;
    const Standardizer scaler = Standardizer::fit(x);
    EXPECT_EQ(scaler.mean.item(), size) << power;
    EXPECT_NEAR(scaler.scale.item() / size, std::sqrt(3.5), power < -1040 ? 0.02 : 1e-15) << power;
    EXPECT_TRUE(allclose(scaler.apply(x), (plain - 1.0) / std::sqrt(3.5), 1e-2)) << power;
  }
}

TEST(Standardizer, TakesSmallAndLargeNumbersInAnyOrder) {
  // Compared with long double, whose squares hold them all.
  std::vector<double> values{0.0, 1e-300, -3e-200, 2e-150, 1.0, 1e120, -2e130, 1e160, 3e200, -1e300, 5e299};
  for (int turn = 0; turn < 11; ++turn) {
    long double mean = 0.0L;
    for (const double x : values) mean += static_cast<long double>(x) / 11.0L;
    long double squares = 0.0L;
    for (const double x : values) squares += (x - mean) * (x - mean);
    for (const bool per_feature : {true, false}) {
      const Standardizer scaler = Standardizer::fit(tensor(values), {.per_feature = per_feature});
      EXPECT_NEAR(scaler.mean.item() / static_cast<double>(mean), 1.0, 1e-14) << turn;
      EXPECT_NEAR(scaler.scale.item() / static_cast<double>(std::sqrt(squares / 11.0L)), 1.0, 1e-14) << turn;
    }
    std::rotate(values.begin(), values.begin() + 3, values.end());
  }
  // Features that differ in size, with one scale: the small ones are a mean's worth away.
  const Standardizer pooled =
      Standardizer::fit(tensor({{1e160, 0.0}, {3e160, 0.0}}, DType::f64), {.per_feature = false});
  EXPECT_NEAR(pooled.mean.at({1}), 1e160, 1e146);
  EXPECT_NEAR(pooled.scale.at({1}), std::sqrt(1.5) * 1e160, 1e146);
}

TEST(Standardizer, TellsNumbersFarFromZeroApart) {
  for (const double away : {1.0, 1e9, 1e15, -1e15}) {
    const double step = std::nextafter(away, INFINITY) - away;
    // 30 times the number, 10 times the next one: p = 1/4.
    std::vector<double> values(30, away);
    values.insert(values.end(), 10, away + step);
    const Standardizer scaler = Standardizer::fit(tensor(values));
    EXPECT_NEAR(scaler.scale.item() / step, std::sqrt(3.0 / 16.0), 1e-12) << away;
  }
  EXPECT_EQ(Standardizer::fit(tensor(std::vector<double>(5, 1e15 + 0.3))).scale.item(), 1.0);
}

TEST(Standardizer, DividesByNothingThatIsZeroInF32) {
  const Tensor x = tensor({0.0f, 1.5e-45f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f}, DType::f32);
  EXPECT_GT(Standardizer::fit(x).scale.item(), 0.0);
}

TEST(Standardizer, CanUseOneScaleForAllFeatures) {
  const Tensor x = tensor({{0.0, 2.0}, {4.0, 6.0}});
  const Standardizer scaler = Standardizer::fit(x, {.per_feature = false});
  EXPECT_TRUE(allclose(scaler.mean, tensor({3.0, 3.0})));
  EXPECT_TRUE(allclose(scaler.scale, tensor({std::sqrt(5.0), std::sqrt(5.0)})));
}

TEST(Standardizer, IsSavedWithAModel) {
  const testing::TemporaryFolder folder;
  const Standardizer fitted = Standardizer::fit(Rng(3).normal({20, 4}));
  io::save(folder / "scaler", fitted);
  Standardizer loaded;
  io::load(folder / "scaler", loaded);
  EXPECT_TRUE(array_equal(loaded.mean, fitted.mean));
  EXPECT_TRUE(array_equal(loaded.scale, fitted.scale));
}

TEST(Standardizer, RefusesWhatHasNoMean) {
  expect_refusal([] { Standardizer::fit(zeros({0, 3})); }, "[Standardizer] at least one row is needed");
  expect_refusal([] { Standardizer::fit(tensor({{1.0}, {std::nan("")}})); }, "[Standardizer] row 1 has nan");
  expect_refusal(
      [] {
        Standardizer::fit(tensor({true, false}));
      },
      "[Standardizer] numbers are needed, got bool");
}

// Differences of the largest numbers are none.
TEST(Standardizer, TakesNumbersAsFarApartAsTheyCanBe) {
  const Tensor wide = tensor({1.7e308, -1.7e308, -1.7e308, -1.7e308}, DType::f64);
  const Standardizer scaler = Standardizer::fit(wide);
  const std::vector<double> z = scaler.apply(wide).to_vector<double>();
  EXPECT_NEAR(z[0], std::sqrt(3.0), 1e-12);
  EXPECT_NEAR(z[1], -1.0 / std::sqrt(3.0), 1e-12);
  const std::vector<double> back = scaler.invert(scaler.apply(wide)).to_vector<double>();
  EXPECT_NEAR(back[0] / 1.7e308, 1.0, 1e-12);
  EXPECT_NEAR(back[3] / 1.7e308, -1.0, 1e-12);
  const Tensor narrow = tensor({3e38, -3e38, -3e38, -3e38}, DType::f32);
  const Standardizer of_floats = Standardizer::fit(narrow);
  EXPECT_NEAR(of_floats.apply(narrow).to_vector<double>()[0], std::sqrt(3.0), 1e-5);
}

}  // namespace
}  // namespace likely::data
