// Every reader under attack with a fixed number of inputs: those to start from, those in tests/fuzz/corpus,
// and damaged ones. `make fuzz` attacks for longer, and looks where it has got to.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <random>

#include "tests/fuzz/target.hpp"
#include "tests/support/temporary_folder.hpp"

namespace likely::fuzz {
namespace {

using namespace std::string_literals;

int cases() {
  const char* const wanted = std::getenv("LIKELY_FUZZ_CASES");
  return wanted == nullptr ? 400 : std::atoi(wanted);
}

// Some bytes changed, put in, taken out or repeated; numbers in text replaced; the end cut off.
std::string damaged(std::string bytes, std::mt19937_64& random) {
  const auto below = [&](std::size_t n) {
    return static_cast<std::size_t>(random() % std::max<std::size_t>(n, 1));
  };
  static const std::string kTelling = "\x00\xff\x7f\x80{}[](),:\"'\n\r\t0129-.eP"s;
  for (std::size_t changes = 1 + below(4); changes > 0 && !bytes.empty(); --changes) {
    const std::size_t place = below(bytes.size());
    const char byte = below(2) == 0 ? static_cast<char>(random()) : kTelling[below(kTelling.size())];
    switch (below(6)) {
      case 0:
      case 1: bytes[place] = byte; break;
      case 2: bytes.insert(place, 1 + below(8), byte); break;
      case 3: bytes.erase(place, 1 + below(8)); break;
      case 4: bytes.insert(place, bytes.substr(below(bytes.size()), below(64))); break;
      default:
        // Large numbers: eight bytes of binary, or digits.
        bytes.replace(place, std::min<std::size_t>(8, bytes.size() - place),
                      below(2) == 0 ? std::string(8, '\xff') : std::to_string(random()));
    }
  }
  if (below(4) == 0) bytes.resize(below(bytes.size() + 1));
  return bytes;
}

std::string choices(std::mt19937_64& random) {
  std::string bytes(random() % 120, '\0');
  for (char& byte : bytes) byte = static_cast<char>(random());
  return bytes;
}

// The input, for a message: `likely_fuzz --target=NAME file` reads one from a file.
std::string shown(const std::string& input) {
  std::string text = "input of " + std::to_string(input.size()) + " bytes: ";
  for (const char c : input.substr(0, 300)) {
    constexpr const char* kDigits = "0123456789abcdef";
    const auto byte = static_cast<unsigned char>(c);
    text += byte >= 32 && byte < 127 && byte != '\\' ? std::string(1, c)
                                                     : "\\x"s + kDigits[byte / 16] + kDigits[byte % 16];
  }
  return text;
}

class Readers : public ::testing::TestWithParam<std::string> {
 protected:
  static const Target& target() {
    for (const Target& one : targets()) {
      if (one.name == GetParam()) return one;
    }
    throw std::logic_error("no such target");
  }
  static std::filesystem::path corpus() { return std::filesystem::path("tests/fuzz/corpus") / GetParam(); }
};

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const Target& target : targets()) all.push_back(target.name);
  return all;
}

TEST_P(Readers, Start) {
  for (const std::string& seed : target().seeds()) {
    ASSERT_NO_THROW({
      const Verdict verdict = target().read(seed);
      if (target().seeds_are_valid) {
        EXPECT_EQ(verdict, Verdict::accepted) << shown(seed);
      }
    }) << shown(seed);
  }
}

// Files whose names begin with valid_ are accepted; the others were findings once.
TEST_P(Readers, Corpus) {
  const std::filesystem::path folder = corpus();
  if (!std::filesystem::exists(folder)) return;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    Verdict verdict = Verdict::refused;
    ASSERT_NO_THROW(verdict = target().read(testing::read_bytes(entry.path()))) << entry.path();
    if (entry.path().filename().string().starts_with("valid_")) {
      EXPECT_EQ(verdict, Verdict::accepted) << entry.path();
    }
  }
}

TEST_P(Readers, Damage) {
  std::vector<std::string> starts = target().seeds();
  const std::filesystem::path folder = corpus();
  if (std::filesystem::exists(folder)) {
    for (const auto& entry : std::filesystem::directory_iterator(folder))
      starts.push_back(testing::read_bytes(entry.path()));
  }
  ASSERT_FALSE(starts.empty());
  std::mt19937_64 random(12345);
  int refused = 0;
  const bool by_choices = GetParam().ends_with("_meaning");
  for (int i = 0; i < cases(); ++i) {
    const std::string input =
        by_choices ? choices(random) : damaged(starts[static_cast<std::size_t>(i) % starts.size()], random);
    ASSERT_NO_THROW(refused += target().read(input) == Verdict::refused ? 1 : 0) << shown(input);
  }
  RecordProperty("refused", refused);
  if (!by_choices) return;
  // Where all is refused nothing behind the parser is reached, where nothing is, nothing hostile is.
  const int share = cases() / 40;
  EXPECT_GE(cases() - refused, share) << "almost everything is refused";
  if (target().can_refuse) {
    EXPECT_GE(refused, share) << "almost nothing is refused";
  }
}

INSTANTIATE_TEST_SUITE_P(All, Readers, ::testing::ValuesIn(names()),
                         [](const auto& name) { return name.param; });

}  // namespace
}  // namespace likely::fuzz
