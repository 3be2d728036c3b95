// People who learn by Rescorla and Wagner's rule and choose by softmax, in plain arithmetic.
#pragma once

#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "likely/models/choice/trials.hpp"

namespace likely::choice::testing {

struct BanditLearner {
  double alpha, beta;
};

// Two arms that pay 1 with these probabilities, else 0.
inline Subject simulated_learner(const BanditLearner& learner, int trials, double first_pays,
                                 double second_pays, std::mt19937_64& random) {
  std::uniform_real_distribution<double> uniform;
  double value[2] = {0.0, 0.0};
  Subject s;
  for (int t = 0; t < trials; ++t) {
    const double p = 1.0 / (1.0 + std::exp(-learner.beta * (value[1] - value[0])));
    const int choice = uniform(random) < p ? 1 : 0;
    const double outcome = uniform(random) < (choice == 0 ? first_pays : second_pays) ? 1.0 : 0.0;
    value[choice] += learner.alpha * (outcome - value[choice]);
    s.choice.push_back(choice);
    s.outcome.push_back(outcome);
  }
  return s;
}

inline Trials simulated_bandit(const std::vector<BanditLearner>& learners, int trials, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Trials result;
  result.option_names = result.cue_names = {"1", "2"};
  for (std::size_t i = 0; i < learners.size(); ++i) {
    result.subjects.push_back(simulated_learner(learners[i], trials, 0.3, 0.7, random));
    result.subjects.back().id = std::to_string(i + 1);
  }
  return result;
}

// A population: logit alpha ~ N(alpha_mean, alpha_sd), log beta ~ N(beta_mean, beta_sd).
struct Population {
  double alpha_mean = -0.5, alpha_sd = 0.7, beta_mean = 1.2, beta_sd = 0.4;
};
inline std::vector<BanditLearner> simulated_learners(const Population& population, int count,
                                                     std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  std::vector<BanditLearner> learners;
  for (int i = 0; i < count; ++i) {
    const double u = population.alpha_mean + population.alpha_sd * normal(random);
    const double v = population.beta_mean + population.beta_sd * normal(random);
    learners.push_back({1.0 / (1.0 + std::exp(-u)), std::exp(v)});
  }
  return learners;
}

}  // namespace likely::choice::testing
