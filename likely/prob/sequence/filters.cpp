#include "likely/prob/sequence/filters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "likely/autodiff/custom.hpp"
#include "likely/core/create.hpp"
#include "likely/core/dispatch.hpp"
#include "likely/core/error.hpp"
#include "likely/core/threads.hpp"
#include "likely/ops/arithmetic.hpp"
#include "likely/ops/math.hpp"
#include "likely/ops/order.hpp"
#include "likely/ops/softmax.hpp"

namespace likely {

namespace {

void check_temperature(const char* operation, double temperature) {
  if (!(temperature > 0.0 && std::isfinite(temperature)))
    refuse(operation, fmt::format("the temperature must be above 0 and finite, got {}", temperature));
}
void check_top_k(const char* operation, std::int64_t k) {
  if (k < 1) refuse(operation, fmt::format("k must be at least 1, got {}", k));
}
void check_top_p(const char* operation, double p) {
  if (!(p > 0.0 && p <= 1.0)) refuse(operation, fmt::format("p must be in (0, 1], got {}", p));
}

std::int64_t tokens_of(const char* operation, const Tensor& x) {
  if (x.rank() < 1 || x.shape().back() < 1)
    refuse(operation,
           fmt::format("log-probabilities need a last axis of tokens, got shape {}", x.shape().string()));
  return x.shape().back();
}

// Calls body(x, out, n) for the rows of the last axis, where `out` is all minus infinity.
template <class Body>
Tensor of_rows(const char* operation, const Tensor& log_probabilities, double nanoseconds, const Body& body) {
  const Tensor x = stop_gradient(log_probabilities).contiguous();
  const std::int64_t n = tokens_of(operation, x), rows = x.size() / n;
  Tensor out = full(x.shape(), -std::numeric_limits<double>::infinity(), x.dtype());
  detail::with_floating(operation, x.dtype(), [&]<class T>(T) {
    const T* from = x.data<T>();
    T* to = out.mutable_data<T>();
    parallel_tiles(rows, nanoseconds * static_cast<double>(rows * n),
                   [&](std::int64_t row) { body(row, from + row * n, to + row * n, n); });
  });
  return out;
}

// Copies some elements of a row, less the logarithm of what they have together.
template <class T, class Index>
void keep(const T* x, T* out, const Index* chosen, std::int64_t count) {
  if (count == 0) return;
  double high = -std::numeric_limits<double>::infinity(), total = 0.0;
  for (std::int64_t j = 0; j < count; ++j) high = std::max(high, static_cast<double>(x[chosen[j]]));
  for (std::int64_t j = 0; j < count; ++j) total += std::exp(static_cast<double>(x[chosen[j]]) - high);
  const double norm = high + std::log(total);
  for (std::int64_t j = 0; j < count; ++j)
    out[chosen[j]] = static_cast<T>(static_cast<double>(x[chosen[j]]) - norm);
}

// The nucleus of a row, of which y are the log-probabilities and q the probabilities. Tokens are counted into
// buckets of falling log-probability; only in the bucket where p is reached are they put in order.
template <class T>
class Nucleus {
 public:
  Nucleus(const T* y, const T* q, std::int64_t n, double p) : y_(y), q_(q), n_(n) {
    for (std::int64_t i = 0; i < n; ++i) high_ = std::max(high_, y[i]);
    // Tokens below have less than 1 - p together, so that none of them can be needed.
    const double least = std::log((1.0 - p) / static_cast<double>(n));
    const double range = std::max(static_cast<double>(high_) - least, 1e-6);
    const auto scale = static_cast<T>(static_cast<double>(kBuckets - 1) / range);
    buckets_.resize(static_cast<std::size_t>(n));
    for (std::int64_t i = 0; i < n; ++i)
      buckets_[static_cast<std::size_t>(i)] = static_cast<std::uint16_t>(
          static_cast<std::int32_t>(std::min((high_ - y[i]) * scale, T{kBuckets})));
    std::vector<double> masses(kBuckets + 1, 0.0);
    for (std::int64_t i = 0; i < n; ++i)
      masses[buckets_[static_cast<std::size_t>(i)]] += static_cast<double>(q[i]);
    double needed = p - (sizeof(T) == 4 ? 1e-6 : 1e-12);
    for (; last_ + 1 < kBuckets && masses[last_] < needed; ++last_) {
      needed -= masses[last_];
      kept_ += masses[last_];
    }
    choose_of_last(needed);
  }

