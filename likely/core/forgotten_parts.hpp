// Finds, when a model is compiled, a member that holds tensors and is not named in LIKELY_PARTS. Internal to
// core/parts.hpp.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

namespace likely::detail {

template <class... Types>
struct TypeList {
  static constexpr std::size_t size = sizeof...(Types);
};

// What a list of parts is made of; only ever asked for its type.
template <class... Parts>
TypeList<std::remove_cvref_t<Parts>...> list_types(Parts&&...);

template <class T, class... Outer>
constexpr bool holds_tensors();

template <class... Outer, class... Types>
constexpr bool any_holds_tensors(TypeList<Types...>) {
  return (holds_tensors<Types, Outer...>() || ...);
}

// How many of these hold tensors.
template <class... Types>
constexpr std::size_t count_holding(TypeList<Types...>) {
  return (std::size_t{0} + ... + std::size_t{holds_tensors<Types>()});
}

// Stand-ins for a member when a struct is put together by braces, which is only asked whether it could be.
struct AnyMember {
  template <class T>
  operator T() const;  // NOLINT(google-explicit-constructor)
};
struct TensorMember {
  template <class T>
  requires(holds_tensors<T>()) operator T() const;  // NOLINT(google-explicit-constructor)
};

template <class T, std::size_t... I>
constexpr bool has_members(std::index_sequence<I...>) {
  return requires { T{(static_cast<void>(I), AnyMember{})...}; };
}
template <class T, std::size_t Which, std::size_t... I>
constexpr bool member_holds_tensors(std::index_sequence<I...>) {
  return requires { T{std::conditional_t<I == Which, TensorMember, AnyMember>{}...}; };
}

template <class T, std::size_t Count, std::size_t... I>
constexpr std::size_t count_members_holding(std::index_sequence<I...> all) {
  return (std::size_t{0} + ... + std::size_t{member_holds_tensors<T, I>(all)});
}

// How many members of an aggregate hold tensors, of the first 16. 0 where braces cannot tell.
template <class T, std::size_t Count = 16>
constexpr std::size_t tensor_members() {
  if constexpr (Count == 0) {
    return 0;
  } else if constexpr (has_members<T>(std::make_index_sequence<Count>{})) {
    return count_members_holding<T, Count>(std::make_index_sequence<Count>{});
  } else {
    return tensor_members<T, Count - 1>();
  }
}

// Whether LIKELY_PARTS of T names as many tensor holders as T has members that hold tensors. Only aggregates
// can be looked into: a struct with constructors or private members is taken at its word.
template <class T>
constexpr bool names_every_part() {
  if constexpr (std::is_aggregate_v<T>) {
    constexpr std::size_t kNamed = count_holding(decltype(T::likely_part_types()){});
    return tensor_members<T>() <= kNamed;
  } else {
    return true;
  }
}

}  // namespace likely::detail
