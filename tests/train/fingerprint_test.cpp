#include "likely/train/fingerprint.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "likely/core/create.hpp"
#include "likely/ops/arithmetic.hpp"

namespace likely::train::detail {
namespace {

// Numbers from 0 on, one of which is another.
data::Dataset counted(std::int64_t rows, std::int64_t changed = -1) {
  std::vector<double> numbers(static_cast<std::size_t>(rows));
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<double>(i);
  if (changed >= 0) numbers[static_cast<std::size_t>(changed)] = -1.0;
  return data::Dataset(tensor(numbers), zeros({rows}));
}

TEST(Fingerprint, KnowsRowsAgain) {
  const std::string print = fingerprint(counted(1200));
  EXPECT_EQ(print.size(), 8U);
  EXPECT_EQ(fingerprint(counted(1200)), print);
  for (const std::int64_t row : {0, 499, 500, 1199}) EXPECT_NE(fingerprint(counted(1200, row)), print) << row;
  EXPECT_NE(fingerprint(counted(1199)), print);
  const data::Batch all = counted(1200).all();
  EXPECT_NE(fingerprint(data::Dataset(all.x)), print);
  EXPECT_NE(fingerprint(data::Dataset(all.x, ones({1200}))), print);
  EXPECT_NE(fingerprint(data::Dataset(all.x.to(DType::f64).to(DType::f32), all.y.to(DType::f64))), print);
}

TEST(Fingerprint, ReadsAFewOfManyAndNoneAugmented) {
  const std::string print = fingerprint(counted(20'000));
  EXPECT_NE(fingerprint(counted(20'000, 0)), print);
  EXPECT_NE(fingerprint(counted(20'000, 19'998)), print);
  EXPECT_EQ(fingerprint(counted(20'000, 19'999)), print);  // every second row
  const auto noisy = counted(20'000).augment([](data::Batch batch, Rng rng) {
    batch.x = batch.x + rng.normal(batch.x.shape());
    return batch;
  });
  EXPECT_EQ(fingerprint(noisy), print);
}

}  // namespace
}  // namespace likely::train::detail
