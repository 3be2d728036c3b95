// Datasets, batches, generators: what it is learned from.
#pragma once

#include "likely/data/batches.hpp"
#include "likely/data/dataset.hpp"
#include "likely/data/source.hpp"
