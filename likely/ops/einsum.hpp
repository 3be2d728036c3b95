// Sums of products, named by their indices.
#pragma once

#include <string_view>
#include <vector>

#include "likely/core/tensor.hpp"

namespace likely {

// Einstein's summation, as in NumPy: einsum("bij,bjk->bik", {a, b}) is a batch of matrix products,
// einsum("ii->", {a}) a trace, einsum("i,j->ij", {a, b}) an outer product. Each letter is an index; those
// that the result does not name are summed over; one that an operand repeats takes the diagonal; "..." stands
// for any further axes, which broadcast. Without "->" the result has the axes of "..." and then, in
// alphabetical order, the letters that occur once. Several operands are contracted in pairs, smallest results
// first, by matrix products. Refuses what is not such a text, another number of operands or of dimensions,
// sizes that disagree, and results that name an index twice or one that no operand has.
[[nodiscard]] Tensor einsum(std::string_view indices, const std::vector<Tensor>& operands);

}  // namespace likely
