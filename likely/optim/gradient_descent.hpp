// Gradient descent on all of the data, with steps as long as they are good for.
#pragma once

#include <string>
#include <vector>

#include "likely/core/parts.hpp"
#include "likely/optim/loss_function.hpp"

namespace likely::optim {

// Refused: lr <= 0, shrink and sufficient_decrease outside (0, 1).
struct GradientDescentOptions {
  double lr = 1.0;  // the first step that is tried
  double shrink = 0.5;
  double sufficient_decrease = 1e-4;
};

// Each iteration goes along minus the gradient (6.2-6.3) by Armijo's backtracking (line_search.hpp). The next
// one first tries a step that is longer by 1 / shrink than the one that was taken.
//
//   optim::GradientDescent descent;
//   const optim::Minimum end = descent.minimize(model, [&](const Model& m) { return loss_of(m(x), y); });
//
// `step` is one iteration. Refuses a loss that is not finite where it starts or uses none of the model's
// parameters.
class GradientDescent {
 public:
  GradientDescentOptions options;  // may be changed between steps
  Buffer rate;                     // the step to try next; f64, empty before the first

  explicit GradientDescent(const GradientDescentOptions& chosen = {});

  template <Tree Model, class Loss>
  Minimum step(Model& model, const Loss& loss) {
    return minimize(model, loss, {.max_iterations = 1});
  }
  template <Tree Model, class Loss>
  Minimum minimize(Model& model, const Loss& loss, const MinimizeOptions& until = {}) {
    return detail::minimized(
        model, loss, [&](const LossFunction& f, std::vector<double>& point) { return run(f, point, until); });
  }

  // What of its parts cannot be (tree/misfit.hpp).
  std::string misfit() const;
  // What is not remembered of steps that were made, in the same words: the rate, where anything was
  // `learned`.
  std::string missing_state(const std::vector<bool>& learned) const;
  LIKELY_PARTS(rate)

 private:
  Minimum run(const LossFunction& f, std::vector<double>& point, const MinimizeOptions& until);
};

}  // namespace likely::optim
