// Where climbs may begin: points spread over the range of the parameters. Internal to models/choice.
#pragma once

#include <vector>

#include "likely/models/choice/fit.hpp"

namespace likely::choice {

struct Candidates {
  std::vector<double> points;  // points x N
  std::vector<double> places;  // the same as places in a cube of side 1
};

// Natural parameters: half of them even over the box, the others where parameters usually lie.
Candidates box_candidates(const Model& model, int count);
// Unconstrained ones, as distances from the prior's mean: by its own standard deviations up to 2.
Candidates prior_candidates(const NormalPrior& prior, int parameters, int count);

double normal_quantile(double p);

}  // namespace likely::choice
