#include "likely/optim/adam.hpp"

#include <fmt/format.h>

#include <utility>

#include "likely/core/create.hpp"
#include "likely/kernels/optimize.hpp"
#include "likely/optim/check_options.hpp"
#include "likely/optim/states.hpp"
#include "likely/optim/tree_tiles.hpp"

namespace likely::optim {

namespace {

template <class Options>
void check(const char* name, const Options& o) {
  detail::check_at_least_0(name, "lr", o.lr);
  detail::check_at_least_0(name, "eps", o.eps);
  detail::check_at_least_0(name, "weight_decay", o.weight_decay);
  detail::check_below_1(name, "beta1", o.beta1);
  detail::check_below_1(name, "beta2", o.beta2);
}

Shape one_each(const std::vector<detail::LeafSetting>& settings) {
  return {static_cast<std::int64_t>(settings.size())};
}

template <class AnyAdam>
std::string missing_of(const AnyAdam& adam, const std::vector<detail::LeafSetting>& settings,
                       const std::vector<bool>& learned) {
  return detail::missing_state(settings, learned,
                               {{"mean", adam.mean, Values::any}, {"square", adam.square, Values::any}});
}

template <class AnyAdam>
std::string misfit_of(const AnyAdam& adam, const std::vector<detail::LeafSetting>& settings) {
  std::string wrong = part_misfit("steps", adam.steps, one_each(settings), DType::i64, Values::count);
  if (!wrong.empty()) return wrong;
  wrong = detail::states_misfit(
      settings, {{"mean", adam.mean, Values::finite}, {"square", adam.square, Values::not_negative}}, true);
  if (!wrong.empty()) return wrong;
  std::vector<bool> stepped;
  for (const std::int64_t count : adam.steps.template to_vector<std::int64_t>()) stepped.push_back(count > 0);
  wrong = missing_of(adam, settings, stepped);
  if (!wrong.empty()) return wrong;
  for (std::size_t i = 0; i < stepped.size(); ++i) {
    if (!stepped[i] && (adam.mean[i].defined() || adam.square[i].defined()))
      return fmt::format("steps.{0} is 0, but {1}.{0} remembers steps", i,
                         adam.mean[i].defined() ? "mean" : "square");
  }
  return {};
}

template <class AnyAdam>
void update(const char* name, AnyAdam& adam, bool decoupled, const std::vector<detail::LeafSetting>& settings,
            const std::vector<Leaf>& leaves) {
  detail::check_steps(name, adam.steps, one_each(settings));
  detail::check_states(name, settings,
                       {{"mean", adam.mean, Values::any}, {"square", adam.square, Values::any}});
  std::int64_t* const steps = adam.steps.template mutable_data<std::int64_t>();
  for (std::size_t i = 0; i < leaves.size(); ++i) steps[i] += leaves[i].learned ? 1 : 0;
  const auto& o = adam.options;
  detail::update_leaves<2>(leaves, {&adam.mean, &adam.square}, 0.5, [&](const auto& at) {
    const kernels::AdamStep step{.rate = o.lr * settings[at.leaf].lr_multiple,
                                 .beta1 = o.beta1,
                                 .beta2 = o.beta2,
                                 .epsilon = o.eps,
                                 .weight_decay = settings[at.leaf].decay_or(o.weight_decay),
                                 .decoupled = decoupled,
                                 .t = steps[at.leaf]};
    kernels::adam_step(step, at.parameter, at.gradient, at.state[0], at.state[1], at.count);
  });
}

}  // namespace

Adam::Adam(const AdamOptions& chosen, std::vector<detail::LeafSetting> settings)
    : options(chosen),
      steps(zeros(one_each(settings), DType::i64)),
      mean(settings.size()),
      square(settings.size()),
      settings_(std::move(settings)) {
  check("Adam", options);
}

void Adam::step(const std::vector<Leaf>& leaves) {
  check("Adam", options);
  update("Adam", *this, options.decoupled, settings_, leaves);
}

std::string Adam::misfit() const { return misfit_of(*this, settings_); }

std::string Adam::missing_state(const std::vector<bool>& learned) const {
  return missing_of(*this, settings_, learned);
}

std::vector<std::int64_t> Adam::steps_made(const std::vector<bool>& learned) const {
  return detail::steps_of(steps, learned);
}

AdamW::AdamW(const AdamWOptions& chosen, std::vector<detail::LeafSetting> settings)
    : options(chosen),
      steps(zeros(one_each(settings), DType::i64)),
      mean(settings.size()),
      square(settings.size()),
      settings_(std::move(settings)) {
  check("AdamW", options);
}

void AdamW::step(const std::vector<Leaf>& leaves) {
  check("AdamW", options);
  update("AdamW", *this, true, settings_, leaves);
}

std::string AdamW::misfit() const { return misfit_of(*this, settings_); }

std::string AdamW::missing_state(const std::vector<bool>& learned) const {
  return missing_of(*this, settings_, learned);
}

std::vector<std::int64_t> AdamW::steps_made(const std::vector<bool>& learned) const {
  return detail::steps_of(steps, learned);
}

}  // namespace likely::optim
