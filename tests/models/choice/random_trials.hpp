// Trials made at random: subjects of unequal length, blocks, options that are not offered, cues.
#pragma once

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "likely/models/choice/trials.hpp"

namespace likely::choice::testing {

struct RandomTrials {
  int subjects = 3;
  int trials = 30;  // of the longest; each further subject has three fewer
  int options = 2;
  bool blocks = false;
  bool offered = false;
  int cues = 0;          // 0: every option its own
  bool predict = false;  // with cues: two options, the second worth the cues shown
  bool losses = false;
};

inline Trials random_trials(const RandomTrials& wanted, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto below = [&](int n) { return static_cast<int>(random() % static_cast<std::uint64_t>(n)); };
  Trials trials;
  trials.options = wanted.options;
  trials.cues = wanted.cues > 0 ? wanted.cues : wanted.options;
  for (int k = 1; k <= trials.options; ++k) trials.option_names.push_back(std::to_string(k));
  for (int j = 0; j < trials.cues; ++j)
    trials.cue_names.push_back(std::string(1, static_cast<char>('A' + j)));
  for (int i = 0; i < wanted.subjects; ++i) {
    Subject s;
    s.id = std::to_string(100 + i);
    for (int t = 0; t < std::max(1, wanted.trials - 3 * i); ++t) {
      const int choice = below(wanted.options);
      s.choice.push_back(choice);
      // Not symmetric, so that no derivative is 0 by chance.
      const double gain = below(3) * 0.45 + 0.01 * below(7);
      const double loss = below(3) == 0 ? -0.7 : 0.0;
      s.outcome.push_back(gain + loss);
      if (wanted.losses) {
        s.gain.push_back(gain);
        s.loss.push_back(loss);
      }
      if (wanted.blocks) s.block.push_back(t / 11);
      if (wanted.offered) {
        s.offered.push_back((1U << choice) | static_cast<std::uint32_t>(below(1 << wanted.options)));
      }
      if (wanted.cues > 0 && wanted.predict) {
        const auto shown = static_cast<std::uint32_t>(1 + below((1 << wanted.cues) - 1));
        s.cues.insert(s.cues.end(), {0U, shown});
        s.learned.push_back(shown);
      } else if (wanted.cues > 0) {
        for (int k = 0; k < wanted.options; ++k) {
          s.cues.push_back(static_cast<std::uint32_t>(1 + below((1 << wanted.cues) - 1)));
        }
      }
    }
    trials.subjects.push_back(std::move(s));
  }
  return trials;
}

}  // namespace likely::choice::testing
