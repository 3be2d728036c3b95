// `likely choice-models`: what --model, --learn and --choose take.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <vector>

#include "apps/likely/commands.hpp"
#include "likely/models/choice/model.hpp"

namespace likely::command {

namespace {

void print_parts(const char* heading, const std::vector<choice::NamedPart>& parts) {
  fmt::print("{}\n", heading);
  for (const choice::NamedPart& part : parts) fmt::print("  {:<14} {}\n", part.name, part.meaning);
}

void print_models() {
  fmt::print("--model, with parameters for two options:\n");
  std::vector<std::string> parameters;
  std::size_t width = 0;
  for (const choice::NamedPart& part : choice::model_names()) {
    std::vector<std::string> names;
    for (const choice::Parameter& p : choice::named_model(part.name).parameters) names.push_back(p.name);
    parameters.push_back(fmt::format("{}", fmt::join(names, ", ")));
    width = std::max(width, parameters.back().size());
  }
  std::size_t i = 0;
  for (const choice::NamedPart& part : choice::model_names())
    fmt::print("  {:<14} {:<{}}  {}\n", part.name, parameters[i++], width, part.meaning);
}

}  // namespace

void add_choice_models(CLI::App& app) {
  app.add_subcommand("choice-models", "List models of choice and the parts to make others of")->callback([] {
    print_models();
    print_parts("\n--learn, what changes values:", choice::learn_parts());
    print_parts("\n--choose, what turns values into choices:", choice::choose_parts());
  });
}

}  // namespace likely::command
