// An update of many tensors at once, cut into tiles of equal work. Internal to optim/.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "likely/core/create.hpp"
#include "likely/core/threads.hpp"
#include "likely/optim/leaves.hpp"

namespace likely::optim::detail {

// How many elements a piece has, but for the last of a tensor.
inline constexpr std::int64_t kPiece = 16384;

// Calls body(tensor, begin, end) for pieces of each tensor, where sizes[tensor] is its number of elements.
// One parallel region for the whole tree: a model of many small tensors costs one fork, not one each.
template <class Body>
void for_each_piece(const std::vector<std::int64_t>& sizes, double nanoseconds_each, const Body& body) {
  struct Place {
    std::size_t tensor;
    std::int64_t begin;
  };
  std::vector<Place> pieces;
  std::int64_t total = 0;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    total += sizes[i];
    for (std::int64_t begin = 0; begin < sizes[i]; begin += kPiece) pieces.push_back({i, begin});
  }
  parallel_tiles(static_cast<std::int64_t>(pieces.size()), nanoseconds_each * static_cast<double>(total),
                 [&](std::int64_t tile) {
                   const Place& piece = pieces[static_cast<std::size_t>(tile)];
                   body(piece.tensor, piece.begin, std::min(sizes[piece.tensor], piece.begin + kPiece));
                 });
}

// A piece of a learned tensor, of its gradient, and of what an optimizer keeps for it.
template <class T, std::size_t States>
struct Piece {
  std::size_t leaf;  // which tensor of the model
  std::int64_t count;
  T* parameter;
  const T* gradient;
  std::array<T*, States> state;
};

template <std::size_t States>
using StateLists = std::array<std::vector<Buffer>*, States>;

template <class T, std::size_t States, class Body>
void update_leaves_of(const std::vector<Leaf>& leaves, const StateLists<States>& states,
                      double nanoseconds_each, const Body& body) {
  std::vector<Piece<T, States>> whole;
  std::vector<Tensor> gradients;  // dense ones, kept alive
  std::vector<std::int64_t> sizes;
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    if (!leaves[i].learned || leaves[i].value->dtype() != dtype_of<T>) continue;
    Tensor& parameter = *leaves[i].value;
    gradients.push_back(leaves[i].gradient->contiguous());
    Piece<T, States> all{
        i, parameter.size(), parameter.mutable_data<T>(), gradients.back().template data<T>(), {}};
    for (std::size_t k = 0; k < States; ++k) {
      Buffer& state = (*states[k])[i];
      if (!state.defined()) state = zeros(parameter.shape(), parameter.dtype());
      all.state[k] = state.template mutable_data<T>();
    }
    whole.push_back(all);
    sizes.push_back(parameter.size());
  }
  for_each_piece(sizes, nanoseconds_each, [&](std::size_t tensor, std::int64_t begin, std::int64_t end) {
    Piece<T, States> piece = whole[tensor];
    piece.count = end - begin;
    piece.parameter += begin;
    piece.gradient += begin;
    for (T*& state : piece.state) state += begin;
    body(piece);
  });
}

// Calls body(piece) for all pieces of all learned tensors, f32 and f64. States start as zeros.
template <std::size_t States, class Body>
void update_leaves(const std::vector<Leaf>& leaves, const StateLists<States>& states, double nanoseconds_each,
                   const Body& body) {
  update_leaves_of<float, States>(leaves, states, nanoseconds_each, body);
  update_leaves_of<double, States>(leaves, states, nanoseconds_each, body);
}

}  // namespace likely::optim::detail
