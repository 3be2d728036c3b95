// Random numbers by the array. Element i of a fill is a function of (key, i) alone: a shorter fill is the
// beginning of a longer one, and any number of threads gives the same bits. Internal to likely.
#pragma once

#include <cstdint>

#include "likely/kernels/random/philox.hpp"

namespace likely::kernels {

// Uniform bits; element i of the 64-bit fill takes two words of the generator.
void fill_bits(RandomKey key, std::uint32_t* out, std::int64_t n);
void fill_bits(RandomKey key, std::uint64_t* out, std::int64_t n);

// Uniform on [0, 1): k 2^-24 in float, k 2^-53 in double.
void fill_uniform(RandomKey key, float* out, std::int64_t n);
void fill_uniform(RandomKey key, double* out, std::int64_t n);

// Uniform on (0, 1): (k + 1/2) 2^-23 in float, (k + 1/2) 2^-52 in double. Never 0, never 1.
void fill_uniform_open(RandomKey key, float* out, std::int64_t n);
void fill_uniform_open(RandomKey key, double* out, std::int64_t n);

// Standard normal (Box-Muller); the float version reaches 6.6 sigma, the double version 8.5.
void fill_normal(RandomKey key, float* out, std::int64_t n);
void fill_normal(RandomKey key, double* out, std::int64_t n);

// Standard exponential, -log u; the float version takes 31 bits and resolves both tails, from 2^-32 to 22.
void fill_exponential(RandomKey key, float* out, std::int64_t n);
void fill_exponential(RandomKey key, double* out, std::int64_t n);

// Standard Gumbel, -log of a standard exponential.
void fill_gumbel(RandomKey key, float* out, std::int64_t n);
void fill_gumbel(RandomKey key, double* out, std::int64_t n);

// y_i = x_i / (1 - p) with probability 1 - p (to 2^-31), else 0; 0 <= p <= 1. Which elements stay is a
// function of (key, i), so the gradient is the same call on the gradient, and nothing need be kept. y may be
// x.
void dropout(RandomKey key, double p, const float* x, float* y, std::int64_t n);
void dropout(RandomKey key, double p, const double* x, double* y, std::int64_t n);

}  // namespace likely::kernels
