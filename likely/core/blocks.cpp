#include "likely/core/blocks.hpp"

#include <bit>
#include <cstdlib>
#include <new>

#include "likely/core/huge_pages.hpp"

namespace likely::detail {

namespace {

constexpr std::size_t kSmallest = 64;
constexpr std::size_t kShareAbove = std::size_t{128} << 10;
constexpr std::size_t kStaggerAbove = std::size_t{64} << 10;

std::size_t bytes_of_class(int size_class) {
  if (size_class < 4) return kSmallest * static_cast<std::size_t>(size_class + 1);
  const int octave = (size_class - 4) / 4;
  const auto quarter = static_cast<std::size_t>((size_class - 4) % 4 + 5);
  return kSmallest * (quarter << octave);
}

// Large blocks start at different places of a page: arrays at equal places, read and written together, would
// hinder each other in the cache (a load waits for a store 4096 bytes away).
std::size_t next_stagger() {
  static std::atomic<std::size_t> count{0};
  constexpr std::size_t kSteps = 16;
  constexpr std::size_t kStep = 13 * 64;
  return count.fetch_add(1, std::memory_order_relaxed) % kSteps * kStep;
}

// Blocks of some hundred kilobytes share huge pages.
bool is_shared(std::size_t usable) { return usable >= kShareAbove && usable < kHugePage - kStaggerAbove; }

}  // namespace

int size_class_of(std::size_t bytes) {
  if (bytes <= kSmallest) return 0;
  const std::size_t units = (bytes + kSmallest - 1) / kSmallest;  // >= 2
  if (units <= 4) return static_cast<int>(units) - 1;
  const int octave = std::bit_width(units - 1) - 3;  // units in (4 * 2^octave, 8 * 2^octave]
  const std::size_t step = std::size_t{1} << octave;
  const std::size_t quarter = (units + step - 1) / step;  // 5 .. 8
  return 4 + 4 * octave + static_cast<int>(quarter) - 5;
}

Block* system_block(int size_class) {
  const std::size_t usable = bytes_of_class(size_class);
  const std::size_t stagger = usable >= kStaggerAbove ? next_stagger() : 0;
  const std::size_t whole = usable + sizeof(Block) + stagger;
  void* memory = nullptr;
  if (is_shared(usable)) {
    memory = allocate_shared_pages(whole);
  } else if (whole >= kHugePage) {
    memory = allocate_huge_pages(whole);
  } else {
    memory = std::aligned_alloc(64, whole);
  }
  if (memory == nullptr) return nullptr;
  auto* block = new (static_cast<char*>(memory) + stagger) Block;
  block->size_class = size_class;
  block->bytes = usable;
  block->memory = memory;
  block->elements = block + 1;
  return block;
}

void system_free(Block* block) {
  void* memory = block->memory;
  const std::size_t usable = block->bytes;
  const std::size_t whole =
      static_cast<std::size_t>(static_cast<char*>(block->data()) - static_cast<char*>(memory)) + usable;
  block->~Block();
  if (is_shared(usable)) {
    free_shared_pages(memory, whole);
  } else {
    std::free(memory);
  }
}

}  // namespace likely::detail
