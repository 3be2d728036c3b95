// Random numbers that take an unknown number of uniform ones each. Element i has blocks of the generator of
// its own, so it is a function of (key, i, its parameters) alone. Computed in double, one element at a time.
// Internal to likely.
#pragma once

#include <cstdint>

#include "likely/kernels/random/philox.hpp"

namespace likely::kernels {

// The uniform and normal numbers that belong to one element of a fill: 65536 blocks of two doubles.
class ElementSource {
 public:
  ElementSource(RandomKey key, std::int64_t element)
      : key_(key), next_(static_cast<std::uint64_t>(element) << 16) {}

  // Uniform on (0, 1): an odd multiple of 2^-53.
  double uniform();
  // Standard normal, by Box and Muller.
  double normal();

 private:
  RandomKey key_;
  std::uint64_t next_;
  double spare_ = 0.0;
  bool has_spare_ = false;
};

// The logarithm of a gamma variate of shape alpha > 0 and scale 1 (Marsaglia and Tsang, 2000). For small
// alpha the variate itself may be too small for any floating number.
double log_gamma_variate(double alpha, ElementSource& source);

// Poisson of the given rate, 0 <= rate <= 2^53: by inversion below 10, above by transformed rejection
// (Hoermann, 1993, algorithm PTRS).
std::int64_t poisson_variate(double rate, ElementSource& source);

}  // namespace likely::kernels
