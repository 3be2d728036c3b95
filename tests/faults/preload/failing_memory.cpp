// Put in front of the C library (LD_PRELOAD): the allocation whose number is $LIKELY_MEMORY_FAILS_AT finds no
// memory. At the end the number of allocations is written to the file $LIKELY_MEMORY_COUNT. The programs that
// this one starts are left alone.
#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

// The C library's own names of what stands behind malloc.
// NOLINTBEGIN(readability-identifier-naming)
extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);
}
// NOLINTEND(readability-identifier-naming)

namespace {

std::atomic<std::uint64_t> count{0};
std::atomic<std::uint64_t> fails_at{0};

bool fails() {
  const std::uint64_t number = count.fetch_add(1, std::memory_order_relaxed) + 1;
  const std::uint64_t wanted = fails_at.load(std::memory_order_relaxed);
  if (wanted == 0 || number != wanted) return false;
  errno = ENOMEM;
  return true;
}

__attribute__((constructor)) void begin() {
  unsetenv("LD_PRELOAD");
  const char* const wanted = std::getenv("LIKELY_MEMORY_FAILS_AT");
  count = 0;
  if (wanted != nullptr) fails_at = std::strtoull(wanted, nullptr, 10);
}

__attribute__((destructor)) void end() {
  fails_at = 0;
  const char* const path = std::getenv("LIKELY_MEMORY_COUNT");
  if (path == nullptr) return;
  const int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  const std::string text = std::to_string(count.load());
  if (file >= 0 && write(file, text.data(), text.size()) >= 0) close(file);
}

}  // namespace

extern "C" {

void* malloc(std::size_t size) { return fails() ? nullptr : __libc_malloc(size); }
void* calloc(std::size_t number, std::size_t size) { return fails() ? nullptr : __libc_calloc(number, size); }
void* realloc(void* old, std::size_t size) { return fails() ? nullptr : __libc_realloc(old, size); }
void* memalign(std::size_t alignment, std::size_t size) {
  return fails() ? nullptr : __libc_memalign(alignment, size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) { return memalign(alignment, size); }
int posix_memalign(void** result, std::size_t alignment, std::size_t size) {
  void* const memory = memalign(alignment, size);
  if (memory == nullptr) return ENOMEM;
  *result = memory;
  return 0;
}
}
