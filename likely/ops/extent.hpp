// Height and width, as the options of convolutions and pooling take them.
#pragma once

#include <cstdint>
#include <optional>

namespace likely {

// One number for both axes, or one each: 2, {3, 1}.
struct Extent2d {
  std::int64_t height;
  std::int64_t width;

  constexpr Extent2d(std::int64_t both) : height(both), width(both) {}  // NOLINT(google-explicit-constructor)
  constexpr Extent2d(std::int64_t rows, std::int64_t columns) : height(rows), width(columns) {}
};

// The same, or nothing: then it follows from something else. (std::optional alone does not take {3, 1}.)
struct OptionalExtent2d : std::optional<Extent2d> {
  constexpr OptionalExtent2d() = default;
  constexpr OptionalExtent2d(std::int64_t both) : optional(Extent2d(both)) {}  // NOLINT
  constexpr OptionalExtent2d(std::int64_t rows, std::int64_t columns) : optional(Extent2d(rows, columns)) {}
  constexpr OptionalExtent2d(const Extent2d& extent) : optional(extent) {}  // NOLINT
};

}  // namespace likely
