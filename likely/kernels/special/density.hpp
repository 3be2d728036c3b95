// What the logarithms of the Poisson, gamma, beta and Student's t densities are made of, in double. Written
// as deviances and what Stirling's formula leaves (Loader 2000), they keep their digits where the parameters
// are large and the sums of the textbooks cancel. Internal to likely.
#pragma once

#include <cstdint>
#include <limits>

#include "likely/kernels/elementwise/elementwise.hpp"

namespace likely::kernels {

// From here on Stirling's series is used, and a density is a deviance; below, nothing large cancels.
inline constexpr double kLargeCount = 8.0;

// log(t^k e^-t / Gamma(k + 1)) for k >= 0, the logarithm of a Poisson probability, and (order 1) its
// derivative by k, log t - digamma(k + 1). log_t stands in where t itself overflows or is less than `least`:
// a number with fewer digits.
double log_poisson(int order, double k, double log_t, double t,
                   double least = std::numeric_limits<double>::min());

// The part of it that is a function of k alone: log Gamma(k + 1), from kLargeCount on less k log k - k; order
// 1: digamma(k + 1), from there on less log k.
double count_rest(int order, double k);

// The logarithm of the beta density at x, given beta_rest(a, b).
double log_beta_density(double a, double b, double rest, double x);
// log B(a, b), and where both parameters are large what is left of it beside the deviances.
double beta_rest(double a, double b);

// For large parameters: x^a e^-x / Gamma(a), the density of log x of gamma numbers x, and x^a y^b / B(a, b)
// with y = 1 - x, that of log(x / y) of beta numbers.
double gamma_weight(double a, double x);
double beta_weight(double a, double b, double x, double y);

// With u = log(x scale(a, b)): d/da of the above is u + shift(a, b), both parts free of cancellation.
double beta_score_scale(double a, double b);
double beta_score_shift(double a, double b);

// The derivative of the given order, 0 to 4, of log Gamma(h + 1/2) - log Gamma(h) - log(h) / 2, which
// vanishes for large h.
double half_step(int order, double h);

// The derivative by the degrees of freedom of the logarithm of Student's t density.
double student_t_slope(double degrees, double z);

// The derivative of the given order, 0 to 4, of the entropy of a gamma number of shape a and rate 1.
double gamma_entropy(int order, double a);

// s(b) - s(a) - (b - a) s'(a) for s(x) = log Gamma(x) - x log x + x: what a divergence of gamma laws has
// beside that of Poisson laws.
double gamma_bregman(double a, double b);

// r - 1 - log(r) >= 0 for r = a / b, of which no digit is lost near 1 and nothing on the way overflows.
double log_gap(double a, double b);
// k (r - 1 - log(r)) for r = (a / k) (s / t), the same way: the divergence from a Poisson law of rate k to
// one of rate a s / t.
double deviance(double k, double a, double s, double t);

// The same by vectors: n results each. Numbers that were f32 have fewer digits where those of f32 do, and
// need fewer in the end.
void log_poisson(int order, bool for_f32, const double* k, const double* rest, const double* log_t,
                 const double* t, double* out, std::int64_t n);
void log_beta_density(const double* a, const double* b, const double* rest, const double* x, double* out,
                      std::int64_t n);
void count_rest(int order, bool for_f32, const double* k, double* out, std::int64_t n);
void log_gap(const double* a, const double* b, double* out, std::int64_t n);

// Rows of e^x - 1 - x, which is not negative either.
UnaryRow exp_gap_row(DType type);
// Rows of log(1 + r^2), also where the square overflows, and (order 1) of its derivative.
UnaryRow log1p_square_row(int order, DType type);

}  // namespace likely::kernels
