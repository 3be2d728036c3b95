#include "likely/optim/states.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace likely::optim {

std::string detail::states_misfit(const std::vector<LeafSetting>& leaves, std::initializer_list<States> lists,
                                  bool with_values) {
  for (const States& list : lists) {
    if (list.each.size() != leaves.size())
      return fmt::format("{} has {} tensors, must have {}", list.name, list.each.size(), leaves.size());
    for (std::size_t i = 0; i < leaves.size(); ++i) {
      const Buffer& state = list.each[i];
      if (!state.defined()) continue;
      const LeafSetting& leaf = leaves[i];
      if (!leaf.learnable)
        return fmt::format("{}.{} is {}, must be empty", list.name, i, shape_and_type(state));
      const bool same = state.shape() == leaf.shape && state.dtype() == leaf.dtype;
      if (same && !with_values) continue;
      std::string wrong =
          part_misfit(fmt::format("{}.{}", list.name, i), state, leaf.shape, leaf.dtype, list.values);
      if (!wrong.empty()) return wrong;
    }
  }
  return {};
}

std::string detail::missing_state(const std::vector<LeafSetting>& leaves, const std::vector<bool>& learned,
                                  std::initializer_list<States> lists) {
  for (const States& list : lists) {
    for (std::size_t i = 0; i < std::min(leaves.size(), learned.size()); ++i) {
      if (!learned[i] || !leaves[i].learnable || i >= list.each.size() || list.each[i].defined()) continue;
      return part_misfit(fmt::format("{}.{}", list.name, i), list.each[i], leaves[i].shape, leaves[i].dtype);
    }
  }
  return {};
}

void detail::check_states(const char* optimizer, const std::vector<LeafSetting>& leaves,
                          std::initializer_list<States> lists) {
  const std::string wrong = states_misfit(leaves, lists, false);
  if (!wrong.empty()) refuse(optimizer, wrong);
}

void detail::check_steps(const char* optimizer, const Buffer& steps, const Shape& shape) {
  bool fine = steps.defined() && steps.shape() == shape && steps.dtype() == DType::i64;
  if (fine && steps.is_contiguous()) {
    const std::int64_t* const counts = steps.data<std::int64_t>();
    for (std::int64_t i = 0; i < steps.size(); ++i) fine = fine && counts[i] >= 0 && counts[i] < kMostCounted;
    if (fine) return;
  }
  const std::string wrong = part_misfit("steps", steps, shape, DType::i64, Values::count);
  if (!wrong.empty()) refuse(optimizer, wrong);
}

std::vector<std::int64_t> detail::steps_of(const Buffer& steps, const std::vector<bool>& learned) {
  const auto all = steps.to_vector<std::int64_t>();
  std::vector<std::int64_t> counts;
  for (std::size_t i = 0; i < std::min(all.size(), learned.size()); ++i) {
    if (learned[i]) counts.push_back(all[i]);
  }
  return counts;
}

}  // namespace likely::optim
