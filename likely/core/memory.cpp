#include "likely/core/memory.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>
#include <mutex>
#include <new>
#include <string>
#include <vector>

#include "likely/core/error.hpp"
#include "likely/core/huge_pages.hpp"

namespace likely {

namespace {

using detail::Block;

// Sizes are rounded up to 4 steps an octave, so that at most a fifth of a block is wasted.
constexpr int kClasses = 192;
constexpr std::size_t kSmallest = 64;
constexpr std::size_t kShareAbove = std::size_t{128} << 10;
constexpr std::size_t kStaggerAbove = std::size_t{64} << 10;

// Under AddressSanitizer every block goes back at once, so that a use after its end is seen.
#ifdef __SANITIZE_ADDRESS__
constexpr bool kKeepBlocks = false;
#else
constexpr bool kKeepBlocks = true;
#endif

int class_of(std::size_t bytes) {
  if (bytes <= kSmallest) return 0;
  const std::size_t units = (bytes + kSmallest - 1) / kSmallest;  // >= 2
  if (units <= 4) return static_cast<int>(units) - 1;
  const int octave = std::bit_width(units - 1) - 3;  // units in (4 * 2^octave, 8 * 2^octave]
  const std::size_t step = std::size_t{1} << octave;
  const std::size_t quarter = (units + step - 1) / step;  // 5 .. 8
  return 4 + 4 * octave + static_cast<int>(quarter) - 5;
}

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
bool is_shared(std::size_t usable) {
  return usable >= kShareAbove && usable < detail::kHugePage - kStaggerAbove;
}

Block* system_block(int size_class) {
  const std::size_t usable = bytes_of_class(size_class);
  const std::size_t stagger = usable >= kStaggerAbove ? next_stagger() : 0;
  const std::size_t whole = usable + sizeof(Block) + stagger;
  const bool shared = is_shared(usable);
  void* memory = nullptr;
  if (shared) {
    memory = detail::allocate_shared_pages(whole);
  } else if (whole >= detail::kHugePage) {
    memory = detail::allocate_huge_pages(whole);
  } else {
    memory = std::aligned_alloc(64, whole);
  }
  if (memory == nullptr) refuse("tensor", "out of memory: " + std::to_string(usable) + " bytes wanted");
  auto* block = new (static_cast<char*>(memory) + stagger) Block;
  block->size_class = size_class;
  block->bytes = usable;
  block->next_free = nullptr;
  block->memory = memory;
  return block;
}

void system_free(Block* block) {
  void* memory = block->memory;
  const std::size_t usable = block->bytes;
  const std::size_t whole =
      static_cast<std::size_t>(static_cast<char*>(block->data()) - static_cast<char*>(memory)) + usable;
  block->~Block();
  if (is_shared(usable)) {
    detail::free_shared_pages(memory, whole);
  } else {
    std::free(memory);
  }
}

struct FreeBody {
  FreeBody* next;
};

// What one thread took minus what it gave back, and the most that this ever was. Only its thread writes to
// them, so that counting needs no locked instruction; a block that goes back on another thread is counted
// there.
struct Account {
  std::atomic<std::int64_t> in_use{0};
  std::atomic<std::int64_t> peak{0};

  void add(std::int64_t bytes) {
    const std::int64_t now = in_use.load(std::memory_order_relaxed) + bytes;
    in_use.store(now, std::memory_order_relaxed);
    if (now > peak.load(std::memory_order_relaxed)) peak.store(now, std::memory_order_relaxed);
  }
};

// The accounts of all threads, and what is left of those that ended.
struct Accounts {
  std::mutex mutex;
  std::vector<Account*> open;
  Account ended;

  static Accounts& all() {
    // Never destroyed: tensors may outlive every other static object.
    static auto* accounts = new Accounts;
    return *accounts;
  }
};

struct ThreadCache {
  std::array<Block*, kClasses> free_blocks{};
  FreeBody* free_bodies = nullptr;
  std::int64_t cached = 0;
  Account account;

