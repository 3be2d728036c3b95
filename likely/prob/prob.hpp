// Distributions, divergences, estimators: what is random.
#pragma once

#include "likely/prob/bernoulli.hpp"
#include "likely/prob/beta.hpp"
#include "likely/prob/categorical.hpp"
#include "likely/prob/cauchy.hpp"
#include "likely/prob/exponential.hpp"
#include "likely/prob/gamma.hpp"
#include "likely/prob/gumbel.hpp"
#include "likely/prob/inverse_gamma.hpp"
#include "likely/prob/kl.hpp"
#include "likely/prob/laplace.hpp"
#include "likely/prob/log_normal.hpp"
#include "likely/prob/normal.hpp"
#include "likely/prob/poisson.hpp"
#include "likely/prob/student_t.hpp"
#include "likely/prob/uniform.hpp"
#include "likely/prob/von_mises.hpp"
