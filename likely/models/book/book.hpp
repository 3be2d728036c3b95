// The models of the textbook's first chapters.
#pragma once

#include "likely/models/book/gabor.hpp"
#include "likely/models/book/line.hpp"
#include "likely/models/book/linear_regions.hpp"
#include "likely/models/book/logistic.hpp"
#include "likely/models/book/loss_surface.hpp"
#include "likely/models/book/networks.hpp"
#include "likely/models/book/region_counts.hpp"
