// What estimators know of a law: a part of expectation.hpp.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <typeinfo>
#include <utility>
#include <vector>

#include "likely/core/layer_error.hpp"
#include "likely/core/parts.hpp"
#include "likely/core/tensor.hpp"
#include "likely/ops/rng.hpp"
#include "likely/prob/distributions/bernoulli.hpp"
#include "likely/prob/distributions/categorical.hpp"
#include "likely/prob/distributions/independent.hpp"
#include "likely/prob/distributions/parameters.hpp"

namespace likely {

// A Categorical, or Independent ones, whose samples f sees as rows of 0 and a single 1, of the logits' type:
// expect(OneHot{Categorical(logits)}, f, ...). So samples can be relaxed.
template <class Law>
struct OneHot {
  Law labels;

  LIKELY_PARTS(labels)
};
template <class Law>
OneHot(Law) -> OneHot<Law>;

namespace detail {

// What is inside of OneHot and Independent.
template <class Law>
struct Innermost {
  static constexpr bool kOneHot = false;
  static const Law& of(const Law& law) { return law; }
  static int axes(const Law&) { return 0; }
};
template <class Law>
struct Innermost<Independent<Law>> {
  static constexpr bool kOneHot = false;
  static const auto& of(const Independent<Law>& law) { return Innermost<Law>::of(law.base); }
  static int axes(const Independent<Law>& law) { return law.axes() + Innermost<Law>::axes(law.base); }
};
template <class Law>
struct Innermost<OneHot<Law>> {
  static constexpr bool kOneHot = true;
  static const auto& of(const OneHot<Law>& law) { return Innermost<Law>::of(law.labels); }
  static int axes(const OneHot<Law>& law) { return Innermost<Law>::axes(law.labels); }
};

template <class Law>
const Law& without_one_hot(const Law& law) {
  return law;
}
template <class Law>
const Law& without_one_hot(const OneHot<Law>& law) {
  return law.labels;
}

enum class Values : std::uint8_t { any, labels, binary };

// A law without its type. Its "answers" are what sample() gives.
struct SampledLaw {
  std::string name;  // of what is inside of Independent
  Values values = Values::any;
  bool one_hot = false;    // f sees rows of 0 and 1 instead of labels
  bool of_numbers = true;  // an answer of the innermost law is one number, not a vector
  int event_axes = 0;      // how many axes Independent takes together
  Shape batch, all;        // without and with these axes
  Tensor logits;           // of labels and binary values: (all, classes) and (all)
  std::vector<Tensor> parameters;
  std::function<Tensor(const std::vector<Tensor>& parameters, const Tensor& answers)> log_prob_with;
  std::function<Tensor(const Tensor& answers)> log_prob;
  std::function<Tensor(Rng, const Shape&)> sample, rsample;  // rsample is empty where there is none
};

template <class Law>
SampledLaw sampled_law(const Law& whole) {
  using Inside = Innermost<Law>;
  const auto& inside = Inside::of(whole);
  const auto& law = without_one_hot(whole);
  using Inner = std::remove_cvref_t<decltype(inside)>;
  using Plain = std::remove_cvref_t<decltype(law)>;
  static_assert(!Inside::kOneHot || std::is_same_v<Inner, Categorical>,
                "OneHot is for Categorical and Independent ones");
  SampledLaw result;
  result.name = short_name(typeid(Inner));
  result.one_hot = Inside::kOneHot;
  result.event_axes = Inside::axes(whole);
  result.batch = law.batch_shape();
  result.all = inside.batch_shape();
  result.of_numbers = inside.event_shape().rank() == 0;
  if constexpr (std::is_same_v<Inner, Categorical>) {
    result.values = Values::labels;
    result.logits = inside.logits;
  } else if constexpr (std::is_same_v<Inner, Bernoulli>) {
    result.values = Values::binary;
    result.logits = inside.logits;
  }
  Plain copy = law;
  for_each_leaf(copy, [&](Tensor& tensor, PartKind) { result.parameters.push_back(tensor); });
  result.log_prob_with = [law](const std::vector<Tensor>& parameters, const Tensor& answers) {
    Plain other = law;
    std::size_t i = 0;
    for_each_leaf(other, [&](Tensor& tensor, PartKind) { tensor = parameters[i++]; });
    return other.log_prob(answers);
  };
  result.log_prob = [law](const Tensor& answers) { return law.log_prob(answers); };
  result.sample = [law](Rng rng, const Shape& shape) { return law.sample(rng, shape); };
  if constexpr (Reparameterised<Plain>)
    result.rsample = [law](Rng rng, const Shape& shape) { return law.rsample(rng, shape); };
  return result;
}

}  // namespace detail

}  // namespace likely
