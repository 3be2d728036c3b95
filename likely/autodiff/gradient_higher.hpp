// The derivatives built on gradients; see gradient.hpp for what they are.
#pragma once

#include "likely/autodiff/gradient.hpp"

namespace likely {

namespace detail {

Tensor unit_seed(const Tensor& output, std::int64_t position);
Tensor join_rows(const std::vector<Tensor>& rows, const Shape& output, const Shape& point, DType dtype);

// Unit seeds, row by row: stacks pull(e_i) over the elements of an output of this shape.
template <class Pull>
Tensor stack_rows(const Tensor& output, const Shape& point, Pull&& pull) {
  std::vector<Tensor> rows;
  rows.reserve(static_cast<std::size_t>(output.size()));
  for (std::int64_t i = 0; i < output.size(); ++i) rows.push_back(pull(unit_seed(output, i)));
  return join_rows(rows, output.shape(), point, output.dtype());
}

// sum over the parameters of both trees of their products.
Tensor inner_product(const std::vector<Tensor>& a, const std::vector<Tensor>& b);

template <class Point>
std::vector<Tensor> parameters_of(const Point& point) {
  std::vector<Tensor> result;
  for (const Tensor* parameter : parameter_pointers(point)) result.push_back(*parameter);
  return result;
}

// The direction where the point has its parameters. Refuses other shapes.
std::vector<Tensor> along_parameters(const char* caller, const std::vector<PointLeaf>& point,
                                     const std::vector<PointLeaf>& direction);
template <class Point>
std::vector<Tensor> along_parameters(const char* caller, const Point& point, const Point& direction) {
  Point at = copy_of_point(point), towards = direction;
  return along_parameters(caller, leaves_of(at), leaves_of(towards));
}

}  // namespace detail

template <class Point, class Function>
ValueAndTangent jvp(const Point& point, const Point& direction, Function&& f) {
  const std::vector<Tensor> along = detail::along_parameters("jvp", point, direction);
  auto forward = vjp(point, f);
  // <u^T J, v> has the gradient J v with respect to u, wherever u is.
  const Tensor tangent = grad(detail::no_gradient(forward.value), [&](const Tensor& u) {
    return detail::inner_product(detail::parameters_of(forward.pull_back(u)), along);
  });
  return {forward.value, tangent};
}

template <class Function>
Tensor jacobian(const Tensor& point, Function&& f) {
  auto forward = vjp(point, f);
  return detail::stack_rows(forward.value, point.shape(),
                            [&](const Tensor& seed) { return forward.pull_back(seed); });
}

template <class Function>
Tensor hessian(const Tensor& point, Function&& f) {
  return jacobian(point, [&](const Tensor& x) { return grad(x, f); });
}

template <class Point, class Function>
Point hvp(const Point& point, const Point& direction, Function&& f) {
  const std::vector<Tensor> along = detail::along_parameters("hvp", point, direction);
  return grad(
      point, [&](const Point& x) { return detail::inner_product(detail::parameters_of(grad(x, f)), along); });
}

}  // namespace likely
