#include "likely/data/standardizer.hpp"

#include <gtest/gtest.h>

#include <cmath>

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

}  // namespace
}  // namespace likely::data
