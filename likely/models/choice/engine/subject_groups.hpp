// What walks of simulated and of real subjects share. Internal to models/choice.
#pragma once

#include <algorithm>
#include <vector>

#include "likely/core/threads.hpp"
#include "likely/kernels/random/random.hpp"
#include "likely/models/choice/engine/evaluate.hpp"
#include "likely/ops/rng.hpp"

namespace likely::choice {

// The random numbers of a subject, in turn.
class Draws {
 public:
  explicit Draws(Rng rng) : rng_(rng) {}
  double uniform() {
    if (place_ == kPiece) {
      kernels::fill_uniform(rng_.draw(), uniforms_, kPiece);
      place_ = 0;
    }
    return uniforms_[place_++];
  }
  double normal() {
    double x = 0.0;
    kernels::fill_normal(rng_.draw(), &x, 1);
    return x;
  }
  // k with probability p[k * kLanes].
  int option(const double* p, int options) {
    double rest = uniform();
    int last = 0;
    for (int k = 0; k < options; ++k) {
      const double weight = p[k * kLanes];
      if (weight <= 0.0) continue;
      last = k;
      rest -= weight;
      if (rest < 0.0) return k;
    }
    return last;
  }

 private:
  static constexpr int kPiece = 256;
  Rng rng_;
  double uniforms_[kPiece];
  int place_ = kPiece;
};

// Refuses lists of another size and numbers outside their ranges.
void check_parameters_of(const Model& model, const std::vector<std::vector<double>>& parameters);

// Natural parameters of `count` subjects from `first` on, as the kernels read them.
std::vector<double> lanes_of_parameters(const Model& model,
                                        const std::vector<std::vector<double>>& parameters, std::size_t first,
                                        int count);

// body(first subject, how many) for each group.
template <class Body>
void for_groups(const Model& model, std::size_t subjects, std::int64_t trials, const Body& body) {
  const auto groups = static_cast<std::int64_t>((subjects + kLanes - 1) / kLanes);
  const double work =
      60.0 * (1.0 + model.size()) * static_cast<double>(trials) * static_cast<double>(subjects);
  parallel_tiles(groups, work, [&](std::int64_t g) {
    const std::size_t first = static_cast<std::size_t>(g) * kLanes;
    body(first, static_cast<int>(std::min<std::size_t>(kLanes, subjects - first)));
  });
}

}  // namespace likely::choice
