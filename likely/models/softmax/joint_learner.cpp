#include "likely/models/softmax/joint_learner.hpp"

#include <fmt/format.h>

#include <cmath>

namespace likely::confidence::detail {

void check_joint_options(const JointOptions& options) {
  if (options.noise < 1)
    refuse("JointLearner", fmt::format("noise must be at least 1, got {}", options.noise));
  for (const auto& [name, value] : {std::pair{"beta", options.beta},
                                    {"generator_beta", options.generator_beta},
                                    {"spread", options.spread}}) {
    if (!(value >= 0.0) || !std::isfinite(value))
      refuse("JointLearner", fmt::format("{} must be a number of at least 0, got {}", name, value));
  }
}

// log(1 - sigmoid(a)) = -softplus(a), -log sigmoid(a) = softplus(-a)
Tensor generator_loss(GeneratorLoss kind, const Tensor& answers) {
  return kind == GeneratorLoss::saturating ? -mean(softplus(answers)) : mean(softplus(-answers));
}

}  // namespace likely::confidence::detail
