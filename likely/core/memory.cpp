#include "likely/core/memory.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <string>
#include <utility>

#if defined(__GLIBC__)
#include <malloc.h>
#endif

#include "likely/core/blocks.hpp"
#include "likely/core/error.hpp"
#include "likely/core/memory_limit.hpp"
#include "likely/core/thread_cache.hpp"
#include "likely/core/thread_pool.hpp"

namespace likely {

namespace {

using detail::Block;
using detail::Caches;
using detail::ThreadCache;

struct ExternalBlock {
  Block head;
  std::shared_ptr<const void> keeper;
};

// How often trim_memory() was called: a thread that has seen fewer has something to give back.
constinit std::atomic<std::uint64_t> trims{0};

// How many bytes this thread's tensors may still take; without a limit more than anybody will.
constinit thread_local std::int64_t bytes_left = std::numeric_limits<std::int64_t>::max();
constinit thread_local bool limit_exceeded = false;

constinit std::atomic<void (*)()> release_scratch{nullptr};
constinit std::atomic<std::int64_t> scratch_held{0};

void trim_this_thread() {
  detail::this_thread.trims_seen = trims.load(std::memory_order_relaxed);
  if (ThreadCache* mine = detail::this_thread.cache) mine->trim();
  if (const auto release = release_scratch.load(std::memory_order_acquire)) release();
}

[[noreturn, gnu::cold]] void refuse_bytes(std::size_t bytes) {
  refuse_memory("tensor", std::to_string(bytes) + " bytes wanted");
}

[[noreturn, gnu::cold]] void refuse_beyond_limit(std::size_t bytes) {
  limit_exceeded = true;
  refuse_bytes(bytes);
}

Block* new_block(int size_class, std::size_t bytes, ThreadCache* owner) {
  Block* block = detail::system_block(size_class);
  if (block == nullptr) {
    // What is kept in other sizes, or by other threads, may be what is missing.
    trim_memory();
    block = detail::system_block(size_class);
  }
  if (block == nullptr) refuse_bytes(bytes);
  block->owner = owner;
  return block;
}

}  // namespace

MemoryLimit::MemoryLimit(std::int64_t bytes)
    : outer_(bytes_left),
      bytes_(std::min(std::max<std::int64_t>(bytes, 0), bytes_left)),
      outer_exceeded_(std::exchange(limit_exceeded, false)) {
  bytes_left = bytes_;
}

MemoryLimit::~MemoryLimit() {
  bytes_left = outer_ - (bytes_ - bytes_left);
  limit_exceeded = limit_exceeded || outer_exceeded_;
}

bool MemoryLimit::exceeded() const { return limit_exceeded; }

MemoryReport memory_report() {
  Caches& caches = Caches::get();
  const std::lock_guard lock(caches.mutex);
  MemoryReport report{0, 0, scratch_held.load()};
  for (const ThreadCache* cache : caches.all) {
    report.in_use += cache->in_use();
    report.peak += cache->peak.load();
    report.cached += cache->cached();
  }
  report.peak = std::max(report.peak, report.in_use);
  return report;
}

void reset_peak_memory() {
  if (ThreadCache* mine = detail::this_thread.cache) mine->collect();
  Caches& caches = Caches::get();
  const std::lock_guard lock(caches.mutex);
  for (ThreadCache* cache : caches.all) cache->peak.store(cache->in_use());
}

void trim_memory() {
  trims.fetch_add(1);
  trim_this_thread();
  {
    Caches& caches = Caches::get();
    const std::lock_guard lock(caches.mutex);
    for (ThreadCache* cache : caches.all) cache->free_returned();
  }
  detail::run_on_idle_workers(trim_this_thread);
#if defined(__GLIBC__)
  // Small blocks lie between others on the pages of malloc, which gives back none by itself.
  malloc_trim(0);
#endif
}

void detail::trim_if_asked() {
  if (this_thread.trims_seen != trims.load(std::memory_order_relaxed)) trim_this_thread();
}

void detail::set_release_scratch(void (*release)()) {
  release_scratch.store(release, std::memory_order_release);
}

void detail::count_scratch(std::int64_t bytes) { scratch_held.fetch_add(bytes, std::memory_order_relaxed); }

detail::Block* detail::allocate_block(std::size_t bytes) {
  // The head counts, too: of empty tensors there may be many.
  const auto taken = static_cast<std::int64_t>(bytes + sizeof(Block));
  if (bytes > kLargestBlock || taken > bytes_left) refuse_beyond_limit(bytes);
  bytes_left -= taken;
  const int size_class = size_class_of(bytes);
  ThreadCache* const mine = this_cache();
  Block* block = nullptr;
  if (mine == nullptr) {
    block = new_block(size_class, bytes, &Caches::get().nobody);
    block->owner->given_back.fetch_sub(static_cast<std::int64_t>(block->bytes), std::memory_order_relaxed);
  } else {
    trim_if_asked();
    block = mine->take_block(size_class);
    if (block == nullptr) block = new_block(size_class, bytes, mine);
    mine->count_taken(static_cast<std::int64_t>(block->bytes));
  }
  block->length = bytes;
  block->references.store(1, std::memory_order_relaxed);
  return block;
}

detail::Block* detail::external_block(const void* elements, std::size_t bytes,
                                      std::shared_ptr<const void> keeper) {
  auto* const external = new ExternalBlock;
  external->keeper = std::move(keeper);
  Block* const block = &external->head;
  block->size_class = Block::kExternal;
  block->bytes = 0;
  block->length = bytes;
  block->owner = nullptr;
  block->next = nullptr;
  block->memory = external;
  block->elements = const_cast<void*>(elements);  // which is_external() keeps from being written to
  block->references.store(1, std::memory_order_relaxed);
  return block;
}

void detail::release_block(Block* block) {
  if (!last_reference(block->references)) return;
  if (block->is_external()) {
    delete static_cast<ExternalBlock*>(block->memory);
    return;
  }
  ThreadCache* const mine = this_cache();
  if (block->owner != mine) {
    block->owner->give_back(block);
    return;
  }
  mine->count_taken(-static_cast<std::int64_t>(block->bytes));
  if (kKeepMemory) {
    mine->keep(block);
  } else {
    system_free(block);
  }
}

void* detail::allocate_body(std::size_t bytes) {
  ThreadCache* const mine = this_cache();
  BodyHead* body = mine == nullptr ? nullptr : mine->take_body();
  if (body == nullptr) {
    body = static_cast<BodyHead*>(std::malloc(sizeof(BodyHead) + bytes));
    if (body == nullptr) refuse_bytes(bytes);
    body->owner = mine == nullptr ? &Caches::get().nobody : mine;
  }
  return body + 1;
}

void detail::free_body(void* body) {
  BodyHead* const head = static_cast<BodyHead*>(body) - 1;
  ThreadCache* const mine = this_cache();
  if (head->owner != mine) {
    head->owner->give_back(head);
  } else if (kKeepMemory) {
    mine->keep(head);
  } else {
    std::free(head);
  }
}

}  // namespace likely
