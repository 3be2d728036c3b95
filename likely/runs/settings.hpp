// Settings: what can be chosen about a recipe, by name, each with a type, a default and a range.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace likely::runs {

struct Setting {
  enum class Kind : std::uint8_t { whole, number, flag, word, text, file };

  std::string name;
  Kind kind = Kind::number;
  std::string value;                                      // the default
  std::string help;                                       // one line
  double low = -std::numeric_limits<double>::infinity();  // of numbers, both included
  double high = std::numeric_limits<double>::infinity();
  std::vector<std::string> words{};  // of which a word must be one

  // What may be chosen: "whole number >= 1", "0.1 to 0.5", "relu | tanh".
  std::string allowed() const;
};

Setting whole_setting(std::string name, std::int64_t value, std::string help, std::int64_t low = 1,
                      std::int64_t high = 1'000'000'000);
Setting number_setting(std::string name, double value, std::string help, double low = 0.0,
                       double high = std::numeric_limits<double>::infinity());
Setting flag_setting(std::string name, bool value, std::string help);
Setting word_setting(std::string name, std::string value, std::string help, std::vector<std::string> words);
Setting text_setting(std::string name, std::string value, std::string help);
// The path of a file that a run reads (inputs.hpp); empty: none.
Setting file_setting(std::string name, std::string help);

// The settings of one recipe and what was chosen. Whoever reads one must know its name and kind: reading
// refuses any other as a mistake of the program.
class Settings {
 public:
  Settings() = default;
  // `owner` is named in refusals.
  Settings(std::string owner, std::vector<Setting> settings);

  // The name of the setting that is meant: `weight-decay` is weight_decay, as options have it. What is no
  // setting stays as it is.
  std::string spelled(std::string_view name) const;
  // Chooses, by either spelling. Refuses, in one line, a name that is not there (with the nearest one that
  // is), and what is not of the setting's kind or outside its range.
  void set(std::string_view name, std::string_view text);
  // The same for "name=text".
  void set(std::string_view assignment);

  bool has(std::string_view name) const;
  std::int64_t whole(std::string_view name) const;
  double number(std::string_view name) const;  // whole numbers, too
  bool flag(std::string_view name) const;
  const std::string& text(std::string_view name) const;  // of any kind, as written
  const std::vector<Setting>& all() const { return settings_; }
  std::vector<std::string> names() const;

 private:
  const Setting& find(std::string_view name) const;

  std::string owner_;
  std::vector<Setting> settings_;
};

}  // namespace likely::runs
