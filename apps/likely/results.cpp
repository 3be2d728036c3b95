#include "apps/likely/results.hpp"

#include <fmt/format.h>

#include "apps/likely/report.hpp"
#include "likely/core/printable.hpp"
#include "likely/core/tell.hpp"
#include "likely/io/atomic_file.hpp"
#include "likely/io/disk_error.hpp"
#include "likely/io/folder_claim.hpp"

namespace likely::command {

void add_out(CLI::App& command, OutArguments& arguments, bool of_trials) {
  command
      .add_option("--out", arguments.folder,
                  "Folder for tables (CSV), JSON and figures; else nothing is kept")
      ->type_name("DIR");
  command.add_flag("--force", arguments.force, "Replace earlier results in the folder");
  if (of_trials)
    command.add_flag("--no-trials", arguments.no_trials,
                     "Without the tables of values and probabilities, trial by trial");
  command.add_flag("--no-figures", arguments.no_figures, "Without figures");
}

Results::Results(const OutArguments& out, const std::string& mark,
                 const std::vector<std::filesystem::path>& inputs)
    : mark_(mark) {
  if (out.folder.empty()) return;
  folder_.emplace(out.folder, io::FolderRules{.mark = mark, .replace = out.force, .inputs = inputs});
  tell_of_folder();
}

void Results::tell_of_folder() {
  const std::vector<std::string>& told = folder_->told();
  warn({told.begin() + static_cast<std::ptrdiff_t>(told_), told.end()});
  told_ = told.size();
}

void Results::check_room(std::int64_t bytes) const {
  if (folder_) io::detail::check_room(folder_->path(), folder_->target(), bytes, "the results need about");
}

void Results::write(const std::string& json, const std::string& summary, WorkProgress& progress,
                    const std::function<runs::Drawn(const std::filesystem::path&)>& write) {
  give_up_if(progress.cancelled());
  if (!folder_) return;
  try {
    io::write_file(folder_->path() / mark_, json);
    drawn_ = write(folder_->path());
    give_up_if(progress.cancelled());  // pictures are left out then
    folder_->commit();
  } catch (const io::DiskError& error) {
    // What has cost so much is told at least.
    progress.finish();
    fmt::print("{}", summary);
    std::string message = error.what();
    const std::string hidden = folder_->path().string();
    if (const std::size_t at = message.find(hidden); at != message.npos)
      message.replace(at, hidden.size(), folder_->target().string());
    throw io::DiskError(message);
  }
  for (const std::string& name : folder_->kept())
    tell(fmt::format("likely: {} appeared meanwhile, and is kept\n",
                     printable_line((folder_->target() / name).string())));
  tell_of_folder();
  warn(drawn_.warnings);
}

void Results::say() const {
  if (!folder_) return;
  fmt::print("\ntables: {}\n", printable_line(folder_->target().string()));
  if (drawn_.pictures.empty()) return;
  fmt::print("figures (PNG and SVG):\n");
  for (const auto& picture : drawn_.pictures)
    fmt::print("  {}.png\n", printable_line((folder_->target() / picture).string()));
}

}  // namespace likely::command
