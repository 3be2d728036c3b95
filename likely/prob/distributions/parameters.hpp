// What distributions are made from: tensors or plain numbers, checked when the distribution is made.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <utility>
#include <vector>

#include "likely/core/tensor.hpp"
#include "likely/ops/rng.hpp"

namespace likely {

// A parameter of a distribution: a tensor or, as in Normal(mean, 1.0), a number. A number takes the type of
// the tensors beside it, whole numbers become f32. Numbers alone make an f32 law; for f64 one of them is
// written as a tensor: Normal(tensor(0.1, DType::f64), 1.0).
class Parameter {
 public:
  Parameter(Tensor value) : value_(std::move(value)) {}            // NOLINT(google-explicit-constructor)
  Parameter(double number) : number_(number), is_number_(true) {}  // NOLINT(google-explicit-constructor)

  bool is_number() const { return is_number_; }
  const Tensor& value() const { return value_; }
  Tensor as(DType dtype) const;

 private:
  Tensor value_;
  double number_ = 0.0;
  bool is_number_ = false;
};

// The dimensions of a followed by those of b: samples of a batch, say.
Shape joined(const Shape& a, const Shape& b);

namespace detail {

// Whether samples can be differentiated in the parameters.
template <class Distribution>
concept Reparameterised = requires(const Distribution& distribution, const Shape& shape, Rng rng) {
  distribution.rsample(rng, shape);
};

template <class Distribution>
concept HasCdf = requires(const Distribution& distribution, const Tensor& x) {
  distribution.cdf(x);
};

// Which numbers a parameter may take.
enum class Domain : std::uint8_t { finite, positive, not_zero, not_negative, probability, inner_probability };

struct NamedParameter {
  const char* name;
  const Parameter& value;
  Domain domain;
};

// The parameters as tensors of one floating type. Refuses, naming the distribution and the parameter, the
// first number outside its domain and shapes that do not broadcast.
std::vector<Tensor> checked(const char* distribution, std::initializer_list<NamedParameter> parameters);

// Refuses the first element outside the domain: "[Normal] scale must be finite and above 0, got -1 at (2,)".
void check_domain(const char* distribution, const char* name, const Tensor& x, Domain domain);

// softplus(raw), the one map from unconstrained numbers to positive parameters.
Tensor positive_from(const Tensor& raw);

// The shape that the parameters of a distribution broadcast to.
Shape batch_of(const Tensor& a, const Tensor& b);
Shape batch_of(const Tensor& a, const Tensor& b, const Tensor& c);

}  // namespace detail

}  // namespace likely
