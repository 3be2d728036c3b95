// `likely completion SHELL`: a script made from the commands and options that there are.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "apps/likely/commands.hpp"

namespace likely::command {

namespace {

std::vector<const CLI::App*> commands_of(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App*) { return true; });
}

std::string command_words(const CLI::App& app) {
  std::vector<std::string> words;
  for (const CLI::App* command : commands_of(app)) words.push_back(command->get_name());
  return fmt::format("{}", fmt::join(words, " "));
}

std::string option_words(const CLI::App& app) {
  std::vector<std::string> words;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) words.push_back("--" + name);
  }
  return fmt::format("{}", fmt::join(words, " "));
}

// The words that may follow each command, as branches of a `case`.
std::string branches(const CLI::App& app) {
  std::string text;
  for (const CLI::App* command : commands_of(app)) {
    if (commands_of(*command).empty()) {
      text += fmt::format("      {}) words='{}' ;;\n", command->get_name(), option_words(*command));
      continue;
    }
    text += fmt::format("      {}) words='{}' ;;\n", command->get_name(), command_words(*command));
    for (const CLI::App* inner : commands_of(*command))
      text += fmt::format("      {}/{}) words='{}' ;;\n", command->get_name(), inner->get_name(),
                          option_words(*inner));
  }
  return text;
}

// Where a command has commands of its own, the third word belongs to the place.
std::string bash_script(const CLI::App& app) {
  std::vector<std::string> nested;
  for (const CLI::App* command : commands_of(app)) {
    if (!commands_of(*command).empty()) nested.push_back(command->get_name());
  }
  return fmt::format(R"bash(# Completion of likely. Use it with: eval "$(likely completion bash)"
_likely() {{
  local current="${{COMP_WORDS[COMP_CWORD]}}" place="${{COMP_WORDS[1]}}" words=''
  if [ "$COMP_CWORD" -eq 1 ]; then
    words='{} --help --version'
  else
    case "$place" in
      {}) [ "$COMP_CWORD" -gt 2 ] && place="$place/${{COMP_WORDS[2]}}" ;;
    esac
    case "$place" in
{}    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  if [ ${{#COMPREPLY[@]}} -eq 0 ]; then COMPREPLY=($(compgen -f -- "$current")); fi
}}
complete -o filenames -F _likely likely
)bash",
                     command_words(app), nested.empty() ? "''" : fmt::format("{}", fmt::join(nested, "|")),
                     branches(app));
}

}  // namespace

void add_completion(CLI::App& app) {
  CLI::App* command = app.add_subcommand("completion", "Print a script that completes names and options");
  command->footer(
      "For a session: eval \"$(likely completion bash)\". To keep it, put that line into ~/.bashrc,\n"
      "or the same with zsh into ~/.zshrc.");
  auto shell = std::make_shared<std::string>();
  command->add_option("shell", *shell, "bash or zsh")
      ->type_name("SHELL")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh"}));
  command->callback([&app, shell] {
    // zsh reads bash's completions once told to.
    if (*shell == "zsh")
      fmt::print("autoload -U +X compinit && compinit\nautoload -U +X bashcompinit && bashcompinit\n");
    fmt::print("{}", bash_script(app));
  });
}

}  // namespace likely::command
