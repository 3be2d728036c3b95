#include "likely/core/thread_cache.hpp"

#include <cstdlib>
#include <utility>

namespace likely::detail {

namespace {

template <class Item, class Visit>
void for_each(Item* item, const Visit& visit) {
  while (item != nullptr) {
    Item* const next = item->next;
    visit(item);
    item = next;
  }
}

void free_bodies(BodyHead* list) {
  for_each(list, [](BodyHead* body) { std::free(body); });
}

ThreadCache* take_over_idle() {
  Caches& caches = Caches::get();
  const std::lock_guard lock(caches.mutex);
  if (caches.idle.empty()) {
    caches.all.reserve(caches.all.size() + 1);
    caches.idle.reserve(caches.all.size() + 1);  // a thread that ends must not have to allocate
    caches.all.push_back(new ThreadCache);
    caches.idle.push_back(caches.all.back());
  }
  ThreadCache* const cache = caches.idle.back();
  caches.idle.pop_back();
  if (kKeepMemory) {
    cache->returned_blocks.open();
    cache->returned_bodies.open();
  }
  return cache;
}

void leave_idle(ThreadCache* cache) {
  cache->trim();
  cache->close();
  Caches& caches = Caches::get();
  const std::lock_guard lock(caches.mutex);
  caches.idle.push_back(cache);
}

struct CacheHolder {
  CacheHolder() { this_thread.cache = take_over_idle(); }
  ~CacheHolder() {
    this_thread.gone = true;
    leave_idle(std::exchange(this_thread.cache, nullptr));
  }
};

}  // namespace

void ThreadCache::collect() {
  std::int64_t bytes = 0;
  for_each(returned_blocks.take(), [&](Block* block) {
    bytes += static_cast<std::int64_t>(block->bytes);
    keep(block);
  });
  if (bytes != 0) waiting.fetch_sub(bytes, std::memory_order_relaxed);
  if (given_back.load(std::memory_order_relaxed) != 0) {
    count_taken(-given_back.exchange(0, std::memory_order_relaxed));
  }
  for_each(returned_bodies.take(), [&](BodyHead* body) { keep(body); });
}

void ThreadCache::trim() {
  collect();
  for (Block*& head : blocks) for_each(std::exchange(head, nullptr), system_free);
  kept.store(0, std::memory_order_relaxed);
  free_bodies(std::exchange(bodies, nullptr));
}

void ThreadCache::give_back(Block* block) {
  const auto bytes = static_cast<std::int64_t>(block->bytes);
  given_back.fetch_add(bytes, std::memory_order_relaxed);
  waiting.fetch_add(bytes, std::memory_order_relaxed);
  if (returned_blocks.push(block)) return;
  waiting.fetch_sub(bytes, std::memory_order_relaxed);
  system_free(block);
}

void ThreadCache::give_back(BodyHead* body) {
  if (!returned_bodies.push(body)) std::free(body);
}

void ThreadCache::free_lists(Block* returned, BodyHead* returned_heads) {
  std::int64_t bytes = 0;
  for_each(returned, [&](Block* block) {
    bytes += static_cast<std::int64_t>(block->bytes);
    system_free(block);
  });
  waiting.fetch_sub(bytes, std::memory_order_relaxed);
  free_bodies(returned_heads);
}

void ThreadCache::free_returned() { free_lists(returned_blocks.take(), returned_bodies.take()); }
void ThreadCache::close() { free_lists(returned_blocks.close(), returned_bodies.close()); }

constinit thread_local ThisThread this_thread;

ThreadCache* begin_cache() {
  if (!this_thread.gone) {
    static thread_local CacheHolder holder;
  }
  return this_thread.cache;
}

Caches& Caches::get() {
  // Never destroyed: tensors may outlive every other static object.
  static auto* caches = [] {
    auto* made = new Caches;
    made->all.push_back(&made->nobody);
    return made;
  }();
  return *caches;
}

}  // namespace likely::detail
