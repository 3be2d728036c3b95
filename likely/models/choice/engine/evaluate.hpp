// One group of subjects under any model, named or the user's own. Internal to models/choice.
#pragma once

#include <vector>

#include "likely/models/choice/engine/kernel.hpp"

namespace likely::choice {

// As evaluate_group and walk_group.
void evaluate_model(const Model& model, const Group& group, const LaneRange& range, const double* theta,
                    int order, const GroupResult& result);
void walk_model(const Model& model, const Group& group, const LaneRange& range, const double* theta,
                Walker& walker);

// The same for a model of the user's own.
void evaluate_custom(const Model& model, const Group& group, const LaneRange& range, const double* theta,
                     int order, const GroupResult& result);
void walk_custom(const Model& model, const Group& group, const LaneRange& range, const double* theta,
                 Walker& walker);

// Room for the numbers of a group, in the layout of GroupResult.
struct GroupNumbers {
  explicit GroupNumbers(int parameters)
      : theta(static_cast<std::size_t>(parameters) * kLanes),
        log_likelihood(kLanes),
        gradient(theta.size()),
        hessian(static_cast<std::size_t>(parameters * (parameters + 1) / 2) * kLanes) {}
  GroupResult result() { return {log_likelihood.data(), gradient.data(), hessian.data()}; }

  std::vector<double> theta, log_likelihood, gradient, hessian;
};

// From derivatives by natural parameters (at theta) to those by the unconstrained ones (at u), in one lane:
// gradient N, hessian N x N, either may be null. For identity scale u is null.
void take_lane(const Model& model, const GroupNumbers& numbers, int lane, const double* u, double* gradient,
               double* hessian);

// About how long one evaluation of a group takes, on one thread.
double nanoseconds_of(const Model& model, const Group& group, int order);

}  // namespace likely::choice
