// Blocks of memory straight from the system, in a fixed set of sizes. Internal to core/; memory.hpp keeps
// them for the next tensors.
#pragma once

#include <cstddef>

#include "likely/core/memory.hpp"

namespace likely::detail {

// Sizes are rounded up to 4 steps an octave, so that at most a fifth of a block is wasted.
inline constexpr int kSizeClasses = 192;
inline constexpr std::size_t kLargestBlock = std::size_t{1} << 46;

// The class of the smallest blocks that hold so many bytes, at most kLargestBlock.
int size_class_of(std::size_t bytes);

// A new block without an owner; null where there is no memory.
Block* system_block(int size_class);
void system_free(Block* block);

}  // namespace likely::detail
