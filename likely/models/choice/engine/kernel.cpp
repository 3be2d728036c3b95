// Hot: every trial of every subject.
#include "likely/models/choice/engine/kernel.hpp"

#include <hwy/aligned_allocator.h>

#include <algorithm>
#include <vector>

#include "likely/kernels/simd_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "likely/models/choice/engine/kernel.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "likely/models/choice/engine/kernel_choose-inl.hpp"
#include "likely/models/choice/engine/kernel_learn-inl.hpp"
#include "likely/models/choice/engine/kernel_two-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace likely::choice::HWY_NAMESPACE {

// Memory of a walk, aligned for any vector.
class Workspace {
 public:
  explicit Workspace(std::size_t doubles) : memory_(hwy::AllocateAligned<double>(doubles)) {
    if (memory_ == nullptr) throw std::bad_alloc();
  }
  double* get() { return memory_.get(); }

 private:
  hwy::AlignedFreeUniquePtr<double[]> memory_;
};

template <int kOrder>
void start_blocks(State<kOrder>& state, const Group& group, std::int64_t trial, std::size_t lane) {
  if (group.starts.empty()) return;
  const std::uint8_t bits = group.starts[static_cast<std::size_t>(trial)];
  if (bits != 0) state.start(lanes_of(bits, lane));
}

template <int kOrder>
void evaluate_lanes(const Parts& parts, int parameters, const Group& group, std::int64_t trials,
                    const double* theta, const GroupResult& result, std::size_t lane) {
  Workspace memory(State<kOrder>::memory(parts, parameters));
  State<kOrder> state(parts, parameters, theta + lane, memory.get());
  Chooser<kOrder> chooser(state);
  OutcomeUpdate<kOrder> learner(state);
  for (std::int64_t t = 0; t < trials; ++t) {
    start_blocks(state, group, t, lane);
    const TrialLanes trial(parts, group, t, lane);
    chooser.expect(trial);
    chooser.score(trial);
    learner(trial);
  }
  chooser.finish();
  const Jets<kOrder>& jets = state.jets;
  hn::StoreU(jets.load(state.total), D(), result.log_likelihood + lane);
  for (int j = 0; j < parameters; ++j) {
    const auto row = static_cast<std::size_t>(j);
    if constexpr (kOrder >= 1) {
      hn::StoreU(jets.load(jets.first(state.total, j)), D(), result.gradient + row * kLanes + lane);
    }
    if constexpr (kOrder >= 2) {
      for (int i = 0; i <= j; ++i) {
        const std::size_t pair = row * (row + 1) / 2 + static_cast<std::size_t>(i);
        hn::StoreU(jets.load(jets.second(state.total, i, j)), D(), result.hessian + pair * kLanes + lane);
      }
    }
  }
}

template <int kOrder>
void evaluate_order(const Parts& parts, int parameters, const Group& group, const LaneRange& range,
                    const double* theta, const GroupResult& result) {
  const bool two = is_two_option(parts, parameters, group);
  const std::size_t width = hn::Lanes(D());
  const std::size_t first = static_cast<std::size_t>(range.first) / width * width;
  for (std::size_t lane = first; lane < static_cast<std::size_t>(range.end); lane += width) {
    if (two) {
      evaluate_two_options<kOrder>(parts, group, range.trials, theta, result, lane);
    } else {
      evaluate_lanes<kOrder>(parts, parameters, group, range.trials, theta, result, lane);
    }
  }
}

void evaluate_here(const Parts& parts, int parameters, const Group& group, const LaneRange& range,
                   const double* theta, int order, const GroupResult& result) {
  switch (order) {
    case 0: evaluate_order<0>(parts, parameters, group, range, theta, result); break;
    case 1: evaluate_order<1>(parts, parameters, group, range, theta, result); break;
    default: evaluate_order<2>(parts, parameters, group, range, theta, result);
  }
}

void walk_here(const Parts& parts, int parameters, const Group& group, const LaneRange& range,
               const double* theta, Walker& walker) {
  const std::size_t width = hn::Lanes(D());
  Workspace memory(State<0>::memory(parts, parameters));
  std::vector<double> values(static_cast<std::size_t>(parts.cues) * kLanes);
  std::vector<double> probabilities(static_cast<std::size_t>(parts.options) * kLanes);
  std::vector<double> errors(kLanes);
  for (std::size_t lane = static_cast<std::size_t>(range.first) / width * width;
       lane < static_cast<std::size_t>(range.end); lane += width) {
    State<0> state(parts, parameters, theta + lane, memory.get());
    Chooser<0> chooser(state);
    OutcomeUpdate<0> learner(state);
    Step step{0, std::max(range.first, static_cast<int>(lane)),
              std::min(range.end, static_cast<int>(lane + width)), values.data(), probabilities.data()};
    for (std::int64_t t = 0; t < range.trials; ++t) {
      step.trial = t;
      start_blocks(state, group, t, lane);
      const TrialLanes expected(parts, group, t, lane);
      chooser.expect(expected);
      for (int j = 0; j < parts.cues; ++j) {
        hn::StoreU(hn::Load(D(), state.value[j]), D(),
                   values.data() + static_cast<std::size_t>(j) * kLanes + lane);
      }
      for (int k = 0; k < parts.options; ++k) {
        hn::StoreU(chooser.probability(expected, k), D(),
                   probabilities.data() + static_cast<std::size_t>(k) * kLanes + lane);
      }
      walker.decide(step);
      // Read again: the walker may have decided what is chosen and what comes of it.
      learner(TrialLanes(parts, group, t, lane));
      hn::StoreU(state.error, D(), errors.data() + lane);
      walker.learned(step, errors.data());
    }
  }
}

}  // namespace likely::choice::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace likely::choice {

HWY_EXPORT(evaluate_here);
HWY_EXPORT(walk_here);

void evaluate_group(const Parts& parts, int parameters, const Group& group, const LaneRange& range,
                    const double* theta, int order, const GroupResult& result) {
  HWY_DYNAMIC_DISPATCH(evaluate_here)(parts, parameters, group, range, theta, order, result);
}

void walk_group(const Parts& parts, int parameters, const Group& group, const LaneRange& range,
                const double* theta, Walker& walker) {
  HWY_DYNAMIC_DISPATCH(walk_here)(parts, parameters, group, range, theta, walker);
}

}  // namespace likely::choice
#endif
