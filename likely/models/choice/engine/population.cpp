// Hot: every point of the sampler.
#include "likely/models/choice/engine/population.hpp"

#include <algorithm>
#include <cmath>

#include "likely/core/error.hpp"
#include "likely/kernels/factorize.hpp"

namespace likely::choice::detail {

namespace {
using Numbers = std::vector<double>;
}  // namespace

Numbers cholesky_factor(Numbers matrix, std::size_t n) {
  if (kernels::cholesky(static_cast<std::int64_t>(n), matrix.data()) != 0) {
    refuse("choice::fit_hierarchical", "the covariance of the population is not positive definite");
  }
  return matrix;
}

Numbers inverse_of(const Numbers& matrix, std::size_t n) {
  const Numbers factor = cholesky_factor(matrix, n);
  const auto size = static_cast<std::int64_t>(n);
  Numbers inverse(n * n);
  for (std::size_t i = 0; i < n; ++i) inverse[i * n + i] = 1.0;
  for (const bool transpose : {false, true}) {
    kernels::triangular_solve({.lower = true, .transpose = transpose, .unit_diagonal = false}, size, size,
                              factor.data(), inverse.data());
  }
  return inverse;
}

Population::Population(std::size_t parameter_count, std::size_t subjects, const Numbers& values,
                       bool full_covariance, double least_sd)
    : parameters(parameter_count), subjects_(subjects), full_(full_covariance), least_sd_(least_sd) {
  const std::size_t covariates = subjects == 0 ? 0 : values.size() / subjects;
  terms_ = covariates + 1;
  coefficients.resize(parameters * terms_);
  covariance.resize(parameters * parameters);
  for (std::size_t i = 0; i < subjects; ++i) {
    design_.push_back(1.0);
    for (std::size_t c = 0; c < covariates; ++c) design_.push_back(values[i * covariates + c]);
  }
  // Whether a column is a sum of others does not depend on its unit: each is measured by its own length.
  Numbers lengths(terms_), squares(terms_ * terms_);
  for (std::size_t i = 0; i < subjects; ++i) {
    for (std::size_t c = 0; c < terms_; ++c) lengths[c] += design_[i * terms_ + c] * design_[i * terms_ + c];
  }
  for (double& length : lengths) length = length > 0.0 ? std::sqrt(length) : 1.0;
  for (std::size_t i = 0; i < subjects; ++i) {
    for (std::size_t a = 0; a < terms_; ++a) {
      for (std::size_t b = 0; b < terms_; ++b) {
        squares[a * terms_ + b] +=
            design_[i * terms_ + a] * design_[i * terms_ + b] / (lengths[a] * lengths[b]);
      }
    }
  }
  Numbers factor = squares;
  bool independent = kernels::cholesky(static_cast<std::int64_t>(terms_), factor.data()) == 0;
  for (std::size_t c = 0; c < terms_; ++c) independent = independent && factor[c * terms_ + c] > 1e-6;
  if (!independent) {
    refuse("choice::fit_hierarchical", "the covariates are constant or determine each other");
  }
  inverse_squares_ = inverse_of(squares, terms_);
  for (std::size_t a = 0; a < terms_; ++a) {
    for (std::size_t b = 0; b < terms_; ++b) inverse_squares_[a * terms_ + b] /= lengths[a] * lengths[b];
  }
}

std::size_t Population::count() const {
  return parameters * terms_ + (full_ ? parameters * (parameters + 1) / 2 : parameters);
}

double Population::sd(std::size_t parameter) const {
  return std::sqrt(covariance[parameter * parameters + parameter]);
}

Numbers Population::means() const {
  Numbers result(subjects_ * parameters);
  for (std::size_t i = 0; i < subjects_; ++i) {
    for (std::size_t k = 0; k < parameters; ++k) {
      for (std::size_t c = 0; c < terms_; ++c) {
        result[i * parameters + k] += coefficients[k * terms_ + c] * design_[i * terms_ + c];
      }
    }
  }
  return result;
}

Numbers Population::precision() const { return inverse_of(covariance, parameters); }

void Population::estimate(const Numbers& modes, const Numbers& covariances) {
  const std::size_t n = parameters;
  std::fill(coefficients.begin(), coefficients.end(), 0.0);
  for (std::size_t i = 0; i < subjects_; ++i) {
    for (std::size_t c = 0; c < terms_; ++c) {
      double weight = 0.0;
      for (std::size_t d = 0; d < terms_; ++d)
        weight += inverse_squares_[c * terms_ + d] * design_[i * terms_ + d];
      for (std::size_t k = 0; k < n; ++k) coefficients[k * terms_ + c] += weight * modes[i * n + k];
    }
  }
  const Numbers expected = means();
  std::fill(covariance.begin(), covariance.end(), 0.0);
  const auto count = static_cast<double>(subjects_);
  for (std::size_t i = 0; i < subjects_; ++i) {
    for (std::size_t a = 0; a < n; ++a) {
      for (std::size_t b = 0; b < n; ++b) {
        if (a != b && !full_) continue;
        const double product =
            (modes[i * n + a] - expected[i * n + a]) * (modes[i * n + b] - expected[i * n + b]);
        covariance[a * n + b] += (product + covariances[(i * n + a) * n + b]) / count;
      }
    }
  }
  for (std::size_t k = 0; k < n; ++k) {
    covariance[k * n + k] = std::max(covariance[k * n + k], least_sd_ * least_sd_);
  }
}

Numbers Population::numbers() const {
  Numbers result = coefficients;
  const Numbers factor = cholesky_factor(covariance, parameters);
  for (std::size_t a = 0; a < parameters; ++a) {
    for (std::size_t b = 0; b < a && full_; ++b) result.push_back(factor[a * parameters + b]);
    result.push_back(std::log(factor[a * parameters + a]));
  }
  return result;
}

void Population::set_numbers(const Numbers& numbers) {
  constexpr double kMostSd = 100.0;
  const std::size_t n = parameters;
  auto next = numbers.begin() + static_cast<std::ptrdiff_t>(coefficients.size());
  std::copy(numbers.begin(), next, coefficients.begin());
  Numbers factor(n * n);
  for (std::size_t a = 0; a < n; ++a) {
    for (std::size_t b = 0; b < a && full_; ++b) factor[a * n + b] = *next++;
    factor[a * n + a] = std::clamp(std::exp(*next++), least_sd_, kMostSd);
  }
  for (std::size_t a = 0; a < n; ++a) {
    for (std::size_t b = 0; b < n; ++b) {
      covariance[a * n + b] = 0.0;
      for (std::size_t j = 0; j <= std::min(a, b); ++j) {
        covariance[a * n + b] += factor[a * n + j] * factor[b * n + j];
      }
    }
  }
}

Numbers Population::mean_terms() const {
  Numbers result(terms_);
  for (std::size_t i = 0; i < subjects_; ++i) {
    for (std::size_t c = 0; c < terms_; ++c) result[c] += design_[i * terms_ + c];
  }
  for (double& mean : result) mean /= static_cast<double>(subjects_);
  return result;
}

Numbers Population::coefficient_covariance(const Numbers& covariances) const {
  const std::size_t n = parameters, size = n * terms_;
  const Numbers p = precision();
  Numbers information(size * size);
  for (std::size_t i = 0; i < subjects_; ++i) {
    const double* v = &covariances[i * n * n];
    Numbers pv(n * n), own = p;
    for (std::size_t a = 0; a < n; ++a) {
      for (std::size_t b = 0; b < n; ++b) {
        for (std::size_t j = 0; j < n; ++j) pv[a * n + b] += p[a * n + j] * v[j * n + b];
      }
    }
    for (std::size_t a = 0; a < n; ++a) {
      for (std::size_t b = 0; b < n; ++b) {
        for (std::size_t j = 0; j < n; ++j) own[a * n + b] -= pv[a * n + j] * p[j * n + b];
      }
    }
    for (std::size_t a = 0; a < size; ++a) {
      for (std::size_t b = 0; b < size; ++b) {
        information[a * size + b] += own[(a / terms_) * n + b / terms_] * design_[i * terms_ + a % terms_] *
                                     design_[i * terms_ + b % terms_];
      }
    }
  }
  Numbers factor = information;
  // Trials that say nothing about a parameter leave no information about its mean.
  if (kernels::cholesky(static_cast<std::int64_t>(size), factor.data()) != 0)
    return Numbers(size * size, std::nan(""));
  return inverse_of(information, size);
}

}  // namespace likely::choice::detail
