// The plan of a walk over two strided layouts at once: as few dimensions as possible, cut into blocks of
// rows. Internal to core/.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "likely/core/shape.hpp"
#include "likely/core/threads.hpp"

namespace likely::detail {

// A rectangle of elements: `columns` along the target's fastest dimension, `rows` along one other.
struct Rectangle {
  std::int64_t from = 0;  // offsets of its first element
  std::int64_t to = 0;
  std::int64_t rows = 1;
  std::int64_t columns = 1;
};

class StridedWalk {
 public:
  // The shape must have elements.
  StridedWalk(const Shape& shape, const Strides& from, const Strides& to);

  // The steps of all rectangles from row to row and from column to column.
  std::int64_t from_row = 0;
  std::int64_t from_column = 1;
  std::int64_t to_row = 0;
  std::int64_t to_column = 1;

  // Calls visit(rectangle) until all elements are covered, on several threads where that pays.
  template <class Visit>
  void run(double nanoseconds_per_element, const Visit& visit) const {
    if (count_ == 1 && whole_ <= kTileElements) {
      visit(Rectangle{0, 0, rows_, columns_});
      return;
    }
    const std::int64_t tiles = (cells_ + cells_per_tile_ - 1) / cells_per_tile_;
    parallel_tiles(tiles, nanoseconds_per_element * static_cast<double>(whole_),
                   [&](std::int64_t tile) { run_tile(tile * cells_per_tile_, visit); });
  }

 private:
  static constexpr std::int64_t kTileElements = 16384;
  struct Dimension {
    std::int64_t size;
    std::int64_t from;
    std::int64_t to;
  };

  void collapse(const Shape& shape, const Strides& from, const Strides& to);
  void cut();

  // Cells are numbered with the column block fastest, then the row block, then the outer dimensions.
  template <class Visit>
  void run_tile(std::int64_t first, const Visit& visit) const {
    std::array<std::int64_t, Shape::kMaxRank> index{};
    std::int64_t rest = first;
    std::int64_t column = rest % column_blocks_ * block_columns_;
    rest /= column_blocks_;
    std::int64_t row = rest % row_blocks_ * block_rows_;
    rest /= row_blocks_;
    std::int64_t from = 0;
    std::int64_t to = 0;
    for (int i = outer_ - 1; i >= 0; --i) {
      const Dimension& d = dimensions_[static_cast<std::size_t>(i)];
      index[static_cast<std::size_t>(i)] = rest % d.size;
      rest /= d.size;
      from += index[static_cast<std::size_t>(i)] * d.from;
      to += index[static_cast<std::size_t>(i)] * d.to;
    }
    const std::int64_t last = std::min(first + cells_per_tile_, cells_);
    for (std::int64_t cell = first; cell < last; ++cell) {
      visit(Rectangle{from + row * from_row + column * from_column, to + row * to_row + column * to_column,
                      std::min(block_rows_, rows_ - row), std::min(block_columns_, columns_ - column)});
      column += block_columns_;
      if (column < columns_) continue;
      column = 0;
      row += block_rows_;
      if (row < rows_) continue;
      row = 0;
      for (int i = outer_ - 1; i >= 0; --i) {
        const Dimension& d = dimensions_[static_cast<std::size_t>(i)];
        std::int64_t& position = index[static_cast<std::size_t>(i)];
        from += d.from;
        to += d.to;
        if (++position < d.size) break;
        from -= position * d.from;
        to -= position * d.to;
        position = 0;
      }
    }
  }

  std::array<Dimension, Shape::kMaxRank> dimensions_;  // the outer ones first, then rows and columns
  int count_ = 0;
  int outer_ = 0;
  std::int64_t rows_ = 1;
  std::int64_t columns_ = 1;
  std::int64_t whole_ = 1;
  std::int64_t block_rows_ = 1;
  std::int64_t block_columns_ = 1;
  std::int64_t row_blocks_ = 1;
  std::int64_t column_blocks_ = 1;
  std::int64_t cells_ = 1;
  std::int64_t cells_per_tile_ = 1;
};

}  // namespace likely::detail
