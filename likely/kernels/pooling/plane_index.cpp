#include "likely/kernels/pooling/plane_index.hpp"

#include <algorithm>

#include "likely/kernels/pooling/plane_tiles.hpp"

namespace likely::kernels {

namespace {

template <class T>
void gather(const PlaneIndex& s, const T* input, const std::int64_t* index, T* output) {
  for_each_plane(s.planes, s.out_size, 0.7, [&](std::int64_t plane) {
    const T* const from = input + plane * s.in_size;
    const std::int64_t* const where = index + plane * s.out_size;
    T* const to = output + plane * s.out_size;
    for (std::int64_t i = 0; i < s.out_size; ++i) to[i] = from[where[i]];
  });
}

template <class T>
void scatter(const PlaneIndex& s, const T* input, const std::int64_t* index, T* output) {
  for_each_plane(s.planes, s.in_size + s.out_size, 0.5, [&](std::int64_t plane) {
    const T* const from = input + plane * s.out_size;
    const std::int64_t* const where = index + plane * s.out_size;
    T* const to = output + plane * s.in_size;
    std::fill(to, to + s.in_size, T(0));
    for (std::int64_t i = 0; i < s.out_size; ++i) to[where[i]] += from[i];
  });
}

}  // namespace

void gather_in_planes(const PlaneIndex& shape, const float* input, const std::int64_t* index, float* output) {
  gather(shape, input, index, output);
}
void gather_in_planes(const PlaneIndex& shape, const double* input, const std::int64_t* index,
                      double* output) {
  gather(shape, input, index, output);
}
void scatter_in_planes(const PlaneIndex& shape, const float* input, const std::int64_t* index,
                       float* output) {
  scatter(shape, input, index, output);
}
void scatter_in_planes(const PlaneIndex& shape, const double* input, const std::int64_t* index,
                       double* output) {
  scatter(shape, input, index, output);
}

}  // namespace likely::kernels
