// A loss that forgets the training of its model, or the name of the layer that refuses.
#include "likely/train/loss_form.hpp"

#include <gtest/gtest.h>

#include "likely/likely.hpp"
#include "tests/support/check_gradients.hpp"
#include "tests/train/small_network.hpp"

namespace likely {
namespace {

using testing::expect_refusal;
using testing::SmallNetwork;
using testing::three_classes;

template <class Model, class Loss>
void fit(Model& model, const Loss& loss) {
  optim::Sgd sgd(model, {.lr = 0.1});
  train::fit(model, sgd, {.train = three_classes(20, 1)}, loss,
             {.epochs = 1, .batch = 10, .progress = train::Progress::silent});
}

const auto kForgets = [](auto& m, const data::Batch& b) { return softmax_cross_entropy(m(b.x), b.y); };

TEST(LossForm, ALossWithoutTrainingIsRefusedForAModelThatNeedsIt) {
  SmallNetwork model(Rng(1));
  const Tensor before = model.first.weight;
  expect_refusal(
      [&] { fit(model, kForgets); },
      "[fit] the model's norm behaves differently in training, and the loss takes no Training to hand "
      "it: write [](auto& m, const data::Batch& b, const auto&... training) and call m(b.x, "
      "training...); to train without it, take the argument and leave it unused");
  EXPECT_TRUE(array_equal(model.first.weight, before));
}

TEST(LossForm, ModelsWithoutSuchLayersNeedNone) {
  Rng rng(1);
  nn::Sequential model{nn::Linear(4, 8, rng.split()), nn::Relu{}, nn::Linear(8, 3, rng.split())};
  const Tensor before = model.get<0>().weight;
  fit(model, kForgets);
  EXPECT_FALSE(array_equal(model.get<0>().weight, before));
}

TEST(LossForm, AnUnusedArgumentSaysThatItIsMeant) {
  SmallNetwork model(Rng(1));
  fit(model,
      [](auto& m, const data::Batch& b, const auto&...) { return softmax_cross_entropy(m(b.x), b.y); });
  EXPECT_EQ(model.norm.num_batches_tracked.item(), 0.0);
}

TEST(LossForm, FitNamesTheLayerThatRefuses) {
  Rng rng(1);
  nn::Sequential model{nn::Linear(4, 8, rng.split()), nn::Linear(7, 3, rng.split())};
  expect_refusal(
      [&] { fit(model, kForgets); },
      "[linear] the input has shape (10, 8), the weight (3, 7): the last dimension must be 7, in layer "
      "\"1\" (Linear)");
}

TEST(LossForm, EvaluateNamesTheLayerThatRefuses) {
  Rng rng(1);
  const std::vector<nn::Linear> model{nn::Linear(4, 8, rng.split()), nn::Linear(7, 3, rng.split())};
  expect_refusal(
      [&] {
        train::evaluate(model, three_classes(20, 1),
                        [](const auto& m, const data::Batch& b) { return mean(m[1](m[0](b.x))); });
      },
      "[linear] the input has shape (20, 8), the weight (3, 7): the last dimension must be 7, in layer "
      "\"1\" (Linear)");
}

// A call that takes anything says nothing of training.
struct GenericModel {
  Tensor weight;
  Tensor operator()(const Tensor& x, const auto&...) const { return matmul(x, weight); }
  LIKELY_PARTS(weight)
};

TEST(LossForm, AModelWithAGenericCallIsTrained) {
  GenericModel model{zeros({4, 3})};
  fit(model, kForgets);
  EXPECT_GT(norm(model.weight).item(), 0.0);
}

struct NoisyModel {
  Tensor weight;
  Tensor operator()(const Tensor& x) const { return matmul(x, weight); }
  Tensor operator()(const Tensor& x, const Training& training) const {
    return matmul(dropout(x, 0.5, training.split()), weight);
  }
  LIKELY_PARTS(weight)
};

TEST(LossForm, AModelThatIsItselfDifferentInTrainingIsNamedSo) {
  NoisyModel model{zeros({4, 3})};
  expect_refusal([&] { fit(model, kForgets); },
                 "[fit] the model behaves differently in training, and the loss takes no Training to hand "
                 "it: write [](auto& m, const data::Batch& b, const auto&... training) and call m(b.x, "
                 "training...); to train without it, take the argument and leave it unused");
}

struct ForgetsItsDropout {
  nn::Linear out;
  nn::Dropout drop;
  Tensor operator()(const Tensor& x, const auto&... training) const { return out(drop(x, training...)); }
  LIKELY_PARTS(out)
};
struct InsideAnother {
  nn::Linear first;
  std::vector<ForgetsItsDropout> blocks;
  Tensor operator()(const Tensor& x, const auto&... training) const {
    return blocks[0](first(x), training...);
  }
  LIKELY_PARTS(first, blocks)
};

TEST(LossForm, ADropoutThatIsNotNamedIsSeenToo) {
  Rng rng(1);
  const auto message = [](const std::string& where) {
    return "[fit] " + where +
           " holds a layer that behaves differently in training and is not named in LIKELY_PARTS, and the "
           "loss "
           "takes no Training to hand it: write [](auto& m, const data::Batch& b, const auto&... training) "
           "and "
           "call m(b.x, training...); to train without it, take the argument and leave it unused";
  };
  ForgetsItsDropout model{nn::Linear(4, 3, rng.split()), nn::Dropout(0.5)};
  expect_refusal([&] { fit(model, kForgets); }, message("the model"));
  InsideAnother outer{nn::Linear(4, 4, rng.split()), {model}};
  expect_refusal([&] { fit(outer, kForgets); }, message("the model's blocks.0"));
  const Tensor before = model.out.weight;
  fit(model, testing::kCrossEntropy);
  EXPECT_FALSE(array_equal(model.out.weight, before));
}

// A struct with a constructor, whose members no type tells of.
template <class Noise>
class Built {
 public:
  Built(const Noise& noise, Rng rng) : out(4, 3, rng.split()), noise_(noise) {}
  Tensor operator()(const Tensor& x, const auto&... training) { return out(noise_(x, training...)); }

