#include "likely/optim/langevin.hpp"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "likely/core/create.hpp"
#include "likely/kernels/optimize.hpp"
#include "likely/optim/check_options.hpp"
#include "likely/optim/states.hpp"
#include "likely/optim/step_watch.hpp"
#include "likely/optim/tree_tiles.hpp"

namespace likely::optim {

namespace {

void check(const LangevinOptions& o) {
  detail::check_at_least_0("Langevin", "lr", o.lr);
  detail::check_at_least_0("Langevin", "temperature", o.temperature);
  detail::check_at_least_0("Langevin", "weight_decay", o.weight_decay);
  if (o.examples < 1) refuse("Langevin", fmt::format("examples must be >= 1, got {}", o.examples));
}

}  // namespace

Langevin::Langevin(const LangevinOptions& chosen, std::vector<detail::LeafSetting> settings, Rng rng)
    : options(chosen), steps(zeros({}, DType::i64)), settings_(std::move(settings)), rng_(rng) {
  check(options);
}

std::string Langevin::misfit() const { return part_misfit("steps", steps, {}, DType::i64, Values::count); }

std::vector<std::int64_t> Langevin::steps_made(const std::vector<bool>&) const {
  return steps.to_vector<std::int64_t>();
}

void Langevin::step(const std::vector<Leaf>& leaves) {
  detail::tell_of_step(this);
  check(options);
  detail::check_steps("Langevin", steps, {});
  const double before = steps.item();
  // A key a step, not a stream: a run that is resumed finds its place by the number.
  Rng rng = rng_.fold_in(static_cast<std::uint64_t>(before));
  steps = full({}, before + 1.0, DType::i64);
  std::vector<Buffer> noise(leaves.size());
  std::vector<double> scale(leaves.size());
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    Rng own = rng.split();
    if (!leaves[i].learned) continue;
    noise[i] = own.normal(leaves[i].value->shape(), 0.0, 1.0, leaves[i].value->dtype());
    scale[i] = std::sqrt(2.0 * options.lr * settings_[i].lr_multiple * options.temperature /
                         static_cast<double>(options.examples));
  }
  detail::update_leaves<1>(leaves, {&noise}, 0.4, [&]<class T>(const detail::Piece<T, 1>& at) {
    const kernels::SgdStep step{.rate = options.lr * settings_[at.leaf].lr_multiple,
                                .weight_decay = settings_[at.leaf].decay_or(options.weight_decay)};
    kernels::sgd_step(step, at.parameter, at.gradient, static_cast<T*>(nullptr), at.count);
    const T width = static_cast<T>(scale[at.leaf]);
    for (std::int64_t i = 0; i < at.count; ++i) at.parameter[i] += width * at.state[0][i];
  });
}

}  // namespace likely::optim
