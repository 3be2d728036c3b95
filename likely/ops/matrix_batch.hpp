// Batches of square matrices, one kernel call a matrix. Internal to ops/.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "likely/core/dispatch.hpp"
#include "likely/core/tensor.hpp"
#include "likely/core/threads.hpp"

namespace likely::detail {

// The size of the matrices; refuses what is not a batch of floating square ones.
std::int64_t check_square(const char* name, const Tensor& a);

// The shape of the leading axes, followed by these.
Shape batch_shape(const Tensor& a);
Shape with_matrix(Shape batch, std::int64_t rows, std::int64_t columns);

// " (matrix 3 of the batch)", or nothing for a single matrix.
std::string which_matrix(std::int64_t matrix, std::int64_t batch);

// Refuses a and b that do not fit as a x = b; both have at least two axes.
void check_system(const char* name, const Tensor& a, const Tensor& b);

// Calls body(T(0), matrix) for each matrix, where T is float or double; `multiply_adds` is the work of one.
template <class Body>
void for_each_matrix(const char* name, DType dtype, std::int64_t batch, double multiply_adds,
                     const Body& body) {
  constexpr double kNanosecondsPerMultiplyAdd = 0.3;
  const double nanoseconds = kNanosecondsPerMultiplyAdd * multiply_adds * static_cast<double>(batch);
  with_floating(name, dtype, [&](auto zero) {
    parallel_tiles(batch, nanoseconds, [&](std::int64_t matrix) { body(zero, matrix); });
  });
}

inline double cubed(std::int64_t n) {
  return static_cast<double>(n) * static_cast<double>(n) * static_cast<double>(n);
}

// P a = L U of each matrix, packed, with what is known about its pivots.
struct PackedLu {
  Tensor factors;                    // L below, U on and above the diagonal
  std::vector<std::int64_t> pivots;  // row i was exchanged with row pivots[i], batch x n
  // For each matrix: the first pivot that is 0 within rounding of its row and column, or -1; and the smallest
  // pivot over the largest, by magnitude.
  std::vector<std::int64_t> vanishing;
  std::vector<double> spread;
};
PackedLu factorize(const char* name, const Tensor& a);

}  // namespace likely::detail
