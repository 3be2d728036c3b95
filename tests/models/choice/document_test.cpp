// Document 000, Rescorla-Wagner learning and softmax choice: each formula that is wrong in print beside the
// right one, against differences. docs/errata.md says what is printed.
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

TEST(Document000, LogLikelihoodIsMinusTheCrossEntropy) {
  const double p = p_of(kA, kB, kBeta);
  for (const double y : {0.0, 1.0}) {
    const double cross_entropy = -(y * std::log(p) + (1 - y) * std::log(1 - p));
    EXPECT_GT(cross_entropy, 0.0);
    EXPECT_EQ(l_of(y, p), -cross_entropy);
  }
}

TEST(Document000, ProbabilityByTheInverseTemperature) {
  const double ea = std::exp(kBeta * kA), eb = std::exp(kBeta * kB), sum = ea + eb, p = ea / sum;
  const double right = slope([](double beta) { return p_of(kA, kB, beta); }, kBeta);
  const double first = kA * ea / sum, second = ea * (kA * ea + kB * eb) / (sum * sum);
  EXPECT_NEAR(first - second, right, 1e-9);
  EXPECT_GT(std::fabs(first + second - right), 0.1);  // as printed
  EXPECT_NEAR(p * (1 - p) * (kA - kB), right, 1e-9);
  // The product that is simplified after it.
  EXPECT_NEAR(p * p * (kA * ea + kB * eb) / ea, second, 1e-12);
  EXPECT_GT(std::fabs(p * (kA * ea + kB * eb) / ea - second), 0.05);  // as printed, without the square
}

TEST(Document000, LikelihoodByTheProbability) {
  const double p = p_of(kA, kB, kBeta);
  for (const double y : {0.0, 1.0}) {
    const double right = slope([&](double x) { return l_of(y, x); }, p);
    EXPECT_NEAR(y / p - (1 - y) / (1 - p), right, 1e-7);
    const double printed = y / p - (1 - y) / (1 - p) * (-1.0 / (1 - p));
    if (y == 0.0) {
      EXPECT_GT(std::fabs(printed - right), 1.0);
    }
  }
}

TEST(Document000, LikelihoodByTheInverseTemperature) {
  const double p = p_of(kA, kB, kBeta);
  for (const double y : {0.0, 1.0}) {
    const double right = slope([&](double beta) { return l_of(y, p_of(kA, kB, beta)); }, kBeta);
    EXPECT_NEAR((kA - kB) * (y - p), right, 1e-8);
    EXPECT_NEAR((kA - kB) * (y - y * p - p + y * p), right, 1e-8);
    const double printed = (kA - kB) * (y - y * p - p - y * p);
    if (y == 1.0) {
      EXPECT_GT(std::fabs(printed - right), 0.5);
    }
    // It is called the derivative by p, which is another number.
    EXPECT_GT(std::fabs(right - slope([&](double x) { return l_of(y, x); }, p)), 0.3);
  }
}

TEST(Document000, ProbabilityByTheValues) {
  const double p = p_of(kA, kB, kBeta);
  const double ea = std::exp(kBeta * kA), eb = std::exp(kBeta * kB), v2 = (ea + eb) * (ea + eb);
  const double by_a = slope([](double a) { return p_of(a, kB, kBeta); }, kA);
  const double by_b = slope([](double b) { return p_of(kA, b, kBeta); }, kB);
  EXPECT_NEAR(kBeta * p * (1 - p), by_a, 1e-9);
  EXPECT_NEAR(-kBeta * p * (1 - p), by_b, 1e-9);
  EXPECT_GT(std::fabs(kBeta * ea * (eb - ea) / v2 - by_a), 0.5);  // v as e^B alone
  EXPECT_GT(std::fabs((2 * kBeta * ea * ea + kBeta * ea * eb - kBeta * ea * ea) / v2 - by_a),
            0.5);                                          // a 2 too many
  EXPECT_GT(std::fabs(-kBeta * p * (1 - p) - by_a), 0.3);  // the second box, which names A
}

TEST(Document000, LikelihoodByAValueIsNeitherDerivativeByNorOfTheProbability) {
  const double p = p_of(kA, kB, kBeta);
  for (const double y : {0.0, 1.0}) {
    const double by_value = slope([&](double a) { return l_of(y, p_of(a, kB, kBeta)); }, kA);
    EXPECT_NEAR(kBeta * (y - p), by_value, 1e-8);
    EXPECT_GT(std::fabs(by_value - slope([&](double x) { return l_of(y, x); }, p)), 0.3);
    EXPECT_GT(std::fabs(by_value - slope([](double a) { return p_of(a, kB, kBeta); }, kA)), 0.01);
  }
}

// A cue that is absent keeps its value, and with it the derivative of its value.
TEST(Document000, AnAbsentCueKeepsItsDerivative) {
  Trials trials;
  Subject subject;
  subject.id = "1";
  subject.choice = {0, 1, 0, 0, 1, 1, 0, 1, 1, 0};
  subject.outcome = {1, 0, 1, 0, 1, 1, 0, 0, 1, 1};
  trials.subjects.push_back(subject);
  const double alpha = 0.35, beta = 2.0;
  // kept: the derivative of the other cue stays; else it becomes 0, as printed.
  const auto gradient = [&](bool kept) {
    double v[2] = {0, 0}, d[2] = {0, 0}, sum = 0.0;
    for (std::size_t t = 0; t < subject.choice.size(); ++t) {
      const double y = subject.choice[t] == 0 ? 1.0 : 0.0;
      sum += beta * (y - p_of(v[0], v[1], beta)) * (d[0] - d[1]);
      const int c = subject.choice[t];
      d[c] = subject.outcome[t] - v[c] + (1 - alpha) * d[c];
      v[c] += alpha * (subject.outcome[t] - v[c]);
      if (!kept) d[1 - c] = 0.0;
    }
    return sum;
  };
  const Likelihood likelihood(named_model("rw"), trials);
  const auto value = [&](double a) {
    return likelihood.evaluate_subject(0, std::vector<double>{a, beta}, {}, {}, Scale::natural);
  };
  std::vector<double> got(2);
  likelihood.evaluate_subject(0, std::vector<double>{alpha, beta}, got, {}, Scale::natural);
  EXPECT_NEAR(got[0], slope(value, alpha), 1e-8);
  EXPECT_NEAR(gradient(true), got[0], 1e-12);
  EXPECT_GT(std::fabs(gradient(false) - got[0]), 0.1);
}

}  // namespace
}  // namespace likely::choice
