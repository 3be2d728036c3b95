// A file of what a classifier said about rows, and of what they were.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "likely/core/cancel.hpp"
#include "likely/runs/recipe.hpp"

namespace likely::confidence {

enum class ScoreKind : std::uint8_t { guess, logits, probabilities };

struct ReadScoresOptions {
  std::string label{};                 // the column of the true class; empty: label, class, target, true or y
  std::vector<std::string> classes{};  // the columns of the classes; empty: guessed, and said
  ScoreKind scores = ScoreKind::guess;  // what the numbers are
  CancelTest cancelled{};               // asked at each line
};

// What the file's numbers were taken for.
struct ScoresTaken {
  std::string numbers = "logits";      // or "probabilities", "percent"
  std::vector<std::string> columns{};  // of the classes, as the file calls them; none in npz
  std::string labels{};                // "names", "numbers in the names", or "places, from 0"
};

struct Scores {
  runs::HeldOutLogits rows;  // the logits are logarithms of rows that add up to 1, where those are no logits
  ScoresTaken taken{};
};

// CSV (plain or gzip; separated by what io::guess_csv_layout finds), with a line of names: a column of
// labels, and a column of numbers for each class, in any order. Or npz: `labels` (rows,), whole numbers, and
// `logits` (rows, classes), or `probabilities`.
//
// Columns are those of classes, in this order: the ones in `classes`; those with p_ in front, with logit_ or
// with z_, where two or more have it; else all of numbers, without those that are called id, fold, prediction
// or the like or count their rows, and without those beside the labels' own columns if these alone add up to
// 1. What is left out is noted. Labels are names of these columns (without p_, logit_ or z_), or the numbers
// in names such as z1, z2, z3, or places, counted from 0.
//
// Numbers that are all between 0 and 1, with rows that add up to 1 but for rounding, are taken for
// probabilities, between 0 and 100 with sums of 100 for percent; it is noted, with the sum that is farthest
// off. Probabilities are divided by their sum, and 0 is 1e-12. Others are logits. Refuses, naming the file
// and the line or row: numbers between 0 and 1 with other sums, or of which most rows alone add up to 1,
// unless `scores` says what they are; columns for one class; labels that are none; what is not finite.
Scores read_scores(const std::filesystem::path& path, const ReadScoresOptions& options = {});

}  // namespace likely::confidence
