// The numbers in a struct of options, whatever their names. Only for train/.
#pragma once

#include <cstddef>
#include <tuple>
#include <type_traits>
#include <vector>

namespace likely::train::detail {

struct AnyField {
  template <class T>
  operator T() const;  // NOLINT(google-explicit-constructor): stands for any field
};
struct NumberField {
  template <class T>
  requires std::is_arithmetic_v<T>
  operator T() const;  // NOLINT(google-explicit-constructor): stands for a number
};

// With how many of these a struct can be made.
template <class Options, class Field, class... Fields>
consteval std::size_t count_fields() {
  if constexpr (requires { Options{Fields{}..., Field{}}; }) {
    return count_fields<Options, Field, Fields..., Field>();
  } else {
    return sizeof...(Fields);
  }
}

template <std::size_t count, class Options>
auto fields_of(const Options& o) {
  if constexpr (count == 1) {
    const auto& [a] = o;
    return std::tie(a);
  } else if constexpr (count == 2) {
    const auto& [a, b] = o;
    return std::tie(a, b);
  } else if constexpr (count == 3) {
    const auto& [a, b, c] = o;
    return std::tie(a, b, c);
  } else if constexpr (count == 4) {
    const auto& [a, b, c, d] = o;
    return std::tie(a, b, c, d);
  } else if constexpr (count == 5) {
    const auto& [a, b, c, d, e] = o;
    return std::tie(a, b, c, d, e);
  } else if constexpr (count == 6) {
    const auto& [a, b, c, d, e, f] = o;
    return std::tie(a, b, c, d, e, f);
  } else if constexpr (count == 7) {
    const auto& [a, b, c, d, e, f, g] = o;
    return std::tie(a, b, c, d, e, f, g);
  } else {
    const auto& [a, b, c, d, e, f, g, h] = o;
    return std::tie(a, b, c, d, e, f, g, h);
  }
}

// All numbers but the learning rate, in their order. Nothing of what is no aggregate of one to eight numbers.
template <class Options>
std::vector<double> values_beside_rate(const Options& options) {
  std::vector<double> values;
  if constexpr (std::is_aggregate_v<Options>) {
    constexpr std::size_t count = count_fields<Options, NumberField>();
    if constexpr (count > 0 && count <= 8 && count == count_fields<Options, AnyField>()) {
      const auto add = [&](const auto& field) {
        if (static_cast<const void*>(&field) != static_cast<const void*>(&options.lr))
          values.push_back(static_cast<double>(field));
      };
      std::apply([&](const auto&... fields) { (add(fields), ...); }, fields_of<count>(options));
    }
  }
  return values;
}

}  // namespace likely::train::detail
