#include <algorithm>
#include <string>
#include <utility>

#include "likely/data/dataset.hpp"
#include "likely/ops/join.hpp"
#include "likely/ops/view.hpp"

namespace likely::data {

namespace {

using Rows = std::vector<std::int64_t>;

class TargetsSource final : public Source {
 public:
  TargetsSource(Dataset inputs, const Tensor& y)
      : inputs_(std::move(inputs)), y_(y.with_track({}).contiguous()) {}

  std::int64_t size() const override { return inputs_.size(); }
  Batch rows(std::span<const std::int64_t> which) const override {
    return {inputs_.rows(which).x, gather_rows(y_, which)};
  }
  Batch range(std::int64_t first, std::int64_t count) const override {
    return {inputs_.range(first, count).x, slice(y_, 0, {.start = first, .stop = first + count})};
  }

 private:
  Dataset inputs_;
  Tensor y_;
};

class JoinedSource final : public Source {
 public:
  explicit JoinedSource(std::vector<Dataset> parts) : parts_(std::move(parts)) {
    starts_.push_back(0);
    for (const Dataset& part : parts_) starts_.push_back(starts_.back() + part.size());
  }

  std::int64_t size() const override { return starts_.back(); }

  // Every part is asked once, and its rows then go to their places.
  Batch rows(std::span<const std::int64_t> which) const override {
    std::vector<Rows> wanted(parts_.size());
    std::vector<std::pair<std::size_t, std::int64_t>> found;  // the part, and the place in what it gives
    for (const std::int64_t row : which) {
      const auto next = std::upper_bound(starts_.begin(), starts_.end(), row);
      const auto part = static_cast<std::size_t>(next - starts_.begin()) - 1;
      found.emplace_back(part, static_cast<std::int64_t>(wanted[part].size()));
      wanted[part].push_back(row - starts_[part]);
    }
    std::vector<Tensor> x;
    std::vector<Tensor> y;
    Rows offsets;
    std::int64_t total = 0;
    for (std::size_t part = 0; part < parts_.size(); ++part) {
      offsets.push_back(total);
      if (wanted[part].empty() && !(which.empty() && part == 0)) continue;
      Batch batch = parts_[part].rows(wanted[part]);
      total += batch.size();
      x.push_back(std::move(batch.x));
      if (batch.y.defined()) y.push_back(std::move(batch.y));
    }
    if (!y.empty() && y.size() != x.size()) refuse("concat", "some parts have targets and others have none");
    Rows places;
    for (const auto& [part, place] : found) places.push_back(offsets[part] + place);
    const auto ordered = [&](const std::vector<Tensor>& pieces) {
      const Tensor joined = pieces.size() == 1 ? pieces[0] : likely::concat(pieces, 0);
      const bool in_place = are_consecutive(places) && static_cast<std::int64_t>(places.size()) == total;
      return in_place || places.empty() ? joined : gather_rows(joined.contiguous(), places);
    };
    return {ordered(x), y.empty() ? Tensor() : ordered(y)};
  }

 private:
  std::vector<Dataset> parts_;
  std::vector<std::int64_t> starts_;  // of each part, and the end
};

}  // namespace

void Dataset::check_not_augmented(const char* operation) const {
  for (const Stage& stage : stages_) {
    if (stage.augment) refuse(operation, "the dataset is augmented already: augment the result instead");
  }
}

Dataset Dataset::with_targets(const Tensor& y) const {
  check_not_augmented("Dataset::with_targets");
  if (!y.defined() || y.rank() == 0 || y.dim(0) != size()) {
    refuse("Dataset::with_targets", "a target is needed for each of " + std::to_string(size()) +
                                        " rows, got shape " + (y.defined() ? y.shape().string() : "none"));
  }
  return Dataset(std::make_shared<TargetsSource>(*this, y));
}

Dataset concat(const std::vector<Dataset>& parts) {
  if (parts.empty()) refuse("concat", "at least one dataset is needed");
  for (const Dataset& part : parts) part.check_not_augmented("concat");
  return Dataset(std::make_shared<JoinedSource>(parts));
}

}  // namespace likely::data
