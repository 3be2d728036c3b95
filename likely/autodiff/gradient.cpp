#include "likely/autodiff/gradient.hpp"

#include "likely/core/create.hpp"
#include "likely/ops/arithmetic.hpp"
#include "likely/ops/join.hpp"
#include "likely/ops/reduce.hpp"
#include "likely/ops/view.hpp"

namespace likely::detail {

Tensor no_gradient(const Tensor& like) { return constant(like.shape(), 0.0, like.dtype()); }

Tensor check_scalar(const char* caller, const Tensor& value) {
  if (!value.defined()) refuse(caller, "the function returned an empty tensor");
  if (value.size() != 1) {
    refuse(caller, "the function must return one number, got shape " + value.shape().string());
  }
  if (!is_floating(value.dtype())) {
    refuse(caller, "the function must return a floating number, got " + std::string(name_of(value.dtype())));
  }
  return ones_like(value);
}

Tensor unit_seed(const Tensor& output, std::int64_t position) {
  Tensor seed = zeros({output.size()}, output.dtype());
  seed.set({position}, 1.0);
  return reshape(seed, output.shape());
}

Tensor join_rows(const std::vector<Tensor>& rows, const Shape& output, const Shape& point, DType dtype) {
  Shape shape = output;
  for (const std::int64_t d : point) shape.push_back(d);
  if (rows.empty()) return zeros(shape, dtype);
  return reshape(stack(rows, 0), shape);
}

Tensor inner_product(const std::vector<Tensor>& a, const std::vector<Tensor>& b) {
  Tensor total;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const Tensor product = sum(a[i] * b[i]);
    total = total.defined() ? total + product : product;
  }
  return total.defined() ? total : tensor(0.0);
}

void check_same_tree(const char* caller, const std::vector<Tensor>& point,
                     const std::vector<Tensor>& direction) {
  bool same = point.size() == direction.size();
  for (std::size_t i = 0; same && i < point.size(); ++i) same = point[i].shape() == direction[i].shape();
  if (!same) refuse(caller, "the direction must have the shapes of the point");
}

}  // namespace likely::detail
