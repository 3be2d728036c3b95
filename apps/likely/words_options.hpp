// What `likely word2vec` and `likely words` have in common.
#pragma once

#include <CLI/App.hpp>

#include "likely/models/words/vector_files.hpp"

namespace likely::command {

// --format.
void add_format(CLI::App& command, words::VectorFormat& format);

}  // namespace likely::command
