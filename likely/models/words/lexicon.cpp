#include "likely/models/words/lexicon.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <string>

#include "likely/core/error.hpp"
#include "likely/models/words/text_pieces.hpp"

namespace likely::words {

namespace {

constexpr std::uint64_t kMostLetters = std::uint64_t{1} << 29;

struct Counted {
  WordTable table;
  std::vector<std::int64_t> counts;

  void add(std::string_view word, std::int64_t times) {
    const std::uint32_t number = table.add(word);
    if (number == counts.size()) counts.push_back(0);
    counts[number] += times;
  }
};

// Those that come more often than this.
Counted above(const Counted& all, std::int64_t floor) {
  Counted kept;
  for (std::uint32_t i = 0; i < all.table.size(); ++i) {
    if (all.counts[i] > floor) kept.add(all.table[i], all.counts[i]);
  }
  return kept;
}

}  // namespace

Lexicon read_lexicon(const std::filesystem::path& text, const LexiconOptions& options) {
  if (options.min_count < 1 || options.most_at_once < 1)
    refuse("read_lexicon",
           fmt::format("`min-count` and the words counted at once must be at least 1, got {} and {}",
                       options.min_count, options.most_at_once));
  Lexicon lexicon;
  Counted all;
  std::int64_t floor = 0;
  TextPieces pieces("read_lexicon", text);
  for (std::string piece; pieces.next(piece); ++lexicon.pieces) {
    give_up_if(options.cancelled);
    walk_words(
        piece,
        [&](std::string_view word) {
          all.add(word, 1);
          ++lexicon.read;
        },
        [] {});
    while (all.table.size() > options.most_at_once || all.table.letters() > kMostLetters)
      all = above(all, ++floor);
    if (options.watch) options.watch(lexicon.read);
  }
  std::vector<std::uint32_t> order;
  for (std::uint32_t i = 0; i < all.table.size(); ++i) {
    if (all.counts[i] >= options.min_count) order.push_back(i);
  }
  if (order.empty())
    refuse("read_lexicon", fmt::format("{}: of {} words none comes at least {} times (`min-count`)",
                                       text.string(), lexicon.read, options.min_count));
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return all.counts[a] != all.counts[b] ? all.counts[a] > all.counts[b] : all.table[a] < all.table[b];
  });
  for (const std::uint32_t i : order) {
    lexicon.table.add(all.table[i]);
    lexicon.counts.push_back(all.counts[i]);
  }
  lexicon.known = std::accumulate(lexicon.counts.begin(), lexicon.counts.end(), std::int64_t{0});
  return lexicon;
}

}  // namespace likely::words
