// The loops over trials: eight subjects at once, derivatives carried forward. Internal to models/choice.
#pragma once

#include "likely/models/choice/engine/pack.hpp"

namespace likely::choice {

// Natural parameters in, parameter i of lane l at i * kLanes + l; derivatives by them out: log_likelihood one
// a lane, gradient like theta, hessian pair (i <= j) at (j (j + 1) / 2 + i) * kLanes + l. order: 0, 1 or 2.
// Lanes that are not in the range get numbers of no meaning.
struct GroupResult {
  double* log_likelihood;
  double* gradient;
  double* hessian;
};
void evaluate_group(const Parts& parts, int parameters, const Group& group, const LaneRange& range,
                    const double* theta, int order, const GroupResult& result);

// What a walk along the trials shows on each of them, an array of lanes for each entry.
struct Step {
  std::int64_t trial;
  int first, end;               // the lanes that are meant
  const double* values;         // cues x kLanes, before learning
  const double* probabilities;  // options x kLanes
};

// Walks along trials without derivatives. Before each trial's learning `decide` is called with what the model
// expects; it may write the group's choice, outcome, gain and loss of that trial (simulation), or leave them.
// Then `learned` gets the prediction errors (kLanes). Some lanes walk to the end before the
// next ones begin.
class Walker {
 public:
  virtual ~Walker() = default;
  virtual void decide(const Step& step) = 0;
  virtual void learned(const Step& step, const double* errors) = 0;
};
void walk_group(const Parts& parts, int parameters, const Group& group, const LaneRange& range,
                const double* theta, Walker& walker);

}  // namespace likely::choice
