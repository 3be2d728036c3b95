// The rounds of a hierarchical fit. Internal to models/choice.
#pragma once

#include <functional>
#include <vector>

#include "likely/models/choice/engine/population.hpp"
#include "likely/models/choice/fit.hpp"
#include "likely/models/choice/hierarchical_em.hpp"

namespace likely::choice::detail {

// Whether the curvature at a subject's mode makes a covariance. It does not at a kink of a likelihood, or
// where the trials say nothing; then that of the population is taken.
bool has_width(const SubjectFit& subject);

// What one round finds: everybody's posterior under a law, and the law that follows.
struct EmRound {
  Population law;
  Fit subjects;
  std::vector<double> modes, variances;
  double log_evidence;
  Population next;
};

// How far the law of one parameter moves from one population to another, in units of its deviation.
double law_change(const Population& from, const Population& to, std::size_t parameter);

// Climbs from one law. What happens is told by the members.
class EmClimb {
 public:
  EmClimb(const Likelihood& likelihood, const EmOptions& options)
      : likelihood_(likelihood), options_(options) {}

  // At most so many rounds. `rounds_before` is what progress is told in addition.
  EmRound run(const Population& law, int most_rounds, int rounds_before);

  bool converged = false;       // the law no longer moves, or the evidence no longer rises
  bool stopped = false;         // by progress
  std::vector<double> history;  // the evidence after each round

 private:
  EmRound round(const Population& law);
  Fit posterior(const Population& law, const std::vector<double>& start) const;
  void finish(EmRound& result);
  bool going(EmRound& result);
  bool look_again(EmRound& result);
  bool is_level() const;

  const Likelihood& likelihood_;
  const EmOptions& options_;
  int most_rounds_ = 0, rounds_before_ = 0;
  std::vector<double> modes_;  // of the last round: where the next begins
};

}  // namespace likely::choice::detail
