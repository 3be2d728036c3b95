#include "likely/core/strided_walk.hpp"

#include <cstdlib>

namespace likely::detail {

namespace {

// Where a layout is turned (the source's fastest dimension is not the target's), pieces of some lines by
// many.
constexpr std::int64_t kTurnRows = 64;
constexpr std::int64_t kTurnColumns = 256;

std::int64_t pieces(std::int64_t whole, std::int64_t piece) { return (whole + piece - 1) / piece; }

}  // namespace

StridedWalk::StridedWalk(const Shape& shape, const Strides& from, const Strides& to) {
  collapse(shape, from, to);
  cut();
}

void StridedWalk::collapse(const Shape& shape, const Strides& from, const Strides& to) {
  for (int i = 0; i < shape.rank(); ++i) {
    if (shape[i] == 1) continue;
    dimensions_[static_cast<std::size_t>(count_++)] = {shape[i], from[i], to[i]};
    whole_ *= shape[i];
  }
  // The target's fastest dimension last, whatever the order they came in. Stable and short: insertion.
  for (int i = 1; i < count_; ++i) {
    for (int j = i; j > 0; --j) {
      Dimension& a = dimensions_[static_cast<std::size_t>(j - 1)];
      Dimension& b = dimensions_[static_cast<std::size_t>(j)];
      if (std::abs(a.to) >= std::abs(b.to)) break;
      std::swap(a, b);
    }
  }
  int kept = 0;
  for (int i = 1; i < count_; ++i) {
    Dimension& above = dimensions_[static_cast<std::size_t>(kept)];
    const Dimension& d = dimensions_[static_cast<std::size_t>(i)];
    if (above.from == d.from * d.size && above.to == d.to * d.size) {
      above = {above.size * d.size, d.from, d.to};
    } else {
      dimensions_[static_cast<std::size_t>(++kept)] = d;
    }
  }
  if (count_ > 0) count_ = kept + 1;
}

void StridedWalk::cut() {
  if (count_ == 0) return;
  const Dimension fastest = dimensions_[static_cast<std::size_t>(count_ - 1)];
  columns_ = fastest.size;
  from_column = fastest.from;
  to_column = fastest.to;
  outer_ = count_ - 1;
  bool turned = false;
  if (count_ > 1) {
    // Rows run along the source's fastest dimension; where that is the columns' too, along the next one.
    int best = count_ - 2;
    for (int i = count_ - 2; i >= 0; --i) {
      const std::int64_t step = std::abs(dimensions_[static_cast<std::size_t>(i)].from);
      if (step != 0 && step < std::abs(fastest.from) &&
          (!turned || step < std::abs(dimensions_[static_cast<std::size_t>(best)].from))) {
        best = i;
        turned = true;
      }
    }
    const Dimension row = dimensions_[static_cast<std::size_t>(best)];
    rows_ = row.size;
    from_row = row.from;
    to_row = row.to;
    for (auto i = static_cast<std::size_t>(best); i + 2 < static_cast<std::size_t>(count_); ++i) {
      dimensions_[i] = dimensions_[i + 1];
    }
    outer_ = count_ - 2;
  }
  if (turned) {
    block_rows_ = std::min(rows_, kTurnRows);
    block_columns_ = std::min(columns_, kTurnColumns);
  } else {
    block_columns_ = std::min(columns_, kTileElements);
    block_rows_ = std::min(rows_, std::max<std::int64_t>(1, kTileElements / block_columns_));
  }
  row_blocks_ = pieces(rows_, block_rows_);
  column_blocks_ = pieces(columns_, block_columns_);
  cells_ = whole_ / (rows_ * columns_) * row_blocks_ * column_blocks_;
  cells_per_tile_ = std::max<std::int64_t>(1, kTileElements / (block_rows_ * block_columns_));
}

}  // namespace likely::detail
