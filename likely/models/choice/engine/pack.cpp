// Hot: every trial of every subject.
#include "likely/models/choice/engine/pack.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "likely/core/error.hpp"

namespace likely::choice {

namespace {

bool any(std::span<const Subject* const> subjects, bool (*has)(const Subject&)) {
  return std::any_of(subjects.begin(), subjects.end(), [&](const Subject* s) { return has(*s); });
}

// Where lists are empty, what they mean.
std::int64_t offered_of(const Subject& s, std::size_t t, int options) {
  return s.offered.empty() ? (std::int64_t{1} << options) - 1 : std::int64_t{s.offered[t]};
}
std::int64_t cues_of(const Subject& s, std::size_t t, int option, int options) {
  if (s.cues.empty()) return std::int64_t{1} << option;
  return s.cues[t * static_cast<std::size_t>(options) + static_cast<std::size_t>(option)];
}
std::int64_t learned_of(const Subject& s, std::size_t t, int options) {
  return s.learned.empty() ? cues_of(s, t, s.choice[t], options) : std::int64_t{s.learned[t]};
}

}  // namespace

Group pack_group(const Parts& parts, std::span<const Subject* const> subjects) {
  Group group;
  group.subjects = static_cast<int>(subjects.size());
  group.lengths.assign(kLanes, 0);
  group.shortest = subjects.empty() ? 0 : subjects[0]->size();
  for (std::size_t lane = 0; lane < subjects.size(); ++lane) {
    const std::int64_t size = subjects[lane]->size();
    group.lengths[lane] = static_cast<std::int32_t>(size);
    group.trials = std::max(group.trials, size);
    group.shortest = std::min(group.shortest, size);
  }
  const auto count = static_cast<std::size_t>(group.trials) * kLanes;
  const auto options = static_cast<std::size_t>(parts.options);
  group.choice.assign(count, -1);
  group.outcome.assign(count, 0.0);
  const bool losses = parts.rho_gain >= 0;
  if (losses) {
    group.gain.assign(count, 0.0);
    group.loss.assign(count, 0.0);
  }
  const bool blocks = any(subjects, [](const Subject& s) { return !s.block.empty(); });
  if (blocks) group.starts.assign(static_cast<std::size_t>(group.trials), 0);
  if (any(subjects, [](const Subject& s) { return !s.offered.empty(); })) {
    group.offered.assign(count, (std::int64_t{1} << parts.options) - 1);
  }
  const bool cues = any(subjects, [](const Subject& s) { return !s.cues.empty(); });
  if (cues) {
    group.cues.assign(count * options, 0);
    group.learned.assign(count, 0);
  }
  for (std::size_t lane = 0; lane < subjects.size(); ++lane) {
    const Subject& s = *subjects[lane];
    for (std::size_t t = 0; t < s.choice.size(); ++t) {
      const std::size_t at = t * kLanes + lane;
      group.choice[at] = s.choice[t];
      group.outcome[at] = s.outcome[t];
      if (losses) {
        group.gain[at] = s.gain[t];
        group.loss[at] = s.loss[t];
      }
      if (!s.block.empty() && t > 0 && s.block[t] != s.block[t - 1]) {
        group.starts[t] = static_cast<std::uint8_t>(group.starts[t] | (1U << lane));
      }
      if (!group.offered.empty()) group.offered[at] = offered_of(s, t, parts.options);
      if (!cues) continue;
      for (std::size_t k = 0; k < options; ++k) {
        group.cues[(t * options + k) * kLanes + lane] = cues_of(s, t, static_cast<int>(k), parts.options);
      }
      group.learned[at] = learned_of(s, t, parts.options);
    }
  }
  return group;
}

void check_fit(const Model& model, const Trials& trials) {
  check_trials(trials);
  const Parts& parts = model.parts;
  if (parts.options != trials.options || parts.cues != trials.cues) {
    refuse("choice", fmt::format("the model {} is for {} options and {} cues, the trials have {} and {}",
                                 model.name, parts.options, parts.cues, trials.options, trials.cues));
  }
  if (parts.rho_gain >= 0 && !trials.has_losses()) {
    refuse("choice",
           fmt::format("the model {} needs gains and losses apart, and the trials have outcomes only",
                       model.name));
  }
  if (parts.fictitious && !trials.own_cues()) {
    refuse("choice", fmt::format("the model {} has no rule for options made of cues", model.name));
  }
}

}  // namespace likely::choice
