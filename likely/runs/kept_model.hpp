// The model that a training leaves in its run folder: what it was made for, how it is loaded and asked.
// Only for runs/ and models/softmax/.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>

#include "likely/core/cancel.hpp"
#include "likely/core/tensor.hpp"
#include "likely/data/dataset.hpp"
#include "likely/runs/recipe.hpp"

namespace likely::runs {

// What a model must fit.
struct Sizes {
  Shape input;               // of one row
  std::int64_t outputs = 1;  // classes, or numbers a target
};

// Outputs for rows of any number.
using Predictor = std::function<Tensor(const Tensor& x)>;

namespace detail {

std::filesystem::path model_file(const Run& run);

// The metadata of a model file.
std::map<std::string, std::string> provenance(const Run& run, const Sizes& sizes);

// What the kept model was made for, as its file says. Refuses a folder without a model, saying how to finish
// it, and a file that does not say so.
Sizes kept_sizes(const Run& run);

// `load` makes a model in the sizes that the settings and the file announce, and reads the file into it. It
// gets no more memory than making one takes that the file's own numbers can fill; a larger one is refused.
void load_within_file(const Run& run, const std::function<void()>& load);

// The outputs for all rows, 256 at a time: how many rows there are changes neither the memory that the model
// takes nor what it says.
Tensor outputs_for(const Predictor& predict, const data::Dataset& rows, const CancelTest& cancelled = {});

}  // namespace detail

}  // namespace likely::runs
