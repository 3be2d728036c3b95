#include "likely/data/prefetcher.hpp"

#include <utility>

#include "likely/core/threads.hpp"

namespace likely::data {

// Memory goes to the reserve of the thread that gives it up last. The batches are made here and used there,
// so without care every batch would take new memory here and leave it in reserve there. A handle is therefore
// kept here until nobody else holds the batch, which then ends on this thread and serves a later one.
class Prefetcher::Lent {
 public:
  void add(const Batch& batch) {
    collect();
    if (held_.size() == kMost) held_.pop_front();  // somebody collects batches: they are theirs
    held_.push_back(batch);
  }

 private:
  static constexpr std::size_t kMost = 16;

  static bool is_back(const Tensor& tensor) { return !tensor.defined() || tensor.is_unique(); }
  void collect() {
    std::erase_if(held_, [](const Batch& batch) { return is_back(batch.x) && is_back(batch.y); });
  }

  std::deque<Batch> held_;
};

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
  Lent lent;
  make_all(lent);
  // Wait until the last batches come back, too.
  std::deque<Item> left;
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return stop_; });
  left.swap(ready_);
}

void Prefetcher::make_all(Lent& lent) {
  for (std::int64_t number = 0; number < count_; ++number) {
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return stop_ || ready_.size() < ahead_; });
      if (stop_) return;
    }
    Item item;
    try {
      item.batch = make_(number);
      lent.add(item.batch);
    } catch (...) {
      item = {{}, std::current_exception()};
    }
    const bool failed = item.error != nullptr;
    {
      const std::lock_guard lock(mutex_);
      ready_.push_back(std::move(item));
    }
    changed_.notify_all();
    if (failed) return;
  }
}

Batch Prefetcher::next() {
  Item item;
  {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return !ready_.empty(); });
    item = ready_.front();
    if (item.error == nullptr) ready_.pop_front();  // an error stays: whoever asks again gets it again
  }
  changed_.notify_all();
  if (item.error != nullptr) std::rethrow_exception(item.error);
  return std::move(item.batch);
}

}  // namespace likely::data
