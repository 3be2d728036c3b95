// Texts to learn words from, files of word vectors, and what measures these.
#include <cmath>
#include <cstring>

#include "likely/models/words/evaluate.hpp"
#include "likely/models/words/lexicon.hpp"
#include "likely/models/words/text_pieces.hpp"
#include "likely/models/words/vector_files.hpp"
#include "likely/models/words/word2vec.hpp"
#include "tests/fuzz/choices.hpp"
#include "tests/fuzz/sane.hpp"
#include "tests/fuzz/target.hpp"
#include "tests/support/temporary_folder.hpp"

namespace likely::fuzz {

namespace {

namespace fs = std::filesystem;
using words::VectorFormat;

// What was read is written in both forms, and reads back as the same bits.
void write_back(const words::WordVectors& vectors) {
  static const testing::TemporaryFolder folder;
  for (const char* name : {"vectors.bin", "vectors.txt"}) {
    words::save_vectors(folder / name, vectors, words::format_of(name, VectorFormat::by_ending), true);
    const words::WordVectors again = words::load_vectors(folder / name);
    demand(again.matrix.shape() == vectors.matrix.shape(), "vectors that were lost");
    demand(std::memcmp(again.matrix.raw(), vectors.matrix.raw(),
                       4 * static_cast<std::size_t>(vectors.matrix.size())) == 0,
           "vectors that read otherwise");
    for (std::uint32_t i = 0; i < vectors.words.size(); ++i)
      demand(again.words[i] == vectors.words[i], "a word that reads otherwise");
  }
}

void look_at(const words::WordVectors& vectors) {
  demand(vectors.matrix.rank() == 2 && vectors.size() == vectors.words.size(), "words without vectors");
  for (const float value : vectors.matrix.to_vector<float>())
    demand(std::isfinite(value), "a number that is none");
  words::nearest(vectors, vectors.words[0], 3);
  write_back(vectors);
}

Verdict read_as(std::string_view input, VectorFormat format) {
  return read_file(input, 40.0 * kPacked,
                   [&](const fs::path& path) { look_at(words::load_vectors(path, format)); });
}

// A file of vectors whose every part may be wrong.
std::string vectors_of(Choices& choices, bool binary) {
  const std::size_t words = 1 + choices.below(4), dimension = 1 + choices.below(3);
  const auto size = [&](std::size_t right) {
    return choices.one_in(10) ? choices.number_text() : std::to_string(right);
  };
  std::string text = size(words) + " " + size(dimension) + "\n";
  for (std::size_t i = 0; i < words; ++i) {
    text += choices.one_in(4) ? choices.word() : "w" + std::to_string(i);
    if (binary) text += " ";
    for (std::size_t j = 0; j < dimension; ++j) {
      if (!binary)
        text += " " + (choices.one_in(6) ? choices.number_text() : std::to_string(choices.below(100)));
      const auto bits = static_cast<std::uint32_t>(choices.below(1 << 24) * (choices.one_in(4) ? 256 : 64));
      if (binary) text.append(reinterpret_cast<const char*>(&bits), 4);
    }
    if (!binary || !choices.one_in(3)) text += "\n";
  }
  return text;
}

std::vector<std::string> starts() { return {"", std::string(40, '\1'), std::string(60, '\2')}; }

}  // namespace

void add_word_targets(std::vector<Target>& all) {
  all.push_back({"vectors_text", [](std::string_view input) { return read_as(input, VectorFormat::text); },
                 [] {
                   const std::string text = "3 2\nking 0.5 -1e-3\nqueen 1 2\n\xc3\xa9 -0 1e-45\n";
                   return std::vector<std::string>{text, packed(text)};
                 }});
  all.push_back({"vectors_binary",
                 [](std::string_view input) { return read_as(input, VectorFormat::binary); },
                 [] {
                   const std::string bytes = std::string("2 1\nking ") + "abcd" + "\nqueen efgh";
                   return std::vector<std::string>{bytes, packed(bytes)};
                 }});
  all.push_back({"vectors_meaning",
                 [](std::string_view input) {
                   Choices choices(input);
                   const bool binary = choices.one_in(2);
                   return read_as(vectors_of(choices, binary),
                                  binary ? VectorFormat::binary : VectorFormat::text);
                 },
                 starts, false});
  all.push_back(
      {"text_of_words",
       [](std::string_view input) {
         return read_file(input, kPacked, [](const fs::path& path) {
           std::int64_t pieces = 0;
           words::TextPieces text("text_of_words", path);
           for (std::string piece; text.next(piece);) ++pieces;
           const words::Lexicon lexicon = words::read_lexicon(path, {.min_count = 1});
           demand(lexicon.pieces == pieces, "pieces that were lost");
           demand(lexicon.known == lexicon.read, "words that were lost");
           const words::Learned learned = words::word2vec(
               path, {.dimension = 2, .negative = 1, .epochs = 1, .min_count = 1, .sample = 1.0});
           demand(learned.vectors.size() == lexicon.size(), "words that were not learned");
         });
       },
       [] {
         return std::vector<std::string>{"the king and the queen\nof \xc3\xa9\n", packed("a b a\n")};
       }});
  all.push_back(
      {"word_questions",
       [](std::string_view input) {
         return read_file(input, kPacked, [](const fs::path& path) {
           for (const words::AnalogySection& section : words::read_analogies(path)) {
             for (const auto& question : section.questions)
               demand(!question[0].empty() && !question[3].empty(), "a question without words");
           }
         });
       },
       [] { return std::vector<std::string>{": capitals\nAthens Greece Oslo Norway\n\n: none\n"}; }});
  all.push_back({"word_pairs",
                 [](std::string_view input) {
                   return read_file(input, kPacked, [](const fs::path& path) {
                     for (const words::JudgedPair& pair : words::read_similarities(path))
                       demand(!pair.second.empty() && std::isfinite(pair.judged), "a pair that is none");
                   });
                 },
                 [] { return std::vector<std::string>{"# note\nword1 word2 score\nlove\tsex\t6.77\n"}; }});
}

}  // namespace likely::fuzz
