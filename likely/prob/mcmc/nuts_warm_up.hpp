// What the warm-up of a chain learns besides its step size. Internal to prob/.
#pragma once

#include <cstdint>
#include <vector>

#include "likely/prob/mcmc/hamiltonian.hpp"
#include "likely/prob/mcmc/nuts.hpp"

namespace likely::detail {

// The iterations after which the masses are set anew: after a first part in which the chain finds its place,
// windows that double, each of which forgets the one before; a last part is left for the step size alone
// (75, 25, 50, 100, ..., 50 iterations, in proportion where there are fewer than 150; none below 20).
struct WarmUpWindows {
  explicit WarmUpWindows(std::int64_t warm_up);

  std::int64_t begin = 0;          // of the first window
  std::vector<std::int64_t> ends;  // of each window: the number of iterations before it is over
};

// The covariance of the positions of a window.
class PositionMoments {
 public:
  PositionMoments(Mass mass, std::size_t size);

  void add(const std::vector<double>& position);
  // Drawn a little to a small unit matrix, as Stan does; then everything is forgotten.
  InverseMass take();

 private:
  Mass mass_;
  double count_ = 0.0;
  std::vector<double> mean_, before_, squares_;
};

}  // namespace likely::detail
