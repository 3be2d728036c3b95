// Whole training loops: the same bits for any number of threads, no leaks, flat memory.
#include <gtest/gtest.h>

#include <cmath>

#include "likely/autodiff/gradient.hpp"
#include "likely/core/create.hpp"
#include "likely/core/memory.hpp"
#include "likely/core/threads.hpp"
#include "likely/ops/activation.hpp"
#include "likely/ops/arithmetic.hpp"
#include "likely/ops/convolution.hpp"
#include "likely/ops/linear.hpp"
#include "likely/ops/math.hpp"
#include "likely/ops/pooling.hpp"
#include "likely/ops/reduce.hpp"
#include "likely/ops/rng.hpp"
#include "likely/ops/view.hpp"
#include "likely/optim/adam.hpp"
#include "likely/optim/sgd.hpp"
#include "likely/tree/tree.hpp"

namespace likely {
namespace {

struct SmallCnn {
  Tensor kernel1, bias1, kernel2, bias2, weight, bias;

  explicit SmallCnn(Rng rng)
      : kernel1(rng.normal({8, 1, 3, 3}, 0.0, 0.4)),
        bias1(zeros({8})),
        kernel2(rng.normal({16, 8, 3, 3}, 0.0, 0.15)),
        bias2(zeros({16})),
        weight(rng.normal({4, 256}, 0.0, 0.06)),
        bias(zeros({4})) {}

  Tensor operator()(const Tensor& x) const {
    const Tensor first = max_pool2d(conv2d(x, kernel1, bias1, {.padding = 1, .relu = true}), 2);
    const Tensor second = max_pool2d(conv2d(first, kernel2, bias2, {.padding = kSame, .relu = true}), 2);
    return linear(flatten(second, 1), weight, bias);
  }
  LIKELY_PARTS(kernel1, bias1, kernel2, bias2, weight, bias)
};

struct History {
  std::vector<double> losses;
  SmallCnn model;
};

template <class Optimizer, class Options>
History train_cnn(std::uint64_t seed, int steps, const Options& options) {
  Rng rng(seed);
  SmallCnn model(rng.split());
  Optimizer optimizer(model, options);
  History history{{}, model};
  for (int step = 0; step < steps; ++step) {
    const Tensor x = rng.normal({32, 1, 16, 16});
    const Tensor target = slice(flatten(x, 1), 1, {0, 4});
    auto [loss, gradient] =
        value_and_grad(model, [&](const SmallCnn& m) { return mean_squared_error(m(x), target); });
    optimizer.step(model, gradient);
    history.losses.push_back(loss.item());
  }
  history.model = model;
  return history;
}

void expect_same_bits(const History& a, const History& b) {
  EXPECT_EQ(a.losses, b.losses);
  const std::vector<Part> left = named_parts(a.model);
  const std::vector<Part> right = named_parts(b.model);
  for (std::size_t i = 0; i < left.size(); ++i) {
    EXPECT_TRUE(array_equal(left[i].value, right[i].value)) << left[i].name;
  }
}

TEST(Training, GivesTheSameBitsForAnyNumberOfThreads) {
  const int before = threads();
  const auto with_threads = [](int n) {
    set_threads(n);
    return std::pair(train_cnn<optim::Sgd>(7, 12, optim::SgdOptions{.lr = 0.05, .momentum = 0.9}),
                     train_cnn<optim::Adam>(8, 12, optim::AdamOptions{}));
  };
  const auto one = with_threads(1);
  for (const int n : {2, 3}) {
    const auto several = with_threads(n);
    expect_same_bits(one.first, several.first);
    expect_same_bits(one.second, several.second);
  }
  set_threads(before);
}

TEST(Training, GivesTheSameBitsForTheSameSeed) {
  const optim::AdamOptions options{.lr = 2e-3};
  const History first = train_cnn<optim::Adam>(3, 10, options);
  expect_same_bits(first, train_cnn<optim::Adam>(3, 10, options));
  EXPECT_NE(first.losses, train_cnn<optim::Adam>(4, 10, options).losses);
}

TEST(Training, LearnsInTwoHundredStepsAndLeavesNothingBehind) {
  const int threads_before = threads();
  set_threads(1);  // tests run side by side: two programs of two threads each would wait for one another
  const std::int64_t before = memory_report().in_use;
  {
    const History history = train_cnn<optim::Adam>(5, 200, optim::AdamOptions{.lr = 3e-3});
    const auto mean_of = [&](std::size_t begin) {
      double total = 0.0;
      for (std::size_t i = begin; i < begin + 10; ++i) total += history.losses[i];
      return total / 10.0;
    };
    EXPECT_GT(mean_of(0), 0.8);
    EXPECT_LT(mean_of(190), 0.5 * mean_of(0));
  }
  EXPECT_EQ(memory_report().in_use, before);
  set_threads(threads_before);
}

struct TinyMlp {
  Tensor hidden, hidden_bias, out, out_bias;
  explicit TinyMlp(Rng rng)
      : hidden(rng.normal({8, 2})),
        hidden_bias(zeros({8})),
        out(rng.normal({1, 8}, 0.0, 0.3)),
        out_bias(zeros({1})) {}
  Tensor operator()(const Tensor& x) const {
    return linear(tanh(linear(x, hidden, hidden_bias)), out, out_bias);
  }
  LIKELY_PARTS(hidden, hidden_bias, out, out_bias)
};

TEST(Training, KeepsMemoryFlatForTenThousandSteps) {
  Rng rng(11);
  TinyMlp model(rng.split());
  optim::Adam adam(model, {.lr = 1e-3});
  const auto step = [&] {
    const Tensor x = rng.normal({16, 2});
    const Tensor target = select(x, 1, 0) * select(x, 1, 1);
    auto [loss, gradient] = value_and_grad(
        model, [&](const TinyMlp& m) { return mean_squared_error(m(x), unsqueeze(target, 1)); });
    adam.step(model, gradient);
    return loss.item();
  };
  for (int i = 0; i < 20; ++i) step();
  reset_peak_memory();
  step();
  const MemoryReport early = memory_report();
  double loss = 0.0;
  for (int i = 21; i < 10000; ++i) {
    loss = step();
    ASSERT_EQ(memory_report().in_use, early.in_use) << "step " << i;
  }
  EXPECT_EQ(memory_report().peak, early.peak);
  EXPECT_EQ(memory_report().cached, early.cached);
  EXPECT_LT(loss, 1.0);
}

}  // namespace
}  // namespace likely
