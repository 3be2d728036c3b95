// Committees: stopped and resumed, they end in the same bits.
#include "likely/models/tables/committee.hpp"

#include <gtest/gtest.h>

#include "likely/ops/arithmetic.hpp"
#include "likely/ops/reduce.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/temporary_folder.hpp"

namespace likely::tables {
namespace {

constexpr std::int64_t kEpochs = 5;

Problem some_problem() {
  const Tensor z = Rng(1).normal({60, 3});
  return {.z = z, .y = sum(z * z, 1, /*keepdim=*/true)};
}
std::vector<std::vector<std::int64_t>> three_parts() {
  std::vector<std::vector<std::int64_t>> parts(3);
  for (std::int64_t row = 0; row < 60; ++row) parts[static_cast<std::size_t>(row % 3)].push_back(row);
  return parts;
}
std::optional<Committee> fit(const Problem& problem, const std::filesystem::path& keep_in = {},
                             const OnEpoch& on_epoch = {}, double lr = 0.01) {
  return fit_committee(problem, three_parts(), {8}, 0.1, {.epochs = kEpochs, .patience = 0, .lr = lr}, Rng(7),
                       on_epoch, keep_in);
}

TEST(Committee, StoppedAfterAnyEpochItEndsInTheSameBits) {
  const testing::TemporaryFolder folder;
  const Problem problem = some_problem();
  const Committee whole = *fit(problem);
  EXPECT_GT(whole.epochs, 1);
  for (std::int64_t at = 1; at < kEpochs; ++at) {
    const std::filesystem::path here = folder / std::to_string(at);
    struct Stop {};
    // Whoever throws in between is not waited for: what is kept is the last checkpoint.
    EXPECT_THROW(fit(problem, here,
                     [&](std::int64_t epoch, double) {
                       if (epoch == at) throw Stop();
                     }),
                 Stop);
    const Committee resumed = *fit(problem, here);
    EXPECT_EQ(resumed.loss, whole.loss) << at;
    EXPECT_EQ(resumed.epochs, whole.epochs) << at;
    EXPECT_EQ(resumed.unseen, whole.unseen) << at;
    ASSERT_EQ(resumed.ensemble.members.size(), whole.ensemble.members.size());
    for (std::size_t i = 0; i < whole.ensemble.members.size(); ++i) {
      EXPECT_TRUE(array_equal(resumed.ensemble.members[i].layers[0].weight,
                              whole.ensemble.members[i].layers[0].weight))
          << at;
    }
  }
  // What is finished is read.
  EXPECT_EQ(
      fit(problem, folder / "1", [](std::int64_t, double) { FAIL() << "nothing was left to do"; })->unseen,
      whole.unseen);
}

TEST(Committee, EveryRowIsPredictedByTheMemberThatDidNotSeeIt) {
  const Problem problem = some_problem();
  const Committee committee = *fit(problem);
  for (std::size_t row = 0; row < 60; ++row) {
    const Network& member = committee.ensemble.members[row % 3];
    const double said = member(problem.z).at({static_cast<std::int64_t>(row), 0});
    EXPECT_NEAR(committee.unseen[row], said, 1e-5) << row;
  }
}

TEST(Committee, ALossThatIsNotFiniteNamesTheEpoch) {
  testing::expect_refusal([&] { fit(some_problem(), {}, {}, 1e30); },
                          "[csv] the loss is not finite in epoch 1: try a smaller lr");
}

}  // namespace
}  // namespace likely::tables
