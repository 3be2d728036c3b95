// Estimators of the gradient of an expectation side by side, on two problems whose gradient is known.
//
//   const EstimatorStudy study = compare_estimators({.samples = 100});
//   for (const EstimatorRow& row : study.rows) ...   // what each finds, and how much it varies
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "likely/core/cancel.hpp"
#include "likely/models/softmax/relaxation_figure.hpp"
#include "likely/runs/picture_folder.hpp"
#include "likely/train/events.hpp"

namespace likely::estimators {

struct EstimatorOptions {
  double theta = 1.0;               // where the gradient is estimated
  std::int64_t samples = 100;       // of one estimate, in the problem of a normal law
  std::int64_t repetitions = 2000;  // estimates of which mean and variance are taken
  std::uint64_t seed = 1;
  train::EventSink events{};
  CancelTest cancelled{};  // then Cancelled is thrown
};

// What repeated estimates of one number have in common.
struct EstimatorRow {
  std::string problem;    // "normal" or "classes"
  std::string estimator;  // "score, leave-one-out"
  bool unbiased = true;   // whether theory says so
  std::int64_t samples = 0;
  double mean = 0.0, standard_error = 0.0, exact = 0.0;
  double variance = 0.0;
  double relative = 0.0;  // to the first row of the problem
};

// Single estimates against theta, in the problem of a normal law.
struct Spread {
  std::string estimator;
  std::vector<double> theta, estimate;
};

// The root of the mean squared error against the number of samples.
struct ErrorCurve {
  std::string problem, estimator;
  std::vector<double> samples, error;
};

struct EstimatorStudy {
  EstimatorOptions options;
  std::vector<EstimatorRow> rows;
  std::vector<Spread> spreads;  // score function and reparameterised
  std::vector<ErrorCurve> curves;
  RelaxationTable relaxation;  // Gumbel-softmax against its temperature, one of four classes
};

// "normal": d/dtheta E z^2 with z ~ N(2 theta + 3, 1), which is 8 theta + 12; the first row is
// reparameterised. "classes": d/dtheta E f(z) with z one of ten classes, logits theta s, four samples an
// estimate; the first row is the score function without a baseline. Refuses samples outside [2, 2^20],
// repetitions outside [2, 10^7], and a theta beyond 1000 either way.
EstimatorStudy compare_estimators(const EstimatorOptions& options);

// As tables for people, and as one object of JSON.
std::string estimators_text(const EstimatorStudy& study);
std::string estimators_json(const EstimatorStudy& study);

// estimators.csv, spread.csv and errors.csv, and, if they are wanted, their figures. Pictures are relative to
// the folder.
runs::Drawn write_estimators(const EstimatorStudy& study, const std::filesystem::path& folder, bool figures);

}  // namespace likely::estimators
