// Files of parameters and of data: what is kept.
#pragma once

#include "likely/io/atomic_file.hpp"
#include "likely/io/model_file.hpp"
#include "likely/io/safetensors.hpp"
