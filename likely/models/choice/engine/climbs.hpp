// The climbs of one group of subjects. Internal to models/choice.
#pragma once

#include <vector>

#include "likely/models/choice/engine/ascent.hpp"
#include "likely/models/choice/engine/evaluate.hpp"
#include "likely/models/choice/fit.hpp"

namespace likely::choice {

// What is climbed: the log-likelihood by natural parameters within their boxes, or plus the log-density of a
// normal prior by unconstrained ones.
struct ClimbTarget {
  const Model* model;
  bool is_posterior;
  AscentBounds bounds;
  const NormalPrior* prior;
  double log_normalizer;           // of the prior
  std::vector<double> candidates;  // points x N, of which the best are climbed from, around the prior's mean
  std::vector<double> places;      // the same as places in a cube of side 1, which say what is close
  const std::vector<double>* start;  // S x N, instead of candidates; may be empty
};

// Where the climbs of one subject ended.
struct Summit {
  std::vector<double> point, gradient, hessian;  // on the scale of the climb
  double value = 0.0;
  double log_likelihood = 0.0;
  std::vector<char> held;  // parameters on a bound that they would cross
  bool converged = false;
  int iterations = 0;
  int climbs = 0;
  int agreeing = 0;  // of them
};

// `first` is the number of the group's first subject.
std::vector<Summit> climb_group(const ClimbTarget& target, const Group& group, std::int64_t first,
                                const FitOptions& options);

}  // namespace likely::choice
