// Where tensors keep their elements: reference-counted blocks from a per-thread caching pool. Memory goes
// back to the thread that made it, whichever thread gives it up: a thread that makes tensors for others uses
// the same memory again and again.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace likely {

// What the pool holds, in bytes. While other threads make and end tensors, a sum over moments side by side.
struct MemoryReport {
  std::int64_t in_use;  // held by tensors now
  std::int64_t peak;  // the most that was ever held, since start or since reset_peak_memory(); where several
                      // threads make tensors, the sum of each thread's most
  std::int64_t cached;  // kept in reserve for the next tensors, with the kernels' working memory; all threads
};

MemoryReport memory_report();
void reset_peak_memory();

// Gives what is kept in reserve back to the system: at once that of this thread and of the threads of
// parallel_tiles; any other thread that is running gives its own back with the next tensor that it makes.
void trim_memory();

namespace detail {

// Gives up one reference; true if it was the last. Nobody can add one to a count of 1 that is ours alone, so
// the common case needs no locked instruction.
inline bool last_reference(std::atomic<std::int32_t>& references) {
  return references.load(std::memory_order_acquire) == 1 ||
         references.fetch_sub(1, std::memory_order_acq_rel) == 1;
}

struct ThreadCache;

// The head of a block; its elements follow, 64-byte aligned, unless they are somebody else's.
struct alignas(64) Block {
  std::atomic<std::int32_t> references;
  std::int32_t size_class;
  std::size_t bytes;   // usable bytes
  std::size_t length;  // bytes that were asked for
  ThreadCache* owner;  // where it goes when nobody holds it any more
  Block* next;         // in the owner's reserve
  void* memory;        // what the system gave; the block may start somewhat behind it
  void* elements;      // this + 1, or somebody else's

  void* data() { return elements; }
  // Whether the elements are somebody else's: they are never written to.
  bool is_external() const { return size_class == kExternal; }
  static constexpr std::int32_t kExternal = -1;
};
static_assert(sizeof(Block) == 64);

// A block of at least `bytes`, with one reference. Its contents are whatever was there before.
Block* allocate_block(std::size_t bytes);
// Somebody else's elements, with one reference; the keeper is let go with the last.
Block* external_block(const void* elements, std::size_t bytes, std::shared_ptr<const void> keeper);
void release_block(Block* block);

// Fixed-size memory for a tensor's description.
void* allocate_body(std::size_t bytes);
void free_body(void* body);

// Does what a trim_memory() on another thread asked of this one, between two pieces of work.
void trim_if_asked();

// Working memory that is kept for the kernels: how it is given back on the calling thread, and how much more
// (or less) of it there is now.
void set_release_scratch(void (*release)());
void count_scratch(std::int64_t bytes);

}  // namespace detail
}  // namespace likely
