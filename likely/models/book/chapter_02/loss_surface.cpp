#include "likely/models/book/chapter_02/loss_surface.hpp"

#include <vector>

#include "likely/ops/arithmetic.hpp"
#include "likely/ops/join.hpp"
#include "likely/ops/reduce.hpp"
#include "likely/ops/view.hpp"

namespace likely::book {

namespace {

void check_vector(const char* what, const Tensor& phi) {
  if (phi.rank() != 1 || phi.size() == 0)
    refuse("loss_surface",
           std::string(what) + " must be a vector of at least one, got shape " + phi.shape().string());
}

}  // namespace

Tensor loss_surface(const Curve& f, const Tensor& x, const Tensor& y, const Tensor& phi0,
                    const Tensor& phi1) {
  check_vector("phi0", phi0);
  check_vector("phi1", phi1);
  if (x.size() != y.size())
    refuse("loss_surface",
           "x and y must have one size, got shapes " + x.shape().string() + " and " + y.shape().string());
  const Tensor xs = reshape(x, {1, -1});
  const Tensor ys = reshape(y, {1, -1});
  const Tensor column = reshape(phi1, {-1, 1});
  std::vector<Tensor> rows;
  for (std::int64_t j = 0; j < phi0.size(); ++j)
    rows.push_back(sum(square(f(xs, select(phi0, 0, j), column) - ys), 1));
  return stack(rows, 0);
}

}  // namespace likely::book
