#include "likely/models/choice/custom.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "likely/core/error.hpp"
#include "likely/models/choice/trials.hpp"

namespace likely::choice {

namespace {

std::size_t pair_place(int i, int j) {
  const auto row = static_cast<std::size_t>(j);
  return row * (row + 1) / 2 + static_cast<std::size_t>(i);
}

}  // namespace

std::size_t Number::pairs() const { return order_ < 2 ? 0 : pair_place(0, count_); }

Number& Number::operator=(const Number& other) {
  if (this == &other) return *this;
  value_ = other.value_;
  count_ = other.count_;
  order_ = other.order_;
  std::copy_n(other.first_.begin(), count_, first_.begin());
  std::copy_n(other.second_.begin(), pairs(), second_.begin());
  return *this;
}

Number Number::parameter(double value, int place, int count, int order) {
  Number result(value);
  if (order == 0) return result;
  result.count_ = count;
  result.order_ = order;
  std::fill_n(result.first_.begin(), count, 0.0);
  std::fill_n(result.second_.begin(), result.pairs(), 0.0);
  result.first_[static_cast<std::size_t>(place)] = 1.0;
  return result;
}

double Number::second(int i, int j) const {
  if (order_ < 2 || i >= count_ || j >= count_) return 0.0;
  return second_[pair_place(std::min(i, j), std::max(i, j))];
}

// All numbers of a model depend on its parameters or on none.
Number operator+(const Number& a, const Number& b) {
  Number result = a.count_ == 0 ? b : a;
  result.value_ = a.value_ + b.value_;
  if (a.count_ == 0 || b.count_ == 0) return result;
  for (std::size_t i = 0; i < static_cast<std::size_t>(b.count_); ++i) result.first_[i] += b.first_[i];
  for (std::size_t p = 0; p < b.pairs(); ++p) result.second_[p] += b.second_[p];
  return result;
}

Number operator-(const Number& a, const Number& b) { return a + Number::chain(b, -b.value_, -1.0, 0.0); }

Number operator*(const Number& a, const Number& b) {
  if (a.count_ == 0) return Number::chain(b, a.value_ * b.value_, a.value_, 0.0);
  if (b.count_ == 0) return Number::chain(a, a.value_ * b.value_, b.value_, 0.0);
  Number result(a.value_ * b.value_);
  result.count_ = a.count_;
  result.order_ = a.order_;
  std::size_t p = 0;
  for (std::size_t j = 0; j < static_cast<std::size_t>(a.count_); ++j) {
    result.first_[j] = a.first_[j] * b.value_ + a.value_ * b.first_[j];
    if (result.order_ < 2) continue;
    for (std::size_t i = 0; i <= j; ++i, ++p) {
      result.second_[p] = a.second_[p] * b.value_ + a.value_ * b.second_[p] + a.first_[i] * b.first_[j] +
                          a.first_[j] * b.first_[i];
    }
  }
  return result;
}

Number operator/(const Number& a, const Number& b) {
  const double inverse = 1.0 / b.value_;
  Number result = a * Number::chain(b, inverse, -inverse * inverse, 2.0 * inverse * inverse * inverse);
  result.value_ = a.value_ / b.value_;
  return result;
}

Number Number::chain(const Number& a, double f, double df, double ddf) {
  Number result(f);
  result.count_ = a.count_;
  result.order_ = a.order_;
  std::size_t p = 0;
  for (std::size_t j = 0; j < static_cast<std::size_t>(a.count_); ++j) {
    result.first_[j] = df * a.first_[j];
    if (a.order_ < 2) continue;
    for (std::size_t i = 0; i <= j; ++i, ++p) {
      result.second_[p] = df * a.second_[p] + ddf * a.first_[j] * a.first_[i];
    }
  }
  return result;
}

Number exp(const Number& a) {
  const double y = std::exp(a.value());
  return Number::chain(a, y, y, y);
}

Number log(const Number& a) {
  const double inverse = 1.0 / a.value();
  return Number::chain(a, std::log(a.value()), inverse, -inverse * inverse);
}

Number sqrt(const Number& a) {
  const double y = std::sqrt(a.value());
  return Number::chain(a, y, 0.5 / y, -0.25 / (y * a.value()));
}

Number abs(const Number& a) {
  return Number::chain(a, std::fabs(a.value()), a.value() < 0 ? -1.0 : 1.0, 0.0);
}

Number tanh(const Number& a) {
  const double y = std::tanh(a.value());
  return Number::chain(a, y, 1.0 - y * y, -2.0 * y * (1.0 - y * y));
}

Number sigmoid(const Number& a) {
  const double e = std::exp(-std::fabs(a.value()));
  const double large = 1.0 / (1.0 + e);
  const double small = e * large;
  const double y = a.value() < 0 ? small : large;
  const double slope = large * small;
  return Number::chain(a, y, slope, slope * (1.0 - 2.0 * y));
}

Number pow(const Number& a, double exponent) {
  const double y = std::pow(a.value(), exponent);
  const double slope = exponent * std::pow(a.value(), exponent - 1.0);
  return Number::chain(a, y, slope, (exponent - 1.0) * exponent * std::pow(a.value(), exponent - 2.0));
}

void CustomModel::start(std::span<const Number>, std::span<Number>) const {}

Model custom_model(const std::string& name, std::shared_ptr<const CustomModel> model,
                   const ModelOptions& options) {
  if (name.empty()) refuse("choice", "a model needs a name");
  if (model == nullptr) refuse("choice", fmt::format("the model {} is empty", name));
  if (options.options < 2 || options.options > kMostOptions) {
    refuse("choice", fmt::format("a model has 2 to {} options, got {}", kMostOptions, options.options));
  }
  Model result;
  result.name = name;
  result.parameters = model->parameters();
  if (result.size() > kMostCustomParameters) {
    refuse("choice", fmt::format("a model of your own has at most {} parameters, {} has {}",
                                 kMostCustomParameters, name, result.size()));
  }
  check_parameters(result.parameters);
  result.parts.options = options.options;
  result.parts.cues = options.options;
  result.custom = std::move(model);
  return result;
}

}  // namespace likely::choice
