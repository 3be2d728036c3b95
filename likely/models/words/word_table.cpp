// Hot: a look for every word of a text.
#include "likely/models/words/word_table.hpp"

#include <utility>

#include "likely/core/error.hpp"

namespace likely::words {

namespace {

// FNV-1a, and a mix so that its low bits depend on all letters.
std::uint64_t hash_of(std::string_view word) {
  std::uint64_t hash = 0xCBF29CE484222325;
  for (const char c : word) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3;
  return (hash ^ (hash >> 32)) * 0x9E3779B97F4A7C15;
}

std::uint32_t mark_of(std::uint64_t hash) { return static_cast<std::uint32_t>(hash >> 32); }

}  // namespace

WordTable::WordTable() : starts_{0}, slots_(1024, Slot{kNone, 0}) {}

// Where the word stands, or would.
std::size_t WordTable::place_of(std::string_view word, std::uint64_t hash) const {
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t place = hash & mask;; place = (place + 1) & mask) {
    const Slot slot = slots_[place];
    if (slot.number == kNone || (slot.mark == mark_of(hash) && (*this)[slot.number] == word)) return place;
  }
}

std::uint32_t WordTable::find(std::string_view word) const {
  return slots_[place_of(word, hash_of(word))].number;
}

std::uint32_t WordTable::add(std::string_view word) {
  const std::uint64_t hash = hash_of(word);
  std::size_t place = place_of(word, hash);
  if (slots_[place].number != kNone) return slots_[place].number;
  if (size() >= (std::uint32_t{1} << 31)) refuse("WordTable", "more than 2^31 different words");
  if (2 * (std::size_t{size()} + 1) > slots_.size()) {
    grow();
    place = place_of(word, hash);
  }
  slots_[place] = {size(), mark_of(hash)};
  letters_.insert(letters_.end(), word.begin(), word.end());
  starts_.push_back(letters_.size());
  return size() - 1;
}

void WordTable::grow() {
  std::vector<Slot> wider(2 * slots_.size(), Slot{kNone, 0});
  std::swap(slots_, wider);
  for (std::uint32_t number = 0; number < size(); ++number) {
    const std::uint64_t hash = hash_of((*this)[number]);
    std::size_t place = hash & (slots_.size() - 1);
    while (slots_[place].number != kNone) place = (place + 1) & (slots_.size() - 1);
    slots_[place] = {number, mark_of(hash)};
  }
}

}  // namespace likely::words
