// Put in front of the C library (LD_PRELOAD): the allocation whose number is $LIKELY_MEMORY_FAILS_AT finds no
// memory. Counted from the beginning of main() to its end: what the loader and the constructors of libraries
// ask for is not the run's. At the end a line for each place that allocates is written to the file
// $LIKELY_MEMORY_PLACES: the number of its first allocation, and a number that stands for its chain of
// callers, the same in every run of the same program. The programs that this one starts are left alone.
#include <dlfcn.h>
#include <execinfo.h>
#include <fcntl.h>
#include <link.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <utility>

// The C library's own names of what stands behind malloc, and of what calls main().
// NOLINTBEGIN(readability-identifier-naming)
extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);
}
// NOLINTEND(readability-identifier-naming)

namespace {

using AtThreadExit = int(void (*)(void*), void*, void*);
using Main = int(int, char**, char**);
using Start = int(Main*, int, char**, void (*)(), void (*)(), void (*)(), void*);

// Callers that tell two places apart: enough to reach from a string to whoever wanted it.
constexpr int kCallers = 14;
constexpr std::size_t kRoom = std::size_t{1} << 18;

Main* real_main = nullptr;
std::atomic<bool> counting{false};
std::atomic<std::uint64_t> count{0};
std::uint64_t fails_at = 0;

bool noting = false;
std::atomic_flag busy = ATOMIC_FLAG_INIT;
struct Place {
  std::uint64_t first, chain;
};
std::array<std::uint64_t, kRoom> seen{};  // chains of callers
std::array<Place, kRoom / 2> places{};
std::size_t known = 0;
thread_local bool within = false;

// Programs and libraries lie elsewhere in each run; what is the same is how far into them an address is.
struct Module {
  std::uintptr_t begin, end;
};
std::array<Module, 256> modules{};
std::size_t module_count = 0;

int add_module(dl_phdr_info* info, std::size_t, void*) {
  for (int i = 0; i < info->dlpi_phnum && module_count < modules.size(); ++i) {
    const auto& part = info->dlpi_phdr[i];
    if (part.p_type != PT_LOAD || (part.p_flags & PF_X) == 0) continue;
    const std::uintptr_t begin = info->dlpi_addr + part.p_vaddr;
    modules[module_count++] = {begin, begin + part.p_memsz};
  }
  return 0;
}

std::uint64_t place_of(const void* address) {
  const auto value = reinterpret_cast<std::uintptr_t>(address);
  for (std::size_t i = 0; i < module_count; ++i) {
    if (value >= modules[i].begin && value < modules[i].end) return (i << 40) + value - modules[i].begin;
  }
  return 0;
}

void note(std::uint64_t number) {
  if (within) return;
  within = true;
  std::array<void*, kCallers> callers{};
  const int depth = backtrace(callers.data(), kCallers);
  std::uint64_t chain = 14695981039346656037U;
  for (int i = 2; i < depth; ++i) chain = (chain ^ place_of(callers[i])) * 1099511628211U;
  chain |= 1;
  while (busy.test_and_set(std::memory_order_acquire)) {
  }
  std::size_t place = (chain >> 20) % kRoom;
  while (seen[place] != 0 && seen[place] != chain) place = (place + 1) % kRoom;
  if (seen[place] == 0 && known < places.size()) {
    seen[place] = chain;
    places[known++] = {number, chain};
  }
  busy.clear(std::memory_order_release);
  within = false;
}

bool fails() {
  if (!counting.load(std::memory_order_relaxed) || within) return false;
  const std::uint64_t number = count.fetch_add(1, std::memory_order_relaxed) + 1;
  if (noting) note(number);
  if (number != fails_at) return false;
  errno = ENOMEM;
  return true;
}

void write_places(const char* path) {
  const int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  std::string text;
  for (std::size_t i = 0; i < known; ++i)
    text += std::to_string(places[i].first) + " " + std::to_string(places[i].chain) + "\n";
  if (file >= 0 && write(file, text.data(), text.size()) >= 0) close(file);
}

int counted_main(int argc, char** argv, char** environment) {
  const char* const wanted = std::getenv("LIKELY_MEMORY_FAILS_AT");
  const char* const path = std::getenv("LIKELY_MEMORY_PLACES");
  if (wanted != nullptr) fails_at = std::strtoull(wanted, nullptr, 10);
  if (path != nullptr) {
    noting = true;
    // The first call loads a library, which asks for memory.
    std::array<void*, 2> callers{};
    backtrace(callers.data(), static_cast<int>(callers.size()));
    dl_iterate_phdr(add_module, nullptr);
  }
  unsetenv("LD_PRELOAD");
  counting = true;
  const int code = real_main(argc, argv, environment);
  counting = false;
  if (path != nullptr) write_places(path);
  return code;
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

// Where there is no memory to note the destructor of a thread's variable, the C library itself ends the
// program: nobody can do anything about that. NOLINTNEXTLINE(readability-identifier-naming)
int __cxa_thread_atexit_impl(void (*destructor)(void*), void* object, void* module) {
  static auto* const real = reinterpret_cast<AtThreadExit*>(dlsym(RTLD_NEXT, "__cxa_thread_atexit_impl"));
  const bool before = std::exchange(within, true);
  const int result = real(destructor, object, module);
  within = before;
  return result;
}

// NOLINTNEXTLINE(readability-identifier-naming)
int __libc_start_main(Main* main, int argc, char** argv, void (*init)(), void (*fini)(), void (*rtld_fini)(),
                      void* stack_end) {
  real_main = main;
  auto* const start = reinterpret_cast<Start*>(dlsym(RTLD_NEXT, "__libc_start_main"));
  return start(counted_main, argc, argv, init, fini, rtld_fini, stack_end);
}
}
