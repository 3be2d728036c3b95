// The normal law of a population's unconstrained parameters, u_i ~ N(B x_i, Sigma). Internal to
// models/choice.
#pragma once

#include <cstddef>
#include <vector>

namespace likely::choice::detail {

// The lower Cholesky factor of an n x n matrix. Refuses one that is not positive definite.
std::vector<double> cholesky_factor(std::vector<double> matrix, std::size_t n);
// The inverse of the same.
std::vector<double> inverse_of(const std::vector<double>& matrix, std::size_t n);

class Population {
 public:
  // `values`: subjects x covariates. Refuses covariates that determine each other (or are constant).
  Population(std::size_t parameters, std::size_t subjects, const std::vector<double>& values,
             bool full_covariance, double least_sd);

  // B and Sigma from everybody's mode (subjects x parameters) and posterior covariance.
  void estimate(const std::vector<double>& modes, const std::vector<double>& covariances);
  // All that is estimated as numbers without bounds: B, then the Cholesky factor of Sigma with the logarithm
  // of its diagonal. set_numbers keeps deviations within [least_sd, 100].
  std::vector<double> numbers() const;
  void set_numbers(const std::vector<double>& numbers);

  std::size_t terms() const { return terms_; }  // columns of B
  std::size_t count() const;                    // numbers that are estimated
  double sd(std::size_t parameter) const;
  std::vector<double> means() const;      // B x_i, subjects x parameters
  std::vector<double> precision() const;  // Sigma^-1
  // Of B, row by row: the inverse of sum_i x_i x_i^T (x) (P - P V_i P), P = Sigma^-1: the information of the
  // modes, less what is missing because they are uncertain (Louis 1982). NaN where trials say too little.
  std::vector<double> coefficient_covariance(const std::vector<double>& covariances) const;
  // The mean over subjects of each term: 1, and the means of the covariates.
  std::vector<double> mean_terms() const;

  std::size_t parameters;
  std::vector<double> coefficients;  // parameters x terms
  std::vector<double> covariance;    // Sigma

 private:
  std::size_t subjects_, terms_;
  std::vector<double> design_;           // subjects x terms
  std::vector<double> inverse_squares_;  // (X^T X)^-1
  bool full_;
  double least_sd_;
};

}  // namespace likely::choice::detail
