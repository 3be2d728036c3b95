// Hot: every look at the trials.
#include "likely/models/choice/engine/evaluate.hpp"

namespace likely::choice {

void evaluate_model(const Model& model, const Group& group, const LaneRange& range, const double* theta,
                    int order, const GroupResult& result) {
  if (model.custom != nullptr) {
    evaluate_custom(model, group, range, theta, order, result);
  } else {
    evaluate_group(model.parts, model.size(), group, range, theta, order, result);
  }
}

void walk_model(const Model& model, const Group& group, const LaneRange& range, const double* theta,
                Walker& walker) {
  if (model.custom != nullptr) {
    walk_custom(model, group, range, theta, walker);
  } else {
    walk_group(model.parts, model.size(), group, range, theta, walker);
  }
}

void take_lane(const Model& model, const GroupNumbers& numbers, int lane, const double* u, double* gradient,
               double* hessian) {
  const auto n = static_cast<std::size_t>(model.size());
  const auto at = static_cast<std::size_t>(lane);
  for (std::size_t j = 0; j < n; ++j) {
    const TransformSlopes slope_j =
        u == nullptr ? TransformSlopes{0.0, 1.0, 0.0} : model.parameters[j].slopes(u[j]);
    const double natural = numbers.gradient[j * kLanes + at];
    if (gradient != nullptr) gradient[j] = natural * slope_j.first;
    if (hessian == nullptr) continue;
    for (std::size_t i = 0; i <= j; ++i) {
      const TransformSlopes slope_i =
          u == nullptr ? TransformSlopes{0.0, 1.0, 0.0} : model.parameters[i].slopes(u[i]);
      double value = numbers.hessian[(j * (j + 1) / 2 + i) * kLanes + at] * slope_i.first * slope_j.first;
      if (i == j) value += natural * slope_j.second;
      hessian[i * n + j] = hessian[j * n + i] = value;
    }
  }
}

double nanoseconds_of(const Model& model, const Group& group, int order) {
  const double n = model.size();
  const double each = model.custom != nullptr ? 300.0 : 3.0 + (order > 1 ? n * n : n);
  return each * static_cast<double>(group.trials) * group.subjects;
}

}  // namespace likely::choice
