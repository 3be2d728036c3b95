// Document 000, Rescorla-Wagner learning and softmax choice: each formula that is wrong in print beside the
// right one, against differences and against what likely computes. docs/errata.md says what is printed.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "likely/models/choice/likelihood.hpp"

namespace likely::choice {
namespace {

// Values, inverse temperature and choice of one trial; A is the option that y = 1 means.
constexpr double kA = 0.8, kB = -0.3, kBeta = 1.7;

double p_of(double a, double b, double beta) {
  return std::exp(beta * a) / (std::exp(beta * a) + std::exp(beta * b));
}
double l_of(double y, double p) { return y * std::log(p) + (1 - y) * std::log(1 - p); }

double slope(const std::function<double(double)>& f, double x) { return (f(x + 1e-6) - f(x - 1e-6)) / 2e-6; }

Trials trials_of(const std::vector<std::int32_t>& choice, const std::vector<double>& outcome) {
  Trials all;
  Subject subject;
  subject.id = "1";
  subject.choice.assign(choice.begin(), choice.end());
  subject.outcome.assign(outcome.begin(), outcome.end());
  all.subjects.push_back(subject);
  return all;
}

// ln p of one choice as likely has it, for any values: A and B are shown once each, with outcomes that make
// their values a and b, and then comes the choice.
double likely_l(double y, double a, double b, double beta) {
  constexpr double kAlpha = 0.5;
  const Likelihood three(named_model("rw"),
                         trials_of({0, 1, y == 1.0 ? 0 : 1}, {a / kAlpha, b / kAlpha, 0.0}));
  return three.pointwise(0, std::vector<double>{kAlpha, beta}, Scale::natural)[2];
}
double likely_p(double a, double b, double beta) { return std::exp(likely_l(1.0, a, b, beta)); }

// Ten trials of one subject, as likely sees them.
struct Ten {
  std::vector<std::int32_t> choice{0, 1, 0, 0, 1, 1, 0, 1, 1, 0};
  std::vector<double> outcome{1, 0, 1, 0, 1, 1, 0, 0, 1, 1};
  double alpha = 0.35, beta = 2.0;
  Likelihood likelihood{named_model("rw"), trials_of(choice, outcome)};

  double y(std::size_t t) const { return choice[t] == 0 ? 1.0 : 0.0; }
  double value(double a, double b) const {
    return likelihood.evaluate_subject(0, std::vector<double>{a, b}, {}, {}, Scale::natural);
  }
  std::vector<double> gradient() const {
    std::vector<double> result(2);
    likelihood.evaluate_subject(0, std::vector<double>{alpha, beta}, result, {}, Scale::natural);
    return result;
  }

