#include "likely/models/choice/engine/candidates.hpp"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <cmath>

namespace likely::choice {

namespace {

std::size_t index(int i) { return static_cast<std::size_t>(i); }

// The place `which` (from 1) of a sequence that fills (0, 1) evenly: an additive recurrence with the
// generalised golden ratio of so many dimensions.
double spread(int which, int dimension, int dimensions) {
  double ratio = 1.5;
  for (int i = 0; i < 60; ++i) ratio = std::pow(1.0 + ratio, 1.0 / (dimensions + 1));
  const double place = 0.5 + which * std::pow(ratio, -(dimension + 1));
  return place - std::floor(place);
}

}  // namespace

double normal_quantile(double p) { return boost::math::quantile(boost::math::normal(), p); }

Candidates box_candidates(const Model& model, int count) {
  Candidates candidates;
  for (int c = 0; c < count; ++c) {
    for (int i = 0; i < model.size(); ++i) {
      const Parameter& p = model.parameters[index(i)];
      // Which steps of a staircase are high does not depend on epsilon.
      const bool middle = c == 0 || (model.parts.choosing == Choosing::greedy && i == model.parts.epsilon);
      const double place = middle ? 0.5 : spread(c, i, model.size());
      const double margin = 1e-3 * (p.box_upper - p.box_lower);
      const double x = c % 2 == 0 ? p.natural(1.5 * normal_quantile(place))
                                  : p.box_lower + (p.box_upper - p.box_lower) * place;
      candidates.points.push_back(std::clamp(x, p.box_lower + margin, p.box_upper - margin));
      candidates.places.push_back(place);
    }
  }
  return candidates;
}

Candidates prior_candidates(const NormalPrior& prior, int n, int count) {
  Candidates candidates;
  for (int c = 0; c < count; ++c) {
    for (int i = 0; i < n; ++i) {
      const double sd = std::min(2.0, 1.0 / std::sqrt(prior.precision[index(i) * index(n) + index(i)]));
      const double place = c == 0 ? 0.5 : spread(c, i, n);
      candidates.points.push_back(sd * normal_quantile(place));
      candidates.places.push_back(place);
    }
  }
  return candidates;
}

}  // namespace likely::choice
