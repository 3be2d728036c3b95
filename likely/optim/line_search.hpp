// How far to go along a direction.
#pragma once

#include <vector>

#include "likely/optim/loss_function.hpp"

namespace likely::optim {

// Where a search ended. Not found means that no step was good enough; then `step` is 0, or the one with the
// smallest loss if that was below the start's.
struct LineSearch {
  bool found;
  double step;
  std::vector<double> point;  // start + step direction
  Evaluation at;              // there
  int evaluations;
};

// Refused: first_step <= 0, shrink and sufficient_decrease outside (0, 1), max_evaluations < 1.
struct BacktrackingOptions {
  double first_step = 1.0;
  double shrink = 0.5;
  double sufficient_decrease = 1e-4;
  int max_evaluations = 40;
};

// The first of first_step, first_step shrink, first_step shrink^2, ... with
//   f(x + t d) <= f(x) + sufficient_decrease t d f'(x)                                        (Armijo, 1966).
// Refuses a direction along which f does not fall.
LineSearch backtracking(const LossFunction& f, const std::vector<double>& x, const Evaluation& at_x,
                        const std::vector<double>& direction, const BacktrackingOptions& options = {});

// Refused: first_step <= 0, not 0 < sufficient_decrease < curvature < 1, max_evaluations < 1.
struct WolfeOptions {
  double first_step = 1.0;
  double sufficient_decrease = 1e-4;
  double curvature = 0.9;
  int max_evaluations = 40;
};

// A step that also flattens the slope, |d f'(x + t d)| <= curvature |d f'(x)|: the strong Wolfe conditions.
// Steps grow until one lies beyond a minimum, and are then interpolated by cubics (Nocedal and Wright, 2006,
// algorithms 3.5 and 3.6). Where the values differ by rounding alone, only slopes are asked: the gradient
// goes on falling when the value has no more digits to fall by. Values that are not finite count as too high.
// Refuses a direction along which f does not fall.
LineSearch strong_wolfe(const LossFunction& f, const std::vector<double>& x, const Evaluation& at_x,
                        const std::vector<double>& direction, const WolfeOptions& options = {});

}  // namespace likely::optim
