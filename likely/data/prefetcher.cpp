#include "likely/data/prefetcher.hpp"

#include <utility>

#include "likely/core/threads.hpp"

namespace likely::data {

Prefetcher::Prefetcher(std::int64_t count, std::int64_t ahead, std::function<Batch(std::int64_t)> make)
    : count_(count),
      ahead_(static_cast<std::size_t>(ahead)),
      make_(std::move(make)),
      thread_([this] { run(); }) {}

Prefetcher::~Prefetcher() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void Prefetcher::run() {
  const SerialTiles one_core;
  try {
    make_all();
  } catch (...) {
    const std::lock_guard lock(mutex_);
    error_ = std::current_exception();
  }
  changed_.notify_all();
}

void Prefetcher::make_all() {
  for (std::int64_t number = 0; number < count_; ++number) {
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return stop_ || ready_.size() < ahead_; });
      if (stop_) return;
    }
    Batch batch = make_(number);
    {
      const std::lock_guard lock(mutex_);
      ready_.push_back(std::move(batch));
    }
    changed_.notify_all();
  }
}

Batch Prefetcher::next() {
  Batch batch;
  {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return !ready_.empty() || error_ != nullptr; });
    if (ready_.empty()) std::rethrow_exception(error_);
    batch = std::move(ready_.front());
    ready_.pop_front();
  }
  changed_.notify_all();
  return batch;
}

}  // namespace likely::data
