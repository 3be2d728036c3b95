// A model of your own in a few lines: write it with Number instead of double, and its derivatives are exact.
//
//   class Mine : public choice::CustomModel {
//     std::vector<choice::Parameter> parameters() const override { ... }
//     int state_size(int options) const override { return options; }
//     void start(std::span<const choice::Number> theta, std::span<choice::Number> state) const override { ...
//     } void prefer(...) const override { ... } void learn(...) const override { ... }
//   };
//   choice::Model model = choice::custom_model("mine", std::make_shared<Mine>(), {.options = 2});
//
// Everything else (fitting, simulation, comparison) then works as for the models that have names.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "likely/models/choice/model.hpp"

namespace likely::choice {

inline constexpr int kMostCustomParameters = 10;

// A number with its first and second derivatives by the parameters of a model, carried along by arithmetic.
class Number {
 public:
  // A constant; implicit, so that formulas read as usual.
  Number(double value = 0.0) : value_(value) {}  // NOLINT(google-explicit-constructor)
  Number(const Number& other) { *this = other; }
  Number& operator=(const Number& other);
  // Parameter number `place` of `count`. order: how many derivatives are carried, 0, 1 or 2.
  static Number parameter(double value, int place, int count, int order);

  double value() const { return value_; }
  // 0 where the number does not depend on a parameter.
  double first(int i) const { return i < count_ ? first_[static_cast<std::size_t>(i)] : 0.0; }
  double second(int i, int j) const;

  Number& operator+=(const Number& b) { return *this = *this + b; }
  Number& operator-=(const Number& b) { return *this = *this - b; }
  Number& operator*=(const Number& b) { return *this = *this * b; }
  Number& operator/=(const Number& b) { return *this = *this / b; }

  friend Number operator+(const Number& a, const Number& b);
  friend Number operator-(const Number& a, const Number& b);
  friend Number operator*(const Number& a, const Number& b);
  friend Number operator/(const Number& a, const Number& b);
  friend Number operator-(const Number& a) { return 0.0 - a; }
  friend bool operator<(const Number& a, const Number& b) { return a.value_ < b.value_; }
  friend bool operator>(const Number& a, const Number& b) { return b < a; }

  // f(a) for a function whose value and derivatives at a are these.
  static Number chain(const Number& a, double f, double df, double ddf);

 private:
  static constexpr std::size_t kPairs = kMostCustomParameters * (kMostCustomParameters + 1) / 2;

  std::size_t pairs() const;

  double value_ = 0.0;
  int count_ = 0;  // of parameters it may depend on; a constant has none
  int order_ = 0;
  // Only what count_ and order_ say is filled: numbers are copied a lot.
  std::array<double, kMostCustomParameters> first_;
  std::array<double, kPairs> second_;  // pair (i <= j) at j (j + 1) / 2 + i
};

Number exp(const Number& a);
Number log(const Number& a);
Number sqrt(const Number& a);
Number abs(const Number& a);
Number tanh(const Number& a);
// 1 / (1 + e^-a).
Number sigmoid(const Number& a);
// a^exponent, for a > 0.
Number pow(const Number& a, double exponent);

// What happened on a trial.
struct CustomTrial {
  std::int64_t trial = 0;  // from 0
  int choice = 0;
  double outcome = 0.0;
  std::uint32_t offered = 0;  // a bit an option
};

class CustomModel {
 public:
  virtual ~CustomModel() = default;
  // At most kMostCustomParameters.
  virtual std::vector<Parameter> parameters() const = 0;
  // How many numbers are remembered from trial to trial; the first ones are shown as the values of the
  // options.
  virtual int state_size(int options) const { return options; }
  // The state when a block begins; it comes as zeros.
  virtual void start(std::span<const Number> theta, std::span<Number> state) const;
  // How much each option is preferred: the probabilities are softmax(preferences) over the options offered.
  virtual void prefer(std::span<const Number> theta, std::span<const Number> state,
                      std::span<Number> preferences) const = 0;
  virtual void learn(std::span<const Number> theta, const CustomTrial& trial,
                     std::span<Number> state) const = 0;
};

// Refuses a model without a name, with too many parameters, or with parameters that make no sense.
Model custom_model(const std::string& name, std::shared_ptr<const CustomModel> model,
                   const ModelOptions& options = {});

}  // namespace likely::choice
