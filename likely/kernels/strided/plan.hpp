// How strided operands are walked: dimensions that lie next to each other in every operand become one.
// Internal to likely.
#pragma once

#include <cstdint>

#include "likely/kernels/strided/strided.hpp"

namespace likely::kernels {

template <int Operands>
struct StridedPlan {
  int rank = 0;
  std::int64_t elements = 1;
  std::int64_t shape[kMaxMergedRank];
  std::int64_t strides[Operands][kMaxMergedRank];

  // An operand without strides is contiguous. Refuses what does not fit kMaxMergedRank.
  StridedPlan(int full_rank, const std::int64_t* full_shape,
              const std::int64_t* const (&full_strides)[Operands]);

  bool one_row() const { return rank <= 1; }
  std::int64_t row_length() const { return rank == 0 ? 1 : shape[rank - 1]; }
  std::int64_t row_stride(int operand) const { return rank == 0 ? 0 : strides[operand][rank - 1]; }

  // True if element i of the output reads element i of the operand.
  bool contiguous(int operand) const {
    std::int64_t expected = 1;
    for (int d = rank - 1; d >= 0; --d) {
      if (strides[operand][d] != expected) return false;
      expected *= shape[d];
    }
    return true;
  }

  // True if one element serves all.
  bool scalar(int operand) const {
    for (int d = 0; d < rank; ++d) {
      if (strides[operand][d] != 0) return false;
    }
    return true;
  }

  // Where the operand's part of a row begins, rows being counted over all dimensions but the last.
  std::int64_t row_offset(int operand, std::int64_t row) const {
    if (rank <= 1) return 0;
    if (rank == 2) return row * strides[operand][0];
    std::int64_t result = 0;
    for (int d = rank - 2; d >= 0; --d) {
      result += row % shape[d] * strides[operand][d];
      row /= shape[d];
    }
    return result;
  }
};

[[noreturn]] void refuse_rank();

template <int Operands>
StridedPlan<Operands>::StridedPlan(int full_rank, const std::int64_t* full_shape,
                                   const std::int64_t* const (&full_strides)[Operands]) {
  // From the innermost dimension outward, so that contiguous strides are known as we go; turned round after.
  std::int64_t reversed_shape[kMaxMergedRank];
  std::int64_t reversed_strides[Operands][kMaxMergedRank];
  for (int d = full_rank - 1; d >= 0; --d) {
    const std::int64_t size = full_shape[d];
    if (size == 1) continue;
    std::int64_t stride[Operands];
    bool merges = rank > 0;
    for (int k = 0; k < Operands; ++k) {
      stride[k] = full_strides[k] == nullptr ? elements : full_strides[k][d];
      merges = merges && stride[k] == reversed_strides[k][rank - 1] * reversed_shape[rank - 1];
    }
    elements *= size;
    if (merges) {
      reversed_shape[rank - 1] *= size;
      continue;
    }
    if (rank == kMaxMergedRank) refuse_rank();
    reversed_shape[rank] = size;
    for (int k = 0; k < Operands; ++k) reversed_strides[k][rank] = stride[k];
    ++rank;
  }
  for (int d = 0; d < rank; ++d) {
    shape[d] = reversed_shape[rank - 1 - d];
    for (int k = 0; k < Operands; ++k) strides[k][d] = reversed_strides[k][rank - 1 - d];
  }
}

// Copies the elements that belong to output elements [begin, begin + count) into `to`.
template <class Element, class Plan>
void gather(const Plan& plan, int operand, const Element* from, std::int64_t begin, std::int64_t count,
            Element* to) {
  const int last = plan.rank - 1;
  std::int64_t index[kMaxMergedRank];
  std::int64_t rest = begin;
  const std::int64_t* strides = plan.strides[operand];
  for (int d = last; d >= 0; --d) {
    index[d] = rest == 0 ? 0 : rest % plan.shape[d];
    if (rest != 0) rest /= plan.shape[d];
    from += index[d] * strides[d];
  }
  const std::int64_t stride = strides[last];
  while (count > 0) {
    const std::int64_t left = plan.shape[last] - index[last];
    const std::int64_t run = left < count ? left : count;
    if (stride == 1) {
      for (std::int64_t i = 0; i < run; ++i) to[i] = from[i];
    } else if (stride == 0) {
      const Element value = *from;
      for (std::int64_t i = 0; i < run; ++i) to[i] = value;
    } else {
      for (std::int64_t i = 0; i < run; ++i) to[i] = from[i * stride];
    }
    to += run;
    count -= run;
    if (count == 0) break;
    from -= index[last] * stride;
    index[last] = 0;
    for (int d = last - 1; d >= 0; --d) {
      from += strides[d];
      if (++index[d] < plan.shape[d]) break;
      from -= plan.shape[d] * strides[d];
      index[d] = 0;
    }
  }
}

}  // namespace likely::kernels
