// The picture of a sweep. Internal to runs/.
#pragma once

#include <vector>

#include "likely/runs/sweep.hpp"
#include "likely/runs/sweep_space.hpp"

namespace likely::runs {

// figures/sweep: the figure by each of the settings, a panel each, the best trial marked. Notes the picture
// in the sweep. Nothing is drawn where no trial succeeded.
void draw_sweep(Sweep& sweep, const std::vector<SweptSetting>& space);

}  // namespace likely::runs
