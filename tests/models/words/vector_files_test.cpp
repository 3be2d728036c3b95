#include "likely/models/words/vector_files.hpp"

#include <gtest/gtest.h>
#include <zlib.h>

#include <bit>
#include <cmath>
#include <cstring>

#include "likely/core/cancel.hpp"
#include "likely/core/create.hpp"
#include "likely/ops/rng.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/temporary_folder.hpp"

namespace likely::words {

namespace {

using likely::testing::expect_refusal;
using likely::testing::read_bytes;
using likely::testing::TemporaryFolder;
using likely::testing::write_bytes;

std::string bytes_of(const std::vector<float>& floats) {
  std::string bytes(4 * floats.size(), '\0');
  std::memcpy(bytes.data(), floats.data(), bytes.size());
  return bytes;
}

WordVectors some(const std::vector<std::string>& names, const Tensor& matrix) {
  WordVectors vectors;
  for (const std::string& name : names) vectors.words.add(name);
  vectors.matrix = matrix;
  return vectors;
}

class VectorFiles : public ::testing::Test {
 protected:
  std::filesystem::path write(const std::string& name, const std::string& bytes) {
    write_bytes(folder_ / name, bytes);
    return folder_ / name;
  }
  void refused(const std::string& name, const std::string& bytes, const std::string& why) {
    const std::filesystem::path path = write(name, bytes);
    expect_refusal([&] { load_vectors(path); }, "[load_vectors] " + path.string() + ": " + why);
  }
  TemporaryFolder folder_;
};

// Byte for byte what word2vec writes, and what gensim writes, which has no ends of lines behind binary
// vectors.
TEST_F(VectorFiles, ReadWhatOthersWrite) {
  const std::string a = bytes_of({1.5F, -2.0F}), b = bytes_of({0.0F, 3e-20F});
  for (const auto& path : {write("word2vec.bin", "2 2\nking " + a + "\nqu\xc3\xa9 " + b + "\n"),
                           write("gensim.bin", "2 2\nking " + a + "qu\xc3\xa9 " + b),
                           write("word2vec.txt", "2 2\nking 1.500000 -2.000000 \nqu\xc3\xa9 0 3e-20 \n"),
                           write("gensim.vec", "2 2\r\nking 1.5 -2\r\nqu\xc3\xa9 -0.0 3E-20")}) {
    const WordVectors vectors = load_vectors(path);
    ASSERT_EQ(vectors.size(), 2) << path;
    ASSERT_EQ(vectors.dimension(), 2);
    EXPECT_EQ(vectors.words[0], "king");
    EXPECT_EQ(vectors.words[1], "qu\xc3\xa9");
    EXPECT_EQ(vectors.matrix.to_vector<float>(), (std::vector<float>{1.5F, -2.0F, 0.0F, 3e-20F}));
  }
}

TEST_F(VectorFiles, AreWrittenByteForByte) {
  const WordVectors vectors = some({"king", "q"}, tensor({{1.5, -2.0}, {0.1, 1e-42}}));
  save_vectors(folder_ / "v.bin", vectors);
  EXPECT_EQ(read_bytes(folder_ / "v.bin"),
            "2 2\nking " + bytes_of({1.5F, -2.0F}) + "\nq " + bytes_of({0.1F, 1e-42F}) + "\n");
  save_vectors(folder_ / "v.txt", vectors);
  EXPECT_EQ(read_bytes(folder_ / "v.txt"), "2 2\nking 1.5 -2\nq 0.1 1e-42\n");
  save_vectors(folder_ / "v", vectors, VectorFormat::text);
  EXPECT_EQ(read_bytes(folder_ / "v"), read_bytes(folder_ / "v.txt"));
}

TEST_F(VectorFiles, LeadBackToTheSameBits) {
  std::vector<std::string> names;
  for (int i = 0; i < 300; ++i) names.push_back("w" + std::to_string(i));
  Tensor matrix = Rng(1).normal({300, 37});
  matrix.set({0, 0}, 1e-45);
  matrix.set({0, 1}, 3.4e38);
  matrix.set({0, 2}, -0.0);
  const WordVectors vectors = some(names, matrix);
  for (const char* name : {"v.bin", "v.txt"}) {
    save_vectors(folder_ / name, vectors);
    const WordVectors again = load_vectors(folder_ / name);
    EXPECT_EQ(std::memcmp(again.matrix.data<float>(), matrix.data<float>(), 300 * 37 * 4), 0) << name;
    EXPECT_EQ(again.words[299], "w299");
    const std::string bytes = read_bytes(folder_ / name), packed = (folder_ / name).string() + ".gz";
    gzFile file = gzopen(packed.c_str(), "wb");
    gzwrite(file, bytes.data(), static_cast<unsigned>(bytes.size()));
    gzclose(file);
    EXPECT_EQ(load_vectors(packed).matrix.to_vector<float>(), matrix.to_vector<float>());
  }
}

TEST_F(VectorFiles, RefuseWhatIsWrongByLine) {
  refused("a.txt", "", "the file is empty");
  refused("a.txt", "king 1\n",
          "line 1: the number of words and that of floats a word are expected, got \"king 1\"");
  const std::string glove =
      "line 1: a word and its numbers, as files of GloVe begin; a line with the number of words and that of "
      "floats a word is needed above it, such as \"400000 100\"";
  refused("a.txt", "king 1 2\nqueen 2 3\n", glove);
  refused("a.txt", "the 0.418 -0.24968 " + std::string(1000, '0') + "\r\n", glove);
  refused("a.bin", "\xBA\x16\x4F\x2F\f", "this is a model of fastText: its .vec file holds the vectors");
  refused("a.txt", "2\n", "line 1: the number of words and that of floats a word are expected, got \"2\"");
  refused("a.txt", "-1 2\n",
          "line 1: the number of words and that of floats a word are expected, got \"-1 2\"");
  refused("a.txt", "2000000000 16000000\na 1\n",
          "line 1: 2000000000 words of 16000000 floats do not fit into the file");
  refused("a.txt", "3 2\na 1 2\n", "line 1: 3 words of 2 floats do not fit into the file");
  refused("a.txt", "2 2\na 1.00000 2.00000\n", "the file ends behind line 2, 2 words are expected");
  refused("a.txt", "2 2\na 1 2\nb 1 2 3\n", "line 3: 3 numbers, 2 are expected");
  refused("a.txt", "2 2\na 1 2\nb 111\n", "line 3: 1 numbers, 2 are expected");
  refused("a.txt", "2 2\na 1 2\na 1 2\n", "line 3: the word \"a\" comes twice");
  refused("a.txt", "2 2\na 1 2\n 1 2\n", "line 3: the word is empty");
  refused("a.txt", "2 2\na 1 x\nb 1 2\n", "line 2: \"x\" is no finite number");
  refused("a.txt", "2 2\na 1 nan\nb 1 2\n", "line 2: \"nan\" is no finite number");
  refused("a.txt", "2 2\na 1 2\nb 1e39 2\n", "line 3: \"1e39\" is no finite number");
  refused("a.txt", "1 2\na 1 2\nb 1 2\n", "line 3: the file goes on behind its 1 words");
  refused("a.txt", "1 1\n" + std::string(1001, 'x') + " 1\n", "line 2: the word is longer than 1000 bytes");
  refused("a.txt", "1 1\n" + std::string(5000, 'x') + " 1\n", "line 2: the line is longer than 1064 bytes");
}

TEST_F(VectorFiles, RefuseWhatIsWrongByByte) {
  const std::string a = bytes_of({1.0F, 2.0F});
  refused("a.bin", "3 2\na " + a + "\nb " + a.substr(0, 7),
          "line 1: 3 words of 2 floats do not fit into the file");
  refused("a.bin", "2 2\na " + a + "\nbcd " + a.substr(0, 7), "the file ends at byte 26, within a vector");
  refused("a.bin", "2 2\na " + a + "\nbcdefghijkl", "word 2, byte 15: the file ends, 2 words are expected");
  refused("a.bin", "2 2\na " + a + "\na " + a, "word 2, byte 15: the word \"a\" comes twice");
  refused("a.bin", "2 2\na " + a + "\n " + a + "x", "word 2, byte 15: the word is empty");
  refused("a.bin", "1 2\na\nb " + a, "word 1, byte 4: the word holds an end of line");
  refused("a.bin", "1 2\na " + a + "\nb", "the file goes on behind its 1 words, from byte 15 on");
  refused("a.bin", "1 2\na " + bytes_of({1.0F, std::nanf("")}),
          "word 1, byte 4: number 2 of the vector is not finite");
  refused("a.bin", "1 1\n" + std::string(2000, 'x'), "word 1, byte 4: the word is longer than 1000 bytes");
}

TEST_F(VectorFiles, RefuseToBeWrittenWhereTheyShouldNot) {
  const WordVectors vectors = some({"a"}, tensor({{1.0}}));
  expect_refusal([&] { save_vectors("v.csv", vectors); },
                 "v.csv: neither .bin (binary) nor .txt or .vec (text): name the `format`");
  expect_refusal([&] { save_vectors("v.txt.gz", vectors); },
                 "v.txt.gz: vectors are written plainly; leave .gz out");
  expect_refusal([&] { save_vectors(folder_ / "v.txt", some({"a b"}, tensor({{1.0}}))); },
                 "[save_vectors] word 1, \"a b\", is empty or holds a blank or an end of line");
  save_vectors(folder_ / "v.txt", vectors);
  EXPECT_THROW(save_vectors(folder_ / "v.txt", vectors), Error);
  save_vectors(folder_ / "v.txt", some({"b"}, tensor({{2.0}})), VectorFormat::by_ending, true);
  EXPECT_EQ(read_bytes(folder_ / "v.txt"), "1 1\nb 2\n");
  EXPECT_THROW(save_vectors(folder_ / "w.txt", vectors, VectorFormat::by_ending, false, [] { return true; }),
               Cancelled);
  EXPECT_EQ(folder_.list(), "v.txt");
}

}  // namespace

}  // namespace likely::words
