// How many linear regions networks of ReLUs can have.
#pragma once

#include <cstdint>

namespace likely::book {

// At most sum_{j=0}^{D_i} C(D, j) for a shallow network of D_i inputs and D hidden units: into so many
// regions do D hyperplanes in general position cut the space (Zaslavsky, 1975). Refuses sizes < 1, and
// numbers that 63 bits do not hold.
std::int64_t shallow_regions(std::int64_t inputs, std::int64_t units);

// (floor(D / D_i) + 1)^(D_i (K - 1)) sum_{j=0}^{D_i} C(D, j) for K hidden layers of D units each (4.17, where
// the brackets are missing; after Montufar et al., 2014). A network with so many exists where D >= 3 D_i:
// each of its layers but the last folds the space onto itself. With one input there cannot be more; with
// several it is only a lower bound of the maximum. Refuses sizes < 1, D < D_i, numbers that 63 bits do not
// hold, and several layers with D < 3 D_i, where there is no such construction: with one input the number is
// out of reach, with several it is neither reached always nor a bound.
std::int64_t deep_regions(std::int64_t inputs, std::int64_t units, std::int64_t layers);

// The logarithm to base 10 of the same, for networks of any size.
double log10_deep_regions(std::int64_t inputs, std::int64_t units, std::int64_t layers);

}  // namespace likely::book
