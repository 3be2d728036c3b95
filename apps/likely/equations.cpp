// `likely equations`: the book's equations, where each is implemented and which test holds it.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "apps/likely/commands.hpp"
#include "apps/likely/equation_texts.hpp"
#include "likely/models/equations/equations.hpp"

namespace likely::command {

namespace {

std::vector<equations::Equation> all_equations() {
  std::vector<equations::Equation> all;
  for (const EquationText& chapter : equation_texts()) {
    for (equations::Equation& equation : equations::parse(chapter.text, std::string(chapter.file)))
      all.push_back(std::move(equation));
  }
  return all;
}

}  // namespace

void add_equations(CLI::App& app) {
  struct Options {
    std::string number;
    bool json = false;
  };
  auto options = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("equations", "Show an equation of the book, its function and its test");
  command->add_option("number", options->number,
                      "An equation (6.11) or a chapter (6); all chapters if left out");
  command->add_flag("--json", options->json, "Print JSON");
  command->footer(
      "  likely equations          how many there are in each chapter\n"
      "  likely equations 6        those of chapter 6\n"
      "  likely equations 6.11     one of them: the formula, the code, the test");
  command->callback([options] {
    const auto found = equations::find(all_equations(), options->number);
    fmt::print("{}", options->json ? equations::json_of(found) : equations::describe(found, options->number));
  });
}

}  // namespace likely::command
