// A program that knows nothing of likely but its installed headers.
#include <atomic>
#include <cstdint>
#include <iostream>

#include "every_header.hpp"

#if defined(_OPENMP) || defined(NDEBUG)
#error "likely's own compiler flags have leaked into a user's program"
#endif

int main() {
  likely::set_threads(2);
  std::atomic<std::int64_t> sum = 0;
  likely::parallel_tiles(100, 1e9, [&](std::int64_t tile) { sum += tile; });
  const likely::BuildInfo info = likely::build_info();
  if (sum != 4950 || info.compiler.empty() || info.vector_instructions.empty()) return 1;
  try {
    likely::set_threads(0);
    return 1;
  } catch (const likely::Error& error) {
    std::cerr << error.what() << '\n';
  }
  std::cout << likely::version() << '\n';
  return 0;
}
