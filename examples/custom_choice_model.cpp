// A choice model of one's own: values as in Rescorla-Wagner, but subjects tire of choosing the same option
// again and again. It is written with choice::Number instead of double, and everything else follows:
// derivatives, fits, evidence.
#include <cstdio>
#include <memory>

#include "likely/models/choice/custom.hpp"
#include "likely/models/choice/fit.hpp"
#include "likely/models/choice/simulate.hpp"

using namespace likely;
using choice::Number;

class Boredom : public choice::CustomModel {
 public:
  std::vector<choice::Parameter> parameters() const override {
    return {choice::rate_parameter("alpha", "learning rate"),
            choice::positive_parameter("beta", "inverse temperature"),
            choice::real_parameter("boredom", "what a repetition costs", 5.0)};
  }
  // The values of the options, and behind them how often in a row each was chosen.
  int state_size(int options) const override { return 2 * options; }
  void prefer(std::span<const Number> theta, std::span<const Number> state,
              std::span<Number> preferences) const override {
    for (std::size_t k = 0; k < preferences.size(); ++k) {
      preferences[k] = theta[1] * state[k] - theta[2] * state[preferences.size() + k];
    }
  }
  void learn(std::span<const Number> theta, const choice::CustomTrial& trial,
             std::span<Number> state) const override {
    const std::size_t options = state.size() / 2;
    for (std::size_t k = 0; k < options; ++k) {
      const bool chosen = static_cast<int>(k) == trial.choice;
      if (chosen) state[k] += theta[0] * (trial.outcome - state[k]);
      state[options + k] = chosen ? state[options + k] + 1.0 : Number(0.0);
    }
  }
};

int main() {
  const choice::Model model = choice::custom_model("boredom", std::make_shared<Boredom>());
  // Twenty subjects who tire, in a task that drifts; then both models are fitted to them.
  choice::Bandit task;
  task.trials = 300;
  task.drift = 0.05;
  const std::vector<std::vector<double>> truth(20, {0.4, 5.0, 0.3});
  const choice::Trials trials = choice::simulate(model, truth, task, Rng(1));

  const choice::Fit mine = choice::fit_posterior(choice::Likelihood(model, trials));
  const choice::Fit plain = choice::fit_posterior(choice::Likelihood(choice::named_model("rw"), trials));
  double boredom = 0.0;
  for (const choice::SubjectFit& subject : mine.subjects) boredom += subject.estimate[2] / 20.0;
  std::printf("mean boredom %.2f (made with 0.30)\n", boredom);
  std::printf("log evidence: boredom %.1f, rw %.1f\n", mine.log_evidence(), plain.log_evidence());
  return mine.log_evidence() > plain.log_evidence() + 50.0 && boredom > 0.25 && boredom < 0.35 ? 0 : 1;
}
