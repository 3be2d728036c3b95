#include "apps/likely/report.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "apps/likely/commands.hpp"
#include "apps/likely/flags.hpp"
#include "apps/likely/whole_option.hpp"
#include "likely/core/printable.hpp"
#include "likely/core/tell.hpp"
#include "likely/core/threads.hpp"

namespace likely::command {

namespace {

std::string time_text(const runs::RunReport& report) {
  if (report.seconds() == 0.0) return "";
  const std::int64_t epochs = report.seeds.back().report.epochs;
  return fmt::format("{:.1f} s{}\n", report.seconds(), epochs > 0 ? fmt::format(", {} epochs", epochs) : "");
}

std::string pictures_text(const runs::RunReport& report) {
  const auto pictures = report.pictures();
  if (pictures.empty()) return "";
  if (report.seeds.size() > 1)
    return fmt::format("figures (PNG and SVG): {}/seed-*/figures\n", printable_line(report.run.out.string()));
  std::string text = "figures (PNG and SVG):";
  for (const auto& picture : pictures) text += "\n  " + printable_line(picture.string()) + ".png";
  return text + "\n";
}

}  // namespace

std::shared_ptr<ShowOptions> add_show_options(CLI::App& command, bool own_threads) {
  auto options = std::make_shared<ShowOptions>();
  command.add_flag("--json", options->json, "Print one JSON object instead of text");
  command.add_flag("--quiet", options->quiet, "Show no progress");
  if (own_threads) return options;
  command.add_option("--threads", options->threads, "Threads; the results do not depend on them")
      ->transform(whole(1, 1024));
  return options;
}

void apply(const ShowOptions& options) {
  if (options.threads > 0) set_threads(options.threads);
}

void warn(const std::vector<std::string>& warnings) {
  for (const std::string& warning : warnings)
    tell(fmt::format("likely: {}\n", printable_line(with_flags(warning))));
}

void show(const runs::RunReport& report, const ShowOptions& options, const char* go_on) {
  if (options.json) {
    fmt::print("{}\n", runs::json_of(report));
  } else {
    fmt::print("{}",
               printable(with_flags(runs::text_of(report)) + time_text(report) + pictures_text(report)));
  }
  std::vector<std::string> warnings = report.warnings();
  // Those of the folder were told when they happened (progress_line).
  warnings.erase(warnings.begin(), warnings.begin() + std::ssize(report.of_folder));
  warn(warnings);
  const bool interrupted = report.stopped() == train::Stopped::interrupted;
  if (!interrupted && !report.interrupted_late()) return;
  const std::string folder = shell_word(report.run.out.string());
  if (interrupted || report.seeds.size() < report.all_seeds) {
    tell(fmt::format("interrupted; {} {}\n", go_on, folder));
  } else if (report.recipe->plot) {
    tell(fmt::format("interrupted; all is learned, draw the pictures with: likely plot {}\n", folder));
  } else {
    tell("interrupted; all is learned, but pictures may be missing\n");
  }
  throw CLI::RuntimeError(kInterrupted);
}

}  // namespace likely::command
