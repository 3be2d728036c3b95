#include "likely/models/choice/fit.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "likely/core/error.hpp"
#include "likely/core/threads.hpp"
#include "likely/io/csv.hpp"
#include "likely/models/choice/simulate.hpp"
#include "tests/models/choice/random_trials.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/shared_data.hpp"

namespace likely::choice {
namespace {

using likely::testing::refusal_of;
using testing::random_trials;

// Figures of cbm (Piray et al. 2019): prior N(0, 6.25) on logit alpha and log beta, V_0 = 0. Its Hessians are
// forward differences, wrong in the fourth digit by their step and in the sixth by rounding. With the same
// differences we have the same figures, up to that rounding; exact curvatures differ by as much as cbm's are
// wrong.
TEST(ChoiceFit, LaplaceAgreesWithCbm) {
  LIKELY_SHARED_DATA(folder, "cbm");
  const Trials trials = read_trials(folder / "rl_task.csv.gz");
  const io::Table reference = io::read_csv(folder / "reference_lap_RL.csv");
  const Likelihood likelihood(named_model("rw"), trials);
  const Fit fit = fit_posterior(likelihood);
  const Fit rough = fit_posterior(likelihood, {.curving = Curving::forward_differences});
  ASSERT_EQ(fit.subjects.size(), 40U);
  const auto column = [&](const char* name) { return reference[name].to_vector<double>(); };
  const auto alpha = column("nd_alpha"), beta = column("nd_beta"), joint = column("log_joint"),
             determinant = column("logdet_hessian"), evidence = column("log_evidence"),
             value = column("loglik");
  for (std::size_t s = 0; s < 40; ++s) {
    SCOPED_TRACE(s);
    const SubjectFit& subject = fit.subjects[s];
    EXPECT_EQ(subject.id, std::to_string(s + 1));
    EXPECT_TRUE(subject.converged);
    EXPECT_NEAR(subject.unconstrained[0], alpha[s], 1e-5);
    EXPECT_NEAR(subject.unconstrained[1], beta[s], 1e-5);
    EXPECT_NEAR(subject.log_joint, joint[s], 1e-6);
    EXPECT_NEAR(subject.log_likelihood, value[s], 1e-5);
    EXPECT_NEAR(rough.subjects[s].log_det_hessian, determinant[s], 2e-5);
    EXPECT_NEAR(rough.subjects[s].log_evidence, evidence[s], 1e-5);
    EXPECT_NEAR(subject.log_det_hessian, determinant[s], 1e-3);
    EXPECT_NEAR(subject.log_evidence, evidence[s], 5e-4);
    // Exact: central differences of gradients, which are shown to be right elsewhere.
    const double h = 1e-5;
    std::vector<double> columns;
    for (std::size_t i = 0; i < 2; ++i) {
      std::vector<double> up = subject.unconstrained, down = up, slope_up(2), slope_down(2);
      up[i] += h;
      down[i] -= h;
      likelihood.evaluate_subject(static_cast<std::int64_t>(s), up, slope_up);
      likelihood.evaluate_subject(static_cast<std::int64_t>(s), down, slope_down);
      for (std::size_t j = 0; j < 2; ++j) columns.push_back((slope_up[j] - slope_down[j]) / (2 * h));
      columns[3 * i] -= 1.0 / 6.25;
    }
    EXPECT_NEAR(subject.log_det_hessian, std::log(columns[0] * columns[3] - columns[1] * columns[2]), 1e-6);
  }
  EXPECT_NEAR(rough.log_evidence(), -1611.27433, 2e-5);
  EXPECT_NEAR(fit.log_evidence(), -1611.27504, 1e-5);
}

TEST(ChoiceFit, MaximumLikelihoodAgreesWithThePublishedBandit) {
  LIKELY_SHARED_DATA(folder, "hbayesdm");
  const Trials trials = read_trials(folder / "bandit2arm_exampleData.txt");
  const io::Table reference = io::read_csv(folder / "reference_mle_rw_bandit2arm.csv");
  const Likelihood likelihood(named_model("rw"), trials);
  const Fit fit = fit_likelihood(likelihood);
  ASSERT_EQ(fit.subjects.size(), 20U);
  EXPECT_NEAR(-fit.log_likelihood(), 1251.8989, 1e-4);
  for (std::size_t s = 0; s < 20; ++s) {
    SCOPED_TRACE(s);
    EXPECT_NEAR(fit.subjects[s].estimate[0], reference["alpha"].to_vector<double>()[s], 1e-4);
    EXPECT_NEAR(fit.subjects[s].estimate[1], reference["beta"].to_vector<double>()[s], 1e-4);
    EXPECT_NEAR(-fit.subjects[s].log_likelihood, reference["nll"].to_vector<double>()[s], 1e-6);
    EXPECT_TRUE(fit.subjects[s].converged);
  }
  // No point of a fine grid is better.
  for (double alpha = 0.0; alpha <= 1.0; alpha += 0.025) {
    for (double beta = 0.0; beta <= 20.0; beta += 0.25) {
      std::vector<double> at, values(20);
      for (int s = 0; s < 20; ++s) at.insert(at.end(), {alpha, beta});
      likelihood.evaluate(at, values, {}, {}, Scale::natural);
      for (std::size_t s = 0; s < 20; ++s) ASSERT_LE(values[s], fit.subjects[s].log_likelihood + 1e-9);
    }
  }
}

TEST(ChoiceFit, FourArmedBanditWithGainsAndLosses) {
  LIKELY_SHARED_DATA(folder, "hbayesdm");
  const Trials trials = read_trials(folder / "bandit4arm_exampleData.txt");
  EXPECT_EQ(trials.options, 4);
  for (const char* name : {"rw", "rw-rho-dual", "kalman", "pearce-hall", "rw-decay"}) {
    SCOPED_TRACE(name);
    const Likelihood likelihood(named_model(name, {.options = 4}), trials);
    const Fit fit = fit_likelihood(likelihood);
    for (const SubjectFit& subject : fit.subjects) {
      EXPECT_TRUE(subject.converged) << subject.id;
      EXPECT_GE(subject.log_likelihood, subject.chance - 1e-9);
    }
    // A wider search finds nothing better.
    const Fit wide = fit_likelihood(likelihood, {.starts = 25, .candidates = 200});
    for (std::size_t s = 0; s < fit.subjects.size(); ++s) {
      EXPECT_NEAR(fit.subjects[s].log_likelihood, wide.subjects[s].log_likelihood, 1e-6)
          << fit.subjects[s].id;
    }
  }
}

TEST(ChoiceFit, NoGridPointIsBetterWhateverTheModel) {
  for (const NamedPart& name : model_names()) {
    SCOPED_TRACE(name.name);
    const Model model = named_model(name.name);
    std::vector<double> usual;
    for (const Parameter& p : model.parameters) usual.push_back(p.natural(0.4));
    Bandit task;
    task.trials = 60;
    if (model.parts.rho_gain >= 0) task.loss_probabilities = {0.5, 0.2};
    const Trials trials = simulate(model, std::vector<std::vector<double>>(5, usual), task, Rng(12));
    const Likelihood likelihood(model, trials);
    const Fit fit = fit_likelihood(likelihood);
    const int n = model.size();
    if (n == 0) {
      for (const SubjectFit& subject : fit.subjects) {
        EXPECT_NEAR(subject.log_likelihood, -static_cast<double>(subject.trials) * std::numbers::ln2, 1e-9);
        EXPECT_TRUE(subject.converged);
      }
      continue;
    }
    const int steps = n == 1 ? 200 : n == 2 ? 40 : n == 3 ? 12 : 6;
    std::vector<int> place(static_cast<std::size_t>(n), 0);
    while (place.back() <= steps) {
      std::vector<double> at, values(5);
      for (int s = 0; s < 5; ++s) {
        for (int i = 0; i < n; ++i) {
          const Parameter& p = model.parameters[static_cast<std::size_t>(i)];
          at.push_back(p.box_lower +
                       (p.box_upper - p.box_lower) * place[static_cast<std::size_t>(i)] / steps);
        }
      }
      likelihood.evaluate(at, values, {}, {}, Scale::natural);
      for (std::size_t s = 0; s < 5; ++s) {
        if (std::isfinite(values[s])) {
          ASSERT_LE(values[s], fit.subjects[s].log_likelihood + 1e-7) << "subject " << s;
        }
      }
      for (std::size_t i = 0; i < place.size(); ++i) {
        if (++place[i] <= steps || i + 1 == place.size()) break;
        place[i] = 0;
      }
    }
  }
}

TEST(ChoiceFit, SaysWhatTheTrialsDoNotDetermine) {
  Trials trials = random_trials({.subjects = 3, .trials = 40}, 5);
  // The first always takes the first option and always gains: beta grows without end.
  for (std::int32_t& choice : trials.subjects[0].choice) choice = 0;
  for (double& outcome : trials.subjects[0].outcome) outcome = 1.0;
  // The second never gets anything: nothing is learned, and neither parameter matters.
  for (double& outcome : trials.subjects[1].outcome) outcome = 0.0;
  const Fit fit = fit_likelihood(Likelihood(named_model("rw"), trials));
  EXPECT_EQ(fit.subjects[0].standing[1], Standing::at_upper);
  EXPECT_EQ(fit.subjects[0].estimate[1], 20.0);
  EXPECT_TRUE(std::isnan(fit.subjects[0].standard_error[1]));
  ASSERT_FALSE(fit.subjects[0].warnings.empty());
  EXPECT_EQ(fit.subjects[0].warnings[0].substr(0, 9), "alpha is ");
  EXPECT_EQ(fit.subjects[1].standing[0], Standing::flat);
  EXPECT_EQ(fit.subjects[1].standing[1], Standing::flat);
  EXPECT_EQ(fit.subjects[1].warnings,
            std::vector<std::string>{"alpha, beta are hardly determined by these trials"});
  EXPECT_NEAR(fit.subjects[1].log_likelihood, -37 * std::numbers::ln2, 1e-12);
  EXPECT_EQ(fit.warnings()[0].substr(0, 12), "subject 100:");

  // rho and beta only matter as a product.
  const Fit product = fit_likelihood(Likelihood(compose_model({"rw", "rho"}, {"softmax"}),
                                                random_trials({.subjects = 1, .trials = 200}, 6)));
  const auto& standing = product.subjects[0].standing;
  EXPECT_TRUE(standing[1] != Standing::inside || standing[2] != Standing::inside);
}

TEST(ChoiceFit, StandardErrorsAreThoseOfTheCurvature) {
  const Trials trials = random_trials({.subjects = 4, .trials = 300}, 21);
  const Model model = named_model("rw-stick");
  const Likelihood likelihood(model, trials);
  const Fit fit = fit_posterior(likelihood, {.confidence = 0.9});
  for (std::size_t s = 0; s < 4; ++s) {
    const SubjectFit& subject = fit.subjects[s];
    std::vector<double> gradient(3), hess(9);
    const double value =
        likelihood.evaluate_subject(static_cast<std::int64_t>(s), subject.unconstrained, gradient, hess);
    EXPECT_NEAR(value, subject.log_likelihood, 1e-9);
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_NEAR(gradient[i] - subject.unconstrained[i] / 6.25, 0.0, 1e-7);
      hess[i * 3 + i] -= 1.0 / 6.25;
      // The inverse: (-H) covariance = 1.
      for (std::size_t j = 0; j < 3; ++j) {
        double product = 0.0;
        for (std::size_t k = 0; k < 3; ++k) product -= hess[i * 3 + k] * subject.covariance[k * 3 + j];
        if (i > 0) continue;  // rows below are still without the prior
        EXPECT_NEAR(product, i == j ? 1.0 : 0.0, 1e-7);
      }
      const double u = subject.unconstrained[i];
      const double error = std::sqrt(subject.covariance[i * 3 + i]);
      EXPECT_NEAR(subject.interval_lower[i], model.parameters[i].natural(u - 1.6448536269514722 * error),
                  1e-9);
      EXPECT_NEAR(subject.interval_upper[i], model.parameters[i].natural(u + 1.6448536269514722 * error),
                  1e-9);
      EXPECT_NEAR(subject.standard_error[i], error * model.parameters[i].slopes(u).first, 1e-9);
    }
    EXPECT_NEAR(subject.bic, 3 * std::log(static_cast<double>(subject.trials)) - 2 * value, 1e-9);
    EXPECT_NEAR(subject.aic, 6 - 2 * value, 1e-9);
  }
}

TEST(ChoiceFit, EverySubjectMayHaveAPriorOfItsOwn) {
  const Trials trials = random_trials({.subjects = 11, .trials = 80}, 31);
  const Likelihood likelihood(named_model("rw"), trials);
  NormalPrior prior;
  prior.precision = {2.0, 0.5, 0.5, 1.0};
  for (int s = 0; s < 11; ++s) prior.mean.insert(prior.mean.end(), {0.1 * s - 0.5, 0.3});
  const Fit fit = fit_posterior(likelihood, prior);
  std::vector<double> start;
  for (std::size_t s = 0; s < 11; ++s) {
    const SubjectFit& subject = fit.subjects[s];
    std::vector<double> gradient(2);
    const double value =
        likelihood.evaluate_subject(static_cast<std::int64_t>(s), subject.unconstrained, gradient);
    const double a = subject.unconstrained[0] - prior.mean[2 * s];
    const double b = subject.unconstrained[1] - prior.mean[2 * s + 1];
    EXPECT_NEAR(gradient[0], 2.0 * a + 0.5 * b, 1e-7);
    EXPECT_NEAR(gradient[1], 0.5 * a + b, 1e-7);
    const double density =
        -0.5 * (2 * a * a + a * b + b * b) - std::log(2 * std::numbers::pi) + 0.5 * std::log(1.75);
    EXPECT_NEAR(subject.log_joint, value + density, 1e-9);
    start.insert(start.end(), {subject.unconstrained[0] + 0.1, subject.unconstrained[1] - 0.1});
  }
  const Fit again = fit_posterior(likelihood, prior, {}, start);
  for (std::size_t s = 0; s < 11; ++s) {
    EXPECT_NEAR(again.subjects[s].log_joint, fit.subjects[s].log_joint, 1e-9);
    EXPECT_LT(again.subjects[s].iterations, 12);
  }
}

TEST(ChoiceFit, AModelWithoutParametersHasAnEvidence) {
  const Fit fit =
      fit_posterior(Likelihood(named_model("random", {.options = 4}), random_trials({.options = 4}, 2)));
  for (const SubjectFit& subject : fit.subjects) {
    EXPECT_NEAR(subject.log_evidence, -static_cast<double>(subject.trials) * std::log(4.0), 1e-9);
    EXPECT_EQ(subject.log_evidence, subject.log_likelihood);
    EXPECT_TRUE(subject.estimate.empty());
  }
}

TEST(ChoiceFit, IsTheSameForAnyNumberOfThreads) {
  const Trials trials = random_trials({.subjects = 21, .trials = 90}, 41);
  const Likelihood likelihood(named_model("rw-dual"), trials);
  const int before = threads();
  std::vector<double> first;
  for (const int count : {1, 2, 3}) {
    set_threads(count);
    std::vector<double> numbers;
    for (const Fit& fit : {fit_likelihood(likelihood), fit_posterior(likelihood)}) {
      for (const SubjectFit& s : fit.subjects) {
        numbers.insert(numbers.end(), s.estimate.begin(), s.estimate.end());
        numbers.push_back(s.log_likelihood);
        numbers.push_back(s.iterations);
      }
    }
    if (first.empty()) first = numbers;
    EXPECT_EQ(numbers, first);
  }
  set_threads(before);
}

TEST(ChoiceFit, RefusesWrongOptions) {
  const Likelihood likelihood(named_model("rw"), random_trials({}, 1));
  EXPECT_EQ(refusal_of([&] { fit_likelihood(likelihood, {.starts = -1}); }),
            "[choice::fit] starts must not be negative, got -1");
  EXPECT_EQ(refusal_of([&] { fit_likelihood(likelihood, {.starts = 9, .candidates = 3}); }),
            "[choice::fit] there are 9 starts, but only 3 candidates");
  EXPECT_EQ(refusal_of([&] {
              fit_posterior(likelihood, NormalPrior{{0.0}, {1, 0, 0, 1}});
            }),
            "[choice::fit_posterior] the prior has 1 means for 2 parameters and 3 subjects");
  EXPECT_EQ(refusal_of([&] {
              fit_posterior(likelihood, NormalPrior{{0.0, 0.0}, {1, 2, 2, 1}});
            }),
            "[choice::fit_posterior] the precision of the prior must be positive definite");
}

}  // namespace
}  // namespace likely::choice
