// What a classifier has not seen: scores by which rows from elsewhere are told apart, how well they do it,
// and the loss that teaches a classifier not to be sure there (Lee et al., 2018).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "likely/core/tensor.hpp"

namespace likely::confidence {

// Of logits (rows, classes), a number for each row, (rows,).
Tensor max_probability(const Tensor& logits);  // max_k p_k
Tensor margin(const Tensor& logits);           // p of the first class minus p of the second
Tensor entropy(const Tensor& logits);          // -sum_k p_k log p_k: large where nothing is known
Tensor energy(const Tensor& logits,
              double temperature = 1.0);  // -T log sum_k e^(z_k / T): large outside. T > 0

enum class Score : std::uint8_t { max_probability, energy, entropy, margin };
std::string name_of(Score score);
const std::vector<Score>& all_scores();
// What orders rows as the score does, or as minus it: large where a row looks like what was learned from. In
// f64, and of max_probability and margin what they are short of 1, so that sure rows are not all alike: above
// 16 (in f32 above 7) digits of certainty both are 1.
Tensor familiarity(Score score, const Tensor& logits, double temperature = 1.0);

struct Rate {
  double value = 0.0, standard_error = 0.0;
};

// How well a number tells rows that belong (which should have large ones) from rows that do not.
struct Detection {
  Rate auroc;     // P(inside > outside) + P(equal) / 2; its error is DeLong's (1988)
  Rate aupr_in;   // sum over thresholds of precision times the gain of recall: rows inside are looked for
  Rate aupr_out;  // rows outside are looked for, by minus the number
  Rate
      fpr_at_95_tpr;  // the share of rows outside above the largest threshold that 95 % of those inside reach
  Rate detection_accuracy;  // the largest mean of the shares of both that a threshold puts on their side
};

// Refused: resamples < 0 or 1.
struct DetectionOptions {
  int resamples =
      200;  // of the bootstrap, of rows inside and outside apart; 0: standard errors but DeLong's are NaN
  std::uint64_t seed = 1;
};

// Equal numbers have one threshold. Refuses an empty side and numbers that are not finite.
Detection detection(const Tensor& inside, const Tensor& outside, const DetectionOptions& options = {});

// KL(U || p) of each row, (rows,): -mean_k log p_k - log K = log sum_k e^z_k - mean_k z_k - log K.
// Differentiable.
Tensor kl_from_uniform(const Tensor& logits);

// mean -log p_y inside + beta mean KL(U || p) outside. Refuses beta < 0 and another number of classes.
Tensor confidence_loss(const Tensor& inside, const Tensor& labels, const Tensor& outside, double beta);

}  // namespace likely::confidence
