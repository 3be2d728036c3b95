#include "likely/plot/fonts.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <map>

#include "likely/core/utf8.hpp"
#include "likely/plot/run_program.hpp"

namespace likely::plot {

namespace {

constexpr double kMostSecondsOfFonts = 10.0;
constexpr std::size_t kMostAsked = 100;         // different characters; more are not looked for
constexpr std::size_t kMostCodes = 2;           // of characters in a row: they are six times as long
constexpr std::uint32_t kLastOfEurope = 0x52F;  // Latin, Greek, Cyrillic

// The character at a place; a byte that is none counts as one.
likely::detail::Utf8Character character_at(std::string_view text, std::size_t at) {
  const likely::detail::Utf8Character found = likely::detail::first_character(text.substr(at));
  if (found.bytes > 0) return found;
  return {static_cast<unsigned char>(text[at]), 1};
}

// Whether some font has all of these characters; nothing else is known where there is no fc-list.
enum class Answer : std::uint8_t { yes, no, unknown };
Answer ask(const std::string& codes, const std::filesystem::path& folder) {
  const Ended ended = run_program({"fc-list", ":charset=" + codes, "family"}, folder, kMostSecondsOfFonts);
  if (!ended.found || ended.too_long || ended.code != 0) return Answer::unknown;
  return ended.said.find_first_not_of(" \n") == std::string::npos ? Answer::no : Answer::yes;
}

}  // namespace

std::string with_known_letters(std::string_view script, const std::filesystem::path& folder) {
  std::map<std::uint32_t, bool> known;
  for (std::size_t at = 0; at < script.size();) {
    const auto [code, bytes] = character_at(script, at);
    if (code >= 0x80) known.emplace(code, code <= kLastOfEurope);
    at += bytes;
  }
  if (known.empty()) return std::string(script);
  std::string all;
  for (const auto& [code, there] : known) all += fmt::format("{}{:x}", all.empty() ? "" : " ", code);
  Answer answer = known.size() <= kMostAsked ? ask(all, folder) : Answer::no;
  if (answer == Answer::yes) return std::string(script);
  std::size_t asked = 0;
  for (auto& [code, there] : known) {
    if (answer == Answer::unknown || ++asked > kMostAsked) break;
    answer = ask(fmt::format("{:x}", code), folder);
    if (answer != Answer::unknown) there = answer == Answer::yes;
  }
  std::string shown;
  std::size_t in_a_row = 0;
  for (std::size_t at = 0; at < script.size();) {
    const auto [code, bytes] = character_at(script, at);
    in_a_row = code < 0x80 || known.at(code) ? 0 : in_a_row + 1;
    if (in_a_row == 0) {
      shown += script.substr(at, bytes);
    } else if (in_a_row <= kMostCodes) {
      // In quotes, a backslash is written as its octal code.
      shown += fmt::format("\\134u{:0{}x}", code, code > 0xFFFF ? 6 : 4);
    } else if (in_a_row == kMostCodes + 1) {
      shown += "..";
    }
    at += bytes;
  }
  return shown;
}

}  // namespace likely::plot
