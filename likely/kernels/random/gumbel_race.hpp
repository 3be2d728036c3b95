// The k largest of logits + Gumbel noise, without the noise of all the others.
//
// With times t = e^-(logit + Gumbel) the largest number is the first to arrive in a race, and the first
// arrival of a block of classes is a Gumbel number about the block's log-sum-exp, whichever class it is. So a
// row needs one random number for each block; who arrived is asked only of the block that leads, and its next
// arrival comes later by an exponential time. The law is that of the noise, exactly.
#pragma once

#include <cstdint>

#include "likely/kernels/random/philox.hpp"

namespace likely::kernels {

// Classes that share a random number until one of them leads.
inline constexpr std::int64_t kRaceBlock = 512;

// The first row that cannot be drawn from, or -1.
struct RaceTrouble {
  std::int64_t no_softmax = -1;  // has NaN or +inf, or nothing but -inf
  std::int64_t too_few = -1;     // fewer than k classes that are not -inf
};

// Of each row of x, contiguous: k different classes in falling order of what their perturbed logits are
// (k <= columns), and in `threshold` the largest of the others, -inf where there is none. Row r is a function
// of the two keys and r alone.
RaceTrouble gumbel_race(RandomKey blocks, RandomKey picks, const float* x, std::int64_t rows,
                        std::int64_t columns, std::int64_t k, std::int64_t* indices, float* perturbed,
                        float* threshold);
RaceTrouble gumbel_race(RandomKey blocks, RandomKey picks, const double* x, std::int64_t rows,
                        std::int64_t columns, std::int64_t k, std::int64_t* indices, double* perturbed,
                        double* threshold);

}  // namespace likely::kernels
