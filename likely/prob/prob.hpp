// Distributions, divergences, estimators: what is random.
//
// Every distribution is a value that holds its parameters as tensors, so that it can be part of a model. With
// batch_shape() what the parameters broadcast to, and event_shape() the shape of one answer:
//   log_prob(x)          the logarithm of the density or probability, one for each answer in x; -inf where
//                        there is none. x broadcasts with the batch.
//   sample(rng, shape)   answers of shape `shape`, batch, event; constants to gradients. The same rng draws
//                        the same: hand in rng.split().
//   rsample(rng, shape)  the same, differentiable in the parameters, where that exists
//   mean(), variance(), entropy()
//   cdf(x)               the probability of an answer up to x, where that is one number
//   kl(p, q)             see kl.hpp
// Parameters are tensors or numbers; they are checked, and refused by the name of the distribution, of the
// parameter, and the first number that is wrong. from_unconstrained() takes any numbers: positive parameters
// are their softplus.
#pragma once

#include "likely/prob/distributions/bernoulli.hpp"
#include "likely/prob/distributions/beta.hpp"
#include "likely/prob/distributions/bijections.hpp"
#include "likely/prob/distributions/categorical.hpp"
#include "likely/prob/distributions/cauchy.hpp"
#include "likely/prob/distributions/concrete.hpp"
#include "likely/prob/distributions/dirichlet.hpp"
#include "likely/prob/distributions/exponential.hpp"
#include "likely/prob/distributions/gamma.hpp"
#include "likely/prob/distributions/gumbel.hpp"
#include "likely/prob/distributions/independent.hpp"
#include "likely/prob/distributions/inverse_gamma.hpp"
#include "likely/prob/distributions/laplace.hpp"
#include "likely/prob/distributions/log_normal.hpp"
#include "likely/prob/distributions/mixture.hpp"
#include "likely/prob/distributions/multivariate_normal.hpp"
#include "likely/prob/distributions/normal.hpp"
#include "likely/prob/distributions/poisson.hpp"
#include "likely/prob/distributions/relaxed_bernoulli.hpp"
#include "likely/prob/distributions/student_t.hpp"
#include "likely/prob/distributions/transformed.hpp"
#include "likely/prob/distributions/truncated_gumbel.hpp"
#include "likely/prob/distributions/uniform.hpp"
#include "likely/prob/distributions/von_mises.hpp"
#include "likely/prob/divergences/kl.hpp"
#include "likely/prob/divergences/monte_carlo.hpp"
#include "likely/prob/expectation/expectation.hpp"
#include "likely/prob/inference/laplace_approximation.hpp"
#include "likely/prob/inference/leave_one_out.hpp"
#include "likely/prob/mcmc/convergence.hpp"
#include "likely/prob/mcmc/hmc.hpp"
#include "likely/prob/mcmc/nuts.hpp"
#include "likely/prob/mcmc/summary.hpp"
#include "likely/prob/noise_contrastive.hpp"
#include "likely/prob/sampling/alias_table.hpp"
#include "likely/prob/sampling/gumbel_top_k.hpp"
#include "likely/prob/sampling/reparameterisations.hpp"
#include "likely/prob/sampling/temperature.hpp"
#include "likely/prob/sequence/filters.hpp"
#include "likely/prob/sequence/markov_chain.hpp"
#include "likely/prob/sequence/model.hpp"
#include "likely/prob/sequence/scoring.hpp"
#include "likely/prob/sequence/search.hpp"
#include "likely/prob/sequence/without_replacement.hpp"
