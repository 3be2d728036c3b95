// Rows that a user wants predictions for, and tables to learn from.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "likely/core/tensor.hpp"
#include "likely/data/dataset.hpp"
#include "likely/runs/recipe.hpp"

namespace likely::runs {

struct RowsOfFile {
  Tensor x;
  std::vector<std::string> notes{};  // what was decided about the file (io::Table::notes)
};

// The rows of a CSV file (separated by commas, semicolons, tabs or blanks; with a line of names where the
// first line has no number; plain or gzip), npy, npz (its array "x", or the only one) or IDX file, as f32
// with `input` as the shape of a row; numbers in IDX files that are bytes of pictures become 0 to 1. A CSV
// file may have one column more than needed if that is called label, class, target or y. Refuses, naming the
// file, another kind of file and another number of columns.
RowsOfFile read_rows(const std::filesystem::path& path, const Shape& input);

// A CSV file to learn from: the last column is the target.
data::Dataset read_table(const std::filesystem::path& path);

// Predictions as CSV text, with a line of names.
std::string csv_of(const Predictions& predictions);
// The same as one JSON object: {"rows": 2, "columns": {"prediction": [3, 1], ...}, "notes": []}.
std::string json_of(const Predictions& predictions, const std::vector<std::string>& notes = {});

}  // namespace likely::runs
