// WordTable: words and their numbers, for millions of words.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace likely::words {

// Numbers are given in the order in which words are added. A word is any bytes.
class WordTable {
 public:
  static constexpr std::uint32_t kNone = 0xFFFFFFFF;

  WordTable();

  std::uint32_t size() const { return static_cast<std::uint32_t>(starts_.size() - 1); }
  // Bytes of all words together.
  std::uint64_t letters() const { return letters_.size(); }
  // Valid until the next one is added.
  std::string_view operator[](std::uint32_t number) const {
    return {letters_.data() + starts_[number],
            static_cast<std::size_t>(starts_[number + 1] - starts_[number])};
  }
  // The number of a word, or kNone.
  std::uint32_t find(std::string_view word) const;
  // The number of a word, which is size() - 1 where it is new. Refuses more than 2^31 words.
  std::uint32_t add(std::string_view word);

 private:
  struct Slot {
    std::uint32_t number;
    std::uint32_t mark;  // of the hash, so that most others are known without looking at their letters
  };
  std::size_t place_of(std::string_view word, std::uint64_t hash) const;
  void grow();

  std::vector<char> letters_;
  std::vector<std::uint64_t> starts_;
  std::vector<Slot> slots_;  // a power of two, at most half full
};

}  // namespace likely::words
