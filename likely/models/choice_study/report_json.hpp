// Parts of the objects that commands print. Internal to choice_study/.
#pragma once

#include <nlohmann/json.hpp>

#include "likely/models/choice_study/study.hpp"

namespace likely::choice {

using Json = nlohmann::ordered_json;

// null where it is not finite.
Json number_json(double x);
// As it is printed; bytes that are no UTF-8 are replaced.
std::string text_of(const Json& json);
Json model_json(const ModelStudy& study);
Json study_object(const Study& study);

}  // namespace likely::choice
