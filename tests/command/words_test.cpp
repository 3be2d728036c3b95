// `likely word2vec` and `likely words`, as users run them.
#include <gtest/gtest.h>

#include <sys/stat.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <string>
#include <thread>

#include "likely/io/json.hpp"
#include "tests/command/command.hpp"
#include "tests/support/temporary_folder.hpp"

namespace likely::testing {
namespace {

using Words = std::vector<std::string>;

// Lines of two topics, told apart by their words.
std::string corpus(int lines) {
  std::string text;
  unsigned drawn = 1;
  for (int i = 0; i < lines; ++i) {
    for (int j = 0; j < 8; ++j) {
      drawn = drawn * 1103515245U + 12345U;
      text += (i % 2 == 0 ? "sea" : "sky") + std::to_string((drawn >> 16) % 6) + (j == 7 ? "\n" : " ");
    }
  }
  return text;
}

class WordCommands : public ::testing::Test {
 protected:
  WordCommands() { write_bytes(folder_ / "corpus.txt", corpus(3000)); }
  Ran run(const Words& words) { return likely_command(folder_.path().string(), words); }
  void expect_complaint(const Words& words, const std::string& line) {
    const Ran ran = run(words);
    EXPECT_EQ(ran.code, 2) << line;
    EXPECT_EQ(ran.err, line + "\n");
    EXPECT_EQ(ran.out, "") << line;
  }
  void learn(const std::string& out, const Words& more = {}) {
    Words words{"word2vec", "corpus.txt", "--out",  out,   "--dimension", "12",
                "--sample", "0",          "--rate", "0.1", "--quiet"};
    words.insert(words.end(), more.begin(), more.end());
    const Ran ran = run(words);
    EXPECT_EQ(ran.code, 0) << ran.err;
    EXPECT_EQ(ran.out + ran.err, "");
  }

