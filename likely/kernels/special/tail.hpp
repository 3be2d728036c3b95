// The tails of gamma and beta laws whose parameters are large, in double: series and fractions would need as
// many terms as a law is narrow, while the integral over a tail is smooth on the scale of the law.
// Internal to likely.
#pragma once

namespace likely::kernels {

// From this size on of the shape of a gamma law, or of the smaller parameter of a beta law.
inline constexpr double kLargeShape = 1e4;

// The probability on the side of x that does not hold the centre a: below x <= a, above other x.
double gamma_tail(double a, double x);
// The same for a beta law, whose centre is a / (a + b); y = 1 - x.
double beta_tail(double a, double b, double x, double y);
// Whether that side is the lower one.
bool beta_tail_is_lower(double a, double b, double x, double y);

// (d/da)^order F / p of the law of log x, see special_incomplete.hpp.
double gamma_tail_slope(int order, double a, double log_x);
// The same by both parameters for the law of u = log(x / (1 - x)).
double beta_tail_slope(int by_a, int by_b, double a, double b, double u);

}  // namespace likely::kernels
