// A learning rate that falls when a loss stops falling.
#pragma once

#include <cstdint>
#include <string>

#include "likely/core/parts.hpp"

namespace likely::optim {

// Refused: lr, threshold, last < 0, factor outside [0, 1), patience and cooldown < 0.
struct PlateauOptions {
  double lr = 1e-3;
  double factor = 0.1;         // what the rate is multiplied by
  std::int64_t patience = 10;  // how many losses in a row may be no better than the best one
  double threshold = 1e-4;     // better means below best (1 - threshold); for a negative best, best (1 + ...)
  std::int64_t cooldown = 0;   // how many losses are not counted after a fall
  double last = 0.0;           // the rate never falls below
};

// Is told a loss now and then, such as that of the validation data after each epoch, and answers with the
// rate from then on:
//
//   optim::Plateau plateau({.lr = 1e-2, .patience = 5});
//   sgd.options.lr = plateau.observe(validation_loss);
//
// A NaN is no better than anything. Everything it remembers is in its parts.
class Plateau {
 public:
  PlateauOptions options;
  Buffer rate;     // the present one; f64
  Buffer best;     // the smallest loss so far; f64
  Buffer waited;   // how many losses in a row were no better; i64
  Buffer cooling;  // how many are still not counted; i64

  explicit Plateau(const PlateauOptions& chosen = {});

  double lr() const { return rate.item(); }
  double observe(double loss);

  // What of its parts cannot be (tree/misfit.hpp).
  std::string misfit() const;
  LIKELY_PARTS(rate, best, waited, cooling)
};

}  // namespace likely::optim
