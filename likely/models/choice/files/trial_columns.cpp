#include "likely/models/choice/files/trial_columns.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>

#include "likely/core/nearest_name.hpp"
#include "likely/io/parse_number.hpp"

namespace likely::choice {

namespace {

std::string lower(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return result;
}

// Under which names the columns that must be there are looked for, the best first.
struct UsualNames {
  std::vector<std::string> choice{"choice"};
  std::vector<std::string> outcome{"outcome", "reward"};
  std::vector<std::string> gain{"gain"}, loss{"loss"};
};

class Finder {
 public:
  Finder(const io::CsvRecords& records, const std::vector<std::string>& names)
      : records_(records), names_(names) {}

  // The column of the name asked for, else of the first usual one that is there.
  std::optional<std::size_t> find(const std::string& asked, const std::vector<std::string>& usual) const {
    if (!asked.empty()) {
      const auto found = std::find(names_.begin(), names_.end(), asked);
      if (found != names_.end()) return static_cast<std::size_t>(found - names_.begin());
      refuse_missing(asked);
    }
    for (const std::string& name : usual) {
      for (std::size_t i = 0; i < names_.size(); ++i) {
        if (lower(names_[i]) == lower(name)) return i;
      }
    }
    return std::nullopt;
  }
  std::size_t need(const std::string& asked, const std::vector<std::string>& usual) const {
    const std::optional<std::size_t> found = find(asked, usual);
    if (!found) refuse_missing(usual.front());
    return *found;
  }
  // A first line with numbers, and without a name that is looked for, is a row.
  void refuse_row(const ReadTrialsOptions& options, const UsualNames& usual) const {
    const auto number = std::find_if(names_.begin(), names_.end(), [](const std::string& name) {
      double value = 0.0;
      return io::parse_number(name, value);
    });
    if (number == names_.end()) return;
    std::vector<std::string> known{options.subject, options.choice, options.outcome, options.gain,
                                   options.loss};
    for (const auto& names : {usual_subject_names(), usual.choice, usual.outcome, usual.gain, usual.loss})
      known.insert(known.end(), names.begin(), names.end());
    for (const std::string& name : names_) {
      const auto same = [&](const std::string& one) { return !one.empty() && lower(one) == lower(name); };
      if (std::any_of(known.begin(), known.end(), same)) return;
    }
    records_.refuse(fmt::format(
        "there is no line of names, such as subjID,choice,outcome: this one has the number {}", *number));
  }
  [[noreturn]] void refuse_missing(const std::string& name) const {
    records_.refuse(fmt::format("no column \"{}\" among {}{}", name, fmt::join(names_, ", "),
                                did_you_mean(name, names_)));
  }

 private:
  const io::CsvRecords& records_;
  const std::vector<std::string>& names_;
};

}  // namespace

const std::vector<std::string>& usual_subject_names() {
  static const std::vector<std::string> names{"subjID", "subject", "subj", "subject_id", "participant", "id"};
  return names;
}

TrialColumns find_columns(const io::CsvRecords& records, const ReadTrialsOptions& options) {
  TrialColumns columns;
  for (const io::CsvField& field : records.fields()) columns.names.emplace_back(field.text);
  columns.count = columns.names.size();
  const Finder finder(records, columns.names);
  const UsualNames usual;
  finder.refuse_row(options, usual);
  for (std::size_t i = 0; i < columns.count; ++i) {
    const auto here = columns.names.begin() + static_cast<std::ptrdiff_t>(i);
    if (std::find(columns.names.begin(), here, columns.names[i]) == here) continue;
    records.refuse(columns.names[i].empty()
                       ? fmt::format("two columns have no name, one of them is number {}", i + 1)
                       : fmt::format("two columns are called \"{}\"", columns.names[i]));
  }
  columns.ends_in_separator = columns.names.back().empty() && !records.fields().back().quoted;
  columns.subject = finder.need(options.subject, usual_subject_names());
  columns.choice = finder.need(options.choice, usual.choice);
  columns.outcome = finder.find(options.outcome, usual.outcome);
  columns.gain = finder.find(options.gain, usual.gain);
  columns.loss = finder.find(options.loss, usual.loss);
  if (columns.gain.has_value() != columns.loss.has_value())
    finder.refuse_missing(columns.gain ? "loss" : "gain");
  if (!columns.outcome && !columns.gain) finder.refuse_missing("outcome");
  columns.block = finder.find(options.block, {"block", "session"});
  if (options.block.empty()) columns.session = finder.find("", {"session"});
  if (columns.session == columns.block) columns.session.reset();
  columns.trial = finder.find(options.trial, {"trial", "trial_number", "trialnumber", "trial_no", "trialno",
                                              "trial_num", "trialnum", "trial_nr", "trialnr", "trial_index"});
  columns.offered = finder.find("", {"offered"});
  columns.cues = finder.find("", {"cues"});
  for (int k = 1; k <= kMostOptions; ++k) {
    const std::optional<std::size_t> found = finder.find("", {fmt::format("cues_{}", k)});
    if (!found) break;
    columns.option_cues.push_back(*found);
  }
  if (columns.option_cues.size() == 1) finder.refuse_missing("cues_2");
  if (columns.cues && !columns.option_cues.empty()) {
    records.refuse(
        "there is a column \"cues\" and there are columns \"cues_1\", ...: only one of both can hold");
  }
  return columns;
}

std::string columns_text(const TrialColumns& columns) {
  constexpr std::size_t kMostNamed = 8;
  std::vector<bool> used(columns.count);
  std::string text = "columns: ";
  const auto add = [&](const char* what, const std::optional<std::size_t>& column) {
    if (!column) return;
    used[*column] = true;
    text += fmt::format("{}{}={}", text.ends_with(": ") ? "" : ", ", what, columns.names[*column]);
  };
  add("subject", columns.subject);
  add("choice", columns.choice);
  add("outcome", columns.outcome);
  add("gain", columns.gain);
  add("loss", columns.loss);
  add("session", columns.session);
  add("block", columns.block);
  add("trial", columns.trial);
  add("offered", columns.offered);
  add("cues", columns.cues);
  for (std::size_t k = 0; k < columns.option_cues.size(); ++k)
    add(fmt::format("cues_{}", k + 1).c_str(), columns.option_cues[k]);
  if (columns.ends_in_separator) used.back() = true;
  std::vector<std::string> others;
  for (std::size_t i = 0; i < columns.count; ++i) {
    if (!used[i]) others.push_back(columns.names[i]);
  }
  if (others.empty()) return text;
  const std::size_t more = others.size() - std::min(others.size(), kMostNamed);
  others.resize(others.size() - more);
  text += fmt::format("; not used: {}", fmt::join(others, ", "));
  return more == 0 ? text : text + fmt::format(" and {} more", more);
}

}  // namespace likely::choice
