// Draws from rows of log-probabilities that look at few of their elements. Internal to prob/sequence/.
#pragma once

#include <cstdint>
#include <vector>

#include "likely/core/tensor.hpp"
#include "likely/kernels/random/philox.hpp"

namespace likely::detail {

// Uniform numbers strictly between 0 and 1, one after the other: 53 bits each.
class Uniforms {
 public:
  explicit Uniforms(kernels::RandomKey key) : key_(key) {}
  double next();
  double exponential();

 private:
  kernels::RandomKey key_;
  std::uint64_t block_ = 0;
  bool half_ = false;
  kernels::PhiloxBlock words_{};
};

// A token that extends a prefix, with what its perturbed log-probability is given that of the prefix.
struct PerturbedToken {
  std::int64_t token;
  double log_probability;  // given the prefix
  double perturbed;
};

// The rows of a step, a matrix of f32 or f64, and how much probability each block of tokens has.
class TokenMasses {
 public:
  // Refuses rows that do not add up to 1 (within a thousandth).
  TokenMasses(const char* operation, const Tensor& log_probabilities, std::int64_t rows);

  std::int64_t tokens() const { return tokens_; }
  double log_probability(std::int64_t row, std::int64_t token) const;

  // One token of a row.
  std::int64_t draw(std::int64_t row, Uniforms& random) const;

  // The largest of the perturbed log-probabilities phi + log p(token) + Gumbel of a row, given that the
  // largest of all is `maximum`: falling, `most` of them at most, up to the first, after the maximum, that is
  // not above `enough` (that one included, without its token: -1). Tokens without probability are never among
  // them.
  //
  // e^-perturbed are the times at which tokens arrive, each at the rate of its probability: given the first
  // time, each further one follows after an exponential gap at the rate of what has not arrived, so that
  // tokens that would come too late need not be looked at.
  std::vector<PerturbedToken> perturbed(std::int64_t row, double phi, double maximum, double enough,
                                        std::int64_t most, Uniforms& random) const;

 private:
  Tensor log_probabilities_;
  const float* f32_ = nullptr;
  const double* f64_ = nullptr;
  std::int64_t tokens_;
  std::int64_t blocks_;
  std::vector<double> masses_;
};

}  // namespace likely::detail
