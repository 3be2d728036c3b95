// Parts of the texts that commands print. Internal to choice_study/.
#pragma once

#include <string>

#include "likely/models/choice_study/study.hpp"

namespace likely::choice {

// What was fitted, and how.
std::string heading_text(const Study& study);
// The models, one a line.
std::string models_text(const Study& study);
// The first few warnings of the reader and of each model; empty where there are none.
std::string warnings_text(const Study& study);

}  // namespace likely::choice
