#include "likely/models/book/chapter_06/gabor.hpp"

#include "likely/core/create.hpp"
#include "likely/models/book/chapter_02/line.hpp"
#include "likely/ops/arithmetic.hpp"
#include "likely/ops/math.hpp"
#include "likely/ops/view.hpp"

namespace likely::book {

Tensor gabor(const Tensor& x, const Tensor& phi0, const Tensor& phi1) {
  const Tensor u = line(x, phi0, 0.06 * phi1);
  return sin(u) * exp(square(u) / -32.0);
}

Gabor::Gabor(double phi0, double phi1, DType dtype) : phi(tensor({phi0, phi1}, dtype)) {}

Tensor Gabor::operator()(const Tensor& x) const { return gabor(x, select(phi, 0, 0), select(phi, 0, 1)); }

}  // namespace likely::book