  nn::Linear out;
  LIKELY_PARTS(out)

 private:
  Noise noise_;
};

TEST(LossForm, ALayerThatAConstructorHidesIsSeenWhenItIsCalled) {
  const auto expect_seen = [](auto noise) {
    SCOPED_TRACE(typeid(noise).name());
    Built model(noise, Rng(1));
    const Tensor before = model.out.weight;
    expect_refusal([&] { fit(model, kForgets); },
                   "[fit] the model holds a layer that behaves differently in training and is not named in "
                   "LIKELY_PARTS, and the loss takes no Training to hand it: write [](auto& m, const "
                   "data::Batch& b, const auto&... training) and call m(b.x, training...); to train without "
                   "it, take the argument and leave it unused");
    EXPECT_TRUE(array_equal(model.out.weight, before));
    // With a Training all is well; and so it is with nothing to drop, or a layer that is somebody else's.
    fit(model, testing::kCrossEntropy);
    EXPECT_FALSE(array_equal(model.out.weight, before));
  };
  expect_seen(nn::Dropout(0.5));
  expect_seen(nn::GaussianNoise(0.1));
  expect_seen(nn::BatchNorm(4));
  Built model(nn::Dropout(0.0), Rng(1));
  fit(model, kForgets);
  const nn::Dropout of_a_teacher(0.5);
  fit(model, [&](auto& m, const data::Batch& b) { return softmax_cross_entropy(m(of_a_teacher(b.x)), b.y); });
}

TEST(LossForm, AMovedFromModelIsNotTrained) {
  Rng rng(1);
  nn::Linear model(4, 3, rng.split());
  const nn::Linear taken = std::move(model);
  // NOLINTNEXTLINE(bugprone-use-after-move): that is the test
  EXPECT_THROW(fit(model, [](auto&, const data::Batch&) { return tensor(1.0); }), Error);
  EXPECT_EQ(taken.weight.size(), 12);
}

}  // namespace
}  // namespace likely
