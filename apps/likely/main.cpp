#include <CLI/CLI.hpp>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <string>

#include "apps/likely/commands.hpp"
#include "apps/likely/complain.hpp"
#include "likely/core/error.hpp"
#include "likely/kernels/build_info.hpp"

namespace {

constexpr int kBadInput = 2;

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Probabilistic deep learning in plain C++20.", "likely");
  app.set_version_flag("--version", "likely " + std::string(likely::version()));
  app.require_subcommand(1);
  app.footer("`likely COMMAND --help` says more. Begin with `likely list`.");
  likely::command::add_list(app);
  likely::command::add_train(app);
  likely::command::add_resume(app);
  likely::command::add_eval(app);
  likely::command::add_predict(app);
  likely::command::add_plot(app);
  likely::command::add_fit(app);
  likely::command::add_compare(app);
  likely::command::add_simulate(app);
  likely::command::add_recover(app);
  likely::command::add_choice_models(app);
  likely::command::add_sweep(app);
  likely::command::add_inspect(app);
  likely::command::add_equations(app);
  likely::command::add_bench(app);
  likely::command::add_info(app);
  likely::command::add_completion(app);

  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& help) {
    return app.exit(help);
  } catch (const CLI::RuntimeError& ended) {
    return ended.get_exit_code();
  } catch (const CLI::ParseError& error) {
    std::cerr << likely::command::complaint(app, error) << '\n';
    return kBadInput;
  } catch (const likely::Error& error) {
    std::cerr << "likely: " << error.what() << '\n';
    return kBadInput;
  } catch (const std::exception& error) {
    std::cerr << "likely: " << error.what() << '\n';
    return EXIT_FAILURE;
  }
  return EXIT_SUCCESS;
}
