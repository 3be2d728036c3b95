#include "likely/core/huge_pages.hpp"

#include <sys/mman.h>

#include <cstdint>
#include <cstdlib>
#include <mutex>
#include <new>

namespace likely::detail {

namespace {

// Under AddressSanitizer every block is on its own, so that a step beyond its end is seen.
#ifdef __SANITIZE_ADDRESS__
constexpr bool kShare = false;
#else
constexpr bool kShare = true;
#endif

// A few huge pages that are filled from front to back. A region starts at a multiple of its size, so that a
// block finds its own.
constexpr std::size_t kRegion = 4 * kHugePage;
constexpr std::size_t kLine = 64;

struct alignas(kLine) Region {
  std::size_t used;  // bytes handed out, with this head
  std::size_t live;  // blocks that have not come back
};

struct Regions {
  std::mutex mutex;
  Region* filling = nullptr;

  static Regions& all() {
    // Never destroyed: tensors may outlive every other static object.
    static auto* regions = new Regions;
    return *regions;
  }
};

std::size_t round_up(std::size_t bytes, std::size_t unit) { return (bytes + unit - 1) / unit * unit; }

Region* region_of(void* memory) {
  auto* const bytes = static_cast<char*>(memory);
  return reinterpret_cast<Region*>(bytes - reinterpret_cast<std::uintptr_t>(memory) % kRegion);
}

void* aligned_huge_pages(std::size_t alignment, std::size_t bytes) {
  void* const memory = std::aligned_alloc(alignment, bytes);
  // A hint: fewer page faults and TLB misses where the system allows it.
  if (memory != nullptr) madvise(memory, bytes, MADV_HUGEPAGE);
  return memory;
}

// The blocks of a region that is not free yet keep it; what lies between them need not stay in memory.
void drop_pages(void* memory, std::size_t bytes) {
  constexpr std::size_t kPage = 4096;
  const auto begin = reinterpret_cast<std::uintptr_t>(memory);
  const std::uintptr_t first = round_up(begin, kPage);
  const std::uintptr_t last = (begin + bytes) / kPage * kPage;
  if (first < last) madvise(static_cast<char*>(memory) + (first - begin), last - first, MADV_DONTNEED);
}

}  // namespace

void* allocate_huge_pages(std::size_t bytes) {
  return aligned_huge_pages(kHugePage, round_up(bytes, kHugePage));
}

void* allocate_shared_pages(std::size_t bytes) {
  bytes = round_up(bytes, kLine);
  if (!kShare) return std::aligned_alloc(kLine, bytes);
  Regions& regions = Regions::all();
  const std::lock_guard lock(regions.mutex);
  if (regions.filling == nullptr || regions.filling->used + bytes > kRegion) {
    void* const memory = aligned_huge_pages(kRegion, kRegion);
    if (memory == nullptr) return nullptr;
    Region* const full = regions.filling;
    if (full != nullptr && full->live == 0) std::free(full);
    regions.filling = new (memory) Region{sizeof(Region), 0};
  }
  Region& region = *regions.filling;
  char* const memory = reinterpret_cast<char*>(&region) + region.used;
  region.used += bytes;
  ++region.live;
  return memory;
}

void free_shared_pages(void* memory, std::size_t bytes) {
  if (!kShare) return std::free(memory);
  Regions& regions = Regions::all();
  const std::lock_guard lock(regions.mutex);
  Region* const region = region_of(memory);
  drop_pages(memory, bytes);
  if (--region->live > 0) return;
  if (region == regions.filling) {
    region->used = sizeof(Region);
  } else {
    std::free(region);
  }
}

}  // namespace likely::detail
