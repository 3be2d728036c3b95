#include "likely/kernels/scratch.hpp"

#include <array>
#include <new>

#include "likely/core/huge_pages.hpp"

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
                                   : ::operator new(rounded, kAlignment);
      if (memory_ == nullptr) throw std::bad_alloc();
      size_ = rounded;
    }
    return memory_;
  }

 private:
  static bool is_shared(std::size_t size) { return size >= kShareAbove && size <= likely::detail::kHugePage; }

  void release() {
    if (is_shared(size_)) {
      likely::detail::free_shared_pages(memory_, size_);
    } else {
      ::operator delete(memory_, kAlignment);
    }
    memory_ = nullptr;
    size_ = 0;
  }

  void* memory_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace

void* scratch_bytes(ScratchSlot slot, std::size_t bytes) {
  thread_local std::array<Block, static_cast<std::size_t>(ScratchSlot::count)> blocks;
  return blocks[static_cast<std::size_t>(slot)].at_least(bytes);
}

}  // namespace likely::kernels
