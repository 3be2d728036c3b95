// One iteration of the no-U-turn sampler. Internal to prob/.
#pragma once

#include <cstdint>
#include <vector>

#include "likely/prob/mcmc/hamiltonian.hpp"

namespace likely::detail {

// How an iteration went.
struct NutsTransition {
  double acceptance = 0.0;  // mean over the trajectory, what the step size learns from
  double energy = 0.0;      // of the new state
  std::int64_t leapfrog_steps = 0;
  bool diverged = false;
  bool full_depth = false;
};

// A chain's state and the memory of its trajectories.
class NutsTrajectory {
 public:
  NutsTrajectory(PhasePoint start, const DensityGradientFunction& density, std::int64_t max_depth, Rng rng);

  // Moves to a new state.
  NutsTransition advance(const InverseMass& mass, double step);
  const PhasePoint& state() const { return state_; }
  // A step to begin the adaptation with.
  double first_step(const InverseMass& mass, double step);

 private:
  struct End {
    std::vector<double> momentum, velocity;
  };
  struct Candidate {
    std::vector<double> position;
    DensityGradient density;
    double energy = 0.0;
  };
  // A run of states along a trajectory: what the criterion and the choice of a state need of it.
  struct Branch {
    End begin, end;
    std::vector<double> momentum_sum;
    Candidate candidate;
    double log_weight = 0.0;
  };

  bool build(std::int64_t depth, PhasePoint& front, Branch& branch);
  bool join(Branch& branch, Branch& next, bool biased);
  void put(const PhasePoint& point, double energy, Branch& branch) const;

  const DensityGradientFunction& density_;
  NumberStream numbers_;
  PhasePoint state_;
  std::int64_t max_depth_;
  std::vector<Branch> spare_;  // the second half of a branch of each depth
  Branch all_, grown_;
  PhasePoint forward_, backward_;

  // Of the iteration that is running.
  const InverseMass* mass_ = nullptr;
  double step_ = 0.0;
  double start_energy_ = 0.0;
  NutsTransition report_;
};

}  // namespace likely::detail
