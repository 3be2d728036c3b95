#include "likely/models/book/chapter_08/error_terms.hpp"

#include "likely/ops/arithmetic.hpp"

namespace likely::book {

ErrorTerms error_terms(const Tensor& a, const Tensor& m, const Tensor& b) {
  const Tensor to_middle = a - m, from_middle = m - b;
  return {.first = square(to_middle), .middle = 2.0 * to_middle * from_middle, .last = square(from_middle)};
}

}  // namespace likely::book
