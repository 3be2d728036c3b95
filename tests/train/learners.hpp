// Learners of all kinds: two players, an agent without data, a machine without a loss, a committee.
#pragma once

#include <cmath>
#include <utility>
#include <vector>

#include "likely/likely.hpp"

namespace likely::testing {

// Two players: a line that learns to draw from N(3, 1/2), and a critic that tells its draws from true ones.
struct TwoPlayers {
  struct Generator {
    Tensor scale = ones({1}), shift = zeros({1});
    Tensor operator()(const Tensor& z) const { return scale * z + shift; }
    LIKELY_PARTS(scale, shift)
  };
  struct Critic {
    nn::Linear hidden, out;
    nn::Dropout drop{0.1};
    explicit Critic(Rng rng) : hidden(1, 16, rng.split()), out(16, 1, rng.split()) {}
    Tensor operator()(const Tensor& x, const Training& training) {
      return out(drop(relu(hidden(x)), training));
    }
    LIKELY_PARTS(hidden, out, drop)
  };

  Generator generator;
  Critic critic;
  optim::Adam generator_adam, critic_adam;

  explicit TwoPlayers(Rng rng)
      : critic(rng.split()), generator_adam(generator, {.lr = 0.02}), critic_adam(critic, {.lr = 0.02}) {}

  train::Losses step(const data::Batch& real, const Training& training) {
    const Shape rows{real.size(), 1};
    const Tensor fake = generator(training.split().normal(rows));
    const double told_apart = train::descend(critic, critic_adam, [&](Critic& c) {
      return mean(softplus(-c(real.x, training))) + mean(softplus(c(fake, training)));
    });
    const Tensor z = training.split().normal(rows);
    const double not_believed = train::descend(
        generator, generator_adam, [&](Generator& g) { return mean(softplus(-critic(g(z), training))); },
        {.clip_norm = 1.0});
    return {{"critic", told_apart}, {"generator", not_believed}};
  }
  const Generator& result() const { return generator; }
  LIKELY_PARTS(generator, critic, generator_adam, critic_adam)
};

inline data::Dataset draws_around_three() { return data::Dataset(Rng(4).normal({64, 1}, 3.0, 0.5)); }

// A policy gradient without data: which of three levers gives the most? REINFORCE with a running mean of the
// rewards as its baseline.
struct Gambler {
  struct Policy {
    Tensor preferences = zeros({3});
    LIKELY_PARTS(preferences)
  };
  Policy policy;
  optim::Sgd sgd{policy, {.lr = 0.2, .momentum = 0.5}};
  Buffer baseline{zeros({})};

  train::Losses step(const Training& training, std::int64_t number) {
    const std::vector<double> chances{0.2, 0.5, 0.9};
    const Tensor levers = Categorical(policy.preferences).sample(training.split(), {16});
    const Tensor p = index_select(tensor(chances).to(DType::f32), 0, levers);
    const Tensor rewards = (training.split().uniform({16}) < p).to(DType::f32);
    const Tensor advantage = rewards - baseline;
    const double loss = train::descend(policy, sgd, [&](Policy& chosen) {
      return -mean(advantage * Categorical(chosen.preferences).log_prob(levers));
    });
    const double forget = 1.0 / static_cast<double>(number + 1);
    baseline = Buffer(baseline + (mean(rewards) - baseline) * std::max(forget, 0.1));
    return {{"surrogate", loss}, {"reward", mean(rewards)}};
  }
  double chance_of_best() const { return softmax(policy.preferences).at({2}); }
  LIKELY_PARTS(policy, sgd, baseline)
};

// A restricted Boltzmann machine that learns by persistent contrastive divergence: a gradient, and no loss.
struct Machine {
  struct Weights {
    Tensor w, visible, hidden;
    LIKELY_PARTS(w, visible, hidden)
  };
  static constexpr std::int64_t kVisible = 4, kHidden = 3, kChains = 20;
  Weights weights;
  optim::Sgd sgd;
  Buffer chains;  // empty before the first step

