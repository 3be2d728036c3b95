#include "likely/models/choice/recovery.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "likely/core/threads.hpp"
#include "tests/support/check_gradients.hpp"

namespace likely::choice {
namespace {

using likely::testing::expect_refusal;
using Numbers = std::vector<double>;

TEST(Recovery, Correlations) {
  // scipy.stats.pearsonr and spearmanr of these.
  const Numbers a = {1.0, 2.0, 4.0, 4.0, 7.5}, b = {0.3, 0.1, 2.5, 2.0, 1.9};
  EXPECT_NEAR(correlation(a, b), 0.7021231532570821, 1e-12);
  EXPECT_NEAR(rank_correlation(a, b), 0.5642880936468347, 1e-12);
  EXPECT_NEAR(correlation(a, a), 1.0, 1e-14);
  EXPECT_TRUE(std::isnan(correlation(a, Numbers(5, 1.0))));
  // Of 0.1, 0.1 and 0.1 the mean is not 0.1.
  EXPECT_TRUE(std::isnan(correlation({1.0, 2.0, 4.0}, Numbers(3, 0.1))));
  EXPECT_TRUE(std::isnan(rank_correlation({1.0, 2.0, 4.0}, Numbers(3, 0.1))));
  expect_refusal([&] { correlation(a, {1.0}); }, "[choice::correlation] 5 numbers against 1");
  expect_refusal([] { rank_correlation({1.0}, {1.0}); },
                 "[choice::rank_correlation] at least 2 numbers are needed, got 1");
}

// The example of Wilson and Collins (2019, box 3): 1000 trials of two arms that pay with probability 0.2 and
// 0.8, alpha uniform, beta exponential with mean 10, values that begin at 1/2.
TEST(Recovery, AsWilsonAndCollins) {
  Model model = named_model("rw", {.initial_value = 0.5});
  model.parameter("beta").box_upper = 50.0;
  Rng rng(1);
  const Numbers u = rng.uniform({400}, 0.0, 1.0, DType::f64).to_vector<double>();
  const Numbers v = rng.exponential({400}, 0.1, DType::f64).to_vector<double>();
  std::vector<Numbers> truth;
  for (std::size_t i = 0; i < u.size(); ++i) truth.push_back({u[i], v[i]});
  Bandit task;
  task.probabilities = {0.2, 0.8};
  task.trials = 1000;
  const Recovery recovery = recover_parameters(model, truth, task, rng.split());
  ASSERT_EQ(recovery.fitted.size(), 400U);
  const RecoveredParameter& alpha = recovery.parameters[0];
  const RecoveredParameter& beta = recovery.parameters[1];
  RecordProperty("alpha", std::to_string(alpha.correlation));
  RecordProperty("beta", std::to_string(beta.correlation));
  EXPECT_GT(alpha.rank_correlation, 0.85);
  EXPECT_GT(beta.rank_correlation, 0.85);
  EXPECT_GT(alpha.correlation, 0.85);
  EXPECT_GT(beta.correlation, 0.7);  // those beyond the box are missed
  EXPECT_NEAR(alpha.bias, 0.0, 0.05);
  EXPECT_EQ(recovery.across.size(), 4U);
  EXPECT_EQ(recovery.across[0], alpha.correlation);
}

TEST(Recovery, EstimatorsWithAPriorErrLess) {
  const Model model = named_model("rw");
  const auto truth = draw_parameters(model, 60, Rng(3), 0.7);
  Bandit task;
  task.trials = 60;
  double last = 1e9;
  for (const Estimator estimator : {Estimator::likelihood, Estimator::posterior, Estimator::hierarchical}) {
    const Recovery recovery = recover_parameters(model, truth, task, Rng(4), estimator);
    EXPECT_LT(recovery.parameters[0].rmse, last);
    last = recovery.parameters[0].rmse;
  }
}

TEST(Recovery, DrawnParametersFollowTheirPrior) {
  const Model model = named_model("rw-stick");
  const auto people = draw_parameters(model, 4000, Rng(1), 0.8);
  for (std::size_t k = 0; k < model.parameters.size(); ++k) {
    double mean = 0.0, square = 0.0;
    for (const Numbers& person : people) {
      const double u = model.parameters[k].unconstrained(person[k]) - model.parameters[k].prior_mean;
      mean += u / 4000.0;
      square += u * u / 4000.0;
    }
    EXPECT_NEAR(mean, 0.0, 0.05);
    EXPECT_NEAR(square, 0.64, 0.06);
  }
}

TEST(Recovery, ModelsAreToldApart) {
  const std::vector<Model> models = {named_model("random"), named_model("wsls"), named_model("rw-ck")};
  Bandit task;
  task.trials = 300;
  for (const Criterion criterion : {Criterion::bic, Criterion::aic, Criterion::evidence}) {
    const ModelConfusion result =
        confuse_models(models, task, Rng(2), {.datasets = 16, .criterion = criterion});
    EXPECT_EQ(result.models, (std::vector<std::string>{"random", "wsls", "rw-ck"}));
    for (std::size_t i = 0; i < 3; ++i) {
      double row = 0.0, counts = 0.0;
      for (std::size_t j = 0; j < 3; ++j) {
        row += result.confusion[i * 3 + j];
        counts += result.counts[i * 3 + j];
      }
      EXPECT_NEAR(row, 1.0, 1e-12);
      EXPECT_EQ(counts, 16.0);
      EXPECT_GT(result.confusion[i * 3 + i], 0.5) << i;
      EXPECT_GT(result.inversion[i * 3 + i], 0.5) << i;
    }
  }
}

TEST(Recovery, TheSameOnAnyNumberOfThreads) {
  const int saved = threads();
  const Model model = named_model("rw");
  const auto truth = draw_parameters(model, 20, Rng(3));
  set_threads(1);
  const Recovery first = recover_parameters(model, truth, {}, Rng(4));
  for (const int count : {2, 3}) {
    set_threads(count);
    EXPECT_EQ(first.fitted, recover_parameters(model, truth, {}, Rng(4)).fitted);
  }
  set_threads(saved);
}

TEST(Recovery, Refusals) {
  const Model model = named_model("rw");
  expect_refusal([&] { draw_parameters(model, 0, Rng(1)); },
                 "[choice::draw_parameters] count must be at least 1, got 0");
  expect_refusal([&] { draw_parameters(model, 1, Rng(1), 0.0); },
                 "[choice::draw_parameters] sd must be finite and above 0, got 0");
  expect_refusal(
      [&] {
        recover_parameters(model, {{0.5, 1.0}}, {}, Rng(1));
      },
      "[choice::recover_parameters] at least 2 people are needed, got 1");
  expect_refusal([&] { confuse_models({model}, {}, Rng(1)); },
                 "[choice::confuse_models] at least 2 models are needed, got 1");
  expect_refusal(
      [&] {
        confuse_models({model, model}, {}, Rng(1), {.datasets = 0});
      },
      "[choice::confuse_models] datasets must be at least 1, got 0");
}

}  // namespace
}  // namespace likely::choice
