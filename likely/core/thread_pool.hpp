// The threads behind parallel_tiles. Internal to core/.
#pragma once

#include <cstdint>

namespace likely::detail {

using TileCall = void (*)(void* body, std::int64_t tile);

// Runs call(body, tile) for each tile in [0, tiles) on the calling thread and up to `runners` - 1 others.
//
// Each runner starts with a run of neighbouring tiles of its own, the same for the same numbers, so that what
// it wrote in one region is in its cache in the next; one that has finished helps the others. The caller
// therefore never waits for a thread that the operating system has not got round to running: on a machine
// that is busy with other things, or in a container that is given less time than processors, a region costs
// what one thread would take. False if the pool is busy with another thread's tiles; then nothing has run.
//
// What a tile throws is thrown again when all runners have left; if several throw, what the first of them
// threw. Tiles behind one that threw may be left out, as they are where one thread runs all, tiles before it
// are not: which exception arrives does not depend on the threads.
bool run_in_pool(std::int64_t tiles, int runners, void* body, TileCall call);

// Calls job() once on each thread of the pool, and waits for them; nothing happens while a region is open.
// For work that does not throw.
void run_on_idle_workers(void (*job)());

// True on a thread that is running a tile of a region with more than one thread.
bool inside_pool_region();

}  // namespace likely::detail