  // What is known before trial t, by the document's recursions: values and their derivatives by alpha.
  struct Before {
    double v[2] = {0.0, 0.0}, d[2] = {0.0, 0.0};
  };
  void learn(Before& at, std::size_t t) const {
    const int c = choice[t];
    at.d[c] = outcome[t] - at.v[c] + (1 - alpha) * at.d[c];
    at.v[c] += alpha * (outcome[t] - at.v[c]);
  }
  // The sum over trials of what f makes of (y, p, what is known).
  template <class Function>
  double sum(const Function& f, bool absent_derivative_becomes_0 = false) const {
    Before at;
    double total = 0.0;
    for (std::size_t t = 0; t < choice.size(); ++t) {
      total += f(y(t), p_of(at.v[0], at.v[1], beta), at);
      learn(at, t);
      if (absent_derivative_becomes_0) at.d[1 - choice[t]] = 0.0;
    }
    return total;
  }
};

TEST(Document000, LogLikelihoodIsMinusTheCrossEntropy) {
  const Ten ten;
  const double cross_entropy = ten.sum([](double y, double p, const Ten::Before&) { return -l_of(y, p); });
  EXPECT_GT(cross_entropy, 5.0);
  EXPECT_NEAR(ten.value(ten.alpha, ten.beta), -cross_entropy, 1e-12);
}

// Printed: V_t = alpha lambda_t + (1 - alpha) V_{t-1} with p_t made from V_t: the outcome of a trial would
// enter the probability of its own choice. What was learned up to t - 1 is meant.
TEST(Document000, AnOutcomeDoesNotEnterItsOwnChoice) {
  const Ten ten;
  Ten::Before at;
  double as_printed = 0.0;
  for (std::size_t t = 0; t < ten.choice.size(); ++t) {
    ten.learn(at, t);
    as_printed += l_of(ten.y(t), p_of(at.v[0], at.v[1], ten.beta));
  }
  EXPECT_GT(std::fabs(as_printed - ten.value(ten.alpha, ten.beta)), 1.0);
  // The first choice is made before anything is known, whatever comes of it.
  const std::vector<double> known{ten.alpha, ten.beta};
  const std::vector<double> before = ten.likelihood.pointwise(0, known, Scale::natural);
  EXPECT_NEAR(before[0], std::log(0.5), 1e-15);
  // Another outcome of trial t changes nothing up to t, and the next choice.
  for (std::size_t t = 0; t < ten.choice.size(); ++t) {
    std::vector<double> outcome = ten.outcome;
    outcome[t] = 1.0 - outcome[t];
    const Likelihood other(named_model("rw"), trials_of(ten.choice, outcome));
    const std::vector<double> after = other.pointwise(0, known, Scale::natural);
    for (std::size_t s = 0; s <= t; ++s) EXPECT_EQ(after[s], before[s]) << s << " by " << t;
    if (t + 1 < before.size()) {
      EXPECT_GT(std::fabs(after[t + 1] - before[t + 1]), 0.05) << t;
    }
  }
}

TEST(Document000, ProbabilityByTheInverseTemperature) {
  const double ea = std::exp(kBeta * kA), eb = std::exp(kBeta * kB), sum = ea + eb, p = ea / sum;
  EXPECT_NEAR(likely_p(kA, kB, kBeta), p, 1e-14);
  const double right = slope([](double beta) { return likely_p(kA, kB, beta); }, kBeta);
  const double first = kA * ea / sum, second = ea * (kA * ea + kB * eb) / (sum * sum);
  EXPECT_NEAR(first - second, right, 1e-9);
  EXPECT_GT(std::fabs(first + second - right), 0.1);  // as printed
  EXPECT_NEAR(p * (1 - p) * (kA - kB), right, 1e-9);
  // The product that is simplified after it.
  EXPECT_NEAR(p * p * (kA * ea + kB * eb) / ea, second, 1e-12);
  EXPECT_GT(std::fabs(p * (kA * ea + kB * eb) / ea - second), 0.05);  // as printed, without the square
}

// How likely's l changes with its p, when beta moves both.
double l_by_p(double y) {
  return slope([&](double beta) { return likely_l(y, kA, kB, beta); }, kBeta) /
         slope([](double beta) { return likely_p(kA, kB, beta); }, kBeta);
}

TEST(Document000, LikelihoodByTheProbability) {
  const double p = likely_p(kA, kB, kBeta);
  for (const double y : {0.0, 1.0}) {
    EXPECT_NEAR(likely_l(y, kA, kB, kBeta), l_of(y, p), 1e-14);
    EXPECT_NEAR(y / p - (1 - y) / (1 - p), l_by_p(y), 1e-7);
  }
  const double printed = -1.0 / (1 - p) * (-1.0 / (1 - p));  // for y = 0
  EXPECT_GT(std::fabs(printed - l_by_p(0.0)), 1.0);
}

// sum dV_t (y_t - p_t) is what likely gives for beta; with the printed sign it would be another number.
TEST(Document000, LikelihoodByTheInverseTemperature) {
  const Ten ten;
  const double got = ten.gradient()[1];
  EXPECT_NEAR(got, slope([&](double beta) { return ten.value(ten.alpha, beta); }, ten.beta), 1e-7);
  EXPECT_NEAR(
      ten.sum([](double y, double p, const Ten::Before& at) { return (at.v[0] - at.v[1]) * (y - p); }), got,
      1e-12);
  const double printed = ten.sum([](double y, double p, const Ten::Before& at) {
    return (at.v[0] - at.v[1]) * (y - y * p - p - y * p);
  });
  EXPECT_GT(std::fabs(printed - got), 0.1);
}

TEST(Document000, ProbabilityByTheValues) {
  const double p = likely_p(kA, kB, kBeta);
  const double ea = std::exp(kBeta * kA), eb = std::exp(kBeta * kB), v2 = (ea + eb) * (ea + eb);
  const double by_a = slope([](double a) { return likely_p(a, kB, kBeta); }, kA);
  const double by_b = slope([](double b) { return likely_p(kA, b, kBeta); }, kB);
  EXPECT_NEAR(kBeta * p * (1 - p), by_a, 1e-9);
  EXPECT_NEAR(-kBeta * p * (1 - p), by_b, 1e-9);
  EXPECT_GT(std::fabs(kBeta * ea * (eb - ea) / v2 - by_a), 0.5);  // v as e^B alone
  EXPECT_GT(std::fabs((2 * kBeta * ea * ea + kBeta * ea * eb - kBeta * ea * ea) / v2 - by_a),
            0.5);                                          // a 2 too many
  EXPECT_GT(std::fabs(-kBeta * p * (1 - p) - by_a), 0.3);  // the second box, which names A
}

TEST(Document000, LikelihoodByAValueIsNeitherDerivativeByNorOfTheProbability) {
  const double p = likely_p(kA, kB, kBeta);
  for (const double y : {0.0, 1.0}) {
    const double by_value = slope([&](double a) { return likely_l(y, a, kB, kBeta); }, kA);
    EXPECT_NEAR(kBeta * (y - p), by_value, 1e-8);
    EXPECT_GT(std::fabs(by_value - l_by_p(y)), 0.3);
    EXPECT_GT(std::fabs(by_value - slope([](double a) { return likely_p(a, kB, kBeta); }, kA)), 0.01);
  }
}

// sum beta (y_t - p_t) (dV_A - dV_B) is what likely gives for alpha, if a cue that is absent keeps its value
// and with it the derivative of its value; with 0 instead, as printed, it is another number.
TEST(Document000, AnAbsentCueKeepsItsDerivative) {
  const Ten ten;
  const double got = ten.gradient()[0];
  EXPECT_NEAR(got, slope([&](double alpha) { return ten.value(alpha, ten.beta); }, ten.alpha), 1e-8);
  const auto term = [&](double y, double p, const Ten::Before& at) {
    return ten.beta * (y - p) * (at.d[0] - at.d[1]);
  };
  EXPECT_NEAR(ten.sum(term), got, 1e-12);
  EXPECT_GT(std::fabs(ten.sum(term, true) - got), 0.1);
}

}  // namespace
}  // namespace likely::choice
