// Files of parameters and of data: what is kept.
#pragma once

#include "likely/io/atomic_file.hpp"
#include "likely/io/csv.hpp"
#include "likely/io/csv_layout.hpp"
#include "likely/io/csv_stream.hpp"
#include "likely/io/idx.hpp"
#include "likely/io/mapped_array.hpp"
#include "likely/io/mnist1d.hpp"
#include "likely/io/model_file.hpp"
#include "likely/io/network_json.hpp"
#include "likely/io/npy.hpp"
#include "likely/io/safetensors.hpp"
#include "likely/io/text.hpp"
