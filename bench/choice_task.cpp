#include "bench/choice_task.hpp"

#include <cmath>

#include "bench/workload.hpp"

namespace bench {

ChoiceTask choice_task(std::int64_t subjects) {
  ChoiceTask task;
  for (const std::int64_t choice : labels(subjects * kChoiceTrials, 2, 40)) {
    task.choice.push_back(static_cast<int>(choice));
  }
  for (const std::int64_t outcome : labels(subjects * kChoiceTrials, 5, 41)) {
    task.outcome.push_back(outcome < 3 ? 1.0 : 0.0);
  }
  return task;
}

void plain_likelihood(const ChoiceTask& task, std::vector<double>& value, std::vector<double>& gradient) {
  for (std::size_t s = 0; s < value.size(); ++s) {
    double v[2] = {0.0, 0.0};
    double slope[2] = {0.0, 0.0};
    double total = 0.0;
    double by_alpha = 0.0;
    double by_beta = 0.0;
    for (std::size_t t = s * kChoiceTrials; t < (s + 1) * kChoiceTrials; ++t) {
      const int chosen = task.choice[t];
      const double difference = v[chosen] - v[1 - chosen];
      const double e = std::exp(-kChoiceBeta * difference);
      const double missed = e / (1.0 + e);
      total -= std::log1p(e);
      by_beta += missed * difference;
      by_alpha += missed * kChoiceBeta * (slope[chosen] - slope[1 - chosen]);
      slope[chosen] += task.outcome[t] - v[chosen] - kChoiceAlpha * slope[chosen];
      v[chosen] += kChoiceAlpha * (task.outcome[t] - v[chosen]);
    }
    value[s] = total;
    gradient[2 * s] = by_alpha;
    gradient[2 * s + 1] = by_beta;
  }
}

std::vector<double> summed(const std::vector<double>& value, const std::vector<double>& gradient) {
  std::vector<double> sums(3, 0.0);
  for (std::size_t s = 0; s < value.size(); ++s) {
    sums[0] += value[s];
    sums[1] += gradient[2 * s];
    sums[2] += gradient[2 * s + 1];
  }
  return sums;
}

}  // namespace bench
