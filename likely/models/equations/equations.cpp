#include "likely/models/equations/equations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <optional>

#include "likely/core/error.hpp"
#include "likely/core/whole_number.hpp"
#include "likely/io/json.hpp"

namespace likely::equations {

namespace {

std::string_view trimmed(std::string_view text) {
  const auto is_blank = [](char c) { return c == ' ' || c == '\t' || c == '\r'; };
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

struct Number {
  int chapter = 0;
  std::optional<int> equation{};
};

// "6.11" or "6".
std::optional<Number> parse_number(std::string_view text) {
  constexpr int kMost = std::numeric_limits<int>::max();
  const std::size_t dot = text.find('.');
  const std::optional<int> chapter = whole_number(text.substr(0, dot), 0, kMost);
  if (!chapter) return std::nullopt;
  if (dot == std::string_view::npos) return Number{*chapter};
  const std::optional<int> equation = whole_number(text.substr(dot + 1), 0, kMost);
  if (!equation) return std::nullopt;
  return Number{*chapter, equation};
}

void add_line(Equation& equation, std::string_view line) {
  const auto take = [&](std::string_view key, std::vector<std::string>& to) {
    if (!line.starts_with(key)) return false;
    to.emplace_back(trimmed(line.substr(key.size())));
    return true;
  };
  if (take("code:", equation.code) || take("test:", equation.tests) || take("note:", equation.notes) ||
      take("notation:", equation.notation))
    return;
  equation.formula.emplace_back(line);
}

std::string in_full(const Equation& equation) {
  std::string text = fmt::format("({}) {}\n\n", equation.name(), equation.title);
  for (const std::string& line : equation.formula) text += "    " + line + "\n";
  text += "\n";
  const auto list = [&](const char* what, const std::vector<std::string>& lines) {
    for (const std::string& line : lines) text += fmt::format("{:<9} {}\n", what, line);
  };
  list("code", equation.code);
  list("test", equation.tests);
  list("notation", equation.notation);
  list("note", equation.notes);
  return text;
}

std::string chapter_list(const std::vector<Equation>& chapter) {
  std::string text;
  for (const Equation& equation : chapter) {
    text += fmt::format("{:<6} {}\n", equation.name(), equation.title);
    for (const std::string& line : equation.code) text += fmt::format("         {}\n", line);
    if (equation.code.empty()) text += "         notation\n";
  }
  return text;
}

std::string chapter_table(const std::vector<Equation>& all) {
  struct Counts {
    int equations = 0, code = 0, last = 0;
    std::size_t tests = 0;
  };
  std::map<int, Counts> chapters;
  Counts total;
  for (const Equation& equation : all) {
    for (Counts* counts : {&chapters[equation.chapter], &total}) {
      ++counts->equations;
      counts->code += equation.code.empty() ? 0 : 1;
      counts->tests += equation.tests.size();
      counts->last = std::max(counts->last, equation.number);
    }
  }
  std::string text = "chapter  equations     with code  notation only  tests\n";
  for (const auto& [chapter, counts] : chapters) {
    text += fmt::format("{:>7}  {:<12} {:>10} {:>14} {:>6}\n", chapter,
                        fmt::format("{}.1 to {}.{}", chapter, chapter, counts.last), counts.code,
                        counts.equations - counts.code, counts.tests);
  }
  text += fmt::format("{:>7}  {:<12} {:>10} {:>14} {:>6}\n\n", "all", total.equations, total.code,
                      total.equations - total.code, total.tests);
  return text + "`likely equations 6` lists a chapter, `likely equations 6.11` shows one equation.\n";
}

}  // namespace

std::string Equation::name() const { return fmt::format("{}.{}", chapter, number); }

std::vector<Equation> parse(std::string_view text, const std::string& file) {
  std::vector<Equation> equations;
  int line_number = 0;
  while (!text.empty()) {
    ++line_number;
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    const std::string_view content = trimmed(line);
    if (content.empty()) continue;
    if (line.front() == ' ' && !equations.empty()) {
      add_line(equations.back(), content);
      continue;
    }
    const std::size_t blank = content.find(' ');
    const std::optional<Number> number = parse_number(content.substr(0, blank));
    if (!number || !number->equation || blank == std::string_view::npos) {
      refuse("equations", fmt::format("{}, line {}: \"CHAPTER.NUMBER Title\" is expected, got \"{}\"", file,
                                      line_number, content));
    }
    equations.push_back({.chapter = number->chapter,
                         .number = *number->equation,
                         .title = std::string(trimmed(content.substr(blank)))});
  }
  return equations;
}

std::vector<Equation> find(const std::vector<Equation>& all, const std::string& wanted) {
  if (all.empty()) refuse("equations", "no equations were built into this program");
  if (wanted.empty()) return all;
  const std::optional<Number> number = parse_number(wanted);
  if (!number)
    refuse("equations", "a number such as 6.11, or a chapter such as 6, is expected, got \"" + wanted + "\"");
  std::vector<Equation> chapter;
  std::copy_if(all.begin(), all.end(), std::back_inserter(chapter),
               [&](const Equation& equation) { return equation.chapter == number->chapter; });
  if (chapter.empty()) {
    refuse("equations", fmt::format("there is no chapter {}; there are chapters {} to {}", number->chapter,
                                    all.front().chapter, all.back().chapter));
  }
  if (!number->equation) return chapter;
  const auto distance = [&](const Equation& equation) {
    return std::abs(equation.number - *number->equation);
  };
  const Equation& nearest =
      *std::min_element(chapter.begin(), chapter.end(),
                        [&](const Equation& a, const Equation& b) { return distance(a) < distance(b); });
  if (nearest.number != *number->equation) {
    refuse("equations", fmt::format("there is no equation {}; the nearest is {}, {}", wanted, nearest.name(),
                                    nearest.title));
  }
  return {nearest};
}

std::string describe(const std::vector<Equation>& found, const std::string& wanted) {
  if (wanted.empty()) return chapter_table(found);
  return found.size() == 1 && wanted.find('.') != std::string::npos ? in_full(found.front())
                                                                    : chapter_list(found);
}

std::string json_of(const std::vector<Equation>& found) {
  io::Json list = io::Json::array();
  for (const Equation& equation : found) {
    list.push_back({{"number", equation.name()},
                    {"title", equation.title},
                    {"formula", equation.formula},
                    {"code", equation.code},
                    {"tests", equation.tests},
                    {"notation", equation.notation},
                    {"notes", equation.notes}});
  }
  return io::json_text(list, 2) + "\n";
}

}  // namespace likely::equations
