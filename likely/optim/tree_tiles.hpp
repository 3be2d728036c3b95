// An update of many tensors at once, cut into tiles of equal work. Internal to optim/.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "likely/core/threads.hpp"

namespace likely::optim::detail {

// Calls body(tensor, begin, end) for pieces of each tensor, where sizes[tensor] is its number of elements.
// One parallel region for the whole tree: a model of many small tensors costs one fork, not one each.
template <class Body>
void for_each_piece(const std::vector<std::int64_t>& sizes, double nanoseconds_each, const Body& body) {
  constexpr std::int64_t kPiece = 16384;
  struct Piece {
    std::size_t tensor;
    std::int64_t begin;
  };
  std::vector<Piece> pieces;
  std::int64_t total = 0;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    total += sizes[i];
    for (std::int64_t begin = 0; begin < sizes[i]; begin += kPiece) pieces.push_back({i, begin});
  }
  parallel_tiles(static_cast<std::int64_t>(pieces.size()), nanoseconds_each * static_cast<double>(total),
                 [&](std::int64_t tile) {
                   const Piece& piece = pieces[static_cast<std::size_t>(tile)];
                   body(piece.tensor, piece.begin, std::min(sizes[piece.tensor], piece.begin + kPiece));
                 });
}

}  // namespace likely::optim::detail
