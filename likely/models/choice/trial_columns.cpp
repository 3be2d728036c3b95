#include "likely/models/choice/trial_columns.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>

#include "likely/core/nearest_name.hpp"

namespace likely::choice {

namespace {

std::string lower(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return result;
}

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
  [[noreturn]] void refuse_missing(const std::string& name) const {
    records_.refuse(fmt::format("no column \"{}\" among {}{}", name, fmt::join(names_, ", "),
                                did_you_mean(name, names_)));
  }

 private:
  const io::CsvRecords& records_;
  const std::vector<std::string>& names_;
};

}  // namespace

TrialColumns find_columns(const io::CsvRecords& records, const ReadTrialsOptions& options) {
  TrialColumns columns;
  for (const io::CsvField& field : records.fields()) columns.names.emplace_back(field.text);
  columns.count = columns.names.size();
  for (std::size_t i = 0; i < columns.count; ++i) {
    const auto again = std::find(columns.names.begin(),
                                 columns.names.begin() + static_cast<std::ptrdiff_t>(i), columns.names[i]);
    if (again != columns.names.begin() + static_cast<std::ptrdiff_t>(i)) {
      records.refuse(fmt::format("two columns are called \"{}\"", columns.names[i]));
    }
  }
  const Finder finder(records, columns.names);
  columns.subject =
      finder.need(options.subject, {"subjID", "subject", "subj", "subject_id", "participant", "id"});
  columns.choice = finder.need(options.choice, {"choice"});
  columns.outcome = finder.find(options.outcome, {"outcome", "reward"});
  columns.gain = finder.find(options.gain, {"gain"});
  columns.loss = finder.find(options.loss, {"loss"});
  if (columns.gain.has_value() != columns.loss.has_value())
    finder.refuse_missing(columns.gain ? "loss" : "gain");
  if (!columns.outcome && !columns.gain) finder.refuse_missing("outcome");
  columns.block = finder.find(options.block, {"block", "session"});
  if (options.block.empty()) columns.session = finder.find("", {"session"});
  if (columns.session == columns.block) columns.session.reset();
  columns.trial = finder.find(options.trial, {"trial"});
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

}  // namespace likely::choice