  TemporaryFolder folder_;
};

TEST_F(WordCommands, LearnAndAnswer) {
  const Ran ran = run({"word2vec", "corpus.txt", "--out", "vectors.bin", "--epochs", "2"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_TRUE(ran.out.starts_with("12 words of 24000 in the text have a vector of 100 numbers\nloss "))
      << ran.out;
  EXPECT_TRUE(ran.out.ends_with(" words/s\nvectors: vectors.bin\n")) << ran.out;
  EXPECT_EQ(std::filesystem::file_size(folder_ / "vectors.bin"), 7U + 12U * (4U + 1U + 400U + 1U));
  for (const Words& how : {Words{}, Words{"--cbow"}, Words{"--nce"}, Words{"--threads", "2"}}) {
    Words more = how;
    more.emplace_back("--force");
    learn("vectors.txt", more);
    const Ran near = run({"words", "nearest", "vectors.txt", "sea0", "--count", "5", "--json"});
    ASSERT_EQ(near.code, 0) << near.err;
    const auto found = io::parse_json<io::SortedJson>(near.out);
    ASSERT_EQ(found.size(), 5U);
    for (const auto& one : found) EXPECT_TRUE(one["word"].get<std::string>().starts_with("sea")) << near.out;
  }
  EXPECT_EQ(run({"words", "nearest", "vectors.txt", "sky1", "--count", "2"}).out.find("sky"), 8U);
  const Ran fourth = run({"words", "analogy", "vectors.txt", "sea0", "sky0", "sea1", "--count", "1"});
  EXPECT_EQ(fourth.code, 0) << fourth.err;
  EXPECT_NE(fourth.out.find("  sky"), std::string::npos) << fourth.out;
}

TEST_F(WordCommands, LearnTheSameInBothFormats) {
  learn("a.bin");
  learn("b.bin");
  EXPECT_EQ(read_bytes(folder_ / "a.bin"), read_bytes(folder_ / "b.bin"));
  learn("c.bin", {"--seed", "2"});
  EXPECT_NE(read_bytes(folder_ / "a.bin"), read_bytes(folder_ / "c.bin"));
  learn("words", {"--format", "text"});
  EXPECT_TRUE(read_bytes(folder_ / "words").starts_with("12 12\n"));
  EXPECT_EQ(run({"words", "nearest", "words", "sea0", "--format", "text"}).out,
            run({"words", "nearest", "a.bin", "sea0"}).out);
}

TEST_F(WordCommands, Evaluate) {
  write_bytes(folder_ / "v.txt", "4 2\na 1 0\nb 1 1\nc 0 1\nd -1 1\n");
  write_bytes(folder_ / "q.txt", ": turns\na b b c\nb c a b\na b x c\n");
  write_bytes(folder_ / "s.tsv", "a\tb\t5\na\tc\t4\na\td\t1\na\tx\t9\nb\tc\t5.5\n");
  const Ran ran = run({"words", "eval", "v.txt", "--analogies", "q.txt", "--similarity", "s.tsv"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(ran.out,
            "turns                              50.0 % +- 35.4      1 of     2 asked, of 3\n"
            "total                              50.0 % +- 35.4      1 of     2 asked, of 3\n"
            "Spearman's rho 0.949, 95 % from -0.494 to 1.000, over 4 of 5 pairs\n");
  const auto json = io::parse_json<io::SortedJson>(
      run({"words", "eval", "v.txt", "--analogies", "q.txt", "--similarity", "s.tsv", "--json"}).out);
  EXPECT_EQ(json["analogies"]["total"]["right"], 1);
  EXPECT_EQ(json["analogies"]["sections"].size(), 1U);
  EXPECT_EQ(json["similarity"]["asked"], 4);
  expect_complaint({"words", "eval", "v.txt"},
                   "likely: what is to be measured? --analogies FILE, --similarity FILE or both");
}

TEST_F(WordCommands, Refuse) {
  learn("vectors.bin");
  const std::string before = read_bytes(folder_ / "vectors.bin");
  expect_complaint({"word2vec", "corpus.txt", "--out", "vectors.bin"},
                   "likely: vectors.bin is there already; replace it (--force) or choose another --out");
  EXPECT_EQ(read_bytes(folder_ / "vectors.bin"), before);
  expect_complaint({"word2vec", "corpus.txt", "--out", "v.csv"},
                   "likely: v.csv: neither .bin (binary) nor .txt or .vec (text): name the --format");
  expect_complaint({"word2vec", "corpus.txt", "--out", "v.txt.gz"},
                   "likely: --out v.txt.gz: vectors are written plainly; leave .gz out");
  expect_complaint({"word2vec", "corpus.txt", "--out", "corpus.txt", "--force"},
                   "likely: --out corpus.txt: this is the text that is to be read; choose another --out");
  expect_complaint(
      {"word2vec", "corpus.txt", "--out", "v.bin", "--min-count", "100000"},
      "likely: [read_lexicon] corpus.txt: of 24000 words none comes at least 100000 times (--min-count)");
  expect_complaint({"word2vec", "none.txt", "--out", "v.bin"},
                   "likely: [read_lexicon] cannot open none.txt: No such file or directory");
  expect_complaint({"word2vec", "corpus.txt", "--out", "v.bin", "--negative", "0"},
                   "likely word2vec: --negative: must be a whole number from 1 to 256, got \"0\"; see "
                   "`likely word2vec --help`");
  expect_complaint(
      {"word2vec", "corpus.txt", "--out", "v.bin", "--rate", "x"},
      "likely word2vec: --rate: must be a number above 0, got \"x\"; see `likely word2vec --help`");
  expect_complaint(
      {"word2vec", "corpus.txt", "--out", "v.bin", "--rate", "0"},
      "likely word2vec: --rate: must be a number above 0, got \"0\"; see `likely word2vec --help`");
  expect_complaint(
      {"word2vec", "corpus.txt", "--out", "v.bin", "--sample", "-1"},
      "likely word2vec: --sample: must be a number from 0 on, got \"-1\"; see `likely word2vec --help`");
  write_bytes(folder_ / "column.txt", "a\nb\na\nb\n");
  expect_complaint(
      {"word2vec", "column.txt", "--out", "v.bin", "--min-count", "1", "--quiet"},
      "likely: [word2vec] column.txt: no word has another one beside it in its line: join lines, "
      "or choose a larger --sample or a smaller --min-count");
  expect_complaint({"words", "nearest", "vectors.bin", "land"},
                   "likely: [nearest] no vector is called \"land\"; 12 words have one");
  write_bytes(folder_ / "bad.txt", "2 2\na 1 2\na 1 2\n");
  expect_complaint({"words", "nearest", "bad.txt", "a"},
                   "likely: [load_vectors] bad.txt: line 3: the word \"a\" comes twice");
  EXPECT_FALSE(std::filesystem::exists(folder_ / "v.bin"));
}

// Room is asked for before anything is learned, and before memory is.
TEST_F(WordCommands, RefuseADiskWithoutRoom) {
  const std::size_t words = 1'000'000, needed = words * 65536 * 11;
  if (std::filesystem::space(folder_.path()).available >= needed) GTEST_SKIP() << "this disk has room";
  std::string text;
  for (std::size_t i = 0; i < words; ++i) text += "w" + std::to_string(i) + (i % 10 == 9 ? "\n" : " ");
  write_bytes(folder_ / "many.txt", text);
  const Ran ran =
      run({"word2vec", "many.txt", "--out", "v.txt", "--min-count", "1", "--dimension", "65536", "--quiet"});
  EXPECT_NE(ran.code, 0);
  EXPECT_TRUE(ran.err.starts_with("likely: no room in \"")) << ran.err;
  EXPECT_TRUE(ran.err.ends_with("are free, the vectors need about 720896.0 MB\n")) << ran.err;
  EXPECT_FALSE(std::filesystem::exists(folder_ / "v.txt"));
}

TEST_F(WordCommands, WriteToANamedPipe) {
  const std::string learn =
      "likely word2vec corpus.txt --dimension 3 --epochs 1 --quiet --force --format text";
  const Ran ran =
      shell(folder_.path().string(), learn + " --out plain && mkfifo pipe && { cat pipe > through & " +
                                         learn + " --out pipe; code=$?; wait; exit $code; }");
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(read_bytes(folder_ / "through"), read_bytes(folder_ / "plain"));
}

TEST_F(WordCommands, EndAtCtrlCWhileNobodyReadsThePipe) {
  ASSERT_EQ(mkfifo((folder_ / "pipe").c_str(), 0600), 0);
  const TemporaryFolder output;
  const pid_t child = start_command(folder_.path().string(),
                                    {"word2vec", "corpus.txt", "--out", "pipe", "--force", "--format",
                                     "binary", "--dimension", "2", "--epochs", "1"},
                                    (output / "out").string(), (output / "err").string());
  std::this_thread::sleep_for(std::chrono::milliseconds(700));  // it waits by now
  kill(child, SIGINT);
  EXPECT_EQ(wait_for(child), 130);
  EXPECT_TRUE(read_bytes(output / "err").ends_with("interrupted; nothing was written\n"));
}

TEST_F(WordCommands, EndAtCtrlC) {
  write_bytes(folder_ / "corpus.txt", corpus(40'000));
  const std::string before = folder_.list();
  for (const char* const threads : {"1", "2"}) {
    const TemporaryFolder output;
    const pid_t child = start_command(folder_.path().string(),
                                      {"word2vec", "corpus.txt", "--out", "v.bin", "--epochs", "1000000",
                                       "--threads", threads, "--dimension", "300"},
                                      (output / "out").string(), (output / "err").string());
    const auto says = [&] {
      return std::filesystem::exists(output / "err") ? read_bytes(output / "err") : std::string();
    };
    for (int i = 0; i < 16000 && says().find("learning") == std::string::npos; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    kill(child, SIGINT);
    EXPECT_EQ(wait_for(child), 130);
    EXPECT_TRUE(says().ends_with("\ninterrupted; nothing was written\n")) << says();
    EXPECT_EQ(folder_.list(), before);
  }
}

}  // namespace
}  // namespace likely::testing
