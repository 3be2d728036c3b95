// Hot: every trial of every subject.
#include "likely/models/choice/trials.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "likely/core/error.hpp"

namespace likely::choice {

std::int64_t Trials::size() const {
  std::int64_t total = 0;
  for (const Subject& subject : subjects) total += subject.size();
  return total;
}

bool Trials::own_cues() const {
  return std::all_of(subjects.begin(), subjects.end(), [](const Subject& s) { return s.cues.empty(); });
}

bool Trials::has_losses() const {
  return !subjects.empty() &&
         std::all_of(subjects.begin(), subjects.end(), [](const Subject& s) { return !s.loss.empty(); });
}

namespace {

class SubjectCheck {
 public:
  SubjectCheck(const Trials& trials, const Subject& subject) : trials_(trials), subject_(subject) {}

  void run() const {
    const auto n = subject_.choice.size();
    if (n == 0) fail("has no trials");
    const auto k = static_cast<std::size_t>(trials_.options);
    check_length("outcome", subject_.outcome.size(), n, false);
    check_length("gain", subject_.gain.size(), n);
    check_length("loss", subject_.loss.size(), n);
    check_length("block", subject_.block.size(), n);
    check_length("trial", subject_.trial.size(), n);
    check_length("offered", subject_.offered.size(), n);
    check_length("cues", subject_.cues.size(), n * k);
    check_length("learned", subject_.learned.size(), n);
    if (subject_.gain.empty() != subject_.loss.empty()) fail("has gains or losses, but not both");
    if (!subject_.learned.empty() && subject_.cues.empty()) fail("has cues that learn, but no cues");
    for (std::size_t t = 0; t < n; ++t) check_trial(t);
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    refuse("choice", fmt::format("subject {} {}", subject_.id, what));
  }
  [[noreturn]] void fail(std::size_t trial, const std::string& what) const {
    refuse("choice", fmt::format("subject {}, trial {}: {}", subject_.id, trial + 1, what));
  }
  void check_length(const char* name, std::size_t length, std::size_t wanted,
                    bool may_be_empty = true) const {
    if (length == wanted || (may_be_empty && length == 0)) return;
    fail(
        fmt::format("has {} choices, but {} of \"{}\" instead of {}", subject_.size(), length, name, wanted));
  }
  void check_trial(std::size_t t) const {
    const int choice = subject_.choice[t];
    if (choice < 0 || choice >= trials_.options) {
      fail(t, fmt::format("choice {} of {} options", choice + 1, trials_.options));
    }
    if (!subject_.offered.empty() && ((subject_.offered[t] >> choice) & 1U) == 0) {
      fail(t, fmt::format("choice {}, which was not offered", choice + 1));
    }
    if (!subject_.offered.empty() && (subject_.offered[t] >> trials_.options) != 0) {
      fail(t, "an option is offered that does not exist");
    }
    if (!std::isfinite(subject_.outcome[t])) fail(t, "the outcome is not a finite number");
    if (!subject_.gain.empty() && !(std::isfinite(subject_.gain[t]) && std::isfinite(subject_.loss[t]))) {
      fail(t, "gain or loss is not a finite number");
    }
    if (trials_.cues < kMostCues) {
      const auto exists = [&](std::uint32_t cues) { return (cues >> trials_.cues) == 0; };
      bool all = subject_.learned.empty() || exists(subject_.learned[t]);
      if (!subject_.cues.empty()) {
        for (int k = 0; k < trials_.options; ++k) {
          all =
              all &&
              exists(
                  subject_.cues[t * static_cast<std::size_t>(trials_.options) + static_cast<std::size_t>(k)]);
        }
      }
      if (!all) fail(t, "a cue is shown that does not exist");
    }
  }

  const Trials& trials_;
  const Subject& subject_;
};

}  // namespace

void check_trials(const Trials& trials) {
  if (trials.options < 2 || trials.options > kMostOptions) {
    refuse("choice", fmt::format("trials have 2 to {} options, got {}", kMostOptions, trials.options));
  }
  if (trials.cues < 1 || trials.cues > kMostCues) {
    refuse("choice", fmt::format("trials have 1 to {} cues, got {}", kMostCues, trials.cues));
  }
  if (trials.own_cues() && trials.cues != trials.options) {
    refuse("choice", fmt::format("every option is its own cue, but there are {} options and {} cues",
                                 trials.options, trials.cues));
  }
  for (const Subject& subject : trials.subjects) SubjectCheck(trials, subject).run();
}

}  // namespace likely::choice