  void trim() {
    for (Block*& head : free_blocks) {
      while (head != nullptr) {
        Block* block = head;
        head = block->next_free;
        system_free(block);
      }
    }
    while (free_bodies != nullptr) {
      FreeBody* body = free_bodies;
      free_bodies = body->next;
      std::free(body);
    }
    cached = 0;
  }
};

// A tensor may outlive its thread's cache (a static one at exit): then `cache` is null and memory goes
// straight back to the system. A plain pointer keeps the look-up free of a guard.
enum class CacheState : std::uint8_t { unborn, alive, gone };
constinit thread_local ThreadCache* cache = nullptr;
constinit thread_local CacheState cache_state = CacheState::unborn;

struct CacheOwner {
  ThreadCache own;
  CacheOwner() {
    cache = &own;
    cache_state = CacheState::alive;
    Accounts& accounts = Accounts::all();
    const std::lock_guard lock(accounts.mutex);
    accounts.open.push_back(&own.account);
  }
  ~CacheOwner() {
    cache = nullptr;
    cache_state = CacheState::gone;
    own.trim();
    Accounts& accounts = Accounts::all();
    const std::lock_guard lock(accounts.mutex);
    std::erase(accounts.open, &own.account);
    accounts.ended.add(own.account.in_use);
  }
};

ThreadCache* this_cache() {
  if (cache == nullptr && cache_state == CacheState::unborn) {
    static thread_local CacheOwner owner;
  }
  return cache;
}

void count_use(ThreadCache* mine, std::int64_t bytes) {
  if (mine != nullptr) {
    mine->account.add(bytes);
    return;
  }
  Accounts& accounts = Accounts::all();
  const std::lock_guard lock(accounts.mutex);
  accounts.ended.add(bytes);
}

}  // namespace

MemoryReport memory_report() {
  const ThreadCache* mine = this_cache();
  Accounts& accounts = Accounts::all();
  const std::lock_guard lock(accounts.mutex);
  MemoryReport report{accounts.ended.in_use, accounts.ended.peak, mine == nullptr ? 0 : mine->cached};
  for (const Account* account : accounts.open) {
    report.in_use += account->in_use;
    report.peak += account->peak;
  }
  report.peak = std::max(report.peak, report.in_use);
  return report;
}

void reset_peak_memory() {
  Accounts& accounts = Accounts::all();
  const std::lock_guard lock(accounts.mutex);
  accounts.ended.peak = accounts.ended.in_use.load();
  for (Account* account : accounts.open) account->peak = account->in_use.load();
}

void trim_memory() {
  if (ThreadCache* mine = this_cache()) mine->trim();
}

detail::Block* detail::allocate_block(std::size_t bytes) {
  if (bytes > (std::size_t{1} << 46))
    refuse("tensor", "out of memory: " + std::to_string(bytes) + " bytes wanted");
  const int size_class = class_of(bytes);
  ThreadCache* mine = this_cache();
  Block* block = mine == nullptr ? nullptr : mine->free_blocks[static_cast<std::size_t>(size_class)];
  if (block != nullptr) {
    mine->free_blocks[static_cast<std::size_t>(size_class)] = block->next_free;
    mine->cached -= static_cast<std::int64_t>(block->bytes);
  } else {
    block = system_block(size_class);
  }
  block->references.store(1, std::memory_order_relaxed);
  count_use(mine, static_cast<std::int64_t>(block->bytes));
  return block;
}

void detail::release_block(Block* block) {
  if (!last_reference(block->references)) return;
  ThreadCache* mine = this_cache();
  count_use(mine, -static_cast<std::int64_t>(block->bytes));
  if (mine == nullptr || !kKeepBlocks) {
    system_free(block);
    return;
  }
  Block*& head = mine->free_blocks[static_cast<std::size_t>(block->size_class)];
  block->next_free = head;
  head = block;
  mine->cached += static_cast<std::int64_t>(block->bytes);
}

void* detail::allocate_body(std::size_t bytes) {
  ThreadCache* mine = this_cache();
  if (mine != nullptr && mine->free_bodies != nullptr) {
    FreeBody* body = mine->free_bodies;
    mine->free_bodies = body->next;
    return body;
  }
  void* body = std::malloc(bytes);
  if (body == nullptr) refuse("tensor", "out of memory: " + std::to_string(bytes) + " bytes wanted");
  return body;
}

void detail::free_body(void* body) {
  ThreadCache* mine = this_cache();
  if (mine == nullptr) {
    std::free(body);
    return;
  }
  auto* link = static_cast<FreeBody*>(body);
  link->next = mine->free_bodies;
  mine->free_bodies = link;
}

}  // namespace likely
