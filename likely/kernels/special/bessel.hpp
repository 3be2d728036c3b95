// The modified Bessel function I0, as the von Mises law needs it, in double. Arguments kappa >= 0.
// Internal to likely.
#pragma once

namespace likely::kernels {

// The derivative of log I0 of the given order, 0 to 4, for any x. Order 1 is I1(x) / I0(x); order n is the
// n-th cumulant of cos t where t is von Mises with concentration x.
double log_bessel_i0(int order, double x);

// The same of log(e^-|x| I0(x)), which keeps its digits for large |x|.
double log_bessel_i0_scaled(int order, double x);

// The probability between -pi and t, |t| <= pi, of the density e^(kappa cos t) / (2 pi I0(kappa)).
double von_mises_cdf(double t, double kappa);

// Its derivative by kappa of order 1 or 2, divided by the density at t (see special_incomplete.hpp).
double von_mises_slope(int order, double t, double kappa);

}  // namespace likely::kernels
