// Prefetcher: a background thread that prepares the next batches in order. Internal to data/.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>

#include "likely/data/source.hpp"

namespace likely::data {

class Prefetcher {
 public:
  // Calls make(0), make(1), ..., make(count - 1) on a thread of its own, at most `ahead` before they are
  // taken.
  Prefetcher(std::int64_t count, std::int64_t ahead, std::function<Batch(std::int64_t)> make);
  // Stops the thread after the batch that it is preparing.
  ~Prefetcher();
  Prefetcher(const Prefetcher&) = delete;
  Prefetcher& operator=(const Prefetcher&) = delete;

  // The next batch, when it is ready. Throws what make threw, and nothing follows then.
  Batch next();

 private:
  void run();
  void make_all();

  const std::int64_t count_;
  const std::size_t ahead_;
  const std::function<Batch(std::int64_t)> make_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Batch> ready_;
  std::exception_ptr error_;  // what make threw; kept, so that whoever asks again gets it again
  bool stop_ = false;
  std::thread thread_;  // last: it uses all of the above
};

}  // namespace likely::data
