#include "likely/ops/rng.hpp"

#include <fmt/format.h>

#include <cmath>
#include <type_traits>

#include "likely/core/dispatch.hpp"
#include "likely/kernels/random/discrete.hpp"
#include "likely/kernels/random/random.hpp"
#include "likely/ops/rng_draws.hpp"

namespace likely {

using detail::fill_floating;
using detail::for_each_element;

namespace {

// Children of both kinds come from blocks that no draw reaches: split() from the last block of a stream that
// is used for nothing else, fold_in() from another key.
constexpr std::uint64_t kSplitBlock = UINT64_MAX;
constexpr std::uint64_t kFoldKey = 0x9d8c7b6af1e2d3c4;

struct KeyAndCounter {
  std::uint64_t key, counter;
};

KeyAndCounter child(kernels::RandomKey key, std::uint64_t block) {
  const kernels::PhiloxBlock words = kernels::philox_block(key, block);
  return {words[0] | std::uint64_t{words[1]} << 32, words[2] | std::uint64_t{words[3]} << 32};
}

void check_probability(const char* name, double p) {
  if (!(p >= 0.0 && p <= 1.0)) refuse(name, fmt::format("p must lie in [0, 1], got {}", p));
}

}  // namespace

Rng::Rng(std::uint64_t seed) : Rng(seed, 0) {}

Rng Rng::split() {
  const KeyAndCounter made = child(draw(), kSplitBlock);
  return {made.key, made.counter};
}

std::vector<Rng> Rng::split(std::int64_t count) {
  if (count < 0) refuse("split", fmt::format("the count must not be negative, got {}", count));
  std::vector<Rng> children;
  children.reserve(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i) children.push_back(split());
  return children;
}

Rng Rng::fold_in(std::uint64_t data) const {
  const KeyAndCounter made = child({key_ ^ kFoldKey, counter_}, data);
  return {made.key, made.counter};
}

Tensor Rng::bits(const Shape& shape) {
  Tensor result = Tensor::uninitialized(shape, DType::i64);
  auto* out = reinterpret_cast<std::uint64_t*>(result.mutable_data<std::int64_t>());
  kernels::fill_bits(draw(), out, result.size());
  return result;
}

Tensor Rng::uniform(const Shape& shape, double low, double high, DType dtype) {
  if (!(low < high) || !std::isfinite(high - low)) {
    refuse("uniform", fmt::format("low must be below high and both finite, got {} and {}", low, high));
  }
  return fill_floating("uniform", shape, dtype, [&]<class T>(T* out, std::int64_t n) {
    const T from = static_cast<T>(low), to = static_cast<T>(high), range = to - from;
    if (!(range > T{0}) || !std::isfinite(range)) {
      refuse("uniform", fmt::format("no numbers of type {} between {} and {}", name_of(dtype), low, high));
    }
    kernels::fill_uniform(draw(), out, n);
    if (low == 0.0 && high == 1.0) return;
    // Rounding may reach the upper end, which does not belong to the range.
    const T last = std::nextafter(to, from);
    for_each_element(n, 0.3, [=](std::int64_t i) { out[i] = std::min(from + range * out[i], last); });
  });
}

Tensor Rng::normal(const Shape& shape, double mean, double stddev, DType dtype) {
  if (!(stddev >= 0.0) || !std::isfinite(stddev)) {
    refuse("normal", fmt::format("stddev must be finite and not negative, got {}", stddev));
  }
  if (!std::isfinite(mean)) refuse("normal", fmt::format("mean must be finite, got {}", mean));
  return fill_floating("normal", shape, dtype, [&]<class T>(T* out, std::int64_t n) {
    kernels::fill_normal(draw(), out, n);
    if (mean == 0.0 && stddev == 1.0) return;
    const T shift = static_cast<T>(mean), scale = static_cast<T>(stddev);
    for_each_element(n, 0.3, [=](std::int64_t i) { out[i] = shift + scale * out[i]; });
  });
}

Tensor Rng::exponential(const Shape& shape, double rate, DType dtype) {
  if (!(rate > 0.0) || !std::isfinite(rate)) {
    refuse("exponential", fmt::format("rate must be finite and above 0, got {}", rate));
  }
  return fill_floating("exponential", shape, dtype, [&]<class T>(T* out, std::int64_t n) {
    kernels::fill_exponential(draw(), out, n);
    if (rate == 1.0) return;
    const T scale = static_cast<T>(1.0 / rate);
    for_each_element(n, 0.3, [=](std::int64_t i) { out[i] *= scale; });
  });
}

Tensor Rng::gumbel(const Shape& shape, DType dtype) {
  return fill_floating("gumbel", shape, dtype,
                       [&](auto* out, std::int64_t n) { kernels::fill_gumbel(draw(), out, n); });
}

Tensor Rng::bernoulli(const Shape& shape, double p, DType dtype) {
  check_probability("bernoulli", p);
  Tensor result = Tensor::uninitialized(shape, dtype);
  const kernels::RandomKey key = draw();
  detail::with_type("bernoulli", dtype, [&]<class T>(T) {
    kernels::fill_bernoulli(key, p, result.mutable_data<T>(), result.size());
  });
  return result;
}

Tensor Rng::bernoulli(const Tensor& probabilities) {
  const Tensor p = probabilities.with_track({}).contiguous();
  return fill_floating("bernoulli", p.shape(), p.dtype(), [&]<class T>(T* out, std::int64_t n) {
    const T* values = p.data<T>();
    if (kernels::fill_bernoulli(draw(), values, out, n)) return;
    detail::checked_parameters("bernoulli", "probabilities must lie in [0, 1]", p,
                               [](double v) { return v >= 0.0 && v <= 1.0; });
  });
}

Tensor Rng::randint(std::int64_t low, std::int64_t high, const Shape& shape) {
  if (low >= high) refuse("randint", fmt::format("low must be below high, got {} and {}", low, high));
  Tensor result = Tensor::uninitialized(shape, DType::i64);
  const std::uint64_t range = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low);
  kernels::fill_integers(draw(), low, range, result.mutable_data<std::int64_t>(), result.size());
  return result;
}

Tensor Rng::permutation(std::int64_t n) {
  if (n < 0) refuse("permutation", fmt::format("n must not be negative, got {}", n));
  Tensor result = Tensor::uninitialized({n}, DType::i64);
  kernels::fill_permutation(draw(), result.mutable_data<std::int64_t>(), n);
  return result;
}

}  // namespace likely
