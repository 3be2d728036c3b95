#include <fmt/format.h>

#include <iterator>

#include "likely/core/error.hpp"
#include "likely/io/atomic_file.hpp"
#include "likely/io/csv_writer.hpp"
#include "likely/models/choice/trials.hpp"

namespace likely::choice {

namespace {

std::string names_of(std::uint32_t bits, const std::vector<std::string>& names) {
  std::string list;
  for (std::size_t i = 0; i < 32; ++i) {
    if (((bits >> i) & 1U) == 0) continue;
    if (!list.empty()) list += '+';
    list += i < names.size() ? names[i] : std::to_string(i + 1);
  }
  return list;
}

bool any(const Trials& trials, bool (*has)(const Subject&)) {
  for (const Subject& subject : trials.subjects) {
    if (has(subject)) return true;
  }
  return false;
}

// Which columns are written.
struct Layout {
  bool losses, blocks, offered, option_cues, predicted;
};

Layout layout_of(const Trials& trials) {
  const bool learned = any(trials, [](const Subject& s) { return !s.learned.empty(); });
  const bool cues = any(trials, [](const Subject& s) { return !s.cues.empty(); });
  for (const Subject& s : trials.subjects) {
    if (cues && s.cues.empty()) {
      refuse("write_trials", fmt::format("subject {} has no cues, others have", s.id));
    }
    for (std::size_t t = 0; learned && t < s.choice.size(); ++t) {
      if (trials.options != 2 || s.learned.empty() || s.cues[2 * t] != 0 ||
          s.cues[2 * t + 1] != s.learned[t]) {
        refuse("write_trials",
               fmt::format("subject {}, trial {}: no column says which cues learn here", s.id, t + 1));
      }
    }
  }
  return {trials.has_losses(), any(trials, [](const Subject& s) { return !s.block.empty(); }),
          any(trials, [](const Subject& s) { return !s.offered.empty(); }), cues && !learned, learned};
}

}  // namespace

void write_trials(const std::filesystem::path& path, const Trials& trials) {
  check_trials(trials);  // before a file is opened
  layout_of(trials);
  io::AtomicFile file(path);
  write_trials(file, trials, path.extension() == ".csv" ? ',' : '\t');
  file.commit();
}

void write_trials(io::AtomicFile& file, const Trials& trials, char tab, const CancelTest& cancelled) {
  check_trials(trials);
  const Layout layout = layout_of(trials);
  fmt::memory_buffer text;
  const auto out = std::back_inserter(text);
  fmt::format_to(out, "subjID{}{}trial{}choice", tab, layout.blocks ? fmt::format("block{}", tab) : "", tab);
  fmt::format_to(out, "{}{}", tab, layout.losses ? fmt::format("gain{}loss", tab) : "outcome");
  if (layout.offered) fmt::format_to(out, "{}offered", tab);
  if (layout.predicted) fmt::format_to(out, "{}cues", tab);
  for (int k = 1; layout.option_cues && k <= trials.options; ++k) fmt::format_to(out, "{}cues_{}", tab, k);
  text.push_back('\n');
  const auto options = static_cast<std::size_t>(trials.options);
  std::vector<std::string> numbers;
  for (int k = 1; k <= trials.options; ++k) numbers.push_back(std::to_string(k));
  for (const Subject& s : trials.subjects) {
    give_up_if(cancelled);
    const std::string id = io::csv_field(s.id, tab);
    std::int64_t number = 0;
    for (std::size_t t = 0; t < s.choice.size(); ++t) {
      number = t > 0 && !s.block.empty() && s.block[t] != s.block[t - 1] ? 1 : number + 1;
      fmt::format_to(out, "{}{}", id, tab);
      if (layout.blocks) fmt::format_to(out, "{}{}", s.block.empty() ? 1 : s.block[t] + 1, tab);
      fmt::format_to(out, "{}{}{}{}", number, tab, s.choice[t] + 1, tab);
      if (layout.losses) {
        fmt::format_to(out, "{}{}{}", s.gain[t], tab, s.loss[t]);
      } else {
        fmt::format_to(out, "{}", s.outcome[t]);
      }
      const std::uint32_t all = (std::uint32_t{1} << trials.options) - 1;
      const std::uint32_t offered = s.offered.empty() ? all : s.offered[t];
      if (layout.offered) fmt::format_to(out, "{}{}", tab, names_of(offered, numbers));
      if (layout.predicted) fmt::format_to(out, "{}{}", tab, names_of(s.learned[t], trials.cue_names));
      for (std::size_t k = 0; layout.option_cues && k < options; ++k) {
        fmt::format_to(out, "{}{}", tab, names_of(s.cues[t * options + k], trials.cue_names));
      }
      text.push_back('\n');
      if (text.size() > (std::size_t{1} << 16)) {
        file.write(text.data(), text.size());
        text.clear();
      }
    }
  }
  file.write(text.data(), text.size());
}

}  // namespace likely::choice
