// Balls in many dimensions (chapter 8): why there is room for so much in them, and where it lies.
#pragma once

#include <cstdint>

namespace likely::book {

// Vol[r] = r^D pi^(D/2) / Gamma[D/2 + 1] (8.8), and its logarithm, which does not overflow. Refuses D < 0 and
// a radius that is not finite or below 0.
double ball_volume(std::int64_t dimensions, double radius = 1.0);
double log_ball_volume(std::int64_t dimensions, double radius = 1.0);

// The share of a ball's volume that lies in its outer shell, from (1 - thickness) r to r: 1 - (1 -
// thickness)^D. Refuses D < 0 and a thickness outside [0, 1].
double shell_share(std::int64_t dimensions, double thickness);

}  // namespace likely::book
