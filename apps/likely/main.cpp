#include <CLI/CLI.hpp>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <string>

#include "apps/likely/commands.hpp"
#include "likely/kernels/build_info.hpp"

int main(int argc, char** argv) {
  CLI::App app("Probabilistic deep learning in plain C++20.", "likely");
  app.set_version_flag("--version", "likely " + std::string(likely::version()));
  app.require_subcommand(1);
  likely::command::add_demo(app);
  likely::command::add_info(app);

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error);
  } catch (const std::exception& error) {
    std::cerr << "likely: " << error.what() << '\n';
    return EXIT_FAILURE;
  }
  return EXIT_SUCCESS;
}
