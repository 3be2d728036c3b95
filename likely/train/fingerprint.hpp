// By what a dataset is known again when a training goes on. Internal to train/.
#pragma once

#include <string>

#include "likely/data/dataset.hpp"

namespace likely::train::detail {

// A checksum of types, shapes and numbers of all rows, or of 10,000 spread evenly where there are more,
// without augmentation: eight digits.
std::string fingerprint(const data::Dataset& rows);

}  // namespace likely::train::detail
