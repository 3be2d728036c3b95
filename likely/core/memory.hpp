// Where tensors keep their elements: reference-counted blocks from a per-thread caching pool.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace likely {

// What the pool holds, in bytes.
struct MemoryReport {
  std::int64_t in_use;  // held by tensors now
  std::int64_t peak;    // the most that was ever held, since start or since reset_peak_memory()
  std::int64_t cached;  // kept by this thread for the next tensors
};

MemoryReport memory_report();
void reset_peak_memory();

// Gives the blocks that this thread keeps in reserve back to the system.
void trim_memory();

namespace detail {

// The head of a block; its elements follow, 64-byte aligned.
struct alignas(64) Block {
  std::atomic<std::int32_t> references;
  std::int32_t size_class;
  std::size_t bytes;  // usable bytes
  Block* next_free;

  void* data() { return this + 1; }
};
static_assert(sizeof(Block) == 64);

// A block of at least `bytes`, with one reference. Its contents are whatever was there before.
Block* allocate_block(std::size_t bytes);
void release_block(Block* block);

// Fixed-size memory for a tensor's description.
void* allocate_body(std::size_t bytes);
void free_body(void* body);

}  // namespace detail
}  // namespace likely
