// The text of an einsum, read. Internal to ops/.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace likely::detail {

// A letter, or an axis that "..." stands for, counted from the last one.
using Index = int;
using Indices = std::vector<Index>;

inline constexpr Index kBroadcast = 256;
inline bool broadcasts(Index index) { return index >= kBroadcast; }
// "index 'i'" or "an axis of '...'".
std::string describe(Index index);

struct EinsumIndices {
  std::vector<Indices> operands;  // one index an axis
  Indices result;
};

// Reads "bij,bjk->bik" for operands of these ranks; refuses what einsum.hpp says.
EinsumIndices parse_einsum(std::string_view text, const std::vector<int>& ranks);

}  // namespace likely::detail
