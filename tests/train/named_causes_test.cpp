// What happens when numbers stop being finite.
#include <gtest/gtest.h>

#include <limits>

#include "likely/io/disk_error.hpp"
#include "likely/likely.hpp"
#include "tests/support/check_gradients.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/train/small_network.hpp"

namespace likely {
namespace {

using testing::expect_refusal;
using testing::TemporaryFolder;

// exp(w x) overflows as soon as w has grown enough.
struct Growing {
  struct Inner {
    Tensor weight = ones({1}, DType::f64);
    LIKELY_PARTS(weight)
  } inner;
  Buffer seen = zeros({}, DType::i64);
  Tensor operator()(const Tensor& x) const { return exp(x * inner.weight); }
  LIKELY_PARTS(inner, seen)
};

struct Weight {
  Tensor weight;
  LIKELY_PARTS(weight)
};

data::Dataset hundreds() { return {full({6, 1}, 100.0, DType::f64), full({6, 1}, 1e300, DType::f64)}; }

struct OwnError : Error {
  using Error::Error;
};

TEST(NamedCauses, AnErrorOfTheLossKeepsItsType) {
  Weight model{ones({1}, DType::f64)};
  optim::Sgd sgd(model, {.lr = 1.0});
  const auto refuses = [](const Weight&) -> Tensor { throw OwnError("the simulator is out of range"); };
  EXPECT_THROW(train::descend(model, sgd, refuses), OwnError);
  const auto full = [](const Weight&) -> Tensor { throw io::DiskError("no room"); };
  EXPECT_THROW(train::descend(model, sgd, full), io::DiskError);
}

TEST(NamedCauses, DescendRefusesALossThatLeavesItsArgumentAlone) {
  Weight model{ones({1}, DType::f64)};
  optim::Sgd sgd(model, {.lr = 1.0});
  try {
    train::descend(model, sgd, [&](Weight&) { return sum(square(model.weight)); });
    FAIL() << "nothing was refused";
  } catch (const Error& error) {
    EXPECT_TRUE(std::string(error.what()).starts_with("[descend] ")) << error.what();
  }
  EXPECT_EQ(model.weight.item(), 1.0);
}

struct Two {
  Tensor a, b;
  LIKELY_PARTS(a, b)
};

TEST(NamedCauses, APartThatWasMovedAwayIsNotLearnedWithout) {
  Two model{ones({1}), ones({1})};
  const Tensor taken = std::move(model.a);
  expect_refusal([&] { grad(model, [](const Two& m) { return sum(m.b); }); },
                 "[gradient] part \"a\" was moved from");
}

TEST(NamedCauses, ALossThatBecomesInfiniteNamesOperationLayerAndStep) {
  const TemporaryFolder folder;
  Growing model;
  optim::Sgd sgd(model, {.lr = 1.0});
  std::int64_t calls = 0;
  const auto loss = [&](Growing& m, const data::Batch& b) {
    m.seen = m.seen + 1.0;
    ++calls;
    // Each step adds 1 to the weight: e^800 is infinite at the eighth.
    return mean(m(b.x)) * 0.0 - sum(m.inner.weight);
  };
  expect_refusal(
      [&] {
        train::fit(model, sgd, {.train = hundreds()}, loss,
                   {.epochs = 20,
                    .batch = 3,
                    .out = folder.path() / "run",
                    .checkpoint_every = 3,
                    .progress = train::Progress::silent});
      },
      "[fit] the loss is NaN at step 8 (epoch 4): [exp] made an infinity after layer \"inner\" at step "
      "8: "
      "output (3, 1), inputs finite (the model is as it was before this step; the checkpoint of step 6 is in "
      "\"" +
          (folder.path() / "run" / "checkpoint.safetensors").string() + "\")");
  EXPECT_EQ(model.inner.weight.item(), 8.0);
  EXPECT_EQ(model.seen.item(), 7.0);
  EXPECT_EQ(calls, 9);  // the bad step twice

  // The checkpoint is whole, and the training can go on with it.
  const io::NamedTensors kept = io::load_safetensors(folder.path() / "run" / "checkpoint.safetensors");
  EXPECT_EQ(kept["model.inner.weight"].item(), 7.0);
}

TEST(NamedCauses, NamesNoCheckpointBeforeThereIsOne) {
  const TemporaryFolder folder;
  Weight model{zeros({1})};
  optim::Sgd sgd(model, {.lr = 1.0});
  const auto fit = [&](auto loss, bool resume) {
    return train::fit(
        model, sgd, {.train = data::Dataset(zeros({4, 1}))}, loss,
        {.epochs = 1, .out = folder.path() / "run", .resume = resume, .progress = train::Progress::silent});
  };
  expect_refusal(
      [&] { fit([](Weight& m, const data::Batch&) { return sum(log(m.weight)); }, false); },
      "[fit] the loss is infinite at step 1 (epoch 1): [log] made an infinity in layer \"weight\" at "
      "step 1: output (1,), inputs finite (the model is as it was before this step)");
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "run" / "checkpoint.safetensors"));
  // And it can go on: from the beginning.
  EXPECT_EQ(fit([](Weight& m, const data::Batch&) { return sum(square(m.weight)); }, true).steps, 1);
}

