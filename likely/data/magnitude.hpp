// Numbers so large or small that their squares are no numbers any more.
#pragma once

#include <cmath>

namespace likely::data {

// A power of two by which numbers up to `largest` can be multiplied so that sums of their squares neither
// overflow nor vanish. It is 1 for all but extreme ones, and costs no digit for these.
inline double unit_for_squares(double largest) {
  if (largest > std::ldexp(1.0, 400)) return std::ldexp(1.0, -600);
  if (largest > 0.0 && largest < std::ldexp(1.0, -400)) return std::ldexp(1.0, 600);
  return 1.0;
}

}  // namespace likely::data
