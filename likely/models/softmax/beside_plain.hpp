// A joint learner, and beside it the same classifier trained on the same batches without anything from
// outside: what the joint loss changes is the difference. A learner for train::run.
#pragma once

#include <utility>

#include "likely/models/softmax/joint_learner.hpp"
#include "likely/nn/network.hpp"

namespace likely::confidence {

// What is kept of it.
template <Tree Classifier>
struct Confident {
  Classifier joint, plain;
  nn::Network generator;
  LIKELY_PARTS(joint, plain, generator)
};

template <Tree Classifier>
struct BesidePlain {
  JointLearner<Classifier, nn::Network, nn::Network> joint;
  Classifier plain;
  optim::Adam plain_adam;

  BesidePlain(Classifier classifier, nn::Network generator, nn::Network critic, const JointOptions& options)
      : joint(classifier, std::move(generator), std::move(critic), options),
        plain(std::move(classifier)),
        plain_adam(plain, {.lr = options.classifier_lr}) {}

  train::Losses step(const data::Batch& real, const Training& training) {
    train::Losses losses = joint.step(real, training);
    const Training own(training.split());
    losses.emplace_back("plain", train::descend(plain, plain_adam, [&](Classifier& c) {
                          return softmax_cross_entropy(nn::forward(c, real.x, own), real.y);
                        }));
    return losses;
  }

  Confident<Classifier> result() const { return {joint.classifier, plain, joint.generator}; }
  LIKELY_PARTS(joint, plain, plain_adam)
};

}  // namespace likely::confidence