TEST(NamedCauses, AGradientThatIsNotFiniteStopsBeforeItIsUsed) {
  Weight model{zeros({1})};
  optim::Sgd sgd(model, {.lr = 1.0});
  expect_refusal(
      [&] {
        train::fit(model, sgd, {.train = data::Dataset(zeros({4, 1}))},
                   [](Weight& m, const data::Batch&) { return sum(sqrt(m.weight)); },
                   {.epochs = 1, .progress = train::Progress::silent});
      },
      "[fit] the gradient is not finite at step 1 (epoch 1): [sqrt] its gradient rule made an infinity in "
      "layer "
      "\"weight\" at step 1: gradient (1,) out of a finite one (the model is as it was before this step)");
  EXPECT_EQ(model.weight.item(), 0.0);
}

TEST(NamedCauses, DataThatAreNotFiniteAreNamed) {
  Growing model;
  optim::Sgd sgd(model, {.lr = 1.0});
  const double nan = std::numeric_limits<double>::quiet_NaN();
  expect_refusal(
      [&] {
        train::fit(model, sgd, {.train = {full({2, 1}, nan, DType::f64), zeros({2, 1}, DType::f64)}},
                   [](Growing& m, const data::Batch& b) { return mean(square(m(b.x) - b.y)); },
                   {.epochs = 1, .progress = train::Progress::silent});
      },
      "[fit] the loss is NaN at step 1 (epoch 1): the batch's x holds numbers that are not finite (the model "
      "is as "
      "it was before this step)");
}

TEST(NamedCauses, AnOperationThatRefusesNanIsTracedToo) {
  Weight model{full({2}, 2.0)};
  optim::Sgd sgd(model, {.lr = 1.0});
  const std::string message = testing::refusal_of([&] {
    train::fit(model, sgd, {.train = {zeros({3, 1}), zeros({3}, DType::i64)}},
               [](Weight& m, const data::Batch& b) {
                 const Tensor logits = log(-m.weight);
                 return softmax_cross_entropy(expand(logits, {b.x.dim(0), 2}), b.y);
               },
               {.epochs = 1, .progress = train::Progress::silent});
  });
  EXPECT_TRUE(message.starts_with("[fit] the loss was refused ([softmax_cross_entropy] ")) << message;
  EXPECT_NE(message.find("[log] made NaN in layer \"weight\" at step 1"), std::string::npos) << message;
}

// The last step has no loss after it that would tell.
TEST(NamedCauses, ParametersThatAStepMadeInfiniteAreNamed) {
  const testing::TemporaryFolder folder;
  for (const bool kept : {false, true}) {
    Weight model{full({2}, 1.0)};
    optim::Sgd sgd(model, {.lr = 1e38});
    expect_refusal(
        [&] {
          train::fit(model, sgd, {.train = data::Dataset(zeros({4, 1}))},
                     [](Weight& m, const data::Batch&) { return 1e3 * sum(m.weight); },
                     {.steps = 1,
                      .out = kept ? folder / "run" : std::filesystem::path(),
                      .progress = train::Progress::silent});
        },
        "[fit] weight holds numbers that are not finite after step 1: is the learning rate too large?");
  }
  EXPECT_FALSE(std::filesystem::exists(folder / "run/checkpoint.safetensors"));
}

TEST(NamedCauses, OtherRefusalsPassUnchanged) {
  Growing model;
  optim::Sgd sgd(model, {.lr = 1.0});
  expect_refusal(
      [&] {
        train::fit(model, sgd, {.train = hundreds()},
                   [](Growing&, const data::Batch&) -> Tensor { refuse("mine", "no"); },
                   {.epochs = 1, .progress = train::Progress::silent});
      },
      "[mine] no");
}

}  // namespace
}  // namespace likely
