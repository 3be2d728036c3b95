// Parts of the objects that commands print. Internal to choice_study/.
#pragma once

#include "likely/io/json.hpp"
#include "likely/models/choice_study/study.hpp"

namespace likely::choice {

using io::Json;
using io::number_json;

// As it is printed; bytes that are no UTF-8 are replaced.
std::string text_of(const Json& json);
Json model_json(const ModelStudy& study);
Json study_object(const Study& study);

}  // namespace likely::choice
