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
#include "tests/support/hostile_tensors.hpp"
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

// Every part of what is remembered, in every way in which a well-formed file can be wrong.
TEST_F(StateFile, ThatDoesNotFitIsRefused) {
  const auto expect = [&](const auto& make, const auto& step, bool counts_steps = false) {
    Model model = make_model();
    auto optimizer = make(model);
    for (int i = 0; i < 3; ++i) step(optimizer, model);
    io::save(path_, optimizer);
    const auto load = [&] {
      Model other = make_model();
      auto fresh = make(other);
      io::load(path_, fresh);
      step(fresh, other);
    };
    load();
    const auto harmless = [&](const testing::HostileFile& hostile) {
      // Sums of squares overflow in good faith; steps that were never made leave nothing behind, and some do
      // not count them.
      return (hostile.change == "infinite" && hostile.name.starts_with("square")) ||
             (hostile.change == "missing" && hostile.name != "steps" && !counts_steps);
    };
    testing::expect_all_refused(testing::hostile_tensors(io::load_safetensors(path_)), path_, load, harmless);
  };
  expect([](const Model& m) { return Sgd(m, {.lr = 0.1, .momentum = 0.9}); }, kStep);
  expect([](const Model& m) { return Adam(m, {.lr = 0.1}); }, kStep, true);
  expect([](const Model& m) { return AdamW(m, {.lr = 0.1}); }, kStep, true);
  expect([](const Model& m) { return Rmsprop(m, {.lr = 0.01, .momentum = 0.5, .centred = true}); }, kStep);
  expect([](const Model& m) { return Adagrad(m, {.lr = 0.1}); }, kStep);
  expect([](const Model& m) { return Langevin(m, {.lr = 0.1, .examples = 7}, Rng(3)); }, kStep);
  expect([](const Model&) { return GradientDescent(); }, kSearch);
  expect([](const Model&) { return Lbfgs({.history = 3}); }, kSearch);
}

// A tensor that made no steps remembers none, neither by its means nor by its squares.
TEST_F(StateFile, RemembersNothingOfStepsThatWereNotMade) {
  for (const std::string remembered : {"mean", "square"}) {
    Model model = make_model();
    Adam adam(model);
    kStep(adam, model);
    io::NamedTensors file;
    for (const Part& part : named_parts(adam)) {
      const bool is_other = part.name.ends_with(".0") && part.name != remembered + ".0";
      if (part.value.defined() && !is_other) file.tensors.emplace_back(part.name, part.value);
    }
    for (auto& [name, tensor] : file.tensors) {
      if (name == "steps") tensor.set({0}, 0);
    }
    io::save_safetensors(path_, file);
    Adam fresh(model);
    testing::expect_refusal([&] { io::load(path_, fresh); },
                            "[load] " + path_.string() +
                                " does not fit the model:\n  different: steps.0 is 0, but " + remembered +
                                ".0 remembers steps");
  }
}

TEST_F(StateFile, OfAnotherShapeLeavesTheOptimizerAsItIs) {
  Model model = make_model();
  Adam adam(model);
  kStep(adam, model);
  io::NamedTensors file;
  for (const Part& part : named_parts(adam)) {
    if (part.value.defined()) file.tensors.emplace_back(part.name, part.value);
  }
  for (auto& [name, tensor] : file.tensors) {
    if (name == "mean.0") tensor = ones({1});
  }
  io::save_safetensors(path_, file);
  Adam fresh(model);
  testing::expect_refusal(
      [&] { io::load(path_, fresh); },
      "[load] " + path_.string() +
          " does not fit the model:\n  different: mean.0 is (1,) f32, must be (5, 3) f32");
  EXPECT_FALSE(fresh.mean[0].defined());
  EXPECT_EQ(fresh.steps.at({0}), 0.0);
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
  testing::expect_all_refused(
      testing::hostile_tensors(io::load_safetensors(path_)), path_, [&] { io::load(path_, restored); },
      [](const testing::HostileFile& hostile) {
        // Floating numbers take the model's type; a loss may be infinite.
        return (hostile.change == "other type" && !hostile.name.ends_with("updates")) ||
               (hostile.change == "infinite" &&
                (hostile.name == "1.best" || hostile.name == "0.model.frozen")) ||
               (hostile.change == "NaN" && hostile.name == "0.model.frozen");
      });
}

}  // namespace
}  // namespace likely::optim
