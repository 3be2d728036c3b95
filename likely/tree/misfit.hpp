// misfit: whether the tensors of a tree can be what they are there for.
//
// A model's own tensors say which shapes fit into it. Other parts are empty at first (an optimizer's, before
// its first step), or mean something that only some numbers can mean (a count of steps, a variance). A struct
// with LIKELY_PARTS that knows more about its parts says so:
//
//   std::string misfit() const;  // "steps is (3,) i64, must be (4,) i64"; empty where all is well
//
// Whatever puts tensors from a file into a tree, or from a tree into a file, asks all of them, and refuses
// what does not fit.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>

#include "likely/core/parts.hpp"

namespace likely {

namespace detail {

template <class T>
concept KnowsMisfit = HasParts<T> && requires(const T& node) {
  { node.misfit() } -> std::same_as<std::string>;
};

// The first complaint below `node`, with the path in front of its name.
template <class Node>
std::string find_misfit(const std::string& path, const Node& node) {
  std::string found;
  if constexpr (KnowsMisfit<Node>) {
    found = node.misfit();
    if (!found.empty()) return join_path(path, found);
  }
  visit_below(node, [&](std::string_view name, const auto& part) {
    if (found.empty()) found = find_misfit(join_path(path, name), part);
  });
  return found;
}

}  // namespace detail

// What is wrong with a tree, by the dotted name of the part: "encoder.fill is (1,) f64, must be (13,) f64".
// Empty where nothing is.
template <Tree T>
std::string misfit(const T& tree) {
  return detail::find_misfit({}, tree);
}

// What the numbers of a part may be.
enum class Values : std::uint8_t {
  any,
  not_nan,
  finite,
  not_negative,  // and no NaN, but infinite if need be
  at_least_0,    // and finite
  positive,      // and finite
  count          // whole, from 0 to 2^53, which a double still holds exactly
};

// The most that anything is counted to.
inline constexpr std::int64_t kMostCounted = std::int64_t{1} << 53;

// "(3, 2) f64", or "empty".
std::string shape_and_type(const Tensor& tensor);

// For misfit(): what is wrong with one part, beginning with its name, or nothing.
std::string part_misfit(std::string_view name, const Tensor& part, const Shape& shape, DType dtype,
                        Values values = Values::any);
std::string values_misfit(std::string_view name, const Tensor& part, Values values);
// The same of a part of any shape that must not be empty.
std::string empty_misfit(std::string_view name, const Tensor& part);
// The same of a single number.
std::string number_misfit(std::string_view name, double value, Values values);
std::string number_misfit(std::string_view name, std::int64_t value, Values values);

}  // namespace likely
