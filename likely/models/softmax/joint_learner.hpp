// A classifier that is taught not to be sure where there are no data, by a generator of rows at their border
// (Lee et al., 2018). Three players, and three steps in turn:
//
//   1. the critic, D = sigmoid(critic):   max  mean log D(x) + mean log(1 - D(G(z)))
//   2. the generator:                     min  mean log(1 - D(G(z))) + beta mean KL(U || p(. | G(z)))
//   3. the classifier:                    min  mean -log p(y | x) + beta mean KL(U || p(. | G(z)))
//
// each with draws z ~ N(0, 1) of its own. A generator that follows the data closely teaches nothing about
// what is around them: `spread` adds noise to each row that it makes, which it cannot take back. It is a
// learner for train::run:
//
//   confidence::JointLearner learner(classifier, generator, critic, {.noise = 8});
//   train::run(learner, {.data = data::feed(rows, {.batch = 64}), .steps = 4000, .out = "runs/joint"});
#pragma once

#include <cstdint>
#include <utility>

#include "likely/core/error.hpp"
#include "likely/core/parts.hpp"
#include "likely/data/batches.hpp"
#include "likely/data/dataset.hpp"
#include "likely/models/softmax/out_of_distribution.hpp"
#include "likely/nn/sequential.hpp"
#include "likely/nn/training.hpp"
#include "likely/ops/activation.hpp"
#include "likely/ops/arithmetic.hpp"
#include "likely/ops/loss.hpp"
#include "likely/ops/reduce.hpp"
#include "likely/optim/adam.hpp"
#include "likely/train/descend.hpp"
#include "likely/train/losses.hpp"

namespace likely::confidence {

enum class GeneratorLoss : std::uint8_t {
  saturating,      // log(1 - D(G(z))), as above: its gradient vanishes where the critic is sure
  non_saturating,  // -log D(G(z)) in its place (Goodfellow et al., 2014): the same fixed points
};

// Refused: noise < 1, a beta or spread < 0; by Adam, rates that are not above 0.
struct JointOptions {
  double beta = 1.0;            // in the classifier's step
  double generator_beta = 1.0;  // in the generator's; the document has one for both
  GeneratorLoss generator_loss = GeneratorLoss::non_saturating;
  std::int64_t noise = 8;  // numbers that the generator draws for a row
  double spread = 0.0;     // standard deviation of what is added to its rows; 0: the document's form
  double classifier_lr = 1e-3, generator_lr = 1e-3, critic_lr = 1e-3;
};

namespace detail {

void check_joint_options(const JointOptions& options);

// What the generator's step adds for the critic's answers (logits of D) to its rows.
Tensor generator_loss(GeneratorLoss kind, const Tensor& answers);

}  // namespace detail

// Classifier: rows to logits (rows, classes). Generator: (rows, noise) to rows. Critic: rows to (rows, 1).
template <Tree Classifier, Tree Generator, Tree Critic>
struct JointLearner {
  Classifier classifier;
  Generator generator;
  Critic critic;
  optim::Adam classifier_adam, generator_adam, critic_adam;
  JointOptions options;

  JointLearner(Classifier classifies, Generator generates, Critic criticises, const JointOptions& chosen)
      : classifier(std::move(classifies)),
        generator(std::move(generates)),
        critic(std::move(criticises)),
        classifier_adam(classifier, {.lr = chosen.classifier_lr}),
        generator_adam(generator, {.lr = chosen.generator_lr, .beta1 = 0.5}),
        critic_adam(critic, {.lr = chosen.critic_lr, .beta1 = 0.5}),
        options(chosen) {
    detail::check_joint_options(options);
  }

  train::Losses step(const data::Batch& real, const Training& training) {
    const auto noise = [&] { return training.split().normal({real.size(), options.noise}); };
    const Training first(training.split()), second(training.split()), third(training.split());
    const Tensor z1 = noise(), z2 = noise(), z3 = noise();
    const auto around = [&](const Tensor& rows, const Training& own) {
      return options.spread > 0.0 ? rows + own.split().normal(rows.shape(), 0.0, options.spread) : rows;
    };
    const Tensor fake = around(nn::forward(std::as_const(generator), z1, first), first);
    const double told_apart = train::descend(critic, critic_adam, [&](Critic& c) {
      return mean(softplus(-nn::forward(c, real.x, first))) + mean(softplus(nn::forward(c, fake, first)));
    });
    const double border = train::descend(generator, generator_adam, [&](Generator& g) {
      const Tensor rows = around(nn::forward(g, z2, second), second);
      return detail::generator_loss(options.generator_loss,
                                    nn::forward(std::as_const(critic), rows, second)) +
             options.generator_beta * mean(kl_from_uniform(nn::forward(std::as_const(classifier), rows)));
    });
    const Tensor outside = around(nn::forward(std::as_const(generator), z3, third), third);
    const double classified = train::descend(classifier, classifier_adam, [&](Classifier& c) {
      return confidence_loss(nn::forward(c, real.x, third), real.y, nn::forward(c, outside, third),
                             options.beta);
    });
    return {{"classifier", classified}, {"generator", border}, {"critic", told_apart}};
  }

  const Classifier& result() const { return classifier; }
  LIKELY_PARTS(classifier, generator, critic, classifier_adam, generator_adam, critic_adam)
};

}  // namespace likely::confidence
