// Random numbers that are differentiable in the parameters of their law although they are drawn by rejection:
// the derivative is that of the number whose probability stays the same (implicit reparameterisation,
// Figurnov et al. 2018). Differentiable twice. In the parameters' type; drawn as Rng draws.
#pragma once

#include "likely/core/tensor.hpp"
#include "likely/ops/rng.hpp"

namespace likely {

// The logarithm of a gamma variate of shape alpha and rate 1: right also where the variate itself is too
// small for any number. Refuses alpha <= 0.
[[nodiscard]] Tensor random_log_gamma(Rng rng, const Tensor& alpha);

// log(x / (1 - x)) of a beta variate x; the parameters broadcast. Refuses those <= 0.
[[nodiscard]] Tensor random_logit_beta(Rng rng, const Tensor& alpha, const Tensor& beta);

// An angle in [-pi, pi] with density e^(kappa cos t) / (2 pi I0(kappa)). Refuses kappa < 0.
[[nodiscard]] Tensor random_von_mises(Rng rng, const Tensor& kappa);

}  // namespace likely
