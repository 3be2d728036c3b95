// The log-likelihood of every subject's choices, with gradient and Hessian, for parameters of their own.
//
//   const choice::Likelihood likelihood(model, trials);
//   likelihood.evaluate(parameters, log_likelihoods, gradients, hessians);
//
// l = sum over trials of ln p(choice). Derivatives are exact: they are carried forward along the trials.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "likely/models/choice/model.hpp"
#include "likely/models/choice/trials.hpp"

namespace likely::choice {

// In which form parameters are given and derivatives are taken.
enum class Scale : std::uint8_t { unconstrained, natural };

class Likelihood {
 public:
  // Packs the trials, of which nothing is needed afterwards. Refuses trials that do not fit the model.
  Likelihood(const Model& model, const Trials& trials);
  ~Likelihood();
  Likelihood(Likelihood&&) noexcept;
  Likelihood& operator=(Likelihood&&) noexcept;

  const Model& model() const;
  std::int64_t subjects() const;
  int parameters() const;
  // How many trials a subject has.
  std::int64_t trials(std::int64_t subject) const;

  // All subjects at once, on all threads; the bits do not depend on how many. For S subjects and N
  // parameters: at: S x N; log_likelihood: S; gradient: S x N, or empty if it is not wanted; hessian: S x N x
  // N, or empty. A Hessian needs a gradient. Where parameters are not finite or not in their range, so is the
  // result (NaN).
  void evaluate(std::span<const double> at, std::span<double> log_likelihood, std::span<double> gradient = {},
                std::span<double> hessian = {}, Scale scale = Scale::unconstrained) const;
  // The same for one subject, on this thread. at: N; gradient: N or empty; hessian: N x N or empty.
  double evaluate_subject(std::int64_t subject, std::span<const double> at, std::span<double> gradient = {},
                          std::span<double> hessian = {}, Scale scale = Scale::unconstrained) const;
  // ln p of each of a subject's choices: trials(subject) numbers.
  std::vector<double> pointwise(std::int64_t subject, std::span<const double> at,
                                Scale scale = Scale::unconstrained) const;

  // ln of the chance of choosing as a subject did at random, among the options offered.
  double chance(std::int64_t subject) const;
  // The name of a subject.
  const std::string& id(std::int64_t subject) const;

  struct State;
  // For the other parts of models/choice.
  const State& state() const { return *state_; }

 private:
  std::unique_ptr<State> state_;
};

}  // namespace likely::choice
