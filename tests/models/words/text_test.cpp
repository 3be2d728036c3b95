// What is read of a text: words, pieces, counts.
#include <gtest/gtest.h>
#include <zlib.h>

#include <map>
#include <sstream>

#include "likely/core/cancel.hpp"
#include "likely/models/words/lexicon.hpp"
#include "likely/models/words/text_pieces.hpp"
#include "likely/ops/rng.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/temporary_folder.hpp"

namespace likely::words {

namespace {

using likely::testing::expect_refusal;
using likely::testing::TemporaryFolder;
using likely::testing::write_bytes;

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> found;
  walk_words(
      text, [&](std::string_view word) { found.emplace_back(word); }, [&] { found.emplace_back("\n"); });
  return found;
}

// 300,000 bytes of words of one to six letters, with a few lines.
std::string long_text() {
  Rng rng(2);
  std::string text;
  const std::vector<std::int64_t> drawn = rng.randint(0, 1'000'000, {80'000}).to_vector<std::int64_t>();
  for (const std::int64_t number : drawn) {
    text += "w" + std::to_string(number % 1000 * (number % 7 == 0 ? 1000 : 1));
    text += number % 5000 == 0 ? "\n" : number % 11 == 0 ? "\t " : " ";
  }
  return text;
}

TEST(Words, StandBetweenBlanks) {
  EXPECT_EQ(words_of(" the\tking\r\nof  \xc3\xa9t\xc3\xa9\0x\n\n"),
            (std::vector<std::string>{"the", "king", "\n", "of", "\xc3\xa9t\xc3\xa9"}));
  EXPECT_EQ(words_of(std::string_view("a\0b", 3)), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(words_of("a\n\nb"), (std::vector<std::string>{"a", "\n", "\n", "b"}));
  const std::string longest(kLongestWord, 'x');
  EXPECT_EQ(words_of(longest + " y " + longest + "x z"), (std::vector<std::string>{longest, "y", "z"}));
  EXPECT_TRUE(words_of("").empty());
}

// No word is lost, cut or read twice where one piece ends and the next begins; packed or not.
TEST(TextPieces, HaveEveryWordOnce) {
  const TemporaryFolder folder;
  for (const bool one_line : {false, true}) {
    std::string text = long_text();
    if (one_line) std::replace(text.begin(), text.end(), '\n', ' ');
    text += std::string(200'000, 'x') + " end";  // something that is no word, longer than a piece
    write_bytes(folder / "text", text);
    gzFile packed = gzopen((folder / "text.gz").c_str(), "wb");
    gzwrite(packed, text.data(), static_cast<unsigned>(text.size()));
    gzclose(packed);
    std::vector<std::string> before;
    for (const char* name : {"text", "text.gz"}) {
      TextPieces pieces("test", folder / name);
      std::vector<std::string> found, each;
      for (std::string piece; pieces.next(piece);) {
        EXPECT_LE(piece.size(), 2 * TextPieces::kPiece);
        each.push_back(piece);
        for (const std::string& word : words_of(piece)) found.push_back(word);
      }
      EXPECT_GE(each.size(), 4U);
      EXPECT_EQ(found, words_of(text)) << name << one_line;
      if (!before.empty()) {
        EXPECT_EQ(each, before);
      }
      before = each;
    }
  }
}

TEST(TextPieces, AreRefusedWhereTheFileIsNoText) {
  const TemporaryFolder folder;
  const std::string name = (folder / "text").string();
  const auto read = [&](const std::string& text) {
    write_bytes(name, text);
    TextPieces pieces("test", name);
    std::string all;
    for (std::string piece; pieces.next(piece);) all += piece;
    return all;
  };
  const auto refused = [&](const std::string& text, const std::string& why) {
    testing::expect_refusal([&] { read(text); }, "[test] " + name + ": " + why);
  };
  EXPECT_EQ(read("\xEF\xBB\xBFthe king\n"), "the king\n");
  EXPECT_EQ(read(""), "");
  refused("\xFF\xFEt\1h\1e", "this is text in UTF-16: save it as UTF-8");
  std::string wide;
  for (const char c : std::string("the king and the queen\n")) wide += {c, '\0'};
  refused(wide, "this is text in UTF-16 or UTF-32: save it as UTF-8");
  refused("\x28\xB5\x2F\xFD king", "this is packed with zstd: unpack it first, or pack it with gzip");
  refused(std::string("\xFD"
                      "7zXZ\0 king",
                      11),
          "this is packed with xz: unpack it first, or pack it with gzip");
  refused(
      "\x7F"
      "ELF king",
      "this is a program");
  refused(std::string("the king and the queen \0 and so on\n", 36),
          "this is no text: it holds bytes that are 0");
  refused("the king \1\2\3 and\n", "this is no text: many of its bytes are control characters");
  refused("the king\nand the \xe9t\xe9\n",
          "line 2: the letters are no UTF-8; of Latin-1 it can be made by `iconv -f latin1 -t utf8`");
  // A letter of two bytes may lie across the end of what is read at once, here after a piece without an end.
  const std::string across = std::string(TextPieces::kPiece - 1, 'x') + "\xc3\xa9 end\n";
  EXPECT_EQ(words_of(read("a b\n" + across)), (std::vector<std::string>{"a", "b", "\n", "end", "\n"}));
}

TEST(TextPieces, EndWithLines) {
  const TemporaryFolder folder;
  std::string text;
  while (text.size() < 3 * TextPieces::kPiece) text += "one line of a text\n";
  write_bytes(folder / "text", text);
  TextPieces pieces("test", folder / "text");
  std::string all;
  for (std::string piece; pieces.next(piece); all += piece) EXPECT_TRUE(piece.ends_with("text\n"));
  EXPECT_EQ(all, text);
}

TEST(WordTable, NumbersWordsInOrder) {
  WordTable table;
  std::map<std::string, std::uint32_t> plain;
  std::istringstream words(long_text());
  for (std::string word; words >> word;) {
    const auto [place, is_new] = plain.emplace(word, static_cast<std::uint32_t>(plain.size()));
    ASSERT_EQ(table.find(word), is_new ? WordTable::kNone : place->second);
    ASSERT_EQ(table.add(word), place->second);
  }
  ASSERT_EQ(table.size(), plain.size());
  EXPECT_GT(plain.size(), 1024U);  // it has grown
  for (const auto& [word, number] : plain) EXPECT_EQ(table[number], word);
  EXPECT_EQ(table.find("none"), WordTable::kNone);
  EXPECT_EQ(table.add(""), plain.size());
  EXPECT_EQ(table.find(""), plain.size());
}

TEST(Lexicon, CountsWords) {
  const TemporaryFolder folder;
  const std::string text = long_text();
  write_bytes(folder / "text", text);
  const Lexicon lexicon = read_lexicon(folder / "text", {.min_count = 7});
  std::map<std::string, std::int64_t> plain;
  std::istringstream words(text);
  std::int64_t read = 0;
  for (std::string word; words >> word; ++read) ++plain[word];
  EXPECT_EQ(lexicon.read, read);
  std::int64_t known = 0, kept = 0;
  for (const auto& [word, count] : plain) {
    const std::uint32_t number = lexicon.table.find(word);
    ASSERT_EQ(number != WordTable::kNone, count >= 7) << word;
    if (count < 7) continue;
    EXPECT_EQ(lexicon.counts[number], count);
    known += count;
    ++kept;
  }
  EXPECT_EQ(lexicon.known, known);
  EXPECT_EQ(lexicon.size(), kept);
  EXPECT_LT(kept, static_cast<std::int64_t>(plain.size()));
  for (std::uint32_t i = 1; i < lexicon.table.size(); ++i) {
    const std::int64_t before = lexicon.counts[i - 1], now = lexicon.counts[i];
    ASSERT_TRUE(before > now || (before == now && lexicon.table[i - 1] < lexicon.table[i]));
  }
}

// The rarest are forgotten where there are too many at once; frequent ones keep their counts.
TEST(Lexicon, ForgetsRareWordsWhereThereAreTooMany) {
  const TemporaryFolder folder;
  std::string text;
  for (int i = 0; i < 60'000; ++i)
    text += "r" + std::to_string(i) + (i % 2 == 0 ? " often " : " always always ");
  write_bytes(folder / "text", text);
  const Lexicon lexicon = read_lexicon(folder / "text", {.min_count = 2, .most_at_once = 100});
  EXPECT_EQ(lexicon.table.size(), 2U);
  EXPECT_EQ(lexicon.table[0], "always");
  EXPECT_EQ(lexicon.counts, (std::vector<std::int64_t>{60'000, 30'000}));
}

TEST(Lexicon, Refuses) {
  const TemporaryFolder folder;
  const std::string name = (folder / "text").string();
  write_bytes(folder / "text", "a b c a\n");
  expect_refusal([&] { read_lexicon(name, {.min_count = 3}); },
                 "[read_lexicon] " + name + ": of 4 words none comes at least 3 times (`min-count`)");
  expect_refusal(
      [&] { read_lexicon(name, {.min_count = 0}); },
      "[read_lexicon] `min-count` and the words counted at once must be at least 1, got 0 and 8388608");
  expect_refusal([&] { read_lexicon(folder / "none"); },
                 "[read_lexicon] cannot open " + (folder / "none").string() + ": No such file or directory");
  EXPECT_THROW(read_lexicon(name, {.min_count = 1, .cancelled = [] { return true; }}), Cancelled);
}

}  // namespace

}  // namespace likely::words
