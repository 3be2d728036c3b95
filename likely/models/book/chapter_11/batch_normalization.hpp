// Batch normalization taken apart (11.10), with its derivatives by hand: every quantity of the forward and of
// the backward pass. To train, use nn::BatchNorm: it does the same in two passes over memory.
#pragma once

#include "likely/core/tensor.hpp"

namespace likely::book {

// (h - m_h) / (s_h + epsilon), mean and deviation over the batch: (11.8) as it is printed. Batch
// normalization as everybody computes it, likely included, is (11.10): epsilon under the root. Refuses h that
// is not (batch, channels) with a batch of at least 1.
Tensor standardized_as_printed(const Tensor& h, double epsilon = 1e-5);

// For z (batch, channels); what has no index i in (11.10) is (channels,).
struct BatchNormSteps {
  Tensor f1;  // the mean of z over the batch
  Tensor f2;  // z - f1
  Tensor f3;  // f2^2
  Tensor f4;  // the mean of f3 over the batch: the variance
  Tensor f5;  // sqrt(f4 + epsilon)
  Tensor f6;  // 1 / f5
  Tensor f7;  // f2 f6: what (11.8) means to say
  Tensor y;   // f7 gamma + delta (11.9)
};
// Refuses z that is not (batch, channels) with a batch of at least 1, and parameters that are not
// (channels,).
BatchNormSteps batch_norm_steps(const Tensor& z, const Tensor& gamma, const Tensor& delta,
                                double epsilon = 1e-5);

// The derivatives of a loss by each of these, from the end to the beginning, and by z, gamma and delta.
struct BatchNormSlopes {
  Tensor f7, f6, f5, f4, f3, f2, f1;
  Tensor z, gamma, delta;
};
// d_y is the derivative of the loss by y, of its shape.
BatchNormSlopes batch_norm_slopes(const BatchNormSteps& steps, const Tensor& gamma, const Tensor& d_y);

}  // namespace likely::book
