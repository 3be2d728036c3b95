// `likely inspect`: what a file of tensors or a run folder holds.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>

#include "apps/likely/commands.hpp"
#include "apps/likely/report.hpp"
#include "likely/core/error.hpp"
#include "likely/core/printable.hpp"
#include "likely/io/inspect.hpp"
#include "likely/io/path_kind.hpp"
#include "likely/train/history.hpp"

namespace likely::command {

namespace {

struct InspectOptions {
  std::filesystem::path path;
  bool json = false;
};

void print_folder(const io::FolderSummary& folder) {
  for (const io::FileSummary& file : folder.files) fmt::print("{}\n", printable(file.table()));
  for (const auto& [name, record] : folder.records) {
    fmt::print("{}\n", printable_line((folder.path / name).string()));
    for (const auto& [key, value] : record)
      fmt::print("  {}: {}\n", printable_line(key), printable_line(value));
  }
}

void inspect_path(const InspectOptions& options) {
  if (!io::is_folder(options.path)) {
    const io::FileSummary summary = io::inspect(options.path);
    fmt::print("{}", options.json ? io::json_of(summary) : printable(summary.table()));
    if (!summary.changed.empty()) throw CLI::RuntimeError(kBadInput);
    return;
  }
  io::FolderSummary folder = io::inspect_folder(options.path);
  try {
    train::read_history(options.path);
  } catch (const Error& error) {
    folder.unreadable.emplace_back(error.what());
  }
  if (options.json) {
    fmt::print("{}", io::json_of(folder));
  } else {
    print_folder(folder);
  }
  warn(folder.unreadable);
  if (!folder.unreadable.empty() || folder.was_changed()) throw CLI::RuntimeError(kBadInput);
}

}  // namespace

void add_inspect(CLI::App& app) {
  auto options = std::make_shared<InspectOptions>();
  CLI::App* inspect = app.add_subcommand("inspect", "Say what a file of tensors or a run folder holds");
  inspect
      ->add_option("path", options->path,
                   "A safetensors, npz or npy file (a checkpoint is one), or a run folder")
      ->required();
  inspect->add_flag("--json", options->json, "Print JSON instead of a table");
  inspect->footer(
      "For each tensor: its name, its type in the file, its shape, and the smallest, mean and largest "
      "number, the\n"
      "standard deviation and the count of numbers that are not finite.\n\n"
      "  likely inspect runs/mnist1d-mlp/best.safetensors\n"
      "  likely inspect runs/mnist1d-mlp --json");
  inspect->callback([options] { inspect_path(*options); });
}

}  // namespace likely::command
