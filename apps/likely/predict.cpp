#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>

#include "apps/likely/commands.hpp"
#include "apps/likely/report.hpp"
#include "apps/likely/whole_option.hpp"
#include "likely/core/error.hpp"
#include "likely/core/threads.hpp"
#include "likely/io/atomic_file.hpp"
#include "likely/models/recipes.hpp"
#include "likely/runs/inputs.hpp"
#include "likely/runs/rows.hpp"
#include "likely/runs/runs.hpp"

namespace likely::command {

namespace {

struct PredictArguments {
  std::string folder, in, to;
  bool json = false;
  int threads = 0;
};

// Predictions replace a file without asking, but never what they are made of.
void refuse_own_input(const PredictArguments& arguments) {
  std::error_code unknown;
  const auto same = [&](const std::filesystem::path& other) {
    return std::filesystem::equivalent(arguments.to, other, unknown);
  };
  if (same(arguments.in)) throw Error(fmt::format("--to {}: the rows are read from this file", arguments.to));
  // First of all, so that a folder which is no run is not looked through.
  const std::vector<std::filesystem::path> inputs =
      runs::inputs_of(runs::read_run(models::recipes(), arguments.folder).run);
  for (std::filesystem::recursive_directory_iterator at(arguments.folder, unknown), end;
       !unknown && at != end; at.increment(unknown)) {
    std::error_code failed;
    if (std::filesystem::equivalent(arguments.to, at->path(), failed))
      throw Error(fmt::format("--to {}: this file belongs to the run", arguments.to));
  }
  for (const std::filesystem::path& learned_from : inputs) {
    if (same(learned_from))
      throw Error(fmt::format("--to {}: the model learned from this file", arguments.to));
  }
}

void run_predict(const PredictArguments& arguments) {
  if (arguments.threads > 0) set_threads(arguments.threads);
  if (!arguments.to.empty()) refuse_own_input(arguments);
  const runs::Predicted predicted = runs::predict_run(models::recipes(), arguments.folder, arguments.in);
  const std::string text = arguments.json ? runs::json_of(predicted.columns, predicted.notes) + "\n"
                                          : runs::csv_of(predicted.columns);
  if (!arguments.json) warn(predicted.notes);
  if (arguments.to.empty()) {
    fmt::print("{}", text);
  } else {
    io::write_file(arguments.to, text);
  }
}

}  // namespace

void add_predict(CLI::App& app) {
  CLI::App* command = app.add_subcommand("predict", "Predictions of a trained model for your rows, as CSV");
  command->footer(
      "The file is CSV (with or without names), npy, npz or IDX; CSV and IDX may be packed with gzip.");
  auto arguments = std::make_shared<PredictArguments>();
  command->add_option("folder", arguments->folder, "Run folder")->type_name("DIR")->required();
  command->add_option("--in", arguments->in, "Rows to predict for")->type_name("FILE")->required();
  command->add_option("--to", arguments->to, "Where to write; else to the standard output")
      ->type_name("FILE");
  command->add_flag("--json", arguments->json, "One JSON object, with a list for each column");
  command->add_option("--threads", arguments->threads, "Threads; the results do not depend on them")
      ->transform(whole(1, 1024));
  command->callback([arguments] { run_predict(*arguments); });
}

}  // namespace likely::command