  // Writes what is kept, less the logarithm of all of it.
  void write(T* out) const {
    constexpr T kNever = -std::numeric_limits<T>::infinity();
    double kept = kept_;
    for (const std::int64_t i : chosen_) kept += static_cast<double>(q_[i]);
    const auto norm = static_cast<T>(std::log(kept));
    for (std::int64_t i = 0; i < n_; ++i)
      out[i] = buckets_[static_cast<std::size_t>(i)] < last_ ? y_[i] - norm : kNever;
    for (const std::int64_t i : chosen_) out[i] = y_[i] - norm;
  }

 private:
  static constexpr std::uint16_t kBuckets = 1024;

  // Halves what is undecided, until the fewest tokens are found that have what is needed.
  void choose_of_last(double needed) {
    for (std::int64_t i = 0; i < n_; ++i) {
      if (buckets_[static_cast<std::size_t>(i)] == last_) chosen_.push_back(i);
    }
    const auto before = [this](std::int64_t a, std::int64_t b) {
      return y_[a] != y_[b] ? y_[a] > y_[b] : a < b;
    };
    auto low = chosen_.begin(), end = chosen_.end();
    while (end - low > 1) {
      const auto middle = low + (end - low) / 2;
      std::nth_element(low, middle, end, before);
      double mass = 0.0;
      for (auto at = low; at != middle; ++at) mass += static_cast<double>(q_[*at]);
      if (mass >= needed) {
        end = middle;
      } else {
        needed -= mass;
        low = middle;
      }
    }
    chosen_.erase(end, chosen_.end());
  }

  const T* y_;
  const T* q_;
  std::int64_t n_;
  T high_ = -std::numeric_limits<T>::infinity();
  std::vector<std::uint16_t> buckets_;
  std::uint16_t last_ = 0;  // the bucket where p is reached
  double kept_ = 0.0;       // the probability of those before it
  std::vector<std::int64_t> chosen_;
};

}  // namespace

Tensor with_temperature(const Tensor& log_probabilities, double temperature) {
  check_temperature("with_temperature", temperature);
  tokens_of("with_temperature", log_probabilities);
  const Tensor fixed = stop_gradient(log_probabilities);
  return log_softmax(temperature == 1.0 ? fixed : fixed / temperature);
}

Tensor keep_top_k(const Tensor& log_probabilities, std::int64_t k) {
  check_top_k("keep_top_k", k);
  const std::int64_t n = tokens_of("keep_top_k", log_probabilities);
  if (k >= n) return log_softmax(stop_gradient(log_probabilities));
  const Tensor best = topk(stop_gradient(log_probabilities), k).indices.contiguous();
  const std::int64_t* indices = best.data<std::int64_t>();
  return of_rows(
      "keep_top_k", log_probabilities, 0.3,
      [&](std::int64_t row, const auto* x, auto* out, std::int64_t) { keep(x, out, indices + row * k, k); });
}

Tensor keep_top_p(const Tensor& log_probabilities, double p) {
  check_top_p("keep_top_p", p);
  tokens_of("keep_top_p", log_probabilities);
  if (p == 1.0) return log_softmax(stop_gradient(log_probabilities));
  const Tensor y = log_softmax(stop_gradient(log_probabilities)).contiguous(), q = exp(y);
  return of_rows("keep_top_p", y, 4.0, [&]<class T>(std::int64_t row, const T* x, T* out, std::int64_t n) {
    Nucleus<T>(x, q.data<T>() + row * n, n, p).write(out);
  });
}

void TokenFilter::check(const char* operation) const {
  check_temperature(operation, temperature);
  if (top_k != 0) check_top_k(operation, top_k);
  check_top_p(operation, top_p);
}

Tensor TokenFilter::operator()(const Tensor& log_probabilities) const {
  Tensor kept = log_probabilities;
  if (temperature != 1.0) kept = with_temperature(kept, temperature);
  if (top_k > 0) kept = keep_top_k(kept, top_k);
  if (top_p < 1.0) kept = keep_top_p(kept, top_p);
  return kept;
}

}  // namespace likely
