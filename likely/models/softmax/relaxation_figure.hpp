// What the temperature of Gumbel-softmax trades: a gradient through relaxed samples is biased, more at high
// temperatures, and deviates more at low ones.
#pragma once

#include <cstdint>
#include <vector>

#include "likely/ops/rng.hpp"
#include "likely/plot/figure.hpp"

namespace likely::estimators {

// The gradient of E f(one-hot(K)), K ~ softmax(logits), by the logits, for f(v) = (values . v - target)^2.
struct RelaxationProblem {
  std::vector<double> logits{0.5, -0.5, 0.0, 1.0};
  std::vector<double> values{-1.0, 0.0, 1.0, 2.0};
  double target = 0.45;
  std::vector<double> temperatures{0.05, 0.1, 0.2, 0.35, 0.5, 0.75, 1.0, 1.5, 2.0, 3.5, 5.0, 10.0};
  std::int64_t samples = 400'000;  // of each gradient
};

// An estimate of the gradient from one sample: how far its mean is from the exact gradient (the length of the
// difference), the standard error of that mean, and its variance, summed over the logits.
struct GradientQuality {
  double bias, error, variance;
};

struct RelaxationRow {
  double temperature;
  GradientQuality relaxed, straight_through;
};

struct RelaxationTable {
  std::vector<double> exact;  // the gradient, by enumeration
  GradientQuality score;      // of REINFORCE without a baseline: no temperature, and no bias
  std::vector<RelaxationRow> rows;
};

// All temperatures see the same noise. Refuses values that do not fit the logits, fewer than two samples, and
// temperatures that are not above 0.
RelaxationTable relaxation_table(Rng rng, const RelaxationProblem& problem = {});

// Bias and variance against the temperature, both axes logarithmic.
plot::Figure relaxation_figure(const RelaxationTable& table);
plot::Figure relaxation_figure(Rng rng);

}  // namespace likely::estimators
