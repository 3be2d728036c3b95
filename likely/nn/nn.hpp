// Layers: what is learned.
#pragma once

#include "likely/nn/activations.hpp"
#include "likely/nn/any_layer.hpp"
#include "likely/nn/convolution.hpp"
#include "likely/nn/description.hpp"
#include "likely/nn/dropout.hpp"
#include "likely/nn/embedding.hpp"
#include "likely/nn/initialize.hpp"
#include "likely/nn/linear.hpp"
#include "likely/nn/network.hpp"
#include "likely/nn/normalization.hpp"
#include "likely/nn/pooling.hpp"
#include "likely/nn/regularize.hpp"
#include "likely/nn/sequential.hpp"
#include "likely/nn/training.hpp"
