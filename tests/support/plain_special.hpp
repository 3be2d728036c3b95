// Special functions by their definitions: series with positive terms and integrals. Slow, and right to about
// 1e-17 for moderate arguments. Nothing here uses likely.
#pragma once

#include "tests/support/plain_number.hpp"

namespace likely::testing::plain {

Real polygamma(int order, Real x);  // x > 0; order 0 is digamma
Real normal_cdf(Real x);
Real normal_quantile(Real p);
Real bessel_i(int order, Real x);  // I0 or I1
Real gamma_p(Real a, Real x);
Real incomplete_beta(Real a, Real b, Real x);
Real student_t_cdf(Real x, Real degrees);
Real poisson_entropy(Real rate);
Real von_mises_cdf(Real t, Real kappa);
Real von_mises_density(Real t, Real kappa);

}  // namespace likely::testing::plain
