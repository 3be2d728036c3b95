// L-BFGS: a quasi-Newton method that remembers the last few steps, for smooth losses on all of the data.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "likely/core/parts.hpp"
#include "likely/optim/loss_function.hpp"

namespace likely::optim {

// Refused: lr <= 0, history < 1, not 0 < sufficient_decrease < curvature < 1.
struct LbfgsOptions {
  double lr = 1.0;   // the first step that is tried along each direction
  int history = 10;  // how many steps are remembered
  double sufficient_decrease = 1e-4;
  double curvature = 0.9;
};

// Each iteration goes along minus the gradient times an approximate inverse Hessian, made of the last steps
// and of the changes of the gradient they brought (Nocedal, 1980), as far as strong_wolfe (line_search.hpp)
// says. The very first one tries a step of length lr min(1, 1 / |gradient|_1).
//
//   optim::Lbfgs lbfgs;
//   const optim::Minimum end = lbfgs.minimize(model, [&](const Model& m) { return loss_of(m(x), y); });
//
// It ends where no |derivative| is larger than .gradient_tolerance (1e-6), after .max_iterations (100), or
// where neither the loss nor the gradient has become smaller for 50 iterations; Minimum::converged says
// whether it was the first. A derivative has the scale of its loss: of a sum over many rows ask less, or take
// the mean.
//
// `step` is one iteration, for a loop of your own; what is remembered stays. Works in f64 inside; for the
// last digits the model should be f64 too. Refuses a loss that is not finite where it starts or uses none of
// the model's parameters, and a model of another size than the one whose steps it remembers.
class Lbfgs {
 public:
  LbfgsOptions options;  // may be changed between steps
  Buffer moves;          // the last differences of points, oldest first: (remembered, numbers), f64
  Buffer changes;        // of gradients; both are empty before the first step

  explicit Lbfgs(const LbfgsOptions& chosen = {});

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
  LIKELY_PARTS(moves, changes)

 private:
  Minimum run(const LossFunction& f, std::vector<double>& point, const MinimizeOptions& until);
};

}  // namespace likely::optim
