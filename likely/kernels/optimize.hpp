// Optimizer steps, each in one pass over a parameter array p, its gradient g and the optimizer's state.
// Internal to likely.
#pragma once

#include <cstdint>

namespace likely::kernels {

// With u = g + weight_decay p:
//   momentum = 0:  p -= rate u
//   otherwise:     velocity = momentum velocity + u, then p -= rate velocity,
//                  or with nesterov p -= rate (u + momentum velocity).
// velocity starts at 0 and is not touched (and may be null) where momentum is 0.
struct SgdStep {
  double rate = 0, momentum = 0, weight_decay = 0;
  bool nesterov = false;
};
void sgd_step(const SgdStep& step, float* p, const float* g, float* velocity, std::int64_t n);
void sgd_step(const SgdStep& step, double* p, const double* g, double* velocity, std::int64_t n);

// Step number t = 1, 2, ... of Adam (Kingma and Ba, 2015):
//   m = beta1 m + (1 - beta1) u,  v = beta2 v + (1 - beta2) u^2,
//   p -= rate (m / (1 - beta1^t)) / (sqrt(v / (1 - beta2^t)) + epsilon)
// with u = g + weight_decay p, or, where decoupled (AdamW, Loshchilov and Hutter, 2019), u = g after
// p *= 1 - rate weight_decay. m and v start at 0.
struct AdamStep {
  double rate = 1e-3, beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8, weight_decay = 0;
  bool decoupled = false;
  std::int64_t t = 1;
};
void adam_step(const AdamStep& step, float* p, const float* g, float* m, float* v, std::int64_t n);
void adam_step(const AdamStep& step, double* p, const double* g, double* m, double* v, std::int64_t n);

// RMSprop (Hinton, 2012; centred: Graves, 2013), with u = g + weight_decay p:
//   square = decay square + (1 - decay) u^2
//   mean = decay mean + (1 - decay) u                     where centred
//   w = u / (sqrt(square - mean^2) + epsilon)             with mean = 0 where not centred
//   p -= rate w, or velocity = momentum velocity + w and p -= rate velocity.
// mean and velocity start at 0, and may be null where they are not used.
struct RmspropStep {
  double rate = 1e-3, decay = 0.9, epsilon = 1e-8, momentum = 0, weight_decay = 0;
  bool centred = false;
};
template <class T>
struct RmspropState {
  T* square;
  T* mean;
  T* velocity;
};
void rmsprop_step(const RmspropStep& step, float* p, const float* g, const RmspropState<float>& state,
                  std::int64_t n);
void rmsprop_step(const RmspropStep& step, double* p, const double* g, const RmspropState<double>& state,
                  std::int64_t n);

// Adagrad (Duchi, Hazan and Singer, 2011), with u = g + weight_decay p:
//   square += u^2,  p -= rate u / (sqrt(square) + epsilon).
struct AdagradStep {
  double rate = 1e-2, epsilon = 1e-10, weight_decay = 0;
};
void adagrad_step(const AdagradStep& step, float* p, const float* g, float* square, std::int64_t n);
void adagrad_step(const AdagradStep& step, double* p, const double* g, double* square, std::int64_t n);

}  // namespace likely::kernels
