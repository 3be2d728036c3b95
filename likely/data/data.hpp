// Datasets, batches, generators: what it is learned from.
#pragma once

#include "likely/data/augmentations.hpp"
#include "likely/data/batches.hpp"
#include "likely/data/dataset.hpp"
#include "likely/data/feed.hpp"
#include "likely/data/folds.hpp"
#include "likely/data/mnist1d.hpp"
#include "likely/data/source.hpp"
#include "likely/data/standardizer.hpp"
#include "likely/data/stratify.hpp"
#include "likely/data/textbook.hpp"
#include "likely/data/toy.hpp"
#include "likely/data/vocabulary.hpp"
