#include "likely/data/dataset.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <utility>

#include "likely/data/batches.hpp"
#include "likely/ops/join.hpp"
#include "likely/ops/view.hpp"

namespace likely::data {

namespace {

using Rows = std::vector<std::int64_t>;

// How many rows are read at a time where only their targets are wanted.
constexpr std::int64_t kPiece = 1024;

void check_rows(const char* operation, std::span<const std::int64_t> which, std::int64_t size) {
  for (const std::int64_t row : which) {
    if (row >= 0 && row < size) continue;
    refuse(operation,
           "row " + std::to_string(row) + " is out of range for " + std::to_string(size) + " rows");
  }
}

void check_range(const char* operation, std::int64_t first, std::int64_t count, std::int64_t size) {
  if (first >= 0 && count >= 0 && first <= size - count) return;
  refuse(operation, std::to_string(count) + " rows from row " + std::to_string(first) +
                        " are out of range for " + std::to_string(size) + " rows");
}

class TensorSource final : public Source {
 public:
  TensorSource(const Tensor& x, const Tensor& y) {
    if (!x.defined()) refuse("Dataset", "x is an empty tensor");
    if (x.rank() == 0) refuse("Dataset", "rows are needed along axis 0, x is a scalar");
    x_ = x.with_track({}).contiguous();
    if (!y.defined()) return;
    if (y.rank() == 0 || y.dim(0) != x.dim(0)) {
      refuse("Dataset", "x and y must have the same number of rows, got shapes " + x.shape().string() +
                            " and " + y.shape().string());
    }
    y_ = y.with_track({}).contiguous();
  }

  std::int64_t size() const override { return x_.dim(0); }
  Batch rows(std::span<const std::int64_t> which) const override {
    return {gather_rows(x_, which), y_.defined() ? gather_rows(y_, which) : Tensor()};
  }
  Batch range(std::int64_t first, std::int64_t count) const override {
    if (first == 0 && count == size()) return {x_, y_};
    const Range range{.start = first, .stop = first + count};
    return {slice(x_, 0, range), y_.defined() ? slice(y_, 0, range) : Tensor()};
  }

 private:
  Tensor x_;
  Tensor y_;
};

// Else rows would be left out, or x and y of different rows, without a word.
Batch as_asked(Batch batch, std::int64_t count) {
  if (batch.x.defined() && batch.x.rank() > 0 && batch.size() == count &&
      (!batch.y.defined() || (batch.y.rank() > 0 && batch.y.dim(0) == count)))
    return batch;
  refuse("Dataset", "the source was asked for " + std::to_string(count) + " rows and gave shapes " +
                        (batch.x.defined() ? batch.x.shape().string() : "none") + " and " +
                        (batch.y.defined() ? batch.y.shape().string() : "none"));
}

}  // namespace

Dataset::Dataset(const Tensor& x) : Dataset(x, Tensor()) {}
Dataset::Dataset(const Tensor& x, const Tensor& y) : source_(std::make_shared<TensorSource>(x, y)) {}
Dataset::Dataset(std::shared_ptr<const Source> source) : source_(std::move(source)) {
  if (source_ == nullptr) refuse("Dataset", "the source is a null pointer");
}

std::int64_t Dataset::size() const {
  return selection_ == nullptr ? source_->size() : static_cast<std::int64_t>(selection_->size());
}

Batch Dataset::rows(std::span<const std::int64_t> which) const {
  check_rows("Dataset::rows", which, size());
  return prepare(which, nullptr);
}

Batch Dataset::rows(std::initializer_list<std::int64_t> which) const {
  return rows(std::span(which.begin(), which.size()));
}

Batch Dataset::range(std::int64_t first, std::int64_t count) const {
  check_range("Dataset::range", first, count, size());
  if (selection_ == nullptr) return finish(as_asked(source_->range(first, count), count), nullptr);
  const std::span picked(*selection_);
  return finish(read(picked.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(count))),
                nullptr);
}

Batch Dataset::all() const { return range(0, size()); }

Tensor Dataset::targets() const {
  std::vector<Tensor> pieces;
  for (std::int64_t first = 0; first == 0 || first < size(); first += kPiece) {
    const Batch piece = range(first, std::min(kPiece, size() - first));
    if (!piece.y.defined()) refuse("Dataset::targets", "this dataset has no targets");
    pieces.push_back(piece.y);
  }
  return pieces.size() == 1 ? pieces[0] : likely::concat(pieces, 0);
}

