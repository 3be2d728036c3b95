// Derivatives of functions: grad, value_and_grad, vjp, jvp, jacobian, hessian, hvp.
//
// The point comes first, the function last. The point may be a tensor, a model (a struct with LIKELY_PARTS)
// or a vector, array or tuple of them; a tuple is handed to the function as separate arguments. Gradients
// have the type of the point. Everything nests in everything, to any order.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "likely/autodiff/tape.hpp"
#include "likely/autodiff/trace.hpp"
#include "likely/core/layer_error.hpp"
#include "likely/core/parts.hpp"

namespace likely {

namespace detail {

// One tensor of a point. What is declared a Buffer is one whatever it holds.
struct PointLeaf {
  Tensor* tensor;
  bool is_buffer;

  bool is_parameter() const { return kind_of(*tensor, is_buffer) == PartKind::parameter; }
};

// Something done to every leaf of a point. Not a template, so that a model is walked by one function.
class LeafWork {
 public:
  virtual void operator()(const std::string& name, PointLeaf leaf) = 0;

 protected:
  ~LeafWork() = default;
};

template <bool WithNames, class Point>
void for_leaves(Point& point, LeafWork& work) {
  auto leaf = [&](const std::string& name, Tensor& tensor, bool is_buffer) {
    work(name, {&tensor, is_buffer});
  };
  walk_tree<WithNames>({}, point, leaf);
}

class CollectLeaves final : public LeafWork {
 public:
  std::vector<PointLeaf> leaves;
  void operator()(const std::string&, PointLeaf leaf) override { leaves.push_back(leaf); }
};
template <class Point>
std::vector<PointLeaf> leaves_of(Point& point) {
  CollectLeaves collect;
  for_leaves<false>(point, collect);
  return std::move(collect.leaves);
}

class CollectNames final : public LeafWork {
 public:
  std::vector<std::string> names;
  void operator()(const std::string& name, PointLeaf) override { names.push_back(name); }
};
template <class Point>
std::vector<std::string> leaf_names(Point& point) {
  CollectNames collect;
  for_leaves<true>(point, collect);
  return std::move(collect.names);
}

// A copy of the point to work on. A tensor on its own is no part of a model, so it is not frozen, wherever
// its value comes from.
template <class Point>
Point copy_of_point(const Point& point) {
  if constexpr (std::is_same_v<Point, Tensor>) {
    return point.with_track(point.track());
  } else {
    return point;
  }
}

// Replaces parameters by leaves of the tape, in place, and keeps these.
class TrackLeaves final : public LeafWork {
 public:
  explicit TrackLeaves(Tape& tape) : tape_(tape) {}
  void operator()(const std::string& name, PointLeaf leaf) override;

  std::vector<Tensor> leaves;
  bool some_frozen = false;
  bool some_moved_from = false;

 private:
  Tape& tape_;
};
[[noreturn]] void refuse_nothing_to_learn(const std::vector<PointLeaf>& point);
[[noreturn]] void refuse_moved_from(const std::vector<PointLeaf>& point,
                                    const std::vector<std::string>& names);

// Tracks the parameters of the point. Refuses one that has none, unless parts of it are frozen, and one of
// which a part was moved away.
template <class Point>
std::vector<Tensor> track_parameters(Tape& tape, Point& point) {
  TrackLeaves track(tape);
  if (tracing_non_finite()) {
    for_leaves<true>(point, track);
  } else {
    for_leaves<false>(point, track);
  }
  if (track.leaves.empty() && !track.some_frozen) refuse_nothing_to_learn(leaves_of(point));
  if (track.some_moved_from) refuse_moved_from(leaves_of(point), leaf_names(point));
  return std::move(track.leaves);
}

// f(point), or f(its elements...) for a tuple.
template <class Point, class Function>
decltype(auto) call_plainly(Function& f, Point& point) {
  if constexpr (is_tuple_like<std::remove_const_t<Point>>) {
    return std::apply(f, point);
  } else {
    return f(point);
  }
}
// The same as a tensor of the tape; what is refused inside says in which layer of the point.
template <class Point, class Function>
Tensor call_at(const Tape& tape, Function&& f, Point& point) {
  return naming_layers(point, [&]() -> Tensor { return tape.seen(call_plainly(f, point)); });
}

// Zeros for a part that is not learned; takes no memory.
Tensor no_gradient(const Tensor& like);

// Puts the gradients at the parameters and zeros elsewhere, in place of the values.
class PutGradients final : public LeafWork {
 public:
  explicit PutGradients(std::vector<Tensor>& gradients) : gradients_(gradients) {}
  void operator()(const std::string& name, PointLeaf leaf) override;

