// How good word vectors are: analogies that they solve, and how their cosines agree with people's judgements
// of similarity.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "likely/core/cancel.hpp"
#include "likely/models/words/word_vectors.hpp"

namespace likely::words {

// "Athens Greece Baghdad Iraq" below ": capital-common-countries".
struct AnalogySection {
  std::string name;  // empty above the first
  std::vector<std::array<std::string, 4>> questions;
};
// Refuses, with the line, what has not four words, and a file without questions.
std::vector<AnalogySection> read_analogies(const std::filesystem::path& path);

// "love<tab>sex<tab>6.77": two words and a number, the first of those behind them that is one, with a decimal
// point or a decimal comma. The first line tells what separates them: a tab, else a semicolon, else a comma,
// else blanks. Lines that begin with #, and a first line whose field of the number is none, are passed over;
// where that calls two columns word..., these are the words.
struct JudgedPair {
  std::string first, second;
  double judged;
};
// Refuses, with the line, what is no such pair or has another number of fields, a first column that seems to
// be no word, and a file without pairs.
std::vector<JudgedPair> read_similarities(const std::filesystem::path& path);

struct AnalogyScore {
  std::string name;
  std::int64_t right = 0, asked = 0;  // of those whose four words have vectors
  std::int64_t all = 0;               // in the file

  double accuracy() const {
    return asked > 0 ? static_cast<double>(right) / static_cast<double>(asked) : 0.0;
  }
};
// The word nearest to b - a + c, without a, b and c, is compared with d. A score for each section, in order;
// `most` > 0 looks among that many first words alone, which in files of word2vec are the most frequent.
std::vector<AnalogyScore> score_analogies(const WordVectors& vectors,
                                          const std::vector<AnalogySection>& sections, std::int64_t most = 0,
                                          const CancelTest& cancelled = {});
AnalogyScore total_of(const std::vector<AnalogyScore>& scores);

struct SimilarityScore {
  double rho = 0.0;  // Spearman's; NaN where all are equal or there are fewer than two
  double low = 0.0,
         high =
             0.0;  // 95 %: Fisher's z, standard error sqrt((1 + rho^2 / 2) / (n - 3)) (Bonett & Wright 2000)
  std::int64_t asked = 0, all = 0;  // pairs whose words have vectors; in the file
};
SimilarityScore score_similarities(const WordVectors& vectors, const std::vector<JudgedPair>& pairs);

// Spearman's correlation: Pearson's of the ranks, equal numbers with the mean of theirs. Refuses other
// lengths; NaN as above.
double spearman(const std::vector<double>& x, const std::vector<double>& y);

}  // namespace likely::words
