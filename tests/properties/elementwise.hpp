// How the tables of elementwise operations are written.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tests/support/op_properties.hpp"

namespace likely::testing {

// Odd sizes, remainders of every vector, more rows than a block of a strided walk.
inline const std::vector<std::string> kElementSizes = {"a=7 b=13", "a=3 b=21", "a=1 b=17", "a=37 b=131"};
// And more elements than a tile, more than one thread takes: for one operation of each kind of loop.
inline const std::vector<std::string> kManyElementSizes = {"a=7 b=13", "a=259 b=131", "a=601 b=501"};
inline const std::vector<DType> kAllTypes = {DType::f32, DType::f64, DType::i64, DType::boolean};
inline const std::vector<DType> kNumberTypes = {DType::f32, DType::f64, DType::i64};

using Unary = Tensor (*)(const Tensor&);
using Binary = Tensor (*)(const Tensor&, const Tensor&);
using PlainUnary = std::function<plain::Number(const plain::Number&)>;
using PlainBinary = std::function<plain::Number(const plain::Number&, const plain::Number&)>;

inline Op unary_op(const std::string& name, std::function<Tensor(const Tensor&)> call, const PlainUnary& loop,
                   double low = -2.0, double high = 2.0) {
  return {.name = name,
          .declares = {name + "(Tensor)"},
          .inputs = {{.axes = "ab", .low = low, .high = high, .draw = Draw::apart}},
          .sizes = kElementSizes,
          .call = [call = std::move(call)](const Tensors& x) { return call(x[0]); },
          .loop = [loop](const Arrays& x) { return plain::map(loop, x[0]); },
          .same_bits = true,
          .specials = true};
}

// The same shape twice; broadcasting in the other ways has entries of its own.
inline Op binary_op(const std::string& name, std::function<Tensor(const Tensor&, const Tensor&)> call,
                    const PlainBinary& loop, double low = -2.0, double high = 2.0) {
  return {.name = name,
          .declares = {name + "(Tensor, Tensor)"},
          .inputs = {{.axes = "ab", .low = low, .high = high}, {.axes = "ab", .low = low, .high = high}},
          .sizes = kElementSizes,
          .call = [call = std::move(call)](const Tensors& x) { return call(x[0], x[1]); },
          .loop = [loop](const Arrays& x) { return plain::map(loop, x[0], x[1]); },
          .same_bits = true,
          .specials = true};
}

// An operation with an option or two.
inline Op with(Op op, const std::function<void(Op&)>& change) {
  change(op);
  return op;
}

// A binary operation once more for operands that broadcast.
inline Op broadcasting(Op op, const std::string& first, const std::string& second) {
  op.name += " of " + first + " and " + second;
  op.inputs[0].axes = first;
  op.inputs[1].axes = second;
  op.sizes = {"a=5 b=7 c=3", "a=37 b=131 c=2"};
  op.specials = false;
  return op;
}

inline const std::vector<std::pair<std::string, std::string>> kBroadcasts = {
    {"ab", "b"}, {"ab", "a1"}, {"a1", "1b"}, {"cab", "c1b"}, {"b", "cab"}, {"", "ab"}, {"ab", "1"}};

}  // namespace likely::testing
