#include "likely/core/threads.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <new>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "likely/core/error.hpp"
#include "tests/support/refusal.hpp"

// OpenMP's own question. Programs that use OpenMP bring an answer; this one says what a test wants to hear.
static bool in_openmp_region = false;
extern "C" int omp_in_parallel();
extern "C" int omp_in_parallel() { return in_openmp_region ? 1 : 0; }

namespace likely {
namespace {

constexpr double kMuchWork = 1e9;

// Puts the number of threads back when a test ends.
class ThreadsTest : public ::testing::Test {
 protected:
  ~ThreadsTest() override { set_threads(before_); }

 private:
  int before_ = threads();
};

TEST_F(ThreadsTest, KeepsTheNumberThatWasSet) {
  for (const int n : {1, 2, 3, 7}) {
    set_threads(n);
    EXPECT_EQ(threads(), n);
  }
}

TEST_F(ThreadsTest, RefusesFewerThanOne) {
  set_threads(2);
  for (const int n : {0, -3}) {
    testing::expect_refusal(
        [&] { set_threads(n); },
        "[set_threads] the number of threads must be at least 1, got " + std::to_string(n));
  }
  EXPECT_EQ(threads(), 2) << "a refused call must change nothing";
}

TEST_F(ThreadsTest, RunsEachTileOnce) {
  for (const int n : {1, 2, 3}) {
    set_threads(n);
    for (const int tiles : {0, 1, 2, 5, 1000}) {
      std::vector<std::atomic<int>> visits(static_cast<std::size_t>(tiles));
      parallel_tiles(tiles, kMuchWork, [&](std::int64_t tile) { ++visits[static_cast<std::size_t>(tile)]; });
      for (const auto& count : visits) EXPECT_EQ(count.load(), 1) << n << " threads, " << tiles << " tiles";
    }
  }
}

TEST_F(ThreadsTest, UsesAsManyThreadsAsAsked) {
  for (const int n : {1, 2, 3}) {
    set_threads(n);
    std::vector<std::thread::id> runners(static_cast<std::size_t>(n));
    std::atomic<int> arrived = 0;
    parallel_tiles(n, kMuchWork, [&](std::int64_t tile) {
      runners[static_cast<std::size_t>(tile)] = std::this_thread::get_id();
      ++arrived;
      while (arrived < n) std::this_thread::yield();  // holds its thread until all tiles have one
    });
    EXPECT_EQ(std::set(runners.begin(), runners.end()).size(), static_cast<std::size_t>(n));
  }
}

TEST_F(ThreadsTest, FinishesRegionsOneAfterAnother) {
  set_threads(3);
  std::vector<std::int64_t> sums(7, 0);  // unguarded: correct only if a region is over when its call returns
  for (int region = 0; region < 20'000; ++region) {
    parallel_tiles(7, kMuchWork, [&](std::int64_t tile) { sums[static_cast<std::size_t>(tile)] += region; });
  }
  for (const std::int64_t sum : sums) EXPECT_EQ(sum, 20'000LL * 19'999 / 2);
}

TEST_F(ThreadsTest, ServesSeveralCallersAtOnce) {
  set_threads(2);
  std::vector<std::int64_t> counts(4, 0);
  std::vector<std::thread> callers;
  for (std::int64_t& count : counts) {
    callers.emplace_back([&count] {
      for (int region = 0; region < 2'000; ++region) {
        std::atomic<int> here = 0;
        parallel_tiles(5, kMuchWork, [&](std::int64_t) { ++here; });
        count += here;
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(counts, std::vector<std::int64_t>(4, 10'000));
}

// What a region of 60 tiles throws on 1, 2 and 3 threads; afterwards the threads must be there as before.
std::vector<std::string> thrown(const std::function<void(std::int64_t)>& body) {
  std::vector<std::string> messages;
  for (const int n : {1, 2, 3}) {
    set_threads(n);
    try {
      parallel_tiles(60, kMuchWork, body);
      messages.emplace_back("nothing");
    } catch (const std::exception& error) {
      messages.emplace_back(error.what());
    } catch (int number) {
      messages.emplace_back(std::to_string(number));
    }
    EXPECT_FALSE(inside_parallel_region());
    std::atomic<int> arrived = 0;
    parallel_tiles(n, kMuchWork, [&](std::int64_t) {
      ++arrived;
      while (arrived < n) std::this_thread::yield();
    });
    EXPECT_EQ(arrived, n);
  }
  return messages;
}

TEST_F(ThreadsTest, ThrowsWhatATileThrew) {
  const auto all = [](const std::string& message) { return std::vector<std::string>(3, message); };
  for (const std::int64_t bad : {0, 1, 19, 30, 45, 59}) {
    EXPECT_EQ(thrown([bad](std::int64_t tile) {
                if (tile == bad) refuse("tile", std::to_string(tile) + " is bad");
              }),
              all("[tile] " + std::to_string(bad) + " is bad"));
  }
  EXPECT_EQ(thrown([](std::int64_t tile) {
              if (tile == 40) throw 42;
            }),
            all("42"));
  EXPECT_EQ(thrown([](std::int64_t tile) {
              if (tile == 40) throw std::bad_alloc();
            }),
            all(std::bad_alloc().what()));
}

TEST_F(ThreadsTest, ThrowsWhatTheFirstOfSeveralTilesThrew) {
  for (int round = 0; round < 200; ++round) {
    const std::int64_t first = round % 60;
    const std::vector<std::string> messages = thrown([first](std::int64_t tile) {
      if (tile >= first) throw std::runtime_error(std::to_string(tile));
    });
    EXPECT_EQ(messages, std::vector<std::string>(3, std::to_string(first)));
  }
}

// Tile 0 waits for another thread to throw, where there is one.
TEST_F(ThreadsTest, ThrowsWhatTheFirstTileThrewThoughItCameLast) {
  for (const int n : {2, 3}) {
    set_threads(n);
    std::atomic<bool> another_threw{false};
    std::string message;
    try {
      parallel_tiles(60, kMuchWork, [&](std::int64_t tile) {
        const auto begin = std::chrono::steady_clock::now();
        while (tile == 0 && !another_threw &&
               std::chrono::steady_clock::now() - begin < std::chrono::seconds(5))
          std::this_thread::yield();
        another_threw = true;
        throw std::runtime_error(std::to_string(tile));
      });
    } catch (const std::runtime_error& error) {
      message = error.what();
    }
    EXPECT_EQ(message, "0") << n << " threads";
  }
}

TEST_F(ThreadsTest, RunsAllTilesBeforeTheOneThatThrew) {
  for (const int n : {1, 2, 3}) {
    set_threads(n);
    std::vector<std::atomic<int>> visits(60);
    std::atomic<bool> thrown{false};
    EXPECT_THROW(parallel_tiles(60, kMuchWork,
                                [&](std::int64_t tile) {
                                  ++visits[static_cast<std::size_t>(tile)];
                                  if (tile >= 37) {
                                    thrown = true;
                                    throw std::runtime_error("late");
                                  }
                                  // Where there are others to throw, most of the early tiles come after them.
                                  const auto begin = std::chrono::steady_clock::now();
                                  while (n > 1 && tile == 0 && !thrown &&
                                         std::chrono::steady_clock::now() - begin < std::chrono::seconds(5))
                                    std::this_thread::yield();
                                }),
                 std::runtime_error);
    for (std::size_t tile = 0; tile < 60; ++tile) {
      if (tile < 37) {
        EXPECT_EQ(visits[tile], 1);
      }
      EXPECT_LE(visits[tile], 1);
    }
  }
}

TEST_F(ThreadsTest, ThrowsOutOfRegionsInRegions) {
  EXPECT_EQ(thrown([](std::int64_t outer) {
              parallel_tiles(8, kMuchWork, [outer](std::int64_t inner) {
                if (outer == 33 && inner >= 5) refuse("inner", std::to_string(inner));
              });
            }),
            std::vector<std::string>(3, "[inner] 5"));
}

TEST_F(ThreadsTest, AForkedChildHasThreadsOfItsOwn) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << "the thread sanitizer starts no threads in a child of a program that had some";
#endif
  set_threads(2);
  const auto both_tiles_meet = [] {
    std::atomic<int> arrived = 0;
    parallel_tiles(2, kMuchWork, [&](std::int64_t) {
      ++arrived;
      while (arrived < 2) std::this_thread::yield();
    });
  };
  both_tiles_meet();
  const pid_t child = fork();
  if (child == 0) {
    both_tiles_meet();
    _exit(7);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 7);
}

TEST_F(ThreadsTest, KeepsSmallWorkOnTheCallingThread) {
  set_threads(3);
  parallel_tiles(64, 100.0, [caller = std::this_thread::get_id()](std::int64_t) {
    EXPECT_EQ(std::this_thread::get_id(), caller);
    EXPECT_FALSE(inside_parallel_region());
  });
}

TEST_F(ThreadsTest, SaysHowManyThreadsWorkIsWorth) {
  set_threads(3);
  EXPECT_EQ(threads_for(100.0), 1);
  EXPECT_EQ(threads_for(kMuchWork), 3);
  std::atomic<int> inside = 0;
  parallel_tiles(3, kMuchWork, [&](std::int64_t) { inside += threads_for(kMuchWork); });
  EXPECT_EQ(inside.load(), 3) << "one for each of three tiles";
  const SerialTiles serial;
  EXPECT_EQ(threads_for(kMuchWork), 1);
}

TEST_F(ThreadsTest, StaysOnAThreadThatAskedForIt) {
  set_threads(3);
  const auto in_a_region = [] {
    std::atomic<int> tiles_inside = 0;
    parallel_tiles(64, kMuchWork, [&](std::int64_t) { tiles_inside += inside_parallel_region() ? 1 : 0; });
    return tiles_inside.load();
  };
  {
    const SerialTiles outer;
    {
      const SerialTiles inner;
      EXPECT_EQ(in_a_region(), 0);
    }
    EXPECT_EQ(in_a_region(), 0);
    int elsewhere = 0;
    std::thread([&] { elsewhere = in_a_region(); }).join();
    EXPECT_EQ(elsewhere, 64) << "other threads are not concerned";
  }
  EXPECT_EQ(in_a_region(), 64);
}

TEST_F(ThreadsTest, RunsSeriallyInsideAnotherRegion) {
  set_threads(2);
  std::vector<int> inner_threads(2, 0);
  parallel_tiles(2, kMuchWork, [&](std::int64_t tile) {
    EXPECT_TRUE(inside_parallel_region());
    std::set<std::thread::id> runners;  // unguarded: correct only because the inner tiles run one by one
    parallel_tiles(16, kMuchWork, [&](std::int64_t) { runners.insert(std::this_thread::get_id()); });
    inner_threads[static_cast<std::size_t>(tile)] = static_cast<int>(runners.size());
  });
  EXPECT_EQ(inner_threads, (std::vector<int>{1, 1}));
}

TEST_F(ThreadsTest, RunsSeriallyInsideAnOpenMpRegionOfTheUsers) {
  set_threads(3);
  EXPECT_EQ(threads_for(kMuchWork), 3);
  in_openmp_region = true;
  EXPECT_EQ(threads_for(kMuchWork), 1);
  const std::thread::id caller = std::this_thread::get_id();
  int elsewhere = 0;
  parallel_tiles(64, kMuchWork, [&](std::int64_t) { elsewhere += std::this_thread::get_id() != caller; });
  in_openmp_region = false;
  EXPECT_EQ(elsewhere, 0);
}

}  // namespace
}  // namespace likely