 private:
  std::vector<Tensor>& gradients_;
  std::size_t next_ = 0;
};

template <class Point>
Point gradient_tree(const Point& point, std::vector<Tensor>& gradients) {
  Point tree = copy_of_point(point);
  PutGradients put(gradients);
  for_leaves<false>(tree, put);
  return tree;
}

// Where in the tree the function put floating numbers that were not there before (they would be parameters
// that nobody tracked), or -1. Refuses another number of tensors than before.
std::ptrdiff_t new_parameter(const std::vector<PointLeaf>& before, const std::vector<PointLeaf>& after);
[[noreturn]] void refuse_new_parameter(const std::string& name);
// As many as before, but elsewhere: what was written would come back at other places.
[[noreturn]] void refuse_moved_parts();
// What the function wrote into the parts that are not learned goes back into the caller's.
void carry_back(const Tape& tape, const std::vector<PointLeaf>& from, const std::vector<PointLeaf>& to);

template <class Point>
void carry_buffers_back(const Tape& tape, Point& from, Point& to) {
  const std::vector<PointLeaf> before = leaves_of(to), after = leaves_of(from);
  if (before.size() == after.size() && !same_lengths(from, to)) refuse_moved_parts();
  if (const std::ptrdiff_t i = new_parameter(before, after); i >= 0) {
    refuse_new_parameter(leaf_names(from)[static_cast<std::size_t>(i)]);
  }
  carry_back(tape, after, before);
}

// A scalar floating loss, or a refusal that names the caller. Returns the seed 1.
Tensor check_scalar(const char* caller, const Tensor& value);

// What f gives at a point.
template <class Point, class Function>
using ResultAt =
    std::remove_cvref_t<decltype(call_plainly(std::declval<Function&>(), std::declval<Point&>()))>;

// Whether that is a number with something beside it.
template <class Result>
struct Beside {
  static constexpr bool kAny = false;
};
template <class Aux>
struct Beside<std::pair<Tensor, Aux>> {
  static constexpr bool kAny = true;
  using Type = Aux;
};

}  // namespace detail

template <class Point>
struct ValueAndGrad {
  Tensor value;
  Point gradient;
};
template <class Point, class Aux>
struct ValueGradAndAux {
  Tensor value;
  Point gradient;
  Aux aux;
};

// The value of f at a point and its gradient there. f returns one number (a tensor of size 1).
// With a model that is not const, what f changes in the model's buffers is kept. Refuses a point without
// floating numbers to learn (all of them frozen is allowed, the gradient is 0), and an f that changes the
// number of the model's tensors or puts floating numbers into a part that had none and is no Buffer.
//
// f may return something beside the number, which is handed on and not differentiated:
//   const auto [loss, gradient, logits] = value_and_grad(model, [&](auto& m) {
//     const Tensor logits = m(x);
//     return std::pair(softmax_cross_entropy(logits, y), logits);
//   });
//
// Whether f hands a Training to the model's layers is not known here: a loss that does not takes its gradient
// without dropout and with running statistics, as is right for a trained model (train::fit asks).
template <class Point, class Function>
auto value_and_grad(Point&& point, Function&& f) {
  using Plain = std::remove_cvref_t<Point>;
  static_assert(Tree<Plain>, "the point must be a tensor, a model with LIKELY_PARTS, or a container of them");
  using Beside = detail::Beside<detail::ResultAt<Plain, std::remove_reference_t<Function>>>;
  if constexpr (Beside::kAny) {
    std::optional<typename Beside::Type> aux;
    auto result = value_and_grad(std::forward<Point>(point), [&](auto&... parts) -> Tensor {
      auto both = f(parts...);
      aux.emplace(std::move(both.second));
      return std::move(both.first);
    });
    return ValueGradAndAux<Plain, typename Beside::Type>{std::move(result.value), std::move(result.gradient),
                                                         std::move(*aux)};
  } else {
    Plain tracked = detail::copy_of_point<Plain>(point);
    Tape tape;
    const std::vector<Tensor> leaves = detail::track_parameters(tape, tracked);
    const Tensor value = detail::call_at(tape, f, tracked);
    tape.stop();
    const Tensor seed = detail::check_scalar("value_and_grad", value);
    std::vector<Tensor> gradients = tape.sweep_once(value, seed, leaves);
    if constexpr (!std::is_const_v<std::remove_reference_t<Point>> && !std::is_same_v<Plain, Tensor>)
      detail::carry_buffers_back(tape, tracked, point);
    return ValueAndGrad<Plain>{tape.below(value), detail::gradient_tree<Plain>(point, gradients)};
  }
}

// The gradient alone.
template <class Point, class Function>
auto grad(Point&& point, Function&& f) {
  return value_and_grad(std::forward<Point>(point), std::forward<Function>(f)).gradient;
}

// The value of f at a point, and the map from a gradient of the output to the gradient at the point:
//   auto [value, pull_back] = vjp(x, f);   pull_back(g) is g^T J.
// pull_back can be called any number of times, by several threads at once, while the tapes that were open
// when it was made still are.
template <class Point>
class PullBack {
 public:
  PullBack(std::shared_ptr<const Tape> tape, Point point, std::vector<Tensor> leaves, Tensor value)
      : tape_(std::move(tape)),
        point_(std::move(point)),
        leaves_(std::move(leaves)),
        value_(std::move(value)) {}

  Point operator()(const Tensor& output_gradient) const {
    check_same_shape(output_gradient);
    std::vector<Tensor> gradients = tape_->sweep(value_, output_gradient, leaves_);
    return detail::gradient_tree(point_, gradients);
  }

 private:
  void check_same_shape(const Tensor& g) const {
    if (!(g.shape() == value_.shape())) {
      refuse("vjp", "the output's gradient has shape " + g.shape().string() + ", the output " +
                        value_.shape().string());
    }
  }

  std::shared_ptr<const Tape> tape_;
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
  Point tracked = detail::copy_of_point(point);
  auto tape = std::make_shared<Tape>();
  std::vector<Tensor> leaves = detail::track_parameters(*tape, tracked);
  const Tensor value = detail::call_at(*tape, f, tracked);
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
