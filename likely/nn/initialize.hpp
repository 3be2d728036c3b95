// Weights to start from: random, and scaled so that the variance of what flows through a layer stays as it
// is (7.29-7.34).
#pragma once

#include <cstdint>

#include "likely/core/tensor.hpp"
#include "likely/ops/rng.hpp"

namespace likely::nn {

// How many inputs each output adds up, and how many outputs each input reaches: D_h and D_h' of (7.32-7.34).
struct Fans {
  double in;
  double out;
};

// Of a weight (out, in, kernel ...), as linear() and conv2d() take it. Refuses weights of fewer than two axes
// and empty ones.
Fans fans_of(const Shape& weight);

// Which of the two counts: the first keeps the variance of the activations, the second that of the gradients,
// their mean is a compromise.
enum class Fan : std::uint8_t { in, out, mean };

// Mean 0 and variance 2 / fan: for relu, which lets half of the variance pass (7.32, 7.33, 7.34). Normal, or
// uniform on +- sqrt(3 variance).
Tensor he_normal(const Shape& shape, Rng rng, Fan fan = Fan::in, DType dtype = DType::f32);
Tensor he_uniform(const Shape& shape, Rng rng, Fan fan = Fan::in, DType dtype = DType::f32);
// Variance 2 / (fan in + fan out): for tanh and other functions that are straight at 0 (Glorot and Bengio,
// 2010; "Xavier").
Tensor glorot_normal(const Shape& shape, Rng rng, DType dtype = DType::f32);
Tensor glorot_uniform(const Shape& shape, Rng rng, DType dtype = DType::f32);
// Variance 1 / fan in (LeCun et al., 1998).
Tensor lecun_normal(const Shape& shape, Rng rng, DType dtype = DType::f32);
Tensor lecun_uniform(const Shape& shape, Rng rng, DType dtype = DType::f32);
// `gain` times a random matrix with orthonormal rows or columns, whichever are fewer, where axes from the
// second on are taken as one; uniform over all of them (Saxe et al., 2014).
Tensor orthogonal(const Shape& shape, Rng rng, double gain = 1.0, DType dtype = DType::f32);

// The same as an option of the layers; `zero` makes a layer that starts as nothing. Biases always start at 0.
enum class Init : std::uint8_t {
  he_normal,
  he_uniform,
  glorot_normal,
  glorot_uniform,
  lecun_normal,
  lecun_uniform,
  orthogonal,
  zero,
};

// A weight of this shape, for a layer that knows its fans better than the shape does.
Tensor initial_weight(Init init, const Shape& shape, const Fans& fans, Rng rng);

}  // namespace likely::nn
