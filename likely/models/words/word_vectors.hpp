// WordVectors: words and a vector for each.
//
//   const words::WordVectors vectors = words::load_vectors("vectors.bin");
//   for (const words::Neighbour& near : words::nearest(vectors, "king", 10)) ...
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "likely/core/cancel.hpp"
#include "likely/core/tensor.hpp"
#include "likely/models/words/word_table.hpp"

namespace likely::words {

struct WordVectors {
  WordTable words;
  Tensor matrix;  // (words, dimension), f32

  std::int64_t size() const { return matrix.dim(0); }
  std::int64_t dimension() const { return matrix.dim(1); }
  // The number of a word as it is written or, where that is not there, in small letters (of ASCII).
  std::optional<std::int64_t> find(std::string_view word) const;
  // Rows of length 1; a row of zeros stays one.
  Tensor directions() const;
};

struct Neighbour {
  std::string word;
  double cosine;
};

// The `count` words, fewer where there are fewer, whose vectors have the largest cosine with that of this
// one, the largest first; without the word itself. Refuses a word that is not there, and a count below 1.
std::vector<Neighbour> nearest(const WordVectors& vectors, std::string_view word, std::int64_t count);

// Those nearest to b - a + c, each of length 1: a is to b as c is to ... (Mikolov et al. 2013); without the
// three.
std::vector<Neighbour> analogy(const WordVectors& vectors, std::string_view a, std::string_view b,
                               std::string_view c, std::int64_t count);

}  // namespace likely::words
