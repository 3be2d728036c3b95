// Distributions, divergences, estimators: what is random.
//
// Every distribution is a value that holds its parameters as tensors, so that it can be part of a model. With
// batch_shape() what the parameters broadcast to, and event_shape() the shape of one answer:
//   log_prob(x)          the logarithm of the density or probability, one for each answer in x; -inf where
//                        there is none. x broadcasts with the batch.
//   sample(rng, shape)   answers of shape `shape`, batch, event; constants to gradients. The same rng draws
//   the
//                        same: hand in rng.split().
//   rsample(rng, shape)  the same, differentiable in the parameters, where that exists
//   mean(), variance(), entropy()
//   cdf(x)               the probability of an answer up to x, where that is one number
//   kl(p, q)             see kl.hpp
// Parameters are tensors or numbers; they are checked, and refused by the name of the distribution, of the
// parameter, and the first number that is wrong. from_unconstrained() takes any numbers: positive parameters
// are their softplus.
#pragma once

#include "likely/prob/bernoulli.hpp"
#include "likely/prob/beta.hpp"
#include "likely/prob/bijections.hpp"
#include "likely/prob/categorical.hpp"
#include "likely/prob/cauchy.hpp"
#include "likely/prob/convergence.hpp"
#include "likely/prob/dirichlet.hpp"
#include "likely/prob/exponential.hpp"
#include "likely/prob/gamma.hpp"
#include "likely/prob/gumbel.hpp"
#include "likely/prob/hmc.hpp"
#include "likely/prob/independent.hpp"
#include "likely/prob/inverse_gamma.hpp"
#include "likely/prob/kl.hpp"
#include "likely/prob/laplace.hpp"
#include "likely/prob/laplace_approximation.hpp"
#include "likely/prob/leave_one_out.hpp"
#include "likely/prob/log_normal.hpp"
#include "likely/prob/mixture.hpp"
#include "likely/prob/monte_carlo.hpp"
#include "likely/prob/multivariate_normal.hpp"
#include "likely/prob/normal.hpp"
#include "likely/prob/nuts.hpp"
#include "likely/prob/poisson.hpp"
#include "likely/prob/student_t.hpp"
#include "likely/prob/summary.hpp"
#include "likely/prob/transformed.hpp"
#include "likely/prob/uniform.hpp"
#include "likely/prob/von_mises.hpp"
