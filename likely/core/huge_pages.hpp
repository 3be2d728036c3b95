// Memory on huge pages: a weight matrix of a megabyte is 256 ordinary pages, more than a processor remembers
// the places of. For core/ and the scratch memory of kernels/.
#pragma once

#include <cstddef>

namespace likely::detail {

inline constexpr std::size_t kHugePage = std::size_t{2} << 20;

// `bytes` for this block alone, on whole huge pages where the system allows it; give it back with std::free.
// Null where there is no memory.
void* allocate_huge_pages(std::size_t bytes);

// `bytes` <= kHugePage, 64-byte aligned, side by side with other blocks; null where there is no memory. From
// any thread.
void* allocate_shared_pages(std::size_t bytes);
// Gives back what allocate_shared_pages(bytes) gave.
void free_shared_pages(void* memory, std::size_t bytes);

}  // namespace likely::detail
