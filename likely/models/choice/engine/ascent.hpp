// Ascent: Newton's method with a trust region, within bounds, for a few parameters. It asks for values and
// derivatives one point at a time, so that many can be climbed side by side. Internal to models/choice.
#pragma once

#include <span>
#include <vector>

namespace likely::choice {

// The eigenvalues of a symmetric n x n matrix, ascending, and its eigenvectors in the columns of `vectors`
// (Jacobi's method). The matrix is destroyed.
void symmetric_eigen(std::vector<double>& matrix, int n, std::vector<double>& values,
                     std::vector<double>& vectors);

struct AscentBounds {
  std::vector<double> lower, upper;  // may be infinite
  std::vector<double> scale;         // the step in each parameter that counts as 1
};

class Ascent {
 public:
  Ascent(const AscentBounds& bounds, int most_iterations);

  // Begins anew from here (moved inside the bounds).
  void start(std::span<const double> point);
  bool done() const { return done_; }
  // Where the function is wanted next.
  const std::vector<double>& wanted() const { return trial_; }
  // What it is there. A value that is not finite is a step too far.
  void take(double value, std::span<const double> gradient, std::span<const double> hessian);

  // The best so far.
  const std::vector<double>& point() const { return point_; }
  double value() const { return value_; }
  const std::vector<double>& gradient() const { return gradient_; }
  const std::vector<double>& hessian() const { return hessian_; }
  int iterations() const { return iterations_; }
  // Whether it ended at a maximum, by the slopes, and not because steps became too small or too many.
  bool converged() const { return converged_; }
  // Whether a parameter lies on a bound and the function rises beyond it.
  bool is_held(int i) const;

 private:
  bool at_maximum();
  void plan();
  bool solve_free();
  void add_region_step();
  void follow_gradient();
  double predicted_gain() const;
  void finish(bool converged);

  const AscentBounds& bounds_;
  int n_;
  int most_;
  std::vector<double> point_, gradient_, hessian_, trial_;
  double value_ = 0.0;
  double radius_ = 1.0;
  double predicted_ = 0.0;
  bool started_ = false, last_ = false, done_ = true, converged_ = false;
  int iterations_ = 0;
  // Of the step that is being planned.
  std::vector<double> step_;  // in parameters
  std::vector<char> fixed_;   // parameters that the step does not decide about any more
  std::vector<int> free_;
  std::vector<double> matrix_, values_, vectors_, slope_, along_, free_step_;
};

}  // namespace likely::choice
