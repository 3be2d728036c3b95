// How many threads likely uses, and the one way its kernels use them.
#pragma once

#include <cstdint>
#include <type_traits>

namespace likely {

// Sets the number of threads for the next and all later operations. Refuses n < 1.
// Results never depend on it: work is cut by the shape alone, threads only decide who computes a tile.
void set_threads(int n);

// The number set, or at first OMP_NUM_THREADS, or else the processors this process may use.
int threads();

namespace detail {
void run_tiles(std::int64_t tiles, double nanoseconds, void* body, void (*call)(void*, std::int64_t));
}

// Calls body(tile) for each tile in [0, tiles). `nanoseconds` is a rough estimate of the whole work on one
// thread: below some tens of microseconds everything stays on the calling thread, since waking another costs
// more. What a body throws is thrown here when no body is running any more; if several throw, what the first
// tile of them threw, whatever the number of threads, and tiles behind it may be left out. Inside another
// region, an OpenMP region of the user's, or while another thread has the pool, it runs serially.
template <class Body>
void parallel_tiles(std::int64_t tiles, double nanoseconds, Body&& body) {
  using Plain = std::remove_reference_t<Body>;
  detail::run_tiles(tiles, nanoseconds, const_cast<void*>(static_cast<const void*>(&body)),
                    [](void* f, std::int64_t tile) { (*static_cast<Plain*>(f))(tile); });
}

// How many threads parallel_tiles would use for so much work, given tiles enough: for kernels that need not
// cut what one thread does.
int threads_for(double nanoseconds);

// While alive, parallel_tiles stays on this thread when called from it: for work in the background, which
// must not take processors from what it works for.
class SerialTiles {
 public:
  SerialTiles();
  ~SerialTiles();
  SerialTiles(const SerialTiles&) = delete;
  SerialTiles& operator=(const SerialTiles&) = delete;
};

// True on a thread that is running a tile of a region with more than one thread.
bool inside_parallel_region();

}  // namespace likely
