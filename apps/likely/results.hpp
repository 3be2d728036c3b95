// The results that a command keeps in a folder: the options, and the folder.
#pragma once

#include <CLI/App.hpp>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "apps/likely/work_progress.hpp"
#include "likely/io/atomic_folder.hpp"
#include "likely/runs/picture_folder.hpp"

namespace likely::command {

// --out, --force, --no-trials, --no-figures.
struct OutArguments {
  std::string folder;
  bool force = false, no_trials = false, no_figures = false;
};
void add_out(CLI::App& command, OutArguments& arguments, bool of_trials);

// What a command keeps: <--out>/<mark> with its JSON, tables and figures, all of them or nothing.
class Results {
 public:
  // Refuses at once what io::AtomicFolder refuses. `inputs` are files that the command reads.
  Results(const OutArguments& out, const std::string& mark,
          const std::vector<std::filesystem::path>& inputs = {});

  bool wanted() const { return folder_.has_value(); }
  // Refuses, before hours of work, a disk on which so many bytes find no room.
  void check_room(std::int64_t bytes) const;
  // Nothing without --out. `write` writes into the folder and returns the pictures, relative to it; warns of
  // those that could not be drawn. Throws Cancelled, and leaves nothing, if it is to be given up. Where the
  // disk refuses, the summary is printed before that is said.
  void write(const std::string& json, const std::string& summary, WorkProgress& progress,
             const std::function<runs::Drawn(const std::filesystem::path&)>& write);
  // Prints where everything is.
  void say() const;

 private:
  // At once: the command may fail later.
  void tell_of_folder();

  std::string mark_;
  std::optional<io::AtomicFolder> folder_;
  runs::Drawn drawn_;
  std::size_t told_ = 0;  // how much of what the folder says of itself
};

}  // namespace likely::command
