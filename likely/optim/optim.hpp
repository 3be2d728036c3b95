// Optimizers, schedules, clipping: how it is learned.
#pragma once

#include "likely/optim/adam.hpp"
#include "likely/optim/average.hpp"
#include "likely/optim/clip.hpp"
#include "likely/optim/gradient_descent.hpp"
#include "likely/optim/groups.hpp"
#include "likely/optim/langevin.hpp"
#include "likely/optim/lbfgs.hpp"
#include "likely/optim/line_search.hpp"
#include "likely/optim/plateau.hpp"
#include "likely/optim/rmsprop.hpp"
#include "likely/optim/schedule.hpp"
#include "likely/optim/sgd.hpp"
