// The gamma function's logarithm and its derivatives, in double, to about 1e-14. Internal to likely.
#pragma once

namespace likely::kernels {

// log |Gamma(x)|; infinite at 0, -1, -2, ...
double log_gamma(double x);

// d/dx log_gamma(x); NaN at 0, -1, -2, ...
double digamma(double x);

// The derivative of digamma; infinite at 0, -1, -2, ...
double trigamma(double x);

// The derivative of digamma of the given order (0 is digamma itself); for order >= 2 NaN at the poles.
double polygamma(int order, double x);

// sum over n >= 0 of (x + n)^-s for s = 2, 3, ... and x not a pole.
double hurwitz_zeta(int s, double x);

// The positive zero of digamma; around it sums of large terms would cancel, so it has a series of its own.
inline constexpr double kDigammaZero = 0x1.762d86356be3fp+0;
inline constexpr double kDigammaZeroRadius = 0.15;

}  // namespace likely::kernels
