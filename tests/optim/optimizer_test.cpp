#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "likely/autodiff/gradient.hpp"
#include "likely/core/create.hpp"
#include "likely/core/threads.hpp"
#include "likely/ops/arithmetic.hpp"
#include "likely/ops/reduce.hpp"
#include "likely/ops/view.hpp"
#include "likely/optim/adam.hpp"
#include "likely/optim/rmsprop.hpp"
#include "likely/optim/sgd.hpp"
#include "likely/tree/tree.hpp"
#include "tests/support/check_gradients.hpp"
#include "tests/support/refusal.hpp"

namespace likely {
namespace {

using testing::expect_refusal;
using testing::numbers;

struct Layer {
  Tensor weight;
  Tensor bias;
  Buffer running;
  LIKELY_PARTS(weight, bias, running)
};

struct Model {
  Layer first;
  std::vector<Layer> rest;
  LIKELY_PARTS(first, rest)
};

Model make_model(DType dtype = DType::f64) {
  const auto layer = [&](int seed) {
    return Layer{numbers({3, 2}, 1.0, seed).to(dtype), numbers({3}, 1.0, seed + 1).to(dtype),
                 ones({3}, dtype)};
  };
  return {layer(1), {layer(3), layer(5)}};
}

Model make_gradient(int step, DType dtype = DType::f64) {
  return map_parts(make_model(dtype),
                   [&](const Tensor& t) { return numbers(t.shape(), 0.7, 40 + step).to(t.dtype()); });
}

// The formulas of the headers, one number at a time.
struct SgdByHand {
  double velocity = 0.0;
  double operator()(const optim::SgdOptions& o, double p, double g) {
    g += o.weight_decay * p;
    velocity = o.momentum * velocity + g;
    if (o.nesterov) return p - o.lr * (g + o.momentum * velocity);
    return p - o.lr * velocity;
  }
};

struct AdamByHand {
  double mean = 0.0;
  double square = 0.0;
  int t = 0;
  double operator()(const optim::AdamOptions& o, double p, double g) {
    ++t;
    if (o.decoupled) {
      p -= o.lr * o.weight_decay * p;
    } else {
      g += o.weight_decay * p;
    }
    mean = o.beta1 * mean + (1 - o.beta1) * g;
    square = o.beta2 * square + (1 - o.beta2) * g * g;
    return p - o.lr * (mean / (1 - std::pow(o.beta1, t))) /
                   (std::sqrt(square / (1 - std::pow(o.beta2, t))) + o.eps);
  }
};

struct AdamWByHand {
  AdamByHand adam;
  double operator()(const optim::AdamWOptions& o, double p, double g) {
    return adam({.lr = o.lr,
                 .beta1 = o.beta1,
                 .beta2 = o.beta2,
                 .eps = o.eps,
                 .weight_decay = o.weight_decay,
                 .decoupled = true},
                p, g);
  }
};

struct RmspropByHand {
  double square = 0.0, mean = 0.0, velocity = 0.0;
  double operator()(const optim::RmspropOptions& o, double p, double g) {
    g += o.weight_decay * p;
    square = o.decay * square + (1 - o.decay) * g * g;
    if (o.centred) mean = o.decay * mean + (1 - o.decay) * g;
    velocity = o.momentum * velocity + g / (std::sqrt(square - mean * mean) + o.eps);
    return p - o.lr * velocity;
  }
};

struct AdagradByHand {
  double square = 0.0;
  double operator()(const optim::AdagradOptions& o, double p, double g) {
    g += o.weight_decay * p;
    square += g * g;
    return p - o.lr * g / (std::sqrt(square) + o.eps);
  }
};

template <class Optimizer, class ByHand, class Options>
void expect_steps_by_hand(const Options& options, DType dtype, double tolerance) {
  Model model = make_model(dtype);
  std::vector<double> expected = model.rest[1].weight.to_vector<double>();
  std::vector<ByHand> by_hand(expected.size());
  Optimizer optimizer(model, options);
  for (int step = 0; step < 7; ++step) {
    const Model gradient = make_gradient(step, dtype);
    optimizer.step(model, gradient);
    const std::vector<double> g = gradient.rest[1].weight.to_vector<double>();
    for (std::size_t i = 0; i < expected.size(); ++i) expected[i] = by_hand[i](options, expected[i], g[i]);
  }
  const std::vector<double> computed = model.rest[1].weight.to_vector<double>();
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(computed[i], expected[i], tolerance);
}

TEST(Sgd, FollowsItsFormula) {
  for (const optim::SgdOptions& options :
       {optim::SgdOptions{.lr = 0.1}, optim::SgdOptions{.lr = 0.1, .weight_decay = 0.2},
        optim::SgdOptions{.lr = 0.1, .momentum = 0.9},
        optim::SgdOptions{.lr = 0.1, .momentum = 0.9, .nesterov = true, .weight_decay = 0.2},
        optim::SgdOptions{.lr = 0.0}}) {
    expect_steps_by_hand<optim::Sgd, SgdByHand>(options, DType::f64, 1e-14);
    expect_steps_by_hand<optim::Sgd, SgdByHand>(options, DType::f32, 1e-6);
  }
}

TEST(Adam, FollowsItsFormula) {
  for (const optim::AdamOptions& options :
       {optim::AdamOptions{}, optim::AdamOptions{.lr = 0.1, .beta1 = 0.5, .beta2 = 0.7, .eps = 1e-3},
        optim::AdamOptions{.lr = 0.1, .weight_decay = 0.2},
        optim::AdamOptions{.lr = 0.1, .weight_decay = 0.2, .decoupled = true},
        optim::AdamOptions{.lr = 0.1, .beta1 = 0.0, .beta2 = 0.0}}) {
    expect_steps_by_hand<optim::Adam, AdamByHand>(options, DType::f64, 1e-14);
    expect_steps_by_hand<optim::Adam, AdamByHand>(options, DType::f32, 2e-6);
  }
}

TEST(AdamW, FollowsItsFormula) {
  for (const optim::AdamWOptions& options :
       {optim::AdamWOptions{}, optim::AdamWOptions{.lr = 0.1, .beta1 = 0.5, .weight_decay = 0.3}}) {
    expect_steps_by_hand<optim::AdamW, AdamWByHand>(options, DType::f64, 1e-14);
    expect_steps_by_hand<optim::AdamW, AdamWByHand>(options, DType::f32, 2e-6);
  }
}

TEST(Rmsprop, FollowsItsFormula) {
  for (const optim::RmspropOptions& options :
       {optim::RmspropOptions{}, optim::RmspropOptions{.lr = 0.01, .weight_decay = 0.1},
        optim::RmspropOptions{.lr = 0.01, .momentum = 0.7},
        optim::RmspropOptions{.lr = 0.01, .eps = 1e-2, .centred = true},
        optim::RmspropOptions{.lr = 0.01, .eps = 1e-2, .momentum = 0.7, .centred = true}}) {
    expect_steps_by_hand<optim::Rmsprop, RmspropByHand>(options, DType::f64, 1e-13);
    expect_steps_by_hand<optim::Rmsprop, RmspropByHand>(options, DType::f32, 1e-5);
  }
}

TEST(Adagrad, FollowsItsFormula) {
  for (const optim::AdagradOptions& options :
       {optim::AdagradOptions{}, optim::AdagradOptions{.lr = 0.1, .eps = 1e-3, .weight_decay = 0.2}}) {
    expect_steps_by_hand<optim::Adagrad, AdagradByHand>(options, DType::f64, 1e-14);
    expect_steps_by_hand<optim::Adagrad, AdagradByHand>(options, DType::f32, 2e-6);
  }
}

// The papers' defaults.
TEST(Defaults, AreThoseOfThePapers) {
  const Tensor x = ones({1});
  const optim::AdamOptions adam = optim::Adam(x).options;
  EXPECT_EQ(adam.lr, 1e-3);
  EXPECT_EQ(adam.beta1, 0.9);
  EXPECT_EQ(adam.beta2, 0.999);
  EXPECT_EQ(adam.eps, 1e-8);
  EXPECT_EQ(adam.weight_decay, 0.0);
  EXPECT_EQ(optim::AdamW(x).options.weight_decay, 1e-2);
  EXPECT_EQ(optim::Rmsprop(x).options.decay, 0.9);
  EXPECT_EQ(optim::Rmsprop(x).options.lr, 1e-3);
}

// (6.11) and (6.12) as they are written there, with the gradient of 0.5 a x^2 at the point that they name.
TEST(Sgd, IsTheTextbooksMomentumWithARateThatIsScaled) {
  const double alpha = 0.3, beta = 0.8, curvature = 1.7;
  const auto slope = [&](double x) { return curvature * x; };
  double plain = 1.0, plain_m = 0.0, ahead = 1.0, ahead_m = 0.0;
  Tensor x = full({1}, 1.0, DType::f64), y = x;
  optim::Sgd momentum(x, {.lr = alpha * (1 - beta), .momentum = beta});
  optim::Sgd nesterov(y, {.lr = alpha * (1 - beta), .momentum = beta, .nesterov = true});
  for (int t = 0; t < 50; ++t) {
    plain_m = beta * plain_m + (1 - beta) * slope(plain);
    plain -= alpha * plain_m;
    ahead_m = beta * ahead_m + (1 - beta) * slope(ahead - alpha * beta * ahead_m);
    ahead -= alpha * ahead_m;
    momentum.step(x, x * curvature);
    nesterov.step(y, y * curvature);
    EXPECT_NEAR(x.item(), plain, 1e-14);
    // Ours are the points at which the textbook takes its gradients.
    EXPECT_NEAR(y.item(), ahead - alpha * beta * ahead_m, 1e-14);
  }
}

// Runs a test for all of them.
template <class Optimizer>
class Optimizers : public ::testing::Test {};
using All = ::testing::Types<optim::Sgd, optim::Adam, optim::AdamW, optim::Rmsprop, optim::Adagrad>;
TYPED_TEST_SUITE(Optimizers, All);

template <class Optimizer>
Optimizer make(const Model& model) {
  if constexpr (std::is_same_v<Optimizer, optim::Sgd>) {
    return Optimizer(model, {.lr = 0.1, .momentum = 0.9});
  } else {
    return Optimizer(model, {.lr = 0.1});
  }
}

TYPED_TEST(Optimizers, LeaveFrozenPartsAndBuffersAlone) {
  Model model = make_model();
  freeze(model.rest[0]);
  const Model before = model;
  TypeParam optimizer = make<TypeParam>(model);
  optimizer.step(model, make_gradient(0));
  EXPECT_FALSE(array_equal(model.first.weight, before.first.weight));
  EXPECT_TRUE(array_equal(model.rest[0].weight, before.rest[0].weight));
  EXPECT_TRUE(array_equal(model.rest[0].bias, before.rest[0].bias));
  EXPECT_TRUE(array_equal(model.first.running, before.first.running));
  EXPECT_TRUE(model.rest[0].weight.frozen());
}

TYPED_TEST(Optimizers, StartAPartThatIsUnfrozenLaterAsIfItWereNew) {
  Model model = make_model();
  Model fresh = model;
  freeze(model.rest[0]);
  TypeParam optimizer = make<TypeParam>(model);
  optimizer.step(model, make_gradient(0));
  optimizer.step(model, make_gradient(1));
  unfreeze(model.rest[0]);
  optimizer.step(model, make_gradient(2));
  TypeParam other = make<TypeParam>(fresh);
  other.step(fresh, make_gradient(2));
  EXPECT_TRUE(array_equal(model.rest[0].weight, fresh.rest[0].weight));
}

const Tensor& state_of_first_weight(const optim::Sgd& sgd) { return sgd.velocity[0]; }
template <class Other>
const Tensor& state_of_first_weight(const Other& optimizer) {
  return optimizer.square[0];
}

TYPED_TEST(Optimizers, DoNotTouchWhatOthersHold) {
  Model model = make_model();
  const Model snapshot = model;
  const Model expected = deep_copy(model);
  TypeParam optimizer = make<TypeParam>(model);
  optimizer.step(model, make_gradient(0));
  EXPECT_TRUE(array_equal(snapshot.first.weight, expected.first.weight));
  EXPECT_FALSE(array_equal(model.first.weight, expected.first.weight));
  const TypeParam after_one = optimizer;
  const Tensor state = state_of_first_weight(after_one).copy();
  optimizer.step(model, make_gradient(1));
  EXPECT_TRUE(array_equal(state_of_first_weight(after_one), state));
  EXPECT_FALSE(array_equal(state_of_first_weight(optimizer), state));
}

TYPED_TEST(Optimizers, WriteInPlaceWhereNobodyElseLooks) {
  Model model = deep_copy(make_model());
  TypeParam optimizer = make<TypeParam>(model);
  const double* const memory = model.first.weight.template data<double>();
  optimizer.step(model, make_gradient(0));
  EXPECT_EQ(model.first.weight.template data<double>(), memory);
}

TYPED_TEST(Optimizers, KeepTheirStateAsATree) {
  Model model = make_model();
  TypeParam optimizer = make<TypeParam>(model);
  optimizer.step(model, make_gradient(0));
  // A copy of the state goes on exactly where the original was.
  TypeParam restored = make<TypeParam>(model);
  std::vector<Part> saved = named_parts(optimizer);
  std::size_t next = 0;
  for_each_leaf(restored, [&](Tensor& tensor, PartKind kind) {
    EXPECT_EQ(kind, PartKind::buffer);
    const Part& part = saved[next++];
    tensor = part.value.defined() ? part.value.copy() : Tensor();
  });
  Model other = model;
  optimizer.step(model, make_gradient(1));
  restored.step(other, make_gradient(1));
  EXPECT_TRUE(array_equal(model.rest[1].bias, other.rest[1].bias));
  EXPECT_TRUE(array_equal(model.first.weight, other.first.weight));
}

TYPED_TEST(Optimizers, TakeStridedGradientsAndSingleTensors) {
  Tensor parameter = numbers({4, 3});
  Tensor same = parameter;
  const Tensor gradient = numbers({3, 4}, 1.0, 2);
  TypeParam optimizer(parameter);
  TypeParam dense(same);
  optimizer.step(parameter, transpose(gradient));
  dense.step(same, transpose(gradient).contiguous());
  EXPECT_TRUE(array_equal(parameter, same));
  optimizer.step(parameter, constant({4, 3}, 0.0, DType::f64));
  Tensor strided = transpose(numbers({3, 4}));
  TypeParam third(strided);
  third.step(strided, gradient.contiguous().view({4, 3}, {3, 1}, 0));
  EXPECT_EQ(strided.shape().string(), "(4, 3)");
  Tensor empty = zeros({0, 3});
  TypeParam none(empty);
  none.step(empty, zeros({0, 3}));
}

TYPED_TEST(Optimizers, GoDownhill) {
  Tensor x = tensor({2.0, -3.0, 1.0});
  const bool shrinks = std::is_same_v<TypeParam, optim::Adagrad>;  // its steps, as 1 / sqrt(t)
  TypeParam optimizer(x, {.lr = shrinks ? 0.5 : 0.05});
  for (int i = 0; i < 400; ++i) {
    optimizer.step(x, grad(x, [](const Tensor& a) { return sum(square(a - 1.0)); }));
  }
  // The steps of RMSprop stay as long as its rate; AdamW pulls towards 0.
  const double tolerance = std::is_same_v<TypeParam, optim::Rmsprop> ? 0.1
                           : std::is_same_v<TypeParam, optim::AdamW> ? 0.02
                                                                     : 1e-3;
  for (const double value : x.to_vector<double>()) EXPECT_NEAR(value, 1.0, tolerance);
}

TYPED_TEST(Optimizers, GiveTheSameBitsForAnyNumberOfThreads) {
  const int before = threads();
  const auto run = [&](int n) {
    set_threads(n);
    std::vector<Tensor> model;
    std::vector<Tensor> gradient;
    for (int i = 0; i < 5; ++i) {
      model.push_back(numbers({61, 7001}, 1.0, i).to(DType::f32));
      gradient.push_back(numbers({61, 7001}, 1.0, 10 + i).to(DType::f32));
    }
    TypeParam optimizer(model, {.lr = 0.1});
    for (int i = 0; i < 3; ++i) optimizer.step(model, gradient);
    return model;
  };
  const std::vector<Tensor> one = run(1);
  for (const int n : {2, 3}) {
    const std::vector<Tensor> several = run(n);
    for (std::size_t i = 0; i < one.size(); ++i) EXPECT_TRUE(array_equal(one[i], several[i]));
  }
  set_threads(before);
}

TEST(Sgd, RefusesOptionsOutOfRange) {
  const Tensor x = ones({2});
  expect_refusal([&] { optim::Sgd(x, {.lr = -0.1}); }, "[Sgd] lr must be >= 0, got -0.1");
  expect_refusal([&] { optim::Sgd(x, {.lr = std::nan("")}); }, "[Sgd] lr must be >= 0, got nan");
  expect_refusal([&] { optim::Sgd(x, {.momentum = 1.0}); }, "[Sgd] momentum must be in [0, 1), got 1");
  expect_refusal([&] { optim::Sgd(x, {.weight_decay = -1}); }, "[Sgd] weight_decay must be >= 0, got -1");
  expect_refusal([&] { optim::Sgd(x, {.nesterov = true}); }, "[Sgd] nesterov needs momentum > 0");
  Tensor parameter = x;
  optim::Sgd sgd(parameter, {.lr = 0.1});
  sgd.options.lr = -1.0;
  expect_refusal([&] { sgd.step(parameter, x); }, "[Sgd] lr must be >= 0, got -1");
}

TEST(Adam, RefusesOptionsOutOfRange) {
  const Tensor x = ones({2});
  expect_refusal([&] { optim::Adam(x, {.lr = -1}); }, "[Adam] lr must be >= 0, got -1");
  expect_refusal([&] { optim::Adam(x, {.lr = INFINITY}); }, "[Adam] lr must be >= 0, got inf");
  expect_refusal([&] { optim::Adam(x, {.beta1 = 1.0}); }, "[Adam] beta1 must be in [0, 1), got 1");
  expect_refusal([&] { optim::Adam(x, {.beta2 = -0.1}); }, "[Adam] beta2 must be in [0, 1), got -0.1");
  expect_refusal([&] { optim::Adam(x, {.eps = -1e-8}); }, "[Adam] eps must be >= 0, got -1e-08");
  expect_refusal([&] { optim::Adam(x, {.weight_decay = -1}); }, "[Adam] weight_decay must be >= 0, got -1");
}

TEST(AdamW, RefusesOptionsOutOfRange) {
  const Tensor x = ones({2});
  expect_refusal([&] { optim::AdamW(x, {.lr = -1}); }, "[AdamW] lr must be >= 0, got -1");
  expect_refusal([&] { optim::AdamW(x, {.beta2 = 1.0}); }, "[AdamW] beta2 must be in [0, 1), got 1");
}

TEST(Rmsprop, RefusesOptionsOutOfRange) {
  const Tensor x = ones({2});
  expect_refusal([&] { optim::Rmsprop(x, {.lr = -1}); }, "[Rmsprop] lr must be >= 0, got -1");
  expect_refusal([&] { optim::Rmsprop(x, {.decay = 1.0}); }, "[Rmsprop] decay must be in [0, 1), got 1");
  expect_refusal([&] { optim::Rmsprop(x, {.eps = -1}); }, "[Rmsprop] eps must be >= 0, got -1");
  expect_refusal([&] { optim::Rmsprop(x, {.momentum = 2}); }, "[Rmsprop] momentum must be in [0, 1), got 2");
  expect_refusal([&] { optim::Rmsprop(x, {.weight_decay = -1}); },
                 "[Rmsprop] weight_decay must be >= 0, got -1");
}

TEST(Adagrad, RefusesOptionsOutOfRange) {
  const Tensor x = ones({2});
  expect_refusal([&] { optim::Adagrad(x, {.lr = -1}); }, "[Adagrad] lr must be >= 0, got -1");
  expect_refusal([&] { optim::Adagrad(x, {.eps = NAN}); }, "[Adagrad] eps must be >= 0, got nan");
  expect_refusal([&] { optim::Adagrad(x, {.weight_decay = -1}); },
                 "[Adagrad] weight_decay must be >= 0, got -1");
}

TYPED_TEST(Optimizers, RefuseAModelOfAnotherSize) {
  std::vector<Tensor> model{ones({2})}, larger{ones({2}), ones({3})};
  TypeParam optimizer(model);
  const std::string said = testing::refusal_of([&] { optimizer.step(larger, larger); });
  EXPECT_TRUE(said.ends_with("] made for a model of 1 tensors, got one of 2")) << said;
}

TEST(Sgd, RefusesAGradientThatDoesNotFitAndChangesNothing) {
  std::vector<Tensor> model{ones({2}), ones({3, 2})};
  optim::Sgd sgd(model, {.lr = 0.1});
  expect_refusal(
      [&] {
        sgd.step(model, std::vector<Tensor>{ones({2}), ones({2, 3})});
      },
      "[Sgd] tensor 1 has shape (3, 2), its gradient (2, 3)");
  expect_refusal([&] { sgd.step(model, std::vector<Tensor>{ones({2})}); },
                 "[Sgd] the model has 2 tensors, the gradient 1");
  expect_refusal(
      [&] {
        sgd.step(model, std::vector<Tensor>{ones({2}), ones({3, 2}, DType::f64)});
      },
      "[Sgd] tensor 1 is f32, its gradient f64");
  expect_refusal(
      [&] {
        sgd.step(model, std::vector<Tensor>{ones({2}), Tensor()});
      },
      "[Sgd] tensor 1 has no gradient");
  std::vector<Tensor> larger{ones({2}), ones({3, 2}), ones({1})};
  expect_refusal([&] { sgd.step(larger, larger); }, "[Sgd] made for a model of 2 tensors, got one of 3");
  EXPECT_TRUE(array_equal(model[0], ones({2})));
}

TEST(Adam, RefusesAGradientThatDoesNotFit) {
  std::vector<Tensor> model{ones({2}), ones({3, 2})};
  optim::Adam adam(model);
  expect_refusal(
      [&] {
        adam.step(model, std::vector<Tensor>{ones({2}), ones({2, 3})});
      },
      "[Adam] tensor 1 has shape (3, 2), its gradient (2, 3)");
  EXPECT_EQ(adam.steps.at({0}), 0.0);
}

}  // namespace
}  // namespace likely
