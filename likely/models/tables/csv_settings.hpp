// What can be chosen about `likely train csv`. Internal to tables/.
#pragma once

#include <vector>

#include "likely/models/recipe.hpp"
#include "likely/models/tables/table_file.hpp"
#include "likely/models/tables/table_model.hpp"

namespace likely::tables {

std::vector<models::Setting> csv_settings();
ReadOptions read_options(const models::Run& run);
// Refuses hidden layers and weight decays that are not numbers.
ModelOptions model_options(const models::Run& run);

}  // namespace likely::tables
