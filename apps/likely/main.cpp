#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <functional>
#include <new>
#include <set>
#include <string>
#include <system_error>
#include <utility>

#include "apps/likely/commands.hpp"
#include "apps/likely/complain.hpp"
#include "apps/likely/flags.hpp"
#include "apps/likely/last_words.hpp"
#include "apps/likely/standard_streams.hpp"
#include "likely/core/cancel.hpp"
#include "likely/core/error.hpp"
#include "likely/core/tell.hpp"
#include "likely/io/disk_error.hpp"
#include "likely/io/folder_lock.hpp"
#include "likely/kernels/build_info.hpp"

namespace {

void say(const std::string& what) {
  using namespace likely::command;  // NOLINT(google-build-using-namespace)
  likely::tell("likely: " + one_line(with_flags(what)) + "\n");
}

void add_commands(CLI::App& app) {
  app.set_version_flag("--version", "likely " + std::string(likely::version()));
  app.require_subcommand(1);
  app.footer("`likely COMMAND --help` says more. Begin with `likely list`.");
  likely::command::add_list(app);
  likely::command::add_train(app);
  likely::command::add_resume(app);
  likely::command::add_eval(app);
  likely::command::add_predict(app);
  likely::command::add_plot(app);
  likely::command::add_calibrate(app);
  likely::command::add_fit(app);
  likely::command::add_compare(app);
  likely::command::add_simulate(app);
  likely::command::add_recover(app);
  likely::command::add_choice_models(app);
  likely::command::add_sweep(app);
  likely::command::add_sequences(app);
  likely::command::add_word2vec(app);
  likely::command::add_words(app);
  likely::command::add_inspect(app);
  likely::command::add_estimators(app);
  likely::command::add_equations(app);
  likely::command::add_bench(app);
  likely::command::add_info(app);
  likely::command::add_completion(app);
}

// `--out "$UNSET"` would otherwise be as if nothing had been said, and results go elsewhere or nowhere.
void refuse_empty_paths(CLI::App& app) {
  for (CLI::Option* option : app.get_options([](const CLI::Option* each) {
         const std::string type = each->get_type_name();
         return type == "FILE" || type == "DIR" || type == "PATH";
       })) {
    const std::string name = option->get_name();
    option->check(
        [name](const std::string& path) {
          if (path.empty()) throw likely::Error(name + " is empty");
          return std::string();
        },
        "");
  }
  for (CLI::App* command : app.get_subcommands({})) refuse_empty_paths(*command);
}

// What the library calls a setting is the option of the same name.
void gather_options(const CLI::App& app, std::set<std::string, std::less<>>& names) {
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.insert(name);
  }
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    gather_options(*command, names);
}

int parse_and_run(int argc, char** argv) {
  CLI::App app("Probabilistic deep learning in plain C++20.", "likely");
  add_commands(app);
  refuse_empty_paths(app);
  std::set<std::string, std::less<>> options;
  gather_options(app, options);
  likely::command::know_options(std::move(options));
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& help) {
    // CLI11 would flush it in a place where nobody asks whether it arrived.
    const bool version = dynamic_cast<const CLI::CallForVersion*>(&help) != nullptr;
    std::fputs((version ? std::string(help.what()) + "\n" : app.help()).c_str(), stdout);
    return help.get_exit_code();
  } catch (const CLI::RuntimeError& ended) {
    return ended.get_exit_code();
  } catch (const CLI::ParseError& error) {
    likely::tell(likely::command::one_line(likely::command::complaint(app, error)) + "\n");
    return likely::command::kBadInput;
  }
  return EXIT_SUCCESS;
}

int run(int argc, char** argv) {
  try {
    return parse_and_run(argc, argv);
  } catch (const likely::Cancelled&) {
    likely::tell("interrupted; nothing was written\n");
    return likely::command::kInterrupted;
  } catch (const likely::io::DiskError& error) {
    say(error.what());
    return EXIT_FAILURE;
  } catch (const likely::io::FolderRefusal& error) {
    say(error.what());
    return likely::io::is_of_disk(error.error) ? EXIT_FAILURE : likely::command::kBadInput;
  } catch (const likely::Error& error) {
    say(error.what());
    return error.fault() == likely::Fault::memory ? EXIT_FAILURE : likely::command::kBadInput;
  } catch (const std::filesystem::filesystem_error& error) {
    say(error.path1().string() + ": " + error.code().message());
    return likely::io::is_of_disk(error.code().value()) ? EXIT_FAILURE : likely::command::kBadInput;
  } catch (const std::system_error& error) {
    // Printing throws this, too; that is said at the end.
    if (likely::command::note_failed_output(error)) return EXIT_SUCCESS;
    say(error.what());
    return EXIT_FAILURE;
  } catch (const std::bad_alloc&) {
    likely::tell(likely::command::kNoMemory);
    return EXIT_FAILURE;
  } catch (const std::exception& error) {
    say(error.what());
    return EXIT_FAILURE;
  }
}

}  // namespace

int main(int argc, char** argv) {
  likely::command::prepare_standard_streams();
  likely::command::end_with_a_word();
  return likely::command::exit_code(run(argc, argv));
}
