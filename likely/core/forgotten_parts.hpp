// Finds, when a model is compiled, a member that holds tensors and is not named in LIKELY_PARTS. Only for
// core/parts.hpp.
//
// What can be seen: the members and bases of an aggregate, that is a struct without constructors and private
// members, up to 32 of them. A tensor is seen in a part, a vector, array, optional, pair, tuple, map or
// another container that owns its elements, and behind a unique_ptr. It is not seen behind a shared_ptr or a
// plain pointer, in std::any, in a type that can be made from anything, and in a struct without LIKELY_PARTS;
// and not at all beside a member with a constructor template <class T> Member(const T&) or Member(T), which
// braces cannot tell from the rest. Members are counted, not told apart: a base whose tensors are named one
// by one makes up for as many forgotten members.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

namespace likely::detail {

template <class... Types>
struct TypeList {};

// What a list of parts is made of; only ever asked for its type.
template <class... Parts>
TypeList<std::remove_cvref_t<Parts>...> list_types(Parts&&...);

template <class T, class... Outer>
constexpr bool holds_tensors();

template <class... Outer, class... Types>
constexpr bool any_holds_tensors(TypeList<Types...>) {
  return (holds_tensors<Types, Outer...>() || ...);
}

// What is asked of a member.
struct HoldsTensors {
  template <class T>
  static constexpr bool of() {
    return holds_tensors<T>();
  }
};

// How many of these types are such.
template <class Asked, class... Types>
constexpr std::size_t count_types(TypeList<Types...>) {
  return (std::size_t{0} + ... + std::size_t{Asked::template of<Types>()});
}

// Stand-ins for a member when a struct is put together by braces, which is only asked whether it could be.
// A member that can be made of NoMember takes everything, and tells nothing.
struct AnyMember {
  template <class T>
  operator T() const;  // NOLINT(google-explicit-constructor)
};
template <class Asked>
struct MemberThat {
  template <class T>
  requires(Asked::template of<T>()) operator T() const;  // NOLINT(google-explicit-constructor)
};
struct NoMember {};

template <class T, std::size_t... I>
constexpr bool has_members(std::index_sequence<I...>) {
  return requires { T{(static_cast<void>(I), AnyMember{})...}; };
}
template <class T, class Member, std::size_t Which, std::size_t... I>
constexpr bool member_can_be(std::index_sequence<I...>) {
  return requires { T{std::conditional_t<I == Which, Member, AnyMember>{}...}; };
}

template <class T, class Asked, std::size_t... I>
constexpr std::size_t count_members_among(std::index_sequence<I...> all) {
  return (std::size_t{0} + ... +
          std::size_t{member_can_be<T, MemberThat<Asked>, I>(all) && !member_can_be<T, NoMember, I>(all)});
}

// How many members of an aggregate are such, of the first 32. 0 where braces cannot tell.
template <class T, class Asked, std::size_t Count = 32>
constexpr std::size_t count_members() {
  if constexpr (Count == 0) {
    return 0;
  } else if constexpr (has_members<T>(std::make_index_sequence<Count>{})) {
    return count_members_among<T, Asked>(std::make_index_sequence<Count>{});
  } else {
    return count_members<T, Asked, Count - 1>();
  }
}

// Whether LIKELY_PARTS of T names as many such parts as T has such members. Only aggregates can be looked
// into: a struct with constructors or private members is taken at its word.
template <class T, class Asked = HoldsTensors>
constexpr bool names_every_part() {
  if constexpr (std::is_aggregate_v<T>) {
    return count_members<T, Asked>() <= count_types<Asked>(decltype(T::likely_part_types()){});
  } else {
    return true;
  }
}

// The struct that LIKELY_PARTS was written in, for one that may have inherited it.
template <class T>
std::type_identity<T> struct_of(void (T::*)() const);

// Whether a struct that inherits its LIKELY_PARTS adds nothing that holds tensors: its base is one member,
// there must not be another.
template <class T>
constexpr bool inherits_every_part() {
  if constexpr (requires { struct_of(&T::likely_names_its_parts); } && std::is_aggregate_v<T>) {
    using Named = typename decltype(struct_of(&T::likely_names_its_parts))::type;
    return std::is_same_v<Named, T> || count_members<T, HoldsTensors>() <= 1;
  } else {
    return true;
  }
}

}  // namespace likely::detail
