// Optimizers, schedules, clipping: how it is learned.
#pragma once

#include "likely/optim/adam.hpp"
#include "likely/optim/sgd.hpp"
