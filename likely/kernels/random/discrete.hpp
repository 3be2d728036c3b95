// Coin tosses and whole numbers by the array; see random.hpp for what a fill is. Internal to likely.
#pragma once

#include <cstdint>

#include "likely/kernels/random/philox.hpp"

namespace likely::kernels {

// 1 with probability p (to 2^-32), else 0. T is float, double, std::int64_t or bool.
template <class T>
void fill_bernoulli(RandomKey key, double p, T* out, std::int64_t n);

// 1 with probability p[i] (to 2^-24 in float, 2^-31 in double), else 0. Returns whether all p lie in [0, 1]:
// if not, out means nothing.
bool fill_bernoulli(RandomKey key, const float* p, float* out, std::int64_t n);
bool fill_bernoulli(RandomKey key, const double* p, double* out, std::int64_t n);

// out[i] = x[i] / p with probability p (to the same digits), else 0; p > 0. The choice does not depend on x.
void keep_some(RandomKey key, double p, const float* x, float* out, std::int64_t n);
void keep_some(RandomKey key, double p, const double* x, double* out, std::int64_t n);

// low + floor(range u), u of 128 bits: the bias of any number is below 2^-64. range >= 1; low + range may be
// one more than the largest number.
void fill_integers(RandomKey key, std::int64_t low, std::uint64_t range, std::int64_t* out, std::int64_t n);

// 0 ... n - 1 in random order (Fisher and Yates), on the calling thread.
void fill_permutation(RandomKey key, std::int64_t* out, std::int64_t n);

}  // namespace likely::kernels
