// What may go wrong with a picture that is nobody's input.
#pragma once

#include "likely/core/error.hpp"

namespace likely::plot {

// gnuplot, or the machine it runs on, is to blame.
class GnuplotFailed : public Error {
 public:
  using Error::Error;
};

// Whoever asked for the picture did not want to wait any longer.
class DrawingStopped : public Error {
 public:
  using Error::Error;
};

}  // namespace likely::plot
