// Derivatives of functions: grad, value_and_grad, vjp, jvp, jacobian, hessian, hvp.
//
// The point comes first, the function last. The point may be a tensor, a model (a struct with LIKELY_PARTS)
// or a vector, array or tuple of them; a tuple is handed to the function as separate arguments. Gradients
// have the type of the point. Everything nests in everything, to any order.
#pragma once

#include <memory>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "likely/autodiff/tape.hpp"
#include "likely/autodiff/trace.hpp"
#include "likely/core/parts.hpp"

namespace likely {

namespace detail {

template <class Point, class Function>
Tensor call_at(Function&& f, Point& point) {
  if constexpr (is_tuple_like<std::remove_const_t<Point>>) {
    return std::apply(f, point);
  } else {
    return f(point);
  }
}

// Replaces the parameters of `point` by leaves of the tape, in place, and returns them.
template <class Point>
std::vector<Tensor> track_parameters(Tape& tape, Point& point) {
  std::vector<Tensor> leaves;
  if (tracing_non_finite()) {
    for_each_named_leaf(point, [&](const std::string& name, Tensor& tensor, PartKind kind) {
      if (kind == PartKind::parameter) leaves.push_back(tensor = tape.track(tensor, name));
    });
  } else {
    for_each_leaf(point, [&](Tensor& tensor, PartKind kind) {
      if (kind == PartKind::parameter) leaves.push_back(tensor = tape.track(tensor));
    });
  }
  return leaves;
}

// Zeros for a part that is not learned; takes no memory.
Tensor no_gradient(const Tensor& like);

// A tree like `point` that holds these gradients at its parameters and zeros elsewhere.
template <class Point>
Point gradient_tree(const Point& point, std::vector<Tensor>& gradients) {
  Point tree = point;
  std::size_t next = 0;
  for_each_leaf(tree, [&](Tensor& tensor, PartKind kind) {
    if (kind == PartKind::parameter) {
      tensor = std::move(gradients[next++]);
    } else if (tensor.defined()) {
      tensor = no_gradient(tensor);
    }
  });
  return tree;
}

// What a loss wrote into the buffers of the copy it was given goes back into the caller's.
template <class Point>
void carry_buffers_back(const Tape& tape, Point& from, Point& to) {
  std::vector<Tensor> values;
  for_each_leaf(from, [&](Tensor& tensor, PartKind kind) {
    if (kind == PartKind::buffer) values.push_back(tensor.defined() ? tape.below(tensor) : tensor);
  });
  std::size_t next = 0;
  for_each_leaf(to, [&](Tensor& tensor, PartKind kind) {
    if (kind == PartKind::buffer && next < values.size()) tensor = std::move(values[next++]);
  });
}

// A scalar floating loss, or a refusal that names the caller. Returns the seed 1.
Tensor check_scalar(const char* caller, const Tensor& value);

}  // namespace detail

template <class Point>
struct ValueAndGrad {
  Tensor value;
  Point gradient;
};

// The value of f at a point and its gradient there. f returns one number (a tensor of size 1).
// With a model that is not const, what f changes in the model's buffers is kept.
template <class Point, class Function>
auto value_and_grad(Point&& point, Function&& f) {
  using Plain = std::remove_cvref_t<Point>;
  static_assert(Tree<Plain>, "the point must be a tensor, a model with LIKELY_PARTS, or a container of them");
  Plain tracked = point;
  Tape tape;
  const std::vector<Tensor> leaves = detail::track_parameters(tape, tracked);
  const Tensor value = detail::call_at(f, tracked);
  tape.stop();
  const Tensor seed = detail::check_scalar("value_and_grad", value);
  std::vector<Tensor> gradients = tape.sweep(value, seed, leaves, false);
  if constexpr (!std::is_const_v<std::remove_reference_t<Point>>)
    detail::carry_buffers_back(tape, tracked, point);
  return ValueAndGrad<Plain>{tape.below(value), detail::gradient_tree<Plain>(point, gradients)};
}

// The gradient alone.
template <class Point, class Function>
auto grad(Point&& point, Function&& f) {
  return value_and_grad(std::forward<Point>(point), std::forward<Function>(f)).gradient;
}

// The value of f at a point, and the map from a gradient of the output to the gradient at the point:
//   auto [value, pull_back] = vjp(x, f);   pull_back(g) is g^T J.
// pull_back can be called any number of times, while the tapes that were open when it was made still are.
template <class Point>
class PullBack {
 public:
  PullBack(std::shared_ptr<Tape> tape, Point point, std::vector<Tensor> leaves, Tensor value)
      : tape_(std::move(tape)),
        point_(std::move(point)),
        leaves_(std::move(leaves)),
        value_(std::move(value)) {}

  Point operator()(const Tensor& output_gradient) const {
    check_same_shape(output_gradient);
    std::vector<Tensor> gradients = tape_->sweep(value_, output_gradient, leaves_, true);
    return detail::gradient_tree(point_, gradients);
  }

 private:
  void check_same_shape(const Tensor& g) const {
    if (!(g.shape() == value_.shape())) {
      refuse("vjp", "the output's gradient has shape " + g.shape().string() + ", the output " +
                        value_.shape().string());
    }
  }

  std::shared_ptr<Tape> tape_;
  Point point_;
  std::vector<Tensor> leaves_;
  Tensor value_;
};

template <class Point>
struct ValueAndPullBack {
  Tensor value;
  PullBack<Point> pull_back;
};

template <class Point, class Function>
auto vjp(const Point& point, Function&& f) {
  Point tracked = point;
  auto tape = std::make_shared<Tape>();
  std::vector<Tensor> leaves = detail::track_parameters(*tape, tracked);
  const Tensor value = detail::call_at(f, tracked);
  tape->stop();
  return ValueAndPullBack<Point>{tape->below(value), PullBack<Point>(tape, point, std::move(leaves), value)};
}

struct ValueAndTangent {
  Tensor value;
  Tensor tangent;
};

// The value of f at a point and its derivative along a direction: J v. The direction has the point's type.
// Computed by differentiating the pull-back, which is linear in its argument: about three evaluations of f.
template <class Point, class Function>
ValueAndTangent jvp(const Point& point, const Point& direction, Function&& f);

// All derivatives of f: Tensor -> Tensor, shape = output's shape followed by the point's. One sweep a row.
template <class Function>
Tensor jacobian(const Tensor& point, Function&& f);

// All second derivatives of f: Tensor -> one number; shape = the point's shape twice.
template <class Function>
Tensor hessian(const Tensor& point, Function&& f);

// The Hessian times a direction, without the Hessian; point and direction may be models.
template <class Point, class Function>
Point hvp(const Point& point, const Point& direction, Function&& f);

}  // namespace likely

#include "likely/autodiff/gradient_higher.hpp"
