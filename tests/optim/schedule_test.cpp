#include "likely/optim/schedule.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "likely/core/create.hpp"
#include "likely/optim/plateau.hpp"
#include "likely/tree/tree.hpp"
#include "tests/support/check_gradients.hpp"

namespace likely::optim {
namespace {

using testing::expect_refusal;

TEST(Schedule, EndsWhereItSays) {
  const CosineSchedule cosine{.lr = 1.0, .steps = 10, .last = 0.1};
  EXPECT_DOUBLE_EQ(cosine(0), 1.0);
  EXPECT_DOUBLE_EQ(cosine(5), 0.55);
  EXPECT_DOUBLE_EQ(cosine(10), 0.1);
  EXPECT_DOUBLE_EQ(cosine(1000), 0.1);
  EXPECT_DOUBLE_EQ((LinearSchedule{.first = 1.0, .last = 0.0, .steps = 4})(1), 0.75);
  EXPECT_DOUBLE_EQ((ConstantSchedule{0.3})(7), 0.3);
}

TEST(Schedule, Composes) {
  // Up for 4 steps, down along a cosine for 6, then by halves.
  const ChainSchedule all{.first = WarmUp{.steps = 4, .then = CosineSchedule{.lr = 1.0, .steps = 6}},
                          .steps = 10,
                          .then = ExponentialSchedule{.lr = 0.5, .factor = 0.5}};
  EXPECT_DOUBLE_EQ(all(0), 0.2);
  EXPECT_DOUBLE_EQ(all(3), 0.8);
  EXPECT_DOUBLE_EQ(all(4), 1.0);
  EXPECT_DOUBLE_EQ(all(7), 0.5);
  EXPECT_DOUBLE_EQ(all(10), 0.5);
  EXPECT_DOUBLE_EQ(all(12), 0.125);
  const Schedule own = [](std::int64_t step) { return 1.0 / static_cast<double>(step + 1); };
  EXPECT_DOUBLE_EQ((WarmUp{.steps = 1, .then = own})(2), 0.5);
}

TEST(Schedule, RefusesStepsRatesAndLengthsOutOfRange) {
  expect_refusal([] { ConstantSchedule{0.1}(-1); }, "[ConstantSchedule] the step must be >= 0, got -1");
  expect_refusal([] { ConstantSchedule{-0.1}(0); }, "[ConstantSchedule] lr must be >= 0, got -0.1");
  expect_refusal([] { StepSchedule{.lr = 1, .every = 0}(0); }, "[StepSchedule] every must be >= 1, got 0");
  expect_refusal([] { ExponentialSchedule{.lr = 1, .factor = -1}(0); },
                 "[ExponentialSchedule] factor must be >= 0, got -1");
  expect_refusal([] { CosineSchedule{.lr = 1, .steps = 0}(0); },
                 "[CosineSchedule] steps must be >= 1, got 0");
  expect_refusal([] { LinearSchedule{.first = -1, .last = 1, .steps = 1}(0); },
                 "[LinearSchedule] first must be >= 0, got -1");
  expect_refusal([] { WarmUp{.steps = 3, .then = {}}(0); }, "[WarmUp] then is no schedule");
  expect_refusal([] { ChainSchedule{.first = ConstantSchedule{1}, .steps = 1, .then = {}}(0); },
                 "[ChainSchedule] then is no schedule");
}

TEST(Plateau, FallsWhenTheLossDoesNot) {
  Plateau plateau({.lr = 1.0, .factor = 0.5, .patience = 1});
  EXPECT_EQ(plateau.lr(), 1.0);
  EXPECT_EQ(plateau.observe(3.0), 1.0);
  EXPECT_EQ(plateau.observe(2.0), 1.0);
  EXPECT_EQ(plateau.observe(2.0), 1.0);  // one is allowed
  EXPECT_EQ(plateau.observe(std::nan("")), 0.5);
  EXPECT_EQ(plateau.observe(1.0), 0.5);
  EXPECT_EQ(plateau.lr(), 0.5);
}

TEST(Plateau, GoesOnFromItsParts) {
  Plateau first({.lr = 1.0, .factor = 0.5, .patience = 1, .cooldown = 1});
  for (const double loss : {3.0, 2.0, 2.0, 2.0}) first.observe(loss);
  Plateau resumed({.lr = 1.0, .factor = 0.5, .patience = 1, .cooldown = 1});
  const std::vector<Part> saved = named_parts(first);
  std::size_t next = 0;
  for_each_leaf(resumed, [&](Tensor& t, PartKind kind) {
    EXPECT_EQ(kind, PartKind::buffer);
    t = saved[next++].value.copy();
  });
  for (const double loss : {2.0, 2.0, 2.0, 1.9, 1.95, 1.95, 1.95}) {
    EXPECT_EQ(first.observe(loss), resumed.observe(loss));
  }
  EXPECT_LT(first.lr(), 0.5);
}

TEST(Plateau, RefusesOptionsOutOfRange) {
  expect_refusal([] { Plateau({.factor = 1.0}); }, "[Plateau] factor must be in [0, 1), got 1");
  expect_refusal([] { Plateau({.patience = -1}); }, "[Plateau] patience must be >= 0, got -1");
  expect_refusal([] { Plateau({.cooldown = -1}); }, "[Plateau] cooldown must be >= 0, got -1");
  expect_refusal([] { Plateau({.lr = -1.0}); }, "[Plateau] lr must be >= 0, got -1");
}

}  // namespace
}  // namespace likely::optim
