#include "likely/kernels/scratch.hpp"

#include <array>
#include <new>
#include <string>

#include "likely/core/error.hpp"
#include "likely/core/huge_pages.hpp"
#include "likely/core/memory.hpp"

namespace likely::kernels {

namespace {

constexpr std::align_val_t kAlignment{64};
// Smaller memory is some ordinary pages, larger would fill its own huge ones.
constexpr std::size_t kShareAbove = std::size_t{64} << 10;

class Block {
 public:
  Block() = default;
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;
  ~Block() { release(); }

  void* at_least(std::size_t bytes) {
    if (size_ < bytes) {
      // The old memory goes first: its contents are not kept, so both need not exist together.
      release();
      const std::size_t rounded = (bytes + 4095) / 4096 * 4096;
      memory_ = is_shared(rounded) ? likely::detail::allocate_shared_pages(rounded)
                                   : ::operator new(rounded, kAlignment, std::nothrow);
      if (memory_ == nullptr) refuse_bytes(bytes);
      size_ = rounded;
      likely::detail::count_scratch(static_cast<std::int64_t>(size_));
    }
    return memory_;
  }

  void release() {
    if (is_shared(size_)) {
      likely::detail::free_shared_pages(memory_, size_);
    } else {
      ::operator delete(memory_, kAlignment);
    }
    likely::detail::count_scratch(-static_cast<std::int64_t>(size_));
    memory_ = nullptr;
    size_ = 0;
  }

 private:
  static bool is_shared(std::size_t size) { return size >= kShareAbove && size <= likely::detail::kHugePage; }

  void* memory_ = nullptr;
  std::size_t size_ = 0;
};

// The memory of one thread. Its address is known apart from it, since a trim may come when it has ended.
struct Blocks {
  std::array<Block, static_cast<std::size_t>(ScratchSlot::count)> slots;
  Blocks();
  ~Blocks();
};
constinit thread_local Blocks* own_blocks = nullptr;

void release_own() {
  if (own_blocks == nullptr) return;
  for (Block& block : own_blocks->slots) block.release();
}

Blocks::Blocks() {
  own_blocks = this;
  likely::detail::set_release_scratch(release_own);
}
Blocks::~Blocks() { own_blocks = nullptr; }

}  // namespace

void refuse_bytes(std::size_t bytes) { refuse_memory("kernel", std::to_string(bytes) + " bytes wanted"); }

void* scratch_bytes(ScratchSlot slot, std::size_t bytes) {
  constexpr std::size_t kMost = std::size_t{1} << 46;
  if (bytes > kMost) refuse_bytes(bytes);
  thread_local Blocks blocks;
  return blocks.slots[static_cast<std::size_t>(slot)].at_least(bytes);
}

}  // namespace likely::kernels
