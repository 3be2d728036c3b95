#include "likely/models/book/chapter_05/logistic.hpp"

#include "likely/core/create.hpp"
#include "likely/models/book/chapter_02/line.hpp"
#include "likely/ops/view.hpp"

namespace likely::book {

Logistic::Logistic(double phi0, double phi1, DType dtype) : phi(tensor({phi0, phi1}, dtype)) {}

Tensor Logistic::operator()(const Tensor& x) const { return line(x, select(phi, 0, 0), select(phi, 0, 1)); }

}  // namespace likely::book
