// Files of word vectors, as word2vec and gensim write and read them.
//
//   3 2                  the number of words and of floats a word
//   king 0.5 -1.25       text: the word and its numbers
//   king <8 bytes>       binary: the word, a blank, floats of 32 bits, the low byte first, and an end of line
//   that may be missing
#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>

#include "likely/core/cancel.hpp"
#include "likely/models/words/word_vectors.hpp"

namespace likely::words {

enum class VectorFormat : std::uint8_t {
  by_ending,  // .txt and .vec are text, .bin is binary; also with .gz behind them, for reading. Other endings
              // are refused
  text,
  binary
};

// Plain or packed with gzip. Refuses, with line or byte: sizes that the file cannot hold, before memory is
// taken; words that come twice, are empty or longer than kLongestVectorWord bytes; numbers that are none or
// not finite; lines of another length; a file that ends early or goes on.
WordVectors load_vectors(const std::filesystem::path& path, VectorFormat format = VectorFormat::by_ending,
                         const CancelTest& cancelled = {});
inline constexpr std::size_t kLongestVectorWord = 1000;

// Whole or not at all. Text has as many digits as lead back to the same bits. Refuses a file that is there,
// unless it is to be replaced, and words that such a file cannot hold (with a blank or an end of line in
// them).
void save_vectors(const std::filesystem::path& path, const WordVectors& vectors,
                  VectorFormat format = VectorFormat::by_ending, bool replace = false,
                  const CancelTest& cancelled = {});

// What an ending means. Refuses one that means nothing.
VectorFormat format_of(const std::filesystem::path& path, VectorFormat format);

}  // namespace likely::words
