// The picture of a sweep. Internal to sweep/.
#pragma once

#include <vector>

#include "likely/models/sweep/sweep.hpp"
#include "likely/models/sweep/sweep_space.hpp"

namespace likely::models {

// figures/sweep: the figure by each of the settings, a panel each, the best trial marked. Notes the picture
// in the sweep. Nothing is drawn where no trial succeeded.
void draw_sweep(Sweep& sweep, const std::vector<SweptSetting>& space);

}  // namespace likely::models
