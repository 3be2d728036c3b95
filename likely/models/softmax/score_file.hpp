// A file of what a classifier said about rows, and of what they were.
#pragma once

#include <filesystem>
#include <string>

#include "likely/core/cancel.hpp"
#include "likely/runs/recipe.hpp"

namespace likely::confidence {

struct ReadScoresOptions {
  std::string label{};     // the column of the true class; empty: label, class, target, true or y
  CancelTest cancelled{};  // asked at each line
};

// CSV (plain or gzip; separated by what io::guess_csv_layout finds), with a line of names: a column of
// labels, and a column of numbers for each class, in any order. Labels are the names of these columns, with
// or without p_, logit_ or z_ in front, or their places, counted from 0. Or npz: `labels` (rows,), whole
// numbers, and `logits` (rows, classes), or `probabilities`. Numbers of a CSV file whose rows all add up to 1
// are taken for probabilities, of which the logarithms are the logits, and 0 for 1e-12: it says so. Refuses,
// naming the file and the line or row, anything else, and numbers that are not finite.
runs::HeldOutLogits read_scores(const std::filesystem::path& path, const ReadScoresOptions& options = {});

}  // namespace likely::confidence
