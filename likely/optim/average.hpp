// Averages of a model over its training, which often predict better than the model itself.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "likely/core/create.hpp"
#include "likely/core/parts.hpp"
#include "likely/optim/leaves.hpp"

namespace likely::optim {

// Refused: a decay outside [0, 1).
struct AverageOptions {
  // average <- decay average + (1 - decay) model; without one, the plain mean of all models it was shown
  // ("stochastic weight averaging", Izmailov et al., 2018).
  std::optional<double> decay{};
};

namespace detail {

void check_average(const AverageOptions& options);
void check_average_of(std::size_t kept, std::size_t given);
// One tensor of the average and of the newest model.
struct Pair {
  Tensor* average;
  const Tensor* value;
  bool blended;  // else it is the newest model's
};
// What is wrong with the first pair to be blended that differs in shape or type.
std::optional<LeafComplaint> check_pairs(const std::vector<Pair>& pairs);
// Counts one more update, and average += weight (value - average) for each pair, in one walk over all of
// them.
void blend(const AverageOptions& options, Buffer& updates, const std::vector<Pair>& pairs);
std::string updates_misfit(const Buffer& updates);

}  // namespace detail

// Keeps an average of a model's parameters, frozen ones too. Buffers (running statistics) are those of the
// newest model.
//
//   optim::Average average(model, {.decay = 0.999});
//   for (...) { adam.step(model, gradient); average.update(model); }
//   evaluate(average.model);
//
// The model it is made with counts only until the first update of a plain mean; an exponential average starts
// from it. Refuses a model of another number of tensors, and, by its name, a part of another shape or type;
// nothing has been changed then.
template <Tree Model>
class Average {
 public:
  AverageOptions options;
  Model model;
  Buffer updates;  // how many there were; i64

  explicit Average(const Model& first, const AverageOptions& chosen = {})
      : options(chosen), model(first), updates(zeros({}, DType::i64)) {
    detail::check_average(options);
  }

  void update(const Model& newest) {
    std::vector<detail::Pair> pairs;
    for_each_leaf(model, [&](Tensor& tensor, PartKind kind) {
      pairs.push_back({&tensor, nullptr, kind != PartKind::buffer});
    });
    std::size_t given = 0;
    for_each_leaf(newest, [&](const Tensor& tensor, PartKind kind) {
      if (given < pairs.size()) {
        pairs[given].value = &tensor;
        pairs[given].blended = pairs[given].blended || kind != PartKind::buffer;
      }
      ++given;
    });
    detail::check_average_of(pairs.size(), given);
    if (!likely::detail::same_lengths(model, newest)) likely::detail::refuse_other_lengths("Average");
    const auto wrong = detail::check_pairs(pairs);
    if (wrong) detail::refuse_leaf("Average", newest, *wrong);
    detail::blend(options, updates, pairs);
  }

  // What of its parts cannot be (tree/misfit.hpp).
  std::string misfit() const { return detail::updates_misfit(updates); }
  LIKELY_PARTS(model, updates)
};

}  // namespace likely::optim
