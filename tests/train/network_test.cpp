// fit trains a network from a description as it trains the struct of the same layers, and goes on where it
// stopped to the same bits.
#include <gtest/gtest.h>

#include "likely/likely.hpp"
#include "tests/support/refusal.hpp"
#include "tests/train/small_network.hpp"

namespace likely {
namespace {

using testing::kCrossEntropy;
using testing::TemporaryFolder;
using testing::three_classes;

template <class Model>
train::FitResult<Model> fit_model(Model& model, std::int64_t epochs,
                                  const std::filesystem::path& folder = {}) {
  optim::Adam adam(model, {.lr = 0.01});
  optim::Average average(model, {.decay = 0.9});
  return train::fit(model, adam, {.train = three_classes(70, 1), .validation = three_classes(30, 2)},
                    kCrossEntropy,
                    {.epochs = epochs,
                     .batch = 16,
                     .seed = 9,
                     .average = &average,
                     .out = folder,
                     .resume = !folder.empty(),
                     .figures = false,
                     .progress = train::Progress::silent});
}

constexpr const char* kText = "linear 16, batch_norm, relu, dropout 0.3, linear 3";

nn::Network described() { return nn::network(kText, {4}, Rng(5)); }

template <class A, class B>
void expect_same_numbers(const A& a, const B& b) {
  const std::vector<Part> left = named_parts(a), right = named_parts(b);
  ASSERT_EQ(left.size(), right.size());
  for (std::size_t i = 0; i < left.size(); ++i) {
    EXPECT_EQ(left[i].name, right[i].name);
    EXPECT_TRUE(array_equal(left[i].value, right[i].value)) << left[i].name;
  }
}

TEST(NetworkFit, TrainsAsTheSequential) {
  nn::Network network = described();
  Rng rng(5);
  nn::Sequential typed{nn::Linear(4, 16, rng.split()), nn::BatchNorm(16), nn::Relu{}, nn::Dropout(0.3),
                       nn::Linear(16, 3, rng.split())};
  const auto of_network = fit_model(network, 3);
  const auto of_typed = fit_model(typed, 3);
  expect_same_numbers(network, typed);
  expect_same_numbers(of_network.best, of_typed.best);
  EXPECT_EQ(of_network.best_value, of_typed.best_value);
  ASSERT_EQ(of_network.history.size(), of_typed.history.size());
  EXPECT_EQ(of_network.history.back().loss, of_typed.history.back().loss);
}

TEST(NetworkFit, ResumesToTheSameBits) {
  const TemporaryFolder folder;
  nn::Network whole = described();
  const auto result = fit_model(whole, 4, folder / "whole");
  nn::Network first = described();
  fit_model(first, 2, folder / "parts");
  nn::Network then = described();
  const auto resumed = fit_model(then, 4, folder / "parts");
  EXPECT_TRUE(testing::same_bits(then, whole));
  EXPECT_TRUE(testing::same_bits(resumed.best, result.best));
  EXPECT_EQ(resumed.best_epoch, result.best_epoch);
  // Other layers do not take its place.
  nn::Network other = nn::network("linear 16, batch_norm, relu, linear 8, linear 3", {4}, Rng(5));
  EXPECT_NE(testing::refusal_of([&] { fit_model(other, 5, folder / "parts"); }), "nothing was refused");
}

TEST(NetworkFit, RefusesALossWithoutTrainingForLayersThatNeedIt) {
  nn::Network network = described();
  optim::Adam adam(network);
  const auto loss = [](nn::Network& model, const data::Batch& batch) {
    return softmax_cross_entropy(model(batch.x), batch.y);
  };
  const std::string said = testing::refusal_of([&] {
    train::fit(network, adam, {.train = three_classes(70, 1)}, loss,
               {.epochs = 1, .progress = train::Progress::silent});
  });
  EXPECT_EQ(said.substr(0, said.find(',')), "[fit] the model's 1 behaves differently in training");
}

}  // namespace
}  // namespace likely
