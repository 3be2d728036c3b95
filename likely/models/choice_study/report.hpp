// What is said about a study: a table to read, an object for programs, files and figures to keep.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "likely/models/choice_study/study.hpp"
#include "likely/runs/picture_folder.hpp"

namespace likely::choice {

// Tables of the models and of their parameters over the subjects; warnings at the end, the first few of them.
std::string study_text(const Study& study);
// One object: file, method, subjects, trials, options, option_names, seed, models, notes, warnings. Each of
// models has name, parameters, log_likelihood, log_joint, log_evidence, aic and bic, summed over subjects,
// and subjects with the same for each. What a method does not know is null.
std::string study_json(const Study& study);

struct WriteOptions {
  bool trials = true;  // the files trial by trial
  bool figures = true;
  CancelTest cancelled = nullptr;  // asked at each subject; what is written then is to be thrown away
};
// Into a folder that is there: models.csv, and for each model subjects-NAME.csv, trials-NAME.csv (values,
// probabilities and prediction errors, for regressors), with a population group-NAME.csv, and figures/.
// Returns the pictures, without their endings and relative to the folder, and which could not be drawn.
runs::Drawn write_study(const Study& study, const Trials& trials, const std::filesystem::path& folder,
                        const WriteOptions& options = {});

// About how much write_study and study_json will need on the disk, known before anything is fitted, so that
// nothing is fitted in vain: at least what tables and JSON take, and room for figures.
std::int64_t bytes_of_study(const Trials& trials, const std::vector<Model>& models, const StudyOptions& study,
                            const WriteOptions& options = {});

// A model's name as a part of a file's.
std::string file_name(const std::string& model);

}  // namespace likely::choice
