#include "likely/prob/sequence/token_draws.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <type_traits>

#include "likely/autodiff/custom.hpp"
#include "likely/core/dispatch.hpp"
#include "likely/core/error.hpp"
#include "likely/kernels/softmax/block_masses.hpp"
#include "likely/prob/log_sum.hpp"

namespace likely::detail {

namespace {

constexpr double kMinusInfinity = -std::numeric_limits<double>::infinity();
// What the kernel takes for 0 is below e^-88: nothing, beside this.
constexpr double kLeastMass = 1e-25;

// A row of which tokens are taken out one after the other.
template <class T>
class ShrinkingRow {
 public:
  ShrinkingRow(const T* x, std::int64_t n, std::span<const double> masses)
      : x_(x), n_(n), masses_(masses.begin(), masses.end()) {}

  // The logarithm of what is left; minus infinity where nothing is.
  double log_left() {
    if (total() < kLeastMass) measure_again();
    return shift_ + std::log(total());
  }

  // A token of those left, by its probability. There must be one.
  std::int64_t draw(Uniforms& random) {
    const std::size_t block = drawn_block(random.next() * total());
    const auto begin = static_cast<std::int64_t>(block) * kernels::kMassBlock;
    const std::int64_t end = std::min(n_, begin + kernels::kMassBlock);
    double weights[kernels::kMassBlock];
    const double all = weigh(block, weights);
    double left = random.next() * all;
    std::int64_t last = -1;
    for (std::int64_t i = begin; i < end; ++i) {
      if (!(weights[i - begin] > 0.0)) continue;
      last = i;
      left -= weights[i - begin];
      if (left < 0.0) break;
    }
    return last;
  }

  void take(std::int64_t token) {
    taken_.push_back(token);
    measure(static_cast<std::size_t>(token / kernels::kMassBlock));
  }

 private:
  // What each token of a block weighs, and all together.
  double weigh(std::size_t block, double* weights) const {
    const auto begin = static_cast<std::int64_t>(block) * kernels::kMassBlock;
    const std::int64_t count = std::min(n_ - begin, kernels::kMassBlock);
    for (std::int64_t i = 0; i < count; ++i)
      weights[i] = std::exp(static_cast<double>(x_[begin + i]) - shift_);
    for (const std::int64_t token : taken_) {
      if (token >= begin && token < begin + count) weights[token - begin] = 0.0;
    }
    double all = 0.0;
    for (std::int64_t i = 0; i < count; ++i) all += weights[i];
    return all;
  }

  double total() const {
    double sum[4] = {};
    std::size_t b = 0;
    for (; b + 4 <= masses_.size(); b += 4) {
      for (std::size_t j = 0; j < 4; ++j) sum[j] += masses_[b + j];
    }
    for (; b < masses_.size(); ++b) sum[0] += masses_[b];
    return sum[0] + sum[1] + (sum[2] + sum[3]);
  }

  std::size_t drawn_block(double left) const {
    std::size_t last = 0;
    for (std::size_t b = 0; b < masses_.size(); ++b) {
      if (!(masses_[b] > 0.0)) continue;
      last = b;
      left -= masses_[b];
      if (left < 0.0) break;
    }
    return last;
  }

  void measure(std::size_t block) {
    double weights[kernels::kMassBlock];
    masses_[block] = weigh(block, weights);
  }

  // Beside what was taken the rest is too small for the numbers: from here on they are in units of its
  // largest.
  void measure_again() {
    double high = kMinusInfinity;
    for (std::int64_t i = 0; i < n_; ++i) {
      const auto x = static_cast<double>(x_[i]);
      if (x > high && std::find(taken_.begin(), taken_.end(), i) == taken_.end()) high = x;
    }
    if (high == kMinusInfinity) {
      std::fill(masses_.begin(), masses_.end(), 0.0);
      return;
    }
    shift_ = high;
    for (std::size_t block = 0; block < masses_.size(); ++block) measure(block);
  }

  const T* x_;
  std::int64_t n_;
  std::vector<double> masses_;  // in units of e^shift
  double shift_ = 0.0;
  std::vector<std::int64_t> taken_;
};

// f(elements of a row), whichever type they have.
template <class F>
auto with_row(const float* f32, const double* f64, std::int64_t at, const F& f) {
  return f32 != nullptr ? f(f32 + at) : f(f64 + at);
}

}  // namespace

double Uniforms::next() {
  if (!half_) words_ = kernels::philox_block(key_, block_++);
  const std::uint64_t high = words_[half_ ? 2 : 0], low = words_[half_ ? 3 : 1];
  half_ = !half_;
  return (static_cast<double>((high << 32 | low) >> 12) + 0.5) * 0x1p-52;
}

double Uniforms::exponential() { return -std::log(next()); }

TokenMasses::TokenMasses(const char* operation, const Tensor& log_probabilities, std::int64_t rows)
    : log_probabilities_(stop_gradient(log_probabilities).contiguous()) {
  const Tensor& x = log_probabilities_;
  tokens_ = x.dim(1);
  blocks_ = kernels::mass_blocks(tokens_);
  masses_.resize(static_cast<std::size_t>(rows * blocks_));
  with_floating(operation, x.dtype(), [&]<class T>(T) {
    const T* const first = x.data<T>();
    if constexpr (std::is_same_v<T, float>) {
      f32_ = first;
    } else {
      f64_ = first;
    }
    kernels::block_masses(first, masses_.data(), rows, tokens_);
  });
  for (std::int64_t row = 0; row < rows; ++row) {
    double total = 0.0;
    for (std::int64_t b = row * blocks_; b < (row + 1) * blocks_; ++b)
      total += masses_[static_cast<std::size_t>(b)];
    if (!(std::abs(total - 1.0) <= 1e-3))
      refuse(operation,
             fmt::format("the probabilities of row {} of a step add up to {:.6g}, not to 1", row, total));
  }
}

double TokenMasses::log_probability(std::int64_t row, std::int64_t token) const {
  return with_row(f32_, f64_, row * tokens_, [&](const auto* x) { return static_cast<double>(x[token]); });
}

std::int64_t TokenMasses::draw(std::int64_t row, Uniforms& random) const {
  const std::span masses(masses_.data() + row * blocks_, static_cast<std::size_t>(blocks_));
  return with_row(f32_, f64_, row * tokens_,
                  [&](const auto* x) { return ShrinkingRow(x, tokens_, masses).draw(random); });
}

std::vector<PerturbedToken> TokenMasses::perturbed(std::int64_t row, double phi, double maximum,
                                                   double enough, std::int64_t most, Uniforms& random) const {
  const std::span masses(masses_.data() + row * blocks_, static_cast<std::size_t>(blocks_));
  return with_row(f32_, f64_, row * tokens_, [&](const auto* x) {
    ShrinkingRow left(x, tokens_, masses);
    std::vector<PerturbedToken> found;
    double value = maximum;
    while (std::ssize(found) < most) {
      const double log_left = left.log_left();
      if (log_left == kMinusInfinity) break;
      if (!found.empty()) {
        value = -log_sum(-value, std::log(random.exponential()) - phi - log_left);
        if (!(value > enough)) {
          found.push_back({-1, kMinusInfinity, value});
          break;
        }
      }
      const std::int64_t token = left.draw(random);
      found.push_back({token, static_cast<double>(x[token]), value});
      if (std::ssize(found) < most) left.take(token);
    }
    return found;
  });
}

}  // namespace likely::detail
