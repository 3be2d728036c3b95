// The Poisson distribution of counts.
#pragma once

#include "likely/core/parts.hpp"
#include "likely/ops/rng.hpp"
#include "likely/prob/distributions/parameters.hpp"

namespace likely {

// k with probability rate^k e^(-rate) / k! for k = 0, 1, 2, ... (5.36), with rate = e^log_rate. Refuses
// logarithms of rates that are not finite.
class Poisson {
 public:
  Tensor log_rate;

  // Refuses a rate that is not finite and above 0.
  explicit Poisson(const Parameter& rate);
  // For networks that predict any number.
  static Poisson from_log_rate(const Tensor& log_rate);

  Shape batch_shape() const { return log_rate.shape(); }
  Shape event_shape() const { return {}; }

  Tensor log_prob(const Tensor& x) const;                 // -inf where x is not a count
  Tensor sample(Rng rng, const Shape& shape = {}) const;  // i64
  Tensor mean() const;
  Tensor variance() const;
  Tensor entropy() const;
  Tensor cdf(const Tensor& x) const;

  LIKELY_PARTS(log_rate)

 private:
  // e^log_rate: the rate that was given, to the last digit, as long as log_rate is its logarithm.
  Tensor rate() const;
  // Whether it was made of rates: then log_rate is rounded, else the rates are.
  bool has_given_rate() const;
  friend Tensor kl(const Poisson& p, const Poisson& q);

  Tensor given_, log_of_given_;
};

}  // namespace likely
