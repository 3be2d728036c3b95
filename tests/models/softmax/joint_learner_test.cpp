#include "likely/models/softmax/joint_learner.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>

#include "likely/likely.hpp"
#include "likely/models/recipes.hpp"
#include "likely/models/vision/mlp.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/temporary_folder.hpp"

namespace likely::confidence {

namespace {

using vision::Mlp;
using Learner = JointLearner<Mlp, Mlp, Mlp>;

Learner small_learner(const JointOptions& options = {.noise = 2}) {
  Rng rng(3);
  return Learner(Mlp({2, 16, 3}, rng.split()), Mlp({options.noise, 8, 2}, rng.split()),
                 Mlp({2, 8, 1}, rng.split()), options);
}

data::Dataset clouds(std::int64_t rows) {
  return data::gaussian_mixture(rows, tensor({{-1.0, -1.0}, {1.0, -0.5}, {0.0, 1.0}}), 0.2, Rng(1));
}

train::RunOptions<Learner> options_for(std::int64_t epochs, const std::filesystem::path& out = {}) {
  return {.data = data::feed(clouds(120), {.batch = 30}),
          .epochs = epochs,
          .seed = 5,
          .out = out,
          .resume = !out.empty(),
          .figures = false,
          .progress = train::Progress::silent};
}

bool same_parts(const Learner& a, const Learner& b) {
  const auto one = named_parts(a), other = named_parts(b);
  if (one.size() != other.size()) return false;
  for (std::size_t i = 0; i < one.size(); ++i) {
    if (!array_equal(one[i].value, other[i].value)) return false;
  }
  return true;
}

TEST(JointLearner, GoesOnToTheSameBits) {
  for (const GeneratorLoss kind : {GeneratorLoss::saturating, GeneratorLoss::non_saturating}) {
    const JointOptions options{.generator_loss = kind, .noise = 2, .spread = 0.3};
    const testing::TemporaryFolder folder;
    Learner whole = small_learner(options);
    train::run(whole, options_for(4));
    Learner half = small_learner(options);
    train::run(half, options_for(2, folder / "run"));
    EXPECT_FALSE(same_parts(half, whole));
    Learner rest = small_learner(options);
    const auto result = train::run(rest, options_for(4, folder / "run"));
    EXPECT_EQ(result.steps, 16);
    EXPECT_TRUE(same_parts(rest, whole));
  }
}

TEST(JointLearner, IsTheSameForAnyNumberOfThreads) {
  Learner one = small_learner(), three = small_learner();
  set_threads(1);
  train::run(one, options_for(2));
  set_threads(3);
  train::run(three, options_for(2));
  set_threads(2);
  EXPECT_TRUE(same_parts(one, three));
}

// A step of a player moves that player alone, by the gradient of the document's loss: one step of plain
// descent, written out again.
TEST(JointLearner, EachPlayerDescendsItsOwnLoss) {
  Learner learner = small_learner(
      {.beta = 0.5, .generator_beta = 2.0, .generator_loss = GeneratorLoss::saturating, .noise = 2});
  const Learner before = learner;
  const data::Batch rows = clouds(30).all();
  const Training training(Rng(8));
  const train::Losses losses = learner.step(rows, training);
  // The same draws in the same order.
  const Training again(Rng(8));
  for (int i = 0; i < 3; ++i) (void)again.split();
  const Tensor z1 = again.split().normal({30, 2}), z2 = again.split().normal({30, 2}),
               z3 = again.split().normal({30, 2});
  const Tensor fake = before.generator(z1);
  const double critic = -mean(log(sigmoid(before.critic(rows.x)))).item() -
                        mean(log(1.0 - sigmoid(before.critic(fake)))).item();
  const Tensor made = before.generator(z2);
  const Tensor p_made = softmax(before.classifier(made), 1);
  const double generator = mean(log(1.0 - sigmoid(learner.critic(made)))).item() +
                           2.0 * (-mean(log(p_made)).item() - std::log(3.0));
  // Adam's first step is lr against the sign of each derivative: here of the loss written out again, by the
  // generator.
  const auto [value, slopes] = value_and_grad(before.generator, [&](const Mlp& g) {
    const Tensor rows_of_g = g(z2);
    return mean(log(1.0 - sigmoid(learner.critic(rows_of_g)))) -
           2.0 * mean(log(softmax(before.classifier(rows_of_g), 1)));
  });
  const auto old_parts = named_parts(before.generator), new_parts = named_parts(learner.generator);
  const auto slope_parts = named_parts(slopes);
  std::size_t looked_at = 0;
  for (std::size_t i = 0; i < old_parts.size(); ++i) {
    const std::vector<double> was = old_parts[i].value.to_vector<double>();
    const std::vector<double> is = new_parts[i].value.to_vector<double>();
    const std::vector<double> slope = slope_parts[i].value.to_vector<double>();
    for (std::size_t k = 0; k < was.size(); ++k) {
      if (std::abs(slope[k]) < 1e-4) continue;
      EXPECT_NEAR(is[k] - was[k], slope[k] > 0.0 ? -1e-3 : 1e-3, 2e-6);
      ++looked_at;
    }
  }
  EXPECT_GT(looked_at, 10U);
  EXPECT_NEAR(value.item() - 2.0 * std::log(3.0), generator, 1e-5);
  const Tensor outside = learner.generator(z3);
  const double classifier = softmax_cross_entropy(before.classifier(rows.x), rows.y).item() +
                            0.5 * (-mean(log(softmax(before.classifier(outside), 1))).item() - std::log(3.0));
  ASSERT_EQ(losses.size(), 3U);
  EXPECT_EQ(losses[0].name, "classifier");
  EXPECT_NEAR(losses[0].value, classifier, 1e-5);
  EXPECT_NEAR(losses[1].value, generator, 1e-5);
  EXPECT_NEAR(losses[2].value, critic, 1e-5);
}

TEST(JointLearner, Refuses) {
  testing::expect_refusal([] { small_learner({.beta = -1.0, .noise = 2}); },
                          "[JointLearner] beta must be a number of at least 0, got -1");
  testing::expect_refusal([] { small_learner({.noise = 2, .spread = -0.5}); },
                          "[JointLearner] spread must be a number of at least 0, got -0.5");
}

// Places around two moons: whoever was taught with a spread is less sure there than whoever was not.
TEST(JointLearner, IsNotSureAroundTheData) {
  const runs::Recipe& recipe = runs::find_recipe(models::recipes(), "confident");
  const testing::TemporaryFolder folder;
  runs::Run run = runs::default_run(recipe);
  run.settings.set("rows=300");
  run.settings.set("epochs=200");
  run.settings.set("width=40");
  run.out = folder / "run";
  std::filesystem::create_directories(run.out);
  const runs::Report report = recipe.train(run);
  const auto value = [&](const std::string& name) {
    for (const runs::Measured& figure : report.figures) {
      if (figure.name == name) return figure.value;
    }
    ADD_FAILURE() << "no figure " << name;
    return 0.0;
  };
  EXPECT_GT(value("test accuracy"), 0.98);
  EXPECT_GT(value("AUROC around"), 0.9);
  EXPECT_GT(value("AUROC around"), value("plain AUROC around") + 0.2);
  // What was kept says the same.
  const runs::Report again = recipe.evaluate(run);
  ASSERT_EQ(again.figures.size(), report.figures.size());
  for (std::size_t i = 0; i < again.figures.size(); ++i)
    EXPECT_EQ(again.figures[i].value, report.figures[i].value);
  ASSERT_TRUE(again.held_out.has_value());
  EXPECT_EQ(again.held_out->logits.dim(1), 2);
}

}  // namespace

}  // namespace likely::confidence
