#include "likely/optim/rmsprop.hpp"

#include <utility>

#include "likely/kernels/optimize.hpp"
#include "likely/optim/check_options.hpp"
#include "likely/optim/states.hpp"
#include "likely/optim/step_watch.hpp"
#include "likely/optim/tree_tiles.hpp"

namespace likely::optim {

namespace {

void check(const RmspropOptions& o) {
  detail::check_at_least_0("Rmsprop", "lr", o.lr);
  detail::check_at_least_0("Rmsprop", "eps", o.eps);
  detail::check_at_least_0("Rmsprop", "weight_decay", o.weight_decay);
  detail::check_below_1("Rmsprop", "decay", o.decay);
  detail::check_below_1("Rmsprop", "momentum", o.momentum);
}

void check(const AdagradOptions& o) {
  detail::check_at_least_0("Adagrad", "lr", o.lr);
  detail::check_at_least_0("Adagrad", "eps", o.eps);
  detail::check_at_least_0("Adagrad", "weight_decay", o.weight_decay);
}

}  // namespace

Rmsprop::Rmsprop(const RmspropOptions& chosen, std::vector<detail::LeafSetting> settings)
    : options(chosen),
      square(settings.size()),
      mean(settings.size()),
      velocity(settings.size()),
      settings_(std::move(settings)) {
  check(options);
}

std::string Rmsprop::misfit() const {
  return detail::states_misfit(settings_,
                               {{"square", square, Values::not_negative},
                                {"mean", mean, Values::finite},
                                {"velocity", velocity, Values::finite}},
                               true);
}

std::string Rmsprop::missing_state(const std::vector<bool>& learned) const {
  std::string missing = detail::missing_state(settings_, learned, {{"square", square, Values::any}});
  if (missing.empty() && options.centred)
    missing = detail::missing_state(settings_, learned, {{"mean", mean, Values::any}});
  if (missing.empty() && options.momentum > 0.0)
    missing = detail::missing_state(settings_, learned, {{"velocity", velocity, Values::any}});
  return missing;
}

void Rmsprop::step(const std::vector<Leaf>& leaves) {
  detail::tell_of_step(this);
  check(options);
  detail::check_states(
      "Rmsprop", settings_,
      {{"square", square, Values::any}, {"mean", mean, Values::any}, {"velocity", velocity, Values::any}});
  const auto step_of = [this](std::size_t leaf) {
    return kernels::RmspropStep{.rate = options.lr * settings_[leaf].lr_multiple,
                                .decay = options.decay,
                                .epsilon = options.eps,
                                .momentum = options.momentum,
                                .weight_decay = settings_[leaf].decay_or(options.weight_decay),
                                .centred = options.centred};
  };
  const bool moves = options.momentum > 0.0;
  // Only the states that are used take memory.
  if (options.centred && moves) {
    detail::update_leaves<3>(leaves, {&square, &mean, &velocity}, 0.8, [&](const auto& at) {
      kernels::rmsprop_step(step_of(at.leaf), at.parameter, at.gradient,
                            {at.state[0], at.state[1], at.state[2]}, at.count);
    });
  } else if (options.centred) {
    detail::update_leaves<2>(leaves, {&square, &mean}, 0.6, [&](const auto& at) {
      kernels::rmsprop_step(step_of(at.leaf), at.parameter, at.gradient, {at.state[0], at.state[1], nullptr},
                            at.count);
    });
  } else if (moves) {
    detail::update_leaves<2>(leaves, {&square, &velocity}, 0.6, [&](const auto& at) {
      kernels::rmsprop_step(step_of(at.leaf), at.parameter, at.gradient, {at.state[0], nullptr, at.state[1]},
                            at.count);
    });
  } else {
    detail::update_leaves<1>(leaves, {&square}, 0.4, [&](const auto& at) {
      kernels::rmsprop_step(step_of(at.leaf), at.parameter, at.gradient, {at.state[0], nullptr, nullptr},
                            at.count);
    });
  }
}

Adagrad::Adagrad(const AdagradOptions& chosen, std::vector<detail::LeafSetting> settings)
    : options(chosen), square(settings.size()), settings_(std::move(settings)) {
  check(options);
}

std::string Adagrad::misfit() const {
  return detail::states_misfit(settings_, {{"square", square, Values::not_negative}}, true);
}

std::string Adagrad::missing_state(const std::vector<bool>& learned) const {
  return detail::missing_state(settings_, learned, {{"square", square, Values::any}});
}

void Adagrad::step(const std::vector<Leaf>& leaves) {
  detail::tell_of_step(this);
  check(options);
  detail::check_states("Adagrad", settings_, {{"square", square, Values::any}});
  detail::update_leaves<1>(leaves, {&square}, 0.4, [&](const auto& at) {
    const kernels::AdagradStep step{.rate = options.lr * settings_[at.leaf].lr_multiple,
                                    .epsilon = options.eps,
                                    .weight_decay = settings_[at.leaf].decay_or(options.weight_decay)};
    kernels::adagrad_step(step, at.parameter, at.gradient, at.state[0], at.count);
  });
}

}  // namespace likely::optim
