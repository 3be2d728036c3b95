// The data of the choice workloads, and the plain loop that one of them is measured against.
#pragma once

#include <cstdint>
#include <vector>

namespace bench {

inline constexpr std::int64_t kChoiceTrials = 200;
inline constexpr double kChoiceAlpha = 0.3;
inline constexpr double kChoiceBeta = 2.0;

// Trial t of subject s at s * kChoiceTrials + t.
struct ChoiceTask {
  std::vector<int> choice;  // 0 or 1
  std::vector<double> outcome;
};
ChoiceTask choice_task(std::int64_t subjects);

// Log-likelihoods and gradients (alpha, beta of each subject) by the loop that one would write by hand.
void plain_likelihood(const ChoiceTask& task, std::vector<double>& value, std::vector<double>& gradient);

// What both sides must agree on: the sums.
std::vector<double> summed(const std::vector<double>& value, const std::vector<double>& gradient);

}  // namespace bench
