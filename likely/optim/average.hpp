// Averages of a model over its training, which often predict better than the model itself.
#pragma once

#include <optional>
#include <vector>

#include "likely/core/create.hpp"
#include "likely/core/parts.hpp"

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
// Counts one more update, and average += weight (value - average) for each pair, in one walk over all of
// them. Refuses pairs of different shape or type, before anything is changed.
void blend(const AverageOptions& options, Buffer& updates, const std::vector<Tensor*>& averages,
           const std::vector<const Tensor*>& values);

}  // namespace detail

// Keeps an average of a model's parameters, frozen ones too. Buffers (running statistics) are those of the
// newest model.
//
//   optim::Average average(model, {.decay = 0.999});
//   for (...) { adam.step(model, gradient); average.update(model); }
//   evaluate(average.model);
//
// The model it is made with counts only until the first update of a plain mean; an exponential average starts
// from it. Refuses a model of another number of tensors.
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
    std::vector<Tensor*> kept, averages;
    std::vector<const Tensor*> given, values;
    for_each_leaf(model, [&](Tensor& tensor, PartKind) { kept.push_back(&tensor); });
    std::vector<PartKind> kinds;
    for_each_leaf(newest, [&](const Tensor& tensor, PartKind kind) {
      given.push_back(&tensor);
      kinds.push_back(kind);
    });
    detail::check_average_of(kept.size(), given.size());
    for (std::size_t i = 0; i < kept.size(); ++i) {
      if (kinds[i] == PartKind::buffer) continue;
      averages.push_back(kept[i]);
      values.push_back(given[i]);
    }
    detail::blend(options, updates, averages, values);
    for (std::size_t i = 0; i < kept.size(); ++i) {
      if (kinds[i] == PartKind::buffer) *kept[i] = *given[i];
    }
  }

  LIKELY_PARTS(model, updates)
};

}  // namespace likely::optim
