// The parameters of subjects, and whatever else is known of them, in files.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "likely/models/choice/model.hpp"
#include "likely/models/choice/trials.hpp"

namespace likely::choice {

struct SubjectParameters {
  std::vector<std::string> ids;
  std::vector<std::vector<double>> parameters;  // natural, in the model's order
  std::vector<std::string> notes{};             // what was decided about the file, with its path
};

// A table, separated as guess_csv_layout finds out, with a column of ids (subjID, subject, ...) and one for
// each of the model's parameters; others are left alone. Refuses a column that is not there, words, and an id
// that comes twice.
SubjectParameters read_subject_parameters(const std::filesystem::path& path, const Model& model);
void write_subject_parameters(const std::filesystem::path& path, const Model& model,
                              const SubjectParameters& subjects);

// Simulated trials and, in a file of their own, the parameters of those who made them: both are new, or both
// are as they were (io/file_pair.hpp). Refuses files that are there, unless they are to be replaced.
// Cancelled is asked at each subject. check_free() returns what a user should know of what a killed command
// left.
struct SimulationFiles {
  std::filesystem::path trials, parameters;
  bool replace = false;
};
std::vector<std::string> check_free(const SimulationFiles& files);
void write_simulation(const SimulationFiles& files, const Trials& trials, const Model& model,
                      const SubjectParameters& subjects, const CancelTest& cancelled = nullptr);

// The same for any columns of numbers: everything but the ids, where none are named.
struct SubjectTable {
  std::vector<std::string> ids, columns;
  std::vector<double> numbers;     // subjects x columns
  std::vector<std::string> notes;  // what was decided about the file
};
SubjectTable read_subject_table(const std::filesystem::path& path, std::vector<std::string> columns = {});

// What `likely simulate --json` prints.
std::string simulation_json(const Model& model, const Trials& trials, std::uint64_t seed,
                            const std::string& trials_file, const std::string& parameters_file,
                            const std::vector<std::string>& warnings = {});

}  // namespace likely::choice
