// Training: what tells a layer that it trains, and gives it random numbers to do so.
#pragma once

#include <atomic>
#include <cstdint>

#include "likely/ops/key_log.hpp"
#include "likely/ops/rng.hpp"

namespace likely {

// Hands layers their random keys in one training pass:
//
//   Training training(rng.split());
//   auto [loss, gradient] = value_and_grad(model, [&](Model& m) { return loss_of(m(x, training), y); });
//
// A layer that is given one trains (dropout drops, batch statistics are taken); without one it predicts.
// There is no mode. Each pass is given a new one; the same Rng and the same layers make the same pass.
//
// All layers of a pass are handed the same one, as a constant, and count the keys they take from it. Threads
// may share it without harm, but which of them gets which key then depends on who asks first: give each its
// own, Training(rng.fold_in(thread)), where results are to be repeated.
class Training {
 public:
  explicit Training(Rng rng) : Training(rng, true) {}

  // For asking a trained model how sure it is: dropout and noise draw as in training, so that each pass is a
  // sample of its prediction, but batch statistics are neither taken nor kept.
  static Training only_noise(Rng rng) { return Training(rng, false); }

  // A copy would hand out the same keys again.
  Training(const Training&) = delete;
  Training& operator=(const Training&) = delete;

  // The next key: two layers never share one. Where checkpoint() runs a function again, its layers are handed
  // the keys of the first time.
  Rng split() const {
    used_.store(true, std::memory_order_relaxed);
    Rng place = rng_;
    place.skip(taken_.fetch_add(1, std::memory_order_relaxed));
    return detail::taken_key(place.split());
  }

  // Whether layers are to take the statistics of the batch, and to remember them.
  bool takes_statistics() const {
    used_.store(true, std::memory_order_relaxed);
    return takes_statistics_;
  }

  // Whether anybody has asked it for anything.
  bool was_used() const { return used_.load(std::memory_order_relaxed); }

 private:
  Training(Rng rng, bool takes_statistics) : rng_(rng), takes_statistics_(takes_statistics) {}

  const Rng rng_;
  const bool takes_statistics_;
  mutable std::atomic<std::uint64_t> taken_{0};  // how many keys
  mutable std::atomic<bool> used_{false};
};

}  // namespace likely
