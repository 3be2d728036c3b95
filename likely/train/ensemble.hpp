// Ensembles (chapter 9): several models trained on the same problem, whose predictions are averaged.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "likely/core/parts.hpp"
#include "likely/data/data.hpp"
#include "likely/ops/rng.hpp"
#include "likely/train/interrupt.hpp"

namespace likely::train {

namespace detail {
Tensor mean_of(const std::vector<Tensor>& outputs);
Tensor median_of(const std::vector<Tensor>& outputs);
Tensor variance_of(const std::vector<Tensor>& outputs);
Tensor mean_softmax_of(const std::vector<Tensor>& logits);
void check_members(std::int64_t count);
}  // namespace detail

// A model made of models: it can be saved, loaded and called as one.
template <class Model>
struct Ensemble {
  std::vector<Model> members;

  // The mean of the members' outputs.
  Tensor operator()(const Tensor& x) const { return detail::mean_of(outputs(x)); }
  // The median, which one member that went astray does not move.
  Tensor median(const Tensor& x) const { return detail::median_of(outputs(x)); }
  // The mean of (output - mean)^2: how much the members disagree.
  Tensor variance(const Tensor& x) const { return detail::variance_of(outputs(x)); }
  // For members whose outputs are logits: the mean of their probabilities, that is, the mixture of their
  // categorical distributions with equal weights.
  Tensor probabilities(const Tensor& x) const { return detail::mean_softmax_of(outputs(x)); }

  std::vector<Tensor> outputs(const Tensor& x) const {
    std::vector<Tensor> all;
    all.reserve(members.size());
    for (const Model& member : members) all.push_back(member(x));
    return all;
  }

  LIKELY_PARTS(members)
};

// Trains `count` members: train_one(rng) makes a model, trains it and returns it; every member is handed a
// key of its own, for its weights, its batches and, if wanted, its data (bootstrap below). Refuses count < 1,
// and stops with an Error on Ctrl-C.
template <class TrainOne>
auto ensemble(std::int64_t count, Rng rng, TrainOne&& train_one) {
  using Model = std::remove_cvref_t<std::invoke_result_t<TrainOne&, Rng>>;
  detail::check_members(count);
  const detail::CatchInterrupt interrupt(true);
  Ensemble<Model> result;
  for (std::int64_t i = 0; i < count; ++i) {
    result.members.push_back(train_one(rng.split()));
    if (interrupt.arrived())
      refuse("ensemble",
             "interrupted after " + std::to_string(i + 1) + " of " + std::to_string(count) + " members");
  }
  return result;
}

// As many rows as there are, drawn with replacement (bagging).
data::Dataset bootstrap(const data::Dataset& dataset, Rng rng);

}  // namespace likely::train
