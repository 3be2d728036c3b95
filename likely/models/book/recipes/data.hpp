// What the recipes of chapters 2 to 6 learn from.
#pragma once

#include <functional>

#include "likely/runs/supervised.hpp"

namespace likely::models {

// So many rows of a problem.
using Generator = std::function<data::Dataset(std::int64_t rows, Rng rng)>;

// What --data takes instead of generated rows.
inline constexpr const char* kNumbersHelp = "CSV file: inputs, and a number as the last column";
inline constexpr const char* kClassesHelp = "CSV file: inputs, and the class (0, 1, ...) as the last column";

// The setting "rows": how many are generated to learn from.
runs::Setting rows_setting(std::int64_t rows);

// `rows` to learn from and 1,000 to test on; or those of a CSV file, a fifth of which is kept for the test.
// The targets are numbers, f32, or classes, i64. Refuses classes that are not whole numbers from 0 on.
runs::Splits number_splits(const runs::Run& run, Rng rng, const Generator& generate);
runs::Splits class_splits(const runs::Run& run, Rng rng, const Generator& generate);

// Refuses data of another number of inputs.
void check_inputs(const runs::Run& run, const runs::Sizes& sizes, std::int64_t inputs);

}  // namespace likely::models
