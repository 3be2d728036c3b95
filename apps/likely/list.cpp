#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "apps/likely/commands.hpp"
#include "likely/models/recipes.hpp"
#include "likely/runs/listing.hpp"

namespace likely::command {

void add_list(CLI::App& app) {
  CLI::App* list = app.add_subcommand("list", "Show everything that can be trained");
  list->footer(
      "BOOK: equations or chapter. REACHES: what should come out, as published or as it usually does.\n"
      "TIME: a training with its defaults on two cores. Train one with `likely train NAME`;\n"
      "`likely train NAME --help` shows its settings.");
  auto json = std::make_shared<bool>(false);
  list->add_flag("--json", *json, "Print a JSON array");
  list->callback([json] {
    const auto& all = models::recipes();
    fmt::print("{}", *json ? runs::list_json(all) + "\n" : runs::list_text(all));
  });
}

}  // namespace likely::command
