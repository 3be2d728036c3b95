// The mean of log k! over Poisson numbers k, in double. Internal to likely.
#pragma once

namespace likely::kernels {

// Its derivative by the rate, of order 0 to 4. As d/drate E[f(k)] = E[f(k + 1) - f(k)], order n is the mean
// of the (n - 1)-th difference of log(k + 1). Sums over the numbers within 14 standard deviations.
double mean_log_factorial(int order, double rate);

// The derivative by the rate, of order 0 to 4, of the entropy -E[log p(k)], for rates up to a thousand.
double poisson_entropy(int order, double rate);

}  // namespace likely::kernels
