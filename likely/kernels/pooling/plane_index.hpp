// Picking elements of planes by their position, as max pooling and unpooling do. Internal to likely.
#pragma once

#include <cstdint>

namespace likely::kernels {

// `planes` planes of `in_size` elements, and `out_size` positions in each: 0 <= index < in_size.
struct PlaneIndex {
  std::int64_t planes = 0;
  std::int64_t in_size = 0;
  std::int64_t out_size = 0;
};

// output[p, i] = input[p, index[p, i]].
void gather_in_planes(const PlaneIndex& shape, const float* input, const std::int64_t* index, float* output);
void gather_in_planes(const PlaneIndex& shape, const double* input, const std::int64_t* index,
                      double* output);

// output[p, index[p, i]] = the sum of input[p, i] over the i with that index; 0 where there is none.
void scatter_in_planes(const PlaneIndex& shape, const float* input, const std::int64_t* index, float* output);
void scatter_in_planes(const PlaneIndex& shape, const double* input, const std::int64_t* index,
                       double* output);

}  // namespace likely::kernels
