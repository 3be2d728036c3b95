#include "apps/likely/complain.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <vector>

#include "likely/core/nearest_name.hpp"
#include "likely/core/printable.hpp"

namespace likely::command {

namespace {

// The command that was reached, and how it was called.
struct Reached {
  const CLI::App* app;
  std::string words;
};

Reached reached(const CLI::App& app) {
  Reached place{&app, app.get_name()};
  while (!place.app->get_subcommands().empty()) {
    place.app = place.app->get_subcommands().back();
    place.words += " " + place.app->get_name();
  }
  return place;
}

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

std::vector<std::string> command_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(command->get_name());
  return names;
}

}  // namespace

std::string complaint(const CLI::App& app, const CLI::ParseError& error) {
  const Reached place = reached(app);
  const std::string more = fmt::format("; see `{} --help`", place.words);
  const std::vector<std::string> unknown = app.remaining(true);
  if (!unknown.empty()) {
    const std::string& word = unknown.front();
    if (word.starts_with("-")) {
      const std::string option = word.substr(0, word.find('='));
      const std::string near = did_you_mean(option, option_names(*place.app));
      return fmt::format("{} has no option {}{}", place.words, option, near.empty() ? more : near);
    }
    const std::vector<std::string> commands = command_names(*place.app);
    if (!commands.empty()) {
      const std::string near = did_you_mean(word, commands);
      return fmt::format("{}: nothing is called \"{}\"{}", place.words, word, near.empty() ? more : near);
    }
    return fmt::format("{}: \"{}\" is one word too many{}", place.words, word, more);
  }
  if (!command_names(*place.app).empty() && dynamic_cast<const CLI::RequiredError*>(&error) != nullptr) {
    return fmt::format("{}: what? {}", place.words,
                       place.app->get_name() == "train" ? "`likely list` shows what can be trained"
                                                        : "`likely --help` lists the commands");
  }
  return fmt::format("{}: {}{}", place.words, error.what(), more);
}

std::string one_line(std::string message) {
  const std::string item = "\n  ";
  for (std::size_t at = message.find(item); at != std::string::npos; at = message.find(item, at))
    message.replace(at, item.size(), at > 0 && message[at - 1] == ':' ? " " : "; ");
  return printable_line(message);
}

}  // namespace likely::command