Batch Dataset::prepare(std::span<const std::int64_t> which, const Rng* key) const {
  if (selection_ == nullptr) return finish(read(which), key);
  Rows picked(which.begin(), which.end());
  for (std::int64_t& row : picked) row = (*selection_)[static_cast<std::size_t>(row)];
  return finish(read(picked), key);
}

Batch Dataset::read(std::span<const std::int64_t> which) const {
  const auto count = static_cast<std::int64_t>(which.size());
  return as_asked(are_consecutive(which) ? source_->range(which[0], count) : source_->rows(which), count);
}

Batch Dataset::finish(Batch batch, const Rng* key) const {
  const std::int64_t count = batch.size();
  std::uint64_t number = 0;
  for (const Stage& stage : stages_) {
    if (stage.map) {
      batch = stage.map(std::move(batch));
    } else if (key != nullptr) {
      batch = stage.augment(std::move(batch), key->fold_in(number));
    }
    ++number;
    if (batch.size() == count && (!batch.y.defined() || batch.y.dim(0) == count)) continue;
    refuse(stage.map ? "Dataset::map" : "Dataset::augment",
           "the function made shapes " + batch.x.shape().string() + " and " +
               (batch.y.defined() ? batch.y.shape().string() : "none") + " of a batch of " +
               std::to_string(count) + " rows");
  }
  return batch;
}

Dataset Dataset::subset(std::span<const std::int64_t> which) const {
  check_rows("Dataset::subset", which, size());
  auto selection = std::make_shared<Rows>(which.begin(), which.end());
  if (selection_ != nullptr) {
    for (std::int64_t& row : *selection) row = (*selection_)[static_cast<std::size_t>(row)];
  }
  Dataset result = *this;
  result.selection_ = std::move(selection);
  return result;
}

Dataset Dataset::subset(std::initializer_list<std::int64_t> which) const {
  return subset(std::span(which.begin(), which.size()));
}

Dataset Dataset::subset(std::int64_t first, std::int64_t count) const {
  check_range("Dataset::subset", first, count, size());
  Rows which(static_cast<std::size_t>(count));
  std::iota(which.begin(), which.end(), first);
  return subset(which);
}

Dataset Dataset::shuffle(Rng rng) const { return subset(rng.permutation(size()).to_vector<std::int64_t>()); }

std::vector<Dataset> Dataset::split(const std::vector<double>& fractions, Rng rng) const {
  return shuffle(rng).split(fractions);
}

std::vector<Dataset> Dataset::split(const std::vector<double>& fractions) const {
  double sum = 0.0;
  for (const double fraction : fractions) {
    if (!(fraction >= 0.0)) {
      refuse("Dataset::split", "a fraction must not be negative, got " + std::to_string(fraction));
    }
    sum += fraction;
  }
  if (!(std::abs(sum - 1.0) <= 1e-9)) {
    refuse("Dataset::split", "the fractions must add up to 1, got " + std::to_string(sum));
  }
  std::vector<Dataset> parts;
  double share = 0.0;
  std::int64_t first = 0;
  for (const double fraction : fractions) {
    share += fraction;
    const std::int64_t end =
        std::min(size(), static_cast<std::int64_t>(std::llround(share * static_cast<double>(size()))));
    parts.push_back(subset(first, end - first));
    first = end;
  }
  return parts;
}

Dataset Dataset::map(Map f) const {
  if (!f) refuse("Dataset::map", "the function is empty");
  Dataset result = *this;
  result.stages_.push_back({std::move(f), {}});
  return result;
}

Dataset Dataset::augment(Augmentation f) const {
  if (!f) refuse("Dataset::augment", "the function is empty");
  Dataset result = *this;
  result.stages_.push_back({{}, std::move(f)});
  return result;
}

Batches Dataset::batches(std::int64_t size, const BatchOptions& options) const {
  return {*this, size, std::nullopt, options};
}

Batches Dataset::batches(std::int64_t size, Rng rng, const BatchOptions& options) const {
  return {*this, size, rng, options};
}

}  // namespace likely::data
