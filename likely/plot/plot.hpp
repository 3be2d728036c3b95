// Figures: what people look at.
#pragma once

#include "likely/plot/figure.hpp"
