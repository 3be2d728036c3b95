#include "likely/optim/adam.hpp"

#include <fmt/format.h>

#include <utility>

#include "likely/core/create.hpp"
#include "likely/kernels/optimize.hpp"
#include "likely/optim/check_options.hpp"
#include "likely/optim/states.hpp"
#include "likely/optim/step_watch.hpp"
#include "likely/optim/tree_tiles.hpp"

namespace likely::optim {

namespace {

Shape one_each(const std::vector<detail::LeafSetting>& settings) {
  return {static_cast<std::int64_t>(settings.size())};
}

template <class Options>
void check(const Options& o) {
  detail::check_at_least_0(Options::kName, "lr", o.lr);
  detail::check_at_least_0(Options::kName, "eps", o.eps);
  detail::check_at_least_0(Options::kName, "weight_decay", o.weight_decay);
  detail::check_below_1(Options::kName, "beta1", o.beta1);
  detail::check_below_1(Options::kName, "beta2", o.beta2);
}

}  // namespace

template <class Options>
BasicAdam<Options>::BasicAdam(const Options& chosen, std::vector<detail::LeafSetting> settings)
    : options(chosen),
      steps(zeros(one_each(settings), DType::i64)),
      mean(settings.size()),
      square(settings.size()),
      settings_(std::move(settings)) {
  check(options);
}

template <class Options>
void BasicAdam<Options>::step(const std::vector<Leaf>& leaves) {
  detail::tell_of_step(this);
  check(options);
  detail::check_steps(Options::kName, steps, one_each(settings_));
  detail::check_states(Options::kName, settings_,
                       {{"mean", mean, Values::any}, {"square", square, Values::any}});
  std::int64_t* const made = steps.mutable_data<std::int64_t>();
  for (std::size_t i = 0; i < leaves.size(); ++i) made[i] += leaves[i].learned ? 1 : 0;
  detail::update_leaves<2>(leaves, {&mean, &square}, 0.5, [&](const auto& at) {
    const kernels::AdamStep step{.rate = options.lr * settings_[at.leaf].lr_multiple,
                                 .beta1 = options.beta1,
                                 .beta2 = options.beta2,
                                 .epsilon = options.eps,
                                 .weight_decay = settings_[at.leaf].decay_or(options.weight_decay),
                                 .decoupled = options.decoupled,
                                 .t = made[at.leaf]};
    kernels::adam_step(step, at.parameter, at.gradient, at.state[0], at.state[1], at.count);
  });
}

template <class Options>
std::string BasicAdam<Options>::misfit() const {
  std::string wrong = part_misfit("steps", steps, one_each(settings_), DType::i64, Values::count);
  if (!wrong.empty()) return wrong;
  wrong = detail::states_misfit(
      settings_, {{"mean", mean, Values::finite}, {"square", square, Values::not_negative}}, true);
  if (!wrong.empty()) return wrong;
  std::vector<bool> stepped;
  for (const std::int64_t count : steps.to_vector<std::int64_t>()) stepped.push_back(count > 0);
  wrong = missing_state(stepped);
  if (!wrong.empty()) return wrong;
  for (std::size_t i = 0; i < stepped.size(); ++i) {
    if (!stepped[i] && (mean[i].defined() || square[i].defined()))
      return fmt::format("steps.{0} is 0, but {1}.{0} remembers steps", i,
                         mean[i].defined() ? "mean" : "square");
  }
  return {};
}

template <class Options>
std::string BasicAdam<Options>::missing_state(const std::vector<bool>& learned) const {
  return detail::missing_state(settings_, learned,
                               {{"mean", mean, Values::any}, {"square", square, Values::any}});
}

template <class Options>
std::vector<std::int64_t> BasicAdam<Options>::steps_made(const std::vector<bool>& learned) const {
  return detail::steps_of(steps, learned);
}

template class BasicAdam<AdamOptions>;
template class BasicAdam<AdamWOptions>;

}  // namespace likely::optim
