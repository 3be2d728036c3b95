// What an optimizer remembers goes through a file: a run that is stopped, saved and resumed ends in the same
// bits as one that was not.
#include <gtest/gtest.h>

#include <filesystem>
#include <utility>

#include "likely/autodiff/gradient.hpp"
#include "likely/core/create.hpp"
#include "likely/io/model_file.hpp"
#include "likely/ops/arithmetic.hpp"
#include "likely/ops/linear.hpp"
#include "likely/ops/reduce.hpp"
#include "likely/optim/optim.hpp"
#include "likely/tree/tree.hpp"
#include "tests/support/check_gradients.hpp"
#include "tests/support/temporary_folder.hpp"

namespace likely::optim {
namespace {

using testing::numbers;

struct Model {
  Tensor hidden, out, frozen;
  LIKELY_PARTS(hidden, out, frozen)
};

Model make_model() {
  Model model{numbers({5, 3}).to(DType::f32), numbers({1, 5}, 1.0, 2), numbers({3}, 1.0, 3)};
  model.frozen.set_frozen(true);
  return model;
}

Tensor loss_of(const Model& m) {
  const Tensor x = numbers({7, 3}, 1.0, 4).to(DType::f32);
  return mean(square(linear(linear(x, m.hidden, {}, Activation::tanh), m.out) - 0.5)) + sum(m.frozen);
}

class StateFile : public ::testing::Test {
 protected:
  // make() gives a new optimizer, step(optimizer, model) makes one step.
  template <class Make, class Step>
  void expect_resumes(const Make& make, const Step& step) {
    constexpr int kBefore = 5, kAfter = 6;
    Model whole = make_model();
    auto uninterrupted = make(whole);
    for (int i = 0; i < kBefore + kAfter; ++i) step(uninterrupted, whole);
    Model parted = make_model();
    {
      auto first = make(parted);
      for (int i = 0; i < kBefore; ++i) step(first, parted);
      io::save(path_, std::pair(parted, first));
    }
    Model resumed = make_model();
    std::pair both(resumed, make(resumed));
    io::load(path_, both);
    for (int i = 0; i < kAfter; ++i) step(both.second, both.first);
    EXPECT_TRUE(array_equal(both.first.hidden, whole.hidden));
    EXPECT_TRUE(array_equal(both.first.out, whole.out));
    EXPECT_FALSE(array_equal(both.first.out, parted.out));
    EXPECT_TRUE(array_equal(both.first.frozen, make_model().frozen));
  }

  testing::TemporaryFolder folder_;
  const std::filesystem::path path_ = folder_ / "state.safetensors";
};

constexpr auto kStep = [](auto& optimizer, Model& model) { optimizer.step(model, grad(model, loss_of)); };
constexpr auto kSearch = [](auto& method, Model& model) { method.step(model, loss_of); };

TEST_F(StateFile, OfEveryOptimizerIsAllThatIsNeeded) {
  expect_resumes([](const Model& m) { return Sgd(m, {.lr = 0.1, .momentum = 0.9}); }, kStep);
  expect_resumes([](const Model& m) { return Adam(m, {.lr = 0.1}); }, kStep);
  expect_resumes([](const Model& m) { return AdamW(m, {.lr = 0.1}); }, kStep);
  expect_resumes([](const Model& m) { return Rmsprop(m, {.lr = 0.01, .momentum = 0.5, .centred = true}); },
                 kStep);
  expect_resumes([](const Model& m) { return Adagrad(m, {.lr = 0.1}); }, kStep);
  expect_resumes([](const Model& m) { return Langevin(m, {.lr = 0.1, .examples = 7}, Rng(3)); }, kStep);
  expect_resumes([](const Model&) { return GradientDescent(); }, kSearch);
  expect_resumes([](const Model&) { return Lbfgs({.history = 3}); }, kSearch);
}

TEST_F(StateFile, OfAnAverageAndAPlateauToo) {
  Model model = make_model();
  Average average(model, {.decay = 0.5});
  Plateau plateau({.lr = 1.0, .patience = 0});
  Sgd sgd(model, {.lr = 0.1});
  for (int i = 0; i < 3; ++i) {
    kStep(sgd, model);
    average.update(model);
    plateau.observe(1.0);
  }
  io::save(path_, std::pair(average, plateau));
  std::pair restored(Average(make_model(), {.decay = 0.5}), Plateau({.lr = 1.0, .patience = 0}));
  io::load(path_, restored);
  EXPECT_TRUE(array_equal(restored.first.model.out, average.model.out));
  EXPECT_EQ(restored.first.updates.item(), 3.0);
  EXPECT_EQ(restored.second.lr(), plateau.lr());
  EXPECT_LT(plateau.lr(), 0.05);
}

}  // namespace
}  // namespace likely::optim
