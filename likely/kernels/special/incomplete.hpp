// The distribution functions of the gamma, beta and von Mises laws and their derivatives by the parameters,
// in double. Internal to likely.
//
// With F the distribution function, p its density and theta a parameter, the slopes below are
// (d/dtheta)^n F / p: minus the first is how a variate moves with the parameter while its probability stays
// (implicit reparameterisation, Figurnov et al. 2018). As a ratio they do not underflow in the tails.
#pragma once

namespace likely::kernels {

// log Gamma(a) + log Gamma(b) - log Gamma(a + b), without the cancellation of that sum; a, b > 0.
double log_beta(double a, double b);

// The regularised incomplete gamma functions P(a, x) and Q = 1 - P, and the regularised incomplete beta
// function I_x(a, b). NaN outside a, b > 0, x >= 0 (for beta 0 <= x <= 1).
double incomplete_gamma_p(double a, double x);
double incomplete_gamma_q(double a, double x);
double incomplete_beta(double a, double b, double x);

// The probability of a Poisson number of at most k, 1 - P(floor(k) + 1, rate) and right where k + 1 is k.
double poisson_cdf(double k, double rate);

// The probability of a Student's t number below x.
double student_t_cdf(double x, double degrees);

// Of the law of log x for gamma variates x of shape a, at log x; order 1 or 2.
double gamma_slope(int order, double a, double log_x);

// Of the law of u = log(x / (1 - x)) for beta variates x: `by_a` times by a, `by_b` times by b, once or twice
// in all.
double beta_slope(int by_a, int by_b, double a, double b, double u);

// The standard normal number below which lies probability p.
double normal_quantile(double p);

}  // namespace likely::kernels
