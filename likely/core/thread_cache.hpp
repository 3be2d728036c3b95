// What each thread keeps for its next tensors. Internal to core/.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <vector>

#include "likely/core/blocks.hpp"
#include "likely/core/return_stack.hpp"

namespace likely::detail {

// Under AddressSanitizer all memory goes back to the system at once, so that a use after its end is seen.
#ifdef __SANITIZE_ADDRESS__
inline constexpr bool kKeepMemory = false;
#else
inline constexpr bool kKeepMemory = true;
#endif

// Stands before each tensor's description.
struct alignas(16) BodyHead {
  ThreadCache* owner;
  BodyHead* next;
};

// The reserve of one thread, and how much it has in use. Never destroyed, since blocks refer to it: a thread
// that begins takes over what one that has ended left.
struct ThreadCache {
  // Only its thread writes to these, so that neither lists nor counts need a locked instruction.
  std::array<Block*, kSizeClasses> blocks{};
  BodyHead* bodies = nullptr;
  std::atomic<std::int64_t> kept{0};   // bytes in `blocks`
  std::atomic<std::int64_t> taken{0};  // bytes in use, and those in `given_back`
  std::atomic<std::int64_t> peak{0};   // the most that `taken` ever was

  // Other threads write to these. The stacks are closed while no thread has the cache: what comes back then
  // goes to the system.
  alignas(64) ReturnStack<Block> returned_blocks;
  ReturnStack<BodyHead> returned_bodies;
  std::atomic<std::int64_t> waiting{0};     // bytes in `returned_blocks`
  std::atomic<std::int64_t> given_back{0};  // bytes that came back, but are not subtracted from `taken` yet

  void count_taken(std::int64_t bytes) {
    const std::int64_t now = taken.load(std::memory_order_relaxed) + bytes;
    taken.store(now, std::memory_order_relaxed);
    if (now > peak.load(std::memory_order_relaxed)) peak.store(now, std::memory_order_relaxed);
  }

  void keep(Block* block) {
    Block*& head = blocks[static_cast<std::size_t>(block->size_class)];
    block->next = head;
    head = block;
    count_kept(static_cast<std::int64_t>(block->bytes));
  }
  void keep(BodyHead* body) {
    body->next = bodies;
    bodies = body;
  }

  // Null where nothing is left.
  Block* take_block(int size_class) {
    Block*& head = blocks[static_cast<std::size_t>(size_class)];
    if (head == nullptr) collect();
    Block* const block = head;
    if (block == nullptr) return nullptr;
    head = block->next;
    count_kept(-static_cast<std::int64_t>(block->bytes));
    return block;
  }
  BodyHead* take_body() {
    if (bodies == nullptr) collect();
    BodyHead* const body = bodies;
    if (body != nullptr) bodies = body->next;
    return body;
  }

  // Takes into the lists what other threads gave back.
  void collect();
  // Gives the lists, and what came back, to the system.
  void trim();
  // From now on nothing comes back here.
  void close();

  // The rest is for any thread.
  void give_back(Block* block);
  void give_back(BodyHead* body);
  void free_returned();
  std::int64_t in_use() const { return taken.load() - given_back.load(); }
  std::int64_t cached() const { return kept.load() + waiting.load(); }

 private:
  void count_kept(std::int64_t bytes) {
    kept.store(kept.load(std::memory_order_relaxed) + bytes, std::memory_order_relaxed);
  }
  void free_lists(Block* returned, BodyHead* returned_heads);
};

// What the calling thread knows of itself. Plain, so that looking it up needs no guard.
struct ThisThread {
  ThreadCache* cache = nullptr;  // null before the first tensor, and when the thread's objects have gone
  bool gone = false;
  std::uint64_t trims_seen = 0;  // calls of trim_memory() that it has heard of
};
extern constinit thread_local ThisThread this_thread;

// The cache of the calling thread. Null when that has gone, as for a static tensor at exit: then memory goes
// straight back to the system.
ThreadCache* begin_cache();
inline ThreadCache* this_cache() { return this_thread.cache != nullptr ? this_thread.cache : begin_cache(); }

// All caches there ever were.
struct Caches {
  std::mutex mutex;
  std::vector<ThreadCache*> all;
  std::vector<ThreadCache*> idle;  // those without a thread
  ThreadCache nobody;              // owns the blocks of threads whose cache has gone; keeps nothing

  static Caches& get();
};

}  // namespace likely::detail
