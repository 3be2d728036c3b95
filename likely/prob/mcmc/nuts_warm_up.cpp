#include "likely/prob/mcmc/nuts_warm_up.hpp"

#include <algorithm>

namespace likely::detail {

WarmUpWindows::WarmUpWindows(std::int64_t warm_up) {
  if (warm_up < 20) return;
  const bool is_short = warm_up < 150;
  begin = is_short ? warm_up * 15 / 100 : 75;
  const std::int64_t stop = warm_up - (is_short ? warm_up / 10 : 50);
  std::int64_t width = is_short ? stop - begin : 25;
  for (std::int64_t at = begin; at < stop;) {
    at += width;
    width *= 2;
    // What is left would be too little for a window of its own.
    if (at + width > stop) at = stop;
    ends.push_back(at);
  }
}

PositionMoments::PositionMoments(Mass mass, std::size_t size)
    : mass_(mass), mean_(size), before_(size), squares_(mass == Mass::dense ? size * size : size) {}

void PositionMoments::add(const std::vector<double>& position) {
  if (mass_ == Mass::unit) return;
  const std::size_t size = mean_.size();
  count_ += 1.0;
  for (std::size_t i = 0; i < size; ++i) {
    before_[i] = position[i] - mean_[i];
    mean_[i] += before_[i] / count_;
  }
  for (std::size_t i = 0; i < size; ++i) {
    const double after = position[i] - mean_[i];
    if (mass_ == Mass::diagonal) {
      squares_[i] += before_[i] * after;
    } else {
      for (std::size_t j = 0; j < size; ++j) squares_[i * size + j] += before_[j] * after;
    }
  }
}

InverseMass PositionMoments::take() {
  if (mass_ == Mass::unit || count_ < 2.0) return {};
  constexpr double kPrior = 5.0, kPriorVariance = 1e-3;
  const std::size_t size = mean_.size();
  const double keep = count_ / (count_ + kPrior);
  std::vector<double> covariance = squares_;
  for (double& v : covariance) v *= keep / (count_ - 1.0);
  for (std::size_t i = 0; i < size; ++i) {
    covariance[mass_ == Mass::dense ? i * size + i : i] += kPriorVariance * (1.0 - keep);
  }
  count_ = 0.0;
  std::fill(mean_.begin(), mean_.end(), 0.0);
  std::fill(squares_.begin(), squares_.end(), 0.0);
  return mass_ == Mass::dense ? InverseMass::dense(std::move(covariance))
                              : InverseMass::diagonal(std::move(covariance));
}

}  // namespace likely::detail
