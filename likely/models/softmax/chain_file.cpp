#include "likely/models/softmax/chain_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "likely/core/create.hpp"
#include "likely/core/error.hpp"
#include "likely/core/nearest_name.hpp"
#include "likely/core/printable.hpp"
#include "likely/io/csv_layout.hpp"
#include "likely/io/csv_records.hpp"
#include "likely/io/parse_number.hpp"

namespace likely::sequences {

namespace {

constexpr const char* kStart = "start";

// The names of the header, without what stands above the names of the rows.
std::vector<std::string> state_names(const io::CsvRecords& records) {
  std::vector<std::string> names;
  std::set<std::string> seen;
  for (std::size_t i = 1; i < records.fields().size(); ++i) {
    names.emplace_back(records.fields()[i].text);
    const std::string& name = names.back();
    if (name.empty()) records.refuse(fmt::format("column {} has no name", i + 1));
    if (name == kStart) records.refuse("a state cannot be called \"start\": that is the row that begins");
    if (!seen.insert(name).second)
      records.refuse(fmt::format("two columns are called \"{}\"", printable_line(name)));
  }
  if (names.empty()) records.refuse("a column for each state is needed after the first, separated by commas");
  return names;
}

// The numbers of a record behind its name.
std::vector<double> probabilities(const io::CsvRecords& records, const std::vector<std::string>& states,
                                  std::vector<std::string>& notes) {
  std::vector<double> row;
  double total = 0.0;
  for (std::size_t i = 0; i < states.size(); ++i) {
    const std::string_view text = records.fields()[i + 1].text;
    double p = 0.0;
    if (!io::parse_number(text, p) || !(p >= 0.0 && p <= 1.01))
      records.refuse(fmt::format("\"{}\" under \"{}\" is no probability", printable_line(std::string(text)),
                                 printable_line(states[i])));
    row.push_back(p);
    total += p;
  }
  if (!(std::abs(total - 1.0) <= 0.01 + 1e-9))
    records.refuse(fmt::format("the probabilities add up to {:.6g}, not to 1", total));
  if (std::abs(total - 1.0) > 1e-6)
    notes.push_back(
        fmt::format("line {}: the probabilities add up to {:.6g}, and are rescaled", records.line(), total));
  for (double& p : row) p /= total;
  return row;
}

}  // namespace

std::int64_t NamedChain::state(const std::string& name) const {
  const auto found = std::find(states.begin(), states.end(), name);
  if (found == states.end())
    throw Error(fmt::format("there is no state \"{}\"{}", name, did_you_mean(name, states)));
  return found - states.begin();
}

NamedChain read_chain(const std::filesystem::path& path, const CancelTest& cancelled) {
  const auto separator = io::separator_line(path);
  io::CsvRecords records("read_chain", path, {io::guess_separator(path), '"', cancelled});
  if (separator) records.skip_lines(separator->line);
  if (!records.next()) throw Error(fmt::format("[read_chain] {} is empty", path.string()));
  const std::vector<std::string> states = state_names(records);
  std::map<std::string, std::size_t> places;
  for (std::size_t i = 0; i < states.size(); ++i) places[states[i]] = i;
  std::vector<std::string> notes;
  std::vector<double> initial;
  std::map<std::size_t, std::vector<double>> rows;
  while (records.next()) {
    if (records.fields().size() != states.size() + 1) records.refuse_fields(states.size() + 1);
    const std::string name(records.fields()[0].text);
    const auto place = places.find(name);
    if (name != kStart && place == places.end())
      records.refuse(fmt::format("there is no column for \"{}\"", printable_line(name)));
    if (name == kStart ? !initial.empty() : rows.contains(place->second))
      records.refuse(fmt::format("a second row for \"{}\"", printable_line(name)));
    (name == kStart ? initial : rows[place->second]) = probabilities(records, states, notes);
  }
  if (initial.empty())
    throw Error(fmt::format("[read_chain] {}: no row \"start\" says how sequences begin", path.string()));
  std::int64_t end = -1;
  const std::size_t n = states.size();
  // A table of few rows must not take the memory of a square one.
  if (rows.size() + 1 < n) {
    std::vector<std::string> without;
    for (std::size_t i = 0; i < n && without.size() < 2; ++i) {
      if (!rows.contains(i)) without.push_back(states[i]);
    }
    throw Error(
        fmt::format("[read_chain] {}: neither \"{}\" nor \"{}\" has a row; one state may have none, where "
                    "sequences end",
                    path.string(), printable_line(without[0]), printable_line(without[1])));
  }
  std::vector<double> transition(n * n, 0.0);
  for (std::size_t i = 0; i < n; ++i) {
    if (const auto row = rows.find(i); row != rows.end())
      std::copy(row->second.begin(), row->second.end(),
                transition.begin() + static_cast<std::ptrdiff_t>(i * n));
    else
      end = static_cast<std::int64_t>(i);
  }
  if (end < 0) {
    // Tables of chains often write the end as a state that leads to itself.
    std::vector<std::size_t> absorbing;
    for (std::size_t i = 0; i < n; ++i) {
      if (n > 1 && transition[i * n + i] == 1.0) absorbing.push_back(i);
    }
    if (absorbing.size() == 1) {
      end = static_cast<std::int64_t>(absorbing[0]);
      transition[absorbing[0] * n + absorbing[0]] = 0.0;
      notes.push_back(
          fmt::format("\"{}\" leads only to itself: it is taken for the state where sequences end",
                      states[absorbing[0]]));
    } else if (!absorbing.empty()) {
      notes.push_back(
          fmt::format("{} states, \"{}\" among them, lead only to themselves, and none is the end: "
                      "every sequence is cut at the longest length",
                      absorbing.size(), states[absorbing[0]]));
    }
  }
  if (!records.note().empty()) notes.push_back(records.note());
  const auto size = static_cast<std::int64_t>(n);
  return {MarkovChain(tensor(initial), tensor(transition, Shape{size, size}), end), states, notes};
}

}  // namespace likely::sequences