  explicit Machine(Rng rng)
      : weights{rng.normal({kVisible, kHidden}, 0.0, 0.1), zeros({kVisible}), zeros({kHidden})},
        sgd(weights, {.lr = 0.1, .momentum = 0.5}) {}

  void step(const data::Batch& batch, const Training& training) {
    if (!chains.defined()) chains = Buffer(draw(full({kChains, kVisible}, 0.5), training));
    const Tensor hidden_of_chains = draw(hidden_given(chains), training);
    chains =
        Buffer(draw(sigmoid(matmul(hidden_of_chains, transpose(weights.w)) + weights.visible), training));
    const Weights there = moments(batch.x), here = moments(chains);
    const Weights gradient{here.w - there.w, here.visible - there.visible, here.hidden - there.hidden};
    sgd.step(weights, gradient);
  }

  // The mean log-likelihood, exactly: by the sum over all states of the visible units.
  double log_likelihood(const Tensor& x) const {
    std::vector<double> states;
    for (int state = 0; state < 1 << kVisible; ++state) {
      for (int bit = 0; bit < kVisible; ++bit) states.push_back((state >> bit) & 1);
    }
    const Tensor all = tensor(states, {1 << kVisible, kVisible}).to(DType::f32);
    return (mean(minus_free_energy(x)) - logsumexp(minus_free_energy(all), 0)).item();
  }
  LIKELY_PARTS(weights, sgd, chains)

 private:
  static Tensor draw(const Tensor& p, const Training& training) {
    return (training.split().uniform(p.shape()) < p).to(DType::f32);
  }
  Tensor hidden_given(const Tensor& v) const { return sigmoid(matmul(v, weights.w) + weights.hidden); }
  Weights moments(const Tensor& v) const {
    const Tensor h = hidden_given(v);
    return {matmul(transpose(v), h) / static_cast<double>(v.dim(0)), mean(v, 0), mean(h, 0)};
  }
  Tensor minus_free_energy(const Tensor& v) const {
    return matmul(v, weights.visible) + sum(softplus(matmul(v, weights.w) + weights.hidden), 1);
  }
};

// Units 0 and 1 are always alike, and 2 and 3 never.
inline data::Dataset alike_and_unlike() {
  const Tensor bits = (Rng(8).uniform({40, 2}) < 0.5).to(DType::f32);
  const Tensor a = slice(bits, 1, {0, 1}), c = slice(bits, 1, {1, 2});
  return data::Dataset(concat({a, a, c, 1.0 - c}, 1));
}

// Several networks side by side, each on rows of its own: optimizers in a vector.
struct SmallCommittee {
  struct Member {
    nn::Linear network;
    optim::Adam adam;
    LIKELY_PARTS(network, adam)
  };
  std::vector<Member> members;
  NotAPart<std::vector<data::Dataset>> rows;

  explicit SmallCommittee(Rng rng) {
    Rng truth(2);
    const Tensor x = truth.normal({60, 3});
    const data::Dataset all(x, sum(x, 1, /*keepdim=*/true) + 0.1 * truth.normal({60, 1}));
    for (int i = 0; i < 3; ++i) {
      nn::Linear network(3, 1, rng.split());
      optim::Adam adam(network, {.lr = 0.05});
      members.push_back({std::move(network), std::move(adam)});
      rows.value.push_back(train::bootstrap(all, rng.split()));
    }
  }

  train::Losses step(const Training& training) {
    train::Losses losses;
    for (std::size_t i = 0; i < members.size(); ++i) {
      const data::Batch batch = rows.value[i].batches(20, training.split())[0];
      losses.emplace_back("member " + std::to_string(i),
                          train::descend(members[i].network, members[i].adam, [&](nn::Linear& network) {
                            return likely::mean_squared_error(network(batch.x), batch.y);
                          }));
    }
    return losses;
  }
  LIKELY_PARTS(members)
};

}  // namespace likely::testing
