// What `likely calibrate` does: scalers that are judged by rows they were not fitted to.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "likely/models/softmax/calibration.hpp"
#include "likely/models/softmax/score_file.hpp"
#include "likely/plot/figure.hpp"
#include "likely/runs/picture_folder.hpp"
#include "likely/runs/recipe.hpp"

namespace likely::confidence {

// Refused: scalers other than temperature, vector and matrix, none, or one twice; folds < 2 or > rows.
struct StudyOptions {
  std::vector<std::string> scalers{"temperature", "vector", "matrix"};
  std::int64_t folds = 5;    // each holds its share of every class
  std::uint64_t seed = 1;    // of the folds
  MeasureOptions measure{};  // its cancelled is asked by the fits, too
  ScalingOptions scaling{};
  ScoresTaken taken{};  // what the rows' numbers are, to be said
};

// A scaler of one kind.
struct ScalerStudy {
  std::string kind;
  Tensor logits{};        // of every row, corrected by a scaler that was fitted to the other folds
  Calibration figures{};  // of these
  double temperature = 0.0, temperature_error = 0.0;  // of temperature scaling, on all rows
  std::vector<std::string> notes{};                   // of the one fitted to all rows
};

struct CalibrationStudy {
  runs::HeldOutLogits rows;
  std::int64_t folds = 0;
  Calibration before{};
  std::vector<ScalerStudy> scalers{};
  // Of the smallest negative log-likelihood; none where that is the one before.
  std::optional<std::size_t> best{};
  ScoresTaken taken{};
  // Fitted to all rows: what is kept.
  std::optional<TemperatureScaler> temperature{};
  std::optional<VectorScaler> vector{};
  std::optional<MatrixScaler> matrix{};
  std::vector<std::string> warnings{};  // rows that are few, classes without rows
};

CalibrationStudy study_calibration(const runs::HeldOutLogits& rows, const StudyOptions& options = {});

std::string text_of(const CalibrationStudy& study);
std::string json_of(const CalibrationStudy& study);
// "ECE 3.2 % +- 0.5, NLL 0.31 +- 0.02, Brier 0.17 +- 0.01": what `likely eval` shows.
std::string line_of(const Calibration& figures);
// Error of calibration, negative log-likelihood and Brier score of these rows ("test ECE"), for a report:
// the lower, the better.
std::vector<runs::Measured> figures_of(const Calibration& figures, const std::string& rows);

// The share of right answers against confidence: a series for each, beside the diagonal where they are equal.
struct Reliability {
  std::string name;
  Calibration figures;
};
plot::Figure reliability_figure(const std::vector<Reliability>& series);

struct StudyFiles {
  bool figures = true;
};
// KIND.safetensors, probabilities.csv (each row's label and its probabilities, corrected by the best kind
// fitted to other rows; as they were where none is better), figures/reliability. Returns the pictures,
// relative to the folder.
runs::Drawn write_study(const CalibrationStudy& study, const std::filesystem::path& folder,
                        const StudyFiles& files = {});

}  // namespace likely::confidence
