#include "likely/train/gradient_learner.hpp"

#include <fmt/format.h>

#include "likely/ops/arithmetic.hpp"
#include "likely/train/fingerprint.hpp"

namespace likely::train::detail {

data::Feed<data::Batch> feed_of(const Data& data, const BatchSizes& sizes, bool all_rows) {
  check_at_least("fit", "batch", sizes.batch, 1);
  check_at_least("fit", "prefetch", sizes.prefetch, 0);
  const std::int64_t rows = data.train.size();
  if (rows == 0) refuse("fit", "the training data have no rows");
  if (sizes.drop_last && rows < sizes.batch)
    refuse("fit", fmt::format("with drop_last, {} rows make no batch of {}", rows, sizes.batch));
  if (data.validation && data.validation->size() == 0) refuse("fit", "the validation data have no rows");
  if (data.test && data.test->size() == 0) refuse("fit", "the test data have no rows");
  if (all_rows) return data::feed(data.train, {.batch = rows, .shuffle = false});
  return data::feed(data.train, {.batch = sizes.batch,
                                 .shuffle = sizes.shuffle,
                                 .drop_last = sizes.drop_last,
                                 .prefetch = sizes.prefetch});
}

Feeds<data::Batch> measured_feeds(const Data& data, std::int64_t batch) {
  const data::FeedOptions how{.batch = batch, .shuffle = false};
  Feeds<data::Batch> feeds{.train = data::feed(data.train, how)};
  if (data.validation) feeds.validation = data::feed(*data.validation, how);
  if (data.test) feeds.test = data::feed(*data.test, how);
  return feeds;
}

Facts facts_of(const Data& data, const BatchSizes& sizes) {
  return [&data, sizes]() -> std::vector<Fact> {
    return {{"batch", sizes.batch},
            {"shuffle", sizes.shuffle},
            {"drop_last", sizes.drop_last},
            {"training rows", data.train.size()},
            {"training data", fingerprint(data.train)},
            {"validation rows", data.validation ? data.validation->size() : 0},
            {"validation data", data.validation ? fingerprint(*data.validation) : ""},
            {"test rows", data.test ? data.test->size() : 0, false}};
  };
}

Facts facts_of(std::int64_t batches) {
  return [batches]() -> std::vector<Fact> { return {{"batches", batches}}; };
}

void check_whole(std::int64_t batches) {
  if (batches > 1)
    refuse("fit",
           fmt::format("an optimizer that evaluates the loss itself needs all rows in one batch; the feed "
                       "has {} batches",
                       batches));
}

void check_gradient_options(std::int64_t accumulate, double clip_norm, bool by_gradient) {
  check_at_least("fit", "accumulate", accumulate, 1);
  check_clip_norm("fit", clip_norm);
  if (by_gradient) return;
  if (accumulate > 1)
    refuse("fit", "an optimizer that evaluates the loss itself cannot accumulate gradients");
  if (clip_norm > 0.0) refuse("fit", "an optimizer that evaluates the loss itself cannot clip its gradients");
}

void GradientSum::add(const std::vector<Tensor*>& gradient, std::int64_t rows) {
  sums_.resize(gradient.size());
  for (std::size_t i = 0; i < gradient.size(); ++i) {
    const Tensor weighted = *gradient[i] * static_cast<double>(rows);
    sums_[i] = sums_[i].defined() ? sums_[i] + weighted : weighted;
  }
  rows_ += rows;
}

void GradientSum::put_mean(const std::vector<Tensor*>& gradient) const {
  for (std::size_t i = 0; i < gradient.size(); ++i) *gradient[i] = sums_[i] / static_cast<double>(rows_);
}

}  // namespace likely::train::detail

template std::vector<likely::train::detail::Slot> likely::train::detail::slots_of(optim::Plateau& tree,
                                                                                  const std::string& prefix);
template std::vector<likely::train::detail::Slot> likely::train::detail::slots_of(optim::Adam& tree,
                                                                                  const std::string& prefix);
template std::vector<likely::train::detail::Slot> likely::train::detail::slots_of(optim::AdamW& tree,
                                                                                  const std::string& prefix);
template std::vector<likely::train::detail::Slot> likely::train::detail::slots_of(optim::Sgd& tree,
                                                                                  const std::string& prefix);
template std::string likely::misfit(const optim::Plateau& tree);
template std::string likely::misfit(const optim::Adam& tree);
template std::string likely::misfit(const optim::AdamW& tree);
template std::string likely::misfit(const optim::Sgd& tree);
