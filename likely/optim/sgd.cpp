#include "likely/optim/sgd.hpp"

#include <utility>

#include "likely/kernels/optimize.hpp"
#include "likely/optim/check_options.hpp"
#include "likely/optim/states.hpp"
#include "likely/optim/step_watch.hpp"
#include "likely/optim/tree_tiles.hpp"

namespace likely::optim {

namespace {

constexpr const char* kSgd = "Sgd";

void check(const SgdOptions& o) {
  detail::check_at_least_0(kSgd, "lr", o.lr);
  detail::check_below_1(kSgd, "momentum", o.momentum);
  detail::check_at_least_0(kSgd, "weight_decay", o.weight_decay);
  if (o.nesterov && o.momentum == 0.0) refuse(kSgd, "nesterov needs momentum > 0");
}

}  // namespace

Sgd::Sgd(const SgdOptions& chosen, std::vector<detail::LeafSetting> settings)
    : options(chosen), velocity(settings.size()), settings_(std::move(settings)) {
  check(options);
}

std::string Sgd::misfit() const {
  return detail::states_misfit(settings_, {{"velocity", velocity, Values::finite}}, true);
}

std::string Sgd::missing_state(const std::vector<bool>& learned) const {
  if (options.momentum == 0.0) return {};
  return detail::missing_state(settings_, learned, {{"velocity", velocity, Values::any}});
}

void Sgd::step(const std::vector<Leaf>& leaves) {
  detail::tell_of_step(this);
  check(options);
  detail::check_states(kSgd, settings_, {{"velocity", velocity, Values::any}});
  const auto step_of = [this](std::size_t leaf) {
    return kernels::SgdStep{.rate = options.lr * settings_[leaf].lr_multiple,
                            .momentum = options.momentum,
                            .weight_decay = settings_[leaf].decay_or(options.weight_decay),
                            .nesterov = options.nesterov};
  };
  if (options.momentum > 0.0) {
    detail::update_leaves<1>(leaves, {&velocity}, 0.3, [&](const auto& at) {
      kernels::sgd_step(step_of(at.leaf), at.parameter, at.gradient, at.state[0], at.count);
    });
  } else {
    detail::update_leaves<0>(leaves, {}, 0.2, [&](const auto& at) {
      kernels::sgd_step(step_of(at.leaf), at.parameter, at.gradient, nullptr, at.count);
    });
  }
}

}  // namespace likely::optim
