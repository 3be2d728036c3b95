#include <fmt/core.h>

#include "apps/likely/commands.hpp"
#include "likely/core/threads.hpp"
#include "likely/kernels/build_info.hpp"

namespace likely::command {

void add_info(CLI::App& app) {
  app.add_subcommand("info", "Say what was built and what it runs on")->callback([] {
    const BuildInfo info = build_info();
    fmt::print("likely               {}\n", version());
    fmt::print("compiler             {}\n", info.compiler);
    fmt::print("threads              {}\n", threads());
    fmt::print("vector instructions  {}\n", info.vector_instructions);
  });
}

}  // namespace likely::command
