// The words of a text that are frequent enough to be learned.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <vector>

#include "likely/core/cancel.hpp"
#include "likely/models/words/word_table.hpp"

namespace likely::words {

struct Lexicon {
  WordTable table;  // the most frequent first, equally frequent ones in the order of their bytes
  std::vector<std::int64_t> counts;  // how often each was read
  std::int64_t known = 0;            // their sum
  std::int64_t read = 0;             // words of the text, rare ones among them
  std::int64_t pieces = 0;           // of the text (text_pieces.hpp)

  std::int64_t size() const { return static_cast<std::int64_t>(counts.size()); }
};

struct LexiconOptions {
  std::int64_t min_count = 5;  // words that come less often are left out
  // Different words that are counted at once. Where there are more, the rarest are forgotten: those of one
  // count, then of two, and so on each time. Memory then depends on this alone, whatever the text.
  std::int64_t most_at_once = std::int64_t{1} << 23;
  CancelTest cancelled{};
  std::function<void(std::int64_t words)> watch{};  // told now and then how many words have been read
};

// Refuses a min_count below 1, a text in which no word is frequent enough, and what io::ByteStream refuses.
Lexicon read_lexicon(const std::filesystem::path& text, const LexiconOptions& options = {});

}  // namespace likely::words
