// A part that is no longer what it was when the optimizer was made is refused by its name, before anything is
// changed: what an optimizer remembers of it has another length.
#include <gtest/gtest.h>

#include "likely/core/create.hpp"
#include "likely/nn/linear.hpp"
#include "likely/optim/optim.hpp"
#include "likely/tree/tree.hpp"
#include "tests/support/check_gradients.hpp"

namespace likely::optim {
namespace {

using testing::expect_refusal;

struct Model {
  nn::Linear body, head;
  Tensor extra;  // empty
  Buffer seen;
  LIKELY_PARTS(body, head, extra, seen)
};

Model make_model() {
  Rng rng(1);
  return {nn::Linear(4, 8, rng.split()), nn::Linear(8, 3, rng.split()), {}, zeros({2})};
}

Model ones_for(const Model& model) {
  return map_parts(model, [](const Tensor& tensor) { return ones_like(tensor); });
}

template <class Optimizer>
class ChangedParts : public ::testing::Test {};

struct MomentumSgd : Sgd {
  explicit MomentumSgd(const Model& model) : Sgd(model, {.lr = 0.1, .momentum = 0.9}) {}
  static constexpr const char* kName = "Sgd";
};
struct NesterovSgd : Sgd {
  explicit NesterovSgd(const Model& model) : Sgd(model, {.lr = 0.1, .momentum = 0.9, .nesterov = true}) {}
  static constexpr const char* kName = "Sgd";
};
struct PlainSgd : Sgd {
  explicit PlainSgd(const Model& model) : Sgd(model, {.lr = 0.1}) {}
  static constexpr const char* kName = "Sgd";
};
struct SomeAdam : Adam {
  using Adam::Adam;
  static constexpr const char* kName = "Adam";
};
struct SomeAdamW : AdamW {
  using AdamW::AdamW;
  static constexpr const char* kName = "AdamW";
};
struct CentredRmsprop : Rmsprop {
  explicit CentredRmsprop(const Model& model) : Rmsprop(model, {.momentum = 0.5, .centred = true}) {}
  static constexpr const char* kName = "Rmsprop";
};
struct SomeAdagrad : Adagrad {
  using Adagrad::Adagrad;
  static constexpr const char* kName = "Adagrad";
};
struct SomeLangevin : Langevin {
  explicit SomeLangevin(const Model& model) : Langevin(model, {.lr = 0.1}, Rng(1)) {}
  static constexpr const char* kName = "Langevin";
};
using All = ::testing::Types<PlainSgd, MomentumSgd, NesterovSgd, SomeAdam, SomeAdamW, CentredRmsprop,
                             SomeAdagrad, SomeLangevin>;
TYPED_TEST_SUITE(ChangedParts, All);

// After so many steps, the change is refused and nothing has happened.
template <class Optimizer, class Change>
void expect_refused(int steps, const Change& change, const std::string& message) {
  Model model = make_model();
  Optimizer optimizer(model);
  for (int i = 0; i < steps; ++i) optimizer.step(model, ones_for(model));
  change(model);
  const Model before = deep_copy(model);
  const std::vector<Part> state_before = named_parts(optimizer);
  expect_refusal([&] { optimizer.step(model, ones_for(model)); },
                 "[" + std::string(Optimizer::kName) + "] " + message);
  EXPECT_TRUE(array_equal(model.body.weight, before.body.weight));
  const std::vector<Part> state_after = named_parts(optimizer);
  for (std::size_t i = 0; i < state_before.size(); ++i) {
    ASSERT_EQ(state_after[i].value.defined(), state_before[i].value.defined()) << state_before[i].name;
    if (!state_before[i].value.defined()) continue;
    EXPECT_TRUE(array_equal(state_after[i].value, state_before[i].value)) << state_before[i].name;
  }
}

TYPED_TEST(ChangedParts, AreRefusedByName) {
  for (const int steps : {0, 1, 3}) {
    SCOPED_TRACE(steps);
    expect_refused<TypeParam>(
        steps, [](Model& m) { m.head = nn::Linear(8, 5000, Rng(2)); },
        "head.weight was (3, 8) f32 when the optimizer was made, is (5000, 8) f32 now");
    expect_refused<TypeParam>(
        steps, [](Model& m) { m.head = nn::Linear(8, 1, Rng(2)); },
        "head.weight was (3, 8) f32 when the optimizer was made, is (1, 8) f32 now");
    expect_refused<TypeParam>(
        steps, [](Model& m) { m.head.bias = ones({3}, DType::f64); },
        "head.bias was (3,) f32 when the optimizer was made, is (3,) f64 now");
    expect_refused<TypeParam>(
        steps, [](Model& m) { m.head.bias = ones({3}, DType::i64); },
        "head.bias was (3,) f32 when the optimizer was made, is (3,) i64 now");
    expect_refused<TypeParam>(
        steps, [](Model& m) { m.head.bias = Tensor(); },
        "head.bias was (3,) f32 when the optimizer was made, is empty now");
    expect_refused<TypeParam>(
        steps, [](Model& m) { m.extra = ones({2}); },
        "extra was empty when the optimizer was made, is (2,) f32 now");
  }
}

TYPED_TEST(ChangedParts, MayBeBuffersAndFrozenOnes) {
  Model model = make_model();
  TypeParam optimizer(model);
  optimizer.step(model, ones_for(model));
  model.seen = zeros({7});
  model.head = nn::Linear(8, 5, Rng(2));
  freeze(model.head);
  optimizer.step(model, ones_for(model));
  unfreeze(model.head);
  expect_refusal([&] { optimizer.step(model, ones_for(model)); },
                 "[" + std::string(TypeParam::kName) +
                     "] head.weight was (3, 8) f32 when the optimizer was made, is (5, 8) f32 now");
}

// A model that was moved from has nothing left to learn.
TYPED_TEST(ChangedParts, MayNotBeMovedAway) {
  Model model = make_model();
  TypeParam optimizer(model);
  const Model taken = std::move(model);
  expect_refusal([&] { optimizer.step(model, ones_for(model)); },
                 "[" + std::string(TypeParam::kName) +
                     "] body.weight was (8, 4) f32 when the optimizer was made, is empty now");
}

// What is in public parts may have been put there by anybody.
TEST(OptimizerState, OfAnotherShapeIsRefusedInAStep) {
  Model model = make_model();
  const auto expect = [&](auto optimizer, const auto& change, const std::string& message) {
    Model own = model;
    optimizer.step(own, ones_for(own));
    change(optimizer);
    expect_refusal([&] { optimizer.step(own, ones_for(own)); }, message);
  };
  expect(
      Adam(model), [](Adam& a) { a.mean[0] = zeros({1}); }, "[Adam] mean.0 is (1,) f32, must be (8, 4) f32");
  expect(
      Adam(model),
      [](Adam& a) {
        a.square[2] = zeros({3, 8}, DType::f64);
      },
      "[Adam] square.2 is (3, 8) f64, must be (3, 8) f32");
  expect(
      Adam(model), [](Adam& a) { a.mean[5] = zeros({2}); }, "[Adam] mean.5 is (2,) f32, must be empty");
  expect(
      Adam(model), [](Adam& a) { a.square.resize(2); }, "[Adam] square has 2 tensors, must have 6");
  expect(
      Adam(model), [](Adam& a) { a.steps = zeros({1}, DType::i64); },
      "[Adam] steps is (1,) i64, must be (6,) i64");
  expect(
      Adam(model), [](Adam& a) { a.steps = Tensor(); }, "[Adam] steps is empty, must be (6,) i64");
  expect(
      AdamW(model), [](AdamW& a) { a.steps = full({6}, -1.0, DType::i64); },
      "[AdamW] steps holds -1, must be a count from 0 to 2^53");
  expect(
      Sgd(model, {.momentum = 0.9}), [](Sgd& s) { s.velocity[1] = zeros({0}); },
      "[Sgd] velocity.1 is (0,) f32, must be (8,) f32");
  expect(
      Rmsprop(model),
      [](Rmsprop& r) {
        r.square[0] = zeros({4, 8});
      },
      "[Rmsprop] square.0 is (4, 8) f32, must be (8, 4) f32");
  expect(
      Adagrad(model), [](Adagrad& a) { a.square[0] = zeros({}); },
      "[Adagrad] square.0 is () f32, must be (8, 4) f32");
  expect(
      Langevin(model, {.lr = 0.1}, Rng(1)), [](Langevin& l) { l.steps = full({}, -3.0, DType::i64); },
      "[Langevin] steps holds -3, must be a count from 0 to 2^53");
}

TEST(OptimizerState, OfSearchesIsCheckedToo) {
  Tensor x = ones({3}, DType::f64);
  const auto loss = [](const Tensor& t) { return sum(square(t)); };
  Lbfgs lbfgs;
  lbfgs.step(x, loss);
  Lbfgs shorter = lbfgs;
  shorter.changes = zeros({1, 2}, DType::f64);
  expect_refusal([&] { shorter.step(x, loss); },
                 "[Lbfgs] moves is (1, 3) f64, changes is (1, 2) f64, must be the same");
  Lbfgs flat = lbfgs;
  flat.moves = zeros({3}, DType::f64);
  expect_refusal([&] { flat.step(x, loss); }, "[Lbfgs] moves is (3,) f64, must be (remembered, numbers) f64");
  GradientDescent descent;
  descent.rate = full({}, -1.0, DType::f64);
  expect_refusal([&] { descent.step(x, loss); },
                 "[GradientDescent] rate holds -1, must be finite and above 0");
  Plateau plateau;
  plateau.waited = full({}, -1.0, DType::i64);
  expect_refusal([&] { plateau.observe(1.0); }, "[Plateau] waited holds -1, must be a count from 0 to 2^53");
}

// A loss that makes its model larger under the search's hands.
TEST(Searches, RefuseAModelThatGrows) {
  std::vector<Tensor> model{ones({3}, DType::f64)};
  Lbfgs lbfgs;
  const auto grow = [&](const std::vector<Tensor>& m) {
    const Tensor loss = sum(square(m[0]));
    model[0] = ones({100000}, DType::f64);
    return loss;
  };
  expect_refusal([&] { lbfgs.minimize(model, grow); },
                 "[minimize] the model had 3 numbers to be learned when it began, has 100000 now");
}

// As many tensors, at other places.
TEST(ChangedLengths, AreRefused) {
  using Two = std::pair<std::vector<Tensor>, std::vector<Tensor>>;
  Two model{{ones({1})}, {ones({1})}};
  const Two other{{}, {ones({1}), ones({1})}};
  Adam adam(model);
  expect_refusal([&] { adam.step(model, other); },
                 "[Adam] the vectors or optionals of the two models do not have as many elements");
  Average average(model);
  expect_refusal([&] { average.update(other); },
                 "[Average] the vectors or optionals of the two models do not have as many elements");
}

TEST(Average, RefusesChangedPartsByName) {
  Model model = make_model();
  Average average(model);
  average.update(model);
  const Model before = average.model;
  const auto expect = [&](const auto& change, const std::string& message) {
    Model other = model;
    change(other);
    expect_refusal([&] { average.update(other); }, "[Average] " + message);
    EXPECT_EQ(average.updates.item(), 1.0);
    EXPECT_TRUE(array_equal(average.model.body.weight, before.body.weight));
  };
  expect([](Model& m) { m.head = nn::Linear(8, 5, Rng(2)); },
         "head.weight is (3, 8) f32 in the average, (5, 8) f32 in the model");
  expect([](Model& m) { m.head.bias = ones({3}, DType::i64); },
         "head.bias is (3,) f32 in the average, (3,) i64 in the model");
  expect([](Model& m) { m.head.bias = Tensor(); },
         "head.bias is (3,) f32 in the average, empty in the model");
  expect([](Model& m) { m.extra = ones({2}); }, "extra is empty in the average, (2,) f32 in the model");
  Model fine = model;
  fine.seen = ones({5});
  average.update(fine);
  EXPECT_TRUE(array_equal(average.model.seen, ones({5})));
  average.updates = full({}, -1.0, DType::i64);
  expect_refusal([&] { average.update(model); },
                 "[Average] updates holds -1, must be a count from 0 to 2^53");
}

// Nothing is passed over because of its type.
TEST(Leaves, OfATypeThatCannotBeLearnedAreRefused) {
  Tensor whole = ones({3}, DType::i64);
  const std::vector<Leaf> leaves{{&whole, &whole, true}};
  const std::vector<detail::LeafSetting> made_for{{.shape = {3}, .dtype = DType::i64, .learnable = true}};
  const auto wrong = detail::check_leaves("Adam", leaves, 1, made_for);
  ASSERT_TRUE(wrong);
  EXPECT_EQ(wrong->text, "is i64: only f32 and f64 can be learned");
  expect_refusal([&] { clip_norm({&whole}, 1.0); },
                 "[clip_norm] a part of the gradient is i64: only f32 and f64 can be learned");
  expect_refusal([&] { clip_value({&whole}, 1.0); },
                 "[clip_value] a part of the gradient is i64: only f32 and f64 can be learned");
  Tensor none;
  expect_refusal([&] { clip_norm({&none}, 1.0); }, "[clip_norm] a part of the gradient is empty");
}

}  // namespace
}  // namespace likely::optim
