#include "likely/optim/adam.hpp"

#include <utility>

#include "likely/core/create.hpp"
#include "likely/kernels/optimize.hpp"
#include "likely/optim/check_options.hpp"
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

Buffer no_steps(std::size_t leaves) { return zeros({static_cast<std::int64_t>(leaves)}, DType::i64); }

template <class AnyAdam>
void update(AnyAdam& adam, bool decoupled, const std::vector<detail::LeafSetting>& settings,
            const std::vector<Leaf>& leaves) {
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
      steps(no_steps(settings.size())),
      mean(settings.size()),
      square(settings.size()),
      settings_(std::move(settings)) {
  check("Adam", options);
}

void Adam::step(const std::vector<Leaf>& leaves) {
  check("Adam", options);
  update(*this, options.decoupled, settings_, leaves);
}

AdamW::AdamW(const AdamWOptions& chosen, std::vector<detail::LeafSetting> settings)
    : options(chosen),
      steps(no_steps(settings.size())),
      mean(settings.size()),
      square(settings.size()),
      settings_(std::move(settings)) {
  check("AdamW", options);
}

void AdamW::step(const std::vector<Leaf>& leaves) {
  check("AdamW", options);
  update(*this, true, settings_, leaves);
}

}  // namespace likely::optim
