#include "likely/models/choice_study/subject_parameters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <system_error>

#include "likely/core/error.hpp"
#include "likely/io/atomic_file.hpp"
#include "likely/io/csv_layout.hpp"
#include "likely/io/csv_writer.hpp"
#include "likely/io/file_pair.hpp"
#include "likely/models/choice/files/trial_columns.hpp"
#include "likely/models/choice_study/report_json.hpp"

namespace likely::choice {

SubjectTable read_subject_table(const std::filesystem::path& path, std::vector<std::string> columns) {
  const std::vector<std::string>& usual = usual_subject_names();
  const io::CsvLayout layout = io::guess_csv_layout(path, {.header = true, .may_skip = false});
  io::CsvOptions csv = layout.options();
  csv.missing = io::Missing::keep;
  io::Table table = io::read_csv(path, csv);
  std::string ids;
  for (const io::CsvColumn& column : table.columns()) {
    if (ids.empty() && std::find(usual.begin(), usual.end(), column.name) != usual.end()) ids = column.name;
  }
  if (ids.empty())
    throw Error(fmt::format("{}: no column \"subjID\" says whose numbers these are", path.string()));
  csv.categories = {ids};  // ids that look like numbers are names, too
  table = io::read_csv(path, csv);
  if (columns.empty()) {
    for (const io::CsvColumn& column : table.columns()) {
      if (column.name != ids) columns.push_back(column.name);
    }
  }
  SubjectTable subjects;
  subjects.columns = columns;
  subjects.notes = table.notes();
  if (!layout.separator_note.empty()) subjects.notes.insert(subjects.notes.begin(), layout.separator_note);
  if (!columns.empty()) subjects.numbers = table.matrix(columns, DType::f64).to_vector<double>();
  const std::vector<std::string>& names = table.column(ids).categories;
  std::set<std::string> seen;
  for (const std::int64_t place : table[ids].to_vector<std::int64_t>()) {
    if (place < 0) throw Error(fmt::format("{}: a row has no {}", path.string(), ids));
    const std::string& id = names[static_cast<std::size_t>(place)];
    if (!seen.insert(id).second) throw Error(fmt::format("{}: subject {} has two rows", path.string(), id));
    subjects.ids.push_back(id);
  }
  return subjects;
}

SubjectParameters read_subject_parameters(const std::filesystem::path& path, const Model& model) {
  std::vector<std::string> names;
  for (const Parameter& p : model.parameters) names.push_back(p.name);
  const SubjectTable table = read_subject_table(path, names);
  SubjectParameters subjects;
  subjects.ids = table.ids;
  for (const std::string& note : table.notes)
    subjects.notes.push_back(fmt::format("{}: {}", path.string(), note));
  for (std::size_t i = 0; i < subjects.ids.size(); ++i) {
    const auto first = table.numbers.begin() + static_cast<std::ptrdiff_t>(i * names.size());
    subjects.parameters.emplace_back(first, first + static_cast<std::ptrdiff_t>(names.size()));
  }
  return subjects;
}

namespace {

std::vector<std::string> columns_of(const Model& model) {
  std::vector<std::string> names{"subjID"};
  for (const Parameter& p : model.parameters) names.push_back(p.name);
  return names;
}

void add_parameters(io::CsvWriter& table, const SubjectParameters& subjects) {
  for (std::size_t i = 0; i < subjects.ids.size(); ++i) {
    table.text(subjects.ids[i]);
    for (const double x : subjects.parameters[i]) table.number(x);
    table.end_row();
  }
}

}  // namespace

void write_subject_parameters(const std::filesystem::path& path, const Model& model,
                              const SubjectParameters& subjects) {
  io::CsvWriter table(path, columns_of(model));
  add_parameters(table, subjects);
  table.commit();
}

std::vector<std::string> check_free(const SimulationFiles& files) {
  std::vector<std::string> told = io::settle_pair(files.trials, files.parameters);
  for (const std::filesystem::path& path : {files.trials, files.parameters}) {
    if (!files.replace && std::filesystem::is_regular_file(path))
      throw Error(fmt::format("{} is there already; replace it (`force`) or choose another `out`{}",
                              path.string(), told.empty() ? "" : " (" + told.front() + ")"));
  }
  return told;
}

void write_simulation(const SimulationFiles& files, const Trials& trials, const Model& model,
                      const SubjectParameters& subjects, const CancelTest& cancelled) {
  check_free(files);
  io::AtomicFile table(files.trials, {.replace = files.replace});
  write_trials(table, trials, files.trials.extension() == ".csv" ? ',' : '\t', cancelled);
  io::CsvWriter truth(files.parameters, columns_of(model), ',', {.replace = files.replace});
  add_parameters(truth, subjects);
  io::FilePair both(files.trials, files.parameters, files.replace);
  both.commit(table);
  both.commit(truth);
  both.done();
}

std::string simulation_json(const Model& model, const Trials& trials, std::uint64_t seed,
                            const std::string& trials_file, const std::string& parameters_file,
                            const std::vector<std::string>& warnings) {
  Json json = Json::object();
  json["model"] = model.name;
  json["subjects"] = trials.subjects.size();
  json["trials"] = trials.size();
  json["options"] = trials.options;
  json["seed"] = seed;
  json["file"] = trials_file;
  json["parameters_file"] = parameters_file;
  json["warnings"] = warnings;
  return text_of(json);
}

}  // namespace likely::choice
