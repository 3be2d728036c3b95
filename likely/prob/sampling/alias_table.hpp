// AliasTable: draws from weights in constant time (Walker 1977, Vose 1991).
//
//   const AliasTable table(counts);
//   const Tensor drawn = table.sample(rng, {64, 5});   // number i with probability counts[i] / sum
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "likely/core/tensor.hpp"
#include "likely/ops/rng.hpp"

namespace likely {

// Every number has a column of height 1, of which the lower part is its own and the upper part that of one
// other number, its alias. A draw takes a column and a height: one look at memory, whatever the number of
// weights.
class AliasTable {
 public:
  // Refuses no weights, more than 2^32 - 1 of them, and such as are negative, not finite, or all zero.
  explicit AliasTable(std::span<const double> weights);

  std::int64_t size() const { return static_cast<std::int64_t>(columns_.size()); }

  // The number that 64 random bits draw.
  std::uint32_t operator()(std::uint64_t bits) const {
    __extension__ using Wide = unsigned __int128;
    const Wide place = static_cast<Wide>(bits) * columns_.size();
    const auto index = static_cast<std::uint32_t>(place >> 64);
    const Column column = columns_[index];
    // The rest is uniform within the column.
    return static_cast<std::uint32_t>(static_cast<std::uint64_t>(place) >> 32) < column.own ? index
                                                                                            : column.alias;
  }
  // Numbers of this shape, i64; constants to gradients.
  Tensor sample(Rng rng, const Shape& shape) const;
  // What is drawn how often, exactly: the weights divided by their sum, up to 2^-32 of a column.
  std::vector<double> probabilities() const;

 private:
  struct Column {
    std::uint32_t own;  // of 2^32; a column that is all its own has itself as alias
    std::uint32_t alias;
  };
  std::vector<Column> columns_;
};

}  // namespace likely
