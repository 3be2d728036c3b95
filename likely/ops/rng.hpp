// Rng: an explicit source of random numbers. There is no global one.
//
//   Rng rng(42);
//   Tensor a = rng.normal({3}), b = rng.normal({3});   // different numbers: each draw advances rng
//   Rng first = rng.split(), second = rng.split();     // independent of each other and of rng
//
// An Rng is a key and a counter of draws (Philox, Salmon et al. 2011). It is a value: a copy draws the same
// numbers as the original would, which is how a computation is repeated, so hand split() to whatever should
// differ. The same seed and the same calls give the same bits for any number of threads; an element depends
// on its place in row-major order alone, not on the shape. Random numbers are constants to gradients.
#pragma once

#include <cstdint>
#include <vector>

#include "likely/core/tensor.hpp"
#include "likely/kernels/random/philox.hpp"

namespace likely {

class Rng {
 public:
  explicit Rng(std::uint64_t seed);

  // An independent child; advances this one, so the next split is another child.
  Rng split();
  // `count` of them. Refuses count < 0.
  std::vector<Rng> split(std::int64_t count);
  // The child named by a number, such as a step or a rank. Does not advance: the same number gives the same
  // child until this one draws or splits.
  Rng fold_in(std::uint64_t data) const;

  // Advances as that many draws or splits would.
  void skip(std::uint64_t count) { counter_ += count; }

  // 64 uniform random bits an element, as i64.
  Tensor bits(const Shape& shape);
  // On [low, high). Refuses low >= high and infinite ends.
  Tensor uniform(const Shape& shape, double low = 0.0, double high = 1.0, DType dtype = DType::f32);
  // Refuses a negative or infinite stddev.
  Tensor normal(const Shape& shape, double mean = 0.0, double stddev = 1.0, DType dtype = DType::f32);
  // Normal, given that it lies in [low, high]; an end may be infinite. Refuses low >= high, stddev <= 0, and
  // ends more than 37 stddev out on one side of the mean, where a double finds no probability.
  Tensor truncated_normal(const Shape& shape, double low, double high, double mean = 0.0, double stddev = 1.0,
                          DType dtype = DType::f32);
  // Density rate e^(-rate x). Refuses rate <= 0.
  Tensor exponential(const Shape& shape, double rate = 1.0, DType dtype = DType::f32);
  // Distribution function exp(-exp(-x)); logits + gumbel has its maximum at k with probability softmax_k.
  Tensor gumbel(const Shape& shape, DType dtype = DType::f32);

  // 1 with probability p, else 0. Refuses p outside [0, 1].
  Tensor bernoulli(const Shape& shape, double p, DType dtype = DType::f32);
  // The same with a probability for each element, in their type.
  Tensor bernoulli(const Tensor& probabilities);
  // One class of each row of the last axis, k with probability softmax(logits)_k; i64. A logit of minus
  // infinity is never drawn. Refuses rows without a softmax.
  Tensor categorical(const Tensor& logits);
  // Whole numbers from [low, high), i64. Refuses low >= high.
  Tensor randint(std::int64_t low, std::int64_t high, const Shape& shape);
  // 0 ... n - 1 in random order, i64. Refuses n < 0.
  Tensor permutation(std::int64_t n);

  // Density x^(alpha - 1) e^(-x) / Gamma(alpha). Refuses alpha <= 0. For small alpha results may be 0.
  Tensor gamma(const Tensor& alpha);
  Tensor gamma(const Shape& shape, double alpha, DType dtype = DType::f32);
  // Density proportional to x^(alpha - 1) (1 - x)^(beta - 1); the parameters broadcast. Refuses those <= 0.
  Tensor beta(const Tensor& alpha, const Tensor& beta);
  Tensor beta(const Shape& shape, double alpha, double beta, DType dtype = DType::f32);
  // Counts with mean `rate`, i64. Refuses a rate below 0 or above 2^53.
  Tensor poisson(const Tensor& rate);
  Tensor poisson(const Shape& shape, double rate);

  // The key of one draw, for kernels that make their random numbers themselves. Advances.
  kernels::RandomKey draw() { return {key_, counter_++}; }

  // Whether both will draw the same numbers.
  friend bool operator==(const Rng& a, const Rng& b) { return a.key_ == b.key_ && a.counter_ == b.counter_; }

 private:
  Rng(std::uint64_t key, std::uint64_t counter) : key_(key), counter_(counter) {}

  std::uint64_t key_;
  std::uint64_t counter_;  // of draws and splits: each has a stream of the generator to itself
};

}  // namespace likely
