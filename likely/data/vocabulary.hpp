// Vocabulary: symbols of a text and their numbers.
//
//   const std::string text = io::read_text("input.txt.gz");
//   const auto vocabulary = data::Vocabulary::of_characters(text);
//   const Tensor tokens = vocabulary.encode(text);
//   const data::Dataset train = data::windows(tokens, 64);
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "likely/data/dataset.hpp"

namespace likely::data {

struct WordOptions {
  std::int64_t least = 1;  // words that come less often are unknown
  std::int64_t most = 0;   // no more words than that, the most frequent ones; 0: all
};

class Vocabulary {
 public:
  enum class Kind : std::uint8_t { characters, words };

  // The characters of a text (UTF-8 code points), sorted. Refuses text that is not UTF-8, naming the byte.
  static Vocabulary of_characters(std::string_view text);
  // The words of a text, which are what stands between spaces and line ends: the most frequent one first,
  // equally frequent ones in alphabetical order, and before them "<unknown>" for all others.
  static Vocabulary of_words(std::string_view text, const WordOptions& options = {});
  // The symbols of an earlier vocabulary, such as were saved with a model. Refuses one that comes twice.
  Vocabulary(Kind kind, std::vector<std::string> symbols);

  std::int64_t size() const { return static_cast<std::int64_t>(symbols_.size()); }
  const std::vector<std::string>& symbols() const { return symbols_; }
  // The number of a symbol; that of "<unknown>" where there is one, else refused.
  std::int64_t number(std::string_view symbol) const;

  // The numbers of a text's symbols, i64.
  Tensor encode(std::string_view text) const;
  // The text again; words with one space between them. Refuses numbers that are none of the vocabulary.
  std::string decode(const Tensor& numbers) const;

 private:
  Kind kind_;
  std::vector<std::string> symbols_;
  std::unordered_map<std::string, std::int64_t> numbers_;
};

// A sequence cut into overlapping windows, for models that predict what comes next: row i is
// x = tokens[i .. i + length), y = tokens[i + 1 .. i + length]. Refuses length < 1 and more than there is.
Dataset windows(const Tensor& tokens, std::int64_t length);

}  // namespace likely::data
