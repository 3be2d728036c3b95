#include "likely/kernels/scratch.hpp"

#include <array>
#include <memory>
#include <new>

namespace likely::kernels {

namespace {

constexpr std::align_val_t kAlignment{64};

struct AlignedDelete {
  void operator()(std::byte* memory) const { ::operator delete(memory, kAlignment); }
};

struct Block {
  std::unique_ptr<std::byte, AlignedDelete> memory;
  std::size_t size = 0;
};

}  // namespace

void* scratch_bytes(ScratchSlot slot, std::size_t bytes) {
  thread_local std::array<Block, static_cast<std::size_t>(ScratchSlot::count)> blocks;
  Block& block = blocks[static_cast<std::size_t>(slot)];
  if (block.size < bytes) {
    // The old block goes first: its contents are not kept, so both need not exist together.
    block.memory.reset();
    block.size = 0;
    const std::size_t rounded = (bytes + 4095) / 4096 * 4096;
    block.memory.reset(static_cast<std::byte*>(::operator new(rounded, kAlignment)));
    block.size = rounded;
  }
  return block.memory.get();
}

}  // namespace likely::kernels
