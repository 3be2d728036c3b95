// What is said about a subject when its climbs have ended. Internal to models/choice.
#pragma once

#include "likely/models/choice/engine/climbs.hpp"

namespace likely::choice {

// Estimates, errors, intervals of z standard errors, warnings; not what depends on the trials alone.
SubjectFit describe_subject(const ClimbTarget& target, const Summit& summit, double z);

}  // namespace likely::choice
