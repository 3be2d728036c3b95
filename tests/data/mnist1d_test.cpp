#include "likely/data/mnist1d.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "likely/autodiff/gradient.hpp"
#include "likely/core/create.hpp"
#include "likely/core/threads.hpp"
#include "likely/io/csv.hpp"
#include "likely/io/json.hpp"
#include "likely/io/text.hpp"
#include "likely/ops/arithmetic.hpp"
#include "likely/ops/compare.hpp"
#include "likely/ops/linear.hpp"
#include "likely/ops/loss.hpp"
#include "likely/ops/reduce.hpp"
#include "likely/ops/view.hpp"
#include "likely/optim/adam.hpp"
#include "tests/support/check_gradients.hpp"
#include "tests/support/shared_data.hpp"

namespace likely::data {
namespace {

using testing::expect_refusal;

struct Linear {
  Tensor weight = zeros({10, 40});
  Tensor bias = zeros({10});
  LIKELY_PARTS(weight, bias)
};

// The share of test curves that a linear classifier gets right.
double linear_accuracy(const Dataset& train, const Dataset& test) {
  const Batch all = train.all();
  Linear model;
  optim::Adam adam(model, {.lr = 0.05});
  for (int step = 0; step < 200; ++step) {
    const Linear gradient = grad(model, [&](const Linear& m) {
      return softmax_cross_entropy(linear(all.x, m.weight, m.bias), all.y);
    });
    adam.step(model, gradient);
  }
  const Batch held_out = test.all();
  const Tensor guesses = argmax(linear(held_out.x, model.weight, model.bias), 1);
  return mean((guesses == held_out.y).to(DType::f64)).item();
}

// The mean curve of every class, (10, 40), and the spread around it.
struct ClassCurves {
  std::vector<double> mean = std::vector<double>(400, 0.0);
  std::vector<double> deviation = std::vector<double>(400, 0.0);
};
ClassCurves class_curves(const Dataset& dataset) {
  const Batch all = dataset.all();
  const std::vector<double> x = all.x.to_vector<double>();
  const std::vector<std::int64_t> y = all.y.to_vector<std::int64_t>();
  ClassCurves curves;
  std::vector<double> counts(10, 0.0);
  for (const std::int64_t label : y) counts[static_cast<std::size_t>(label)] += 1.0;
  for (int pass = 0; pass < 2; ++pass) {
    for (std::size_t i = 0; i < x.size(); ++i) {
      const auto label = static_cast<std::size_t>(y[i / 40]);
      const std::size_t place = 40 * label + i % 40;
      const double away = x[i] - curves.mean[place];
      (pass == 0 ? curves.mean : curves.deviation)[place] += (pass == 0 ? x[i] : away * away) / counts[label];
    }
  }
  for (double& deviation : curves.deviation) deviation = std::sqrt(deviation);
  return curves;
}

double distance(const std::vector<double>& a, const std::vector<double>& b) {
  double squares = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) squares += (a[i] - b[i]) * (a[i] - b[i]);
  return std::sqrt(squares / static_cast<double>(a.size()));
}

// The correlation of neighbours, and of points three apart.
std::vector<double> smoothness(const Dataset& dataset) {
  const std::vector<double> x = dataset.all().x.to_vector<double>();
  double near = 0.0;
  double far = 0.0;
  double own = 0.0;
  for (std::size_t i = 0; i + 3 < x.size(); ++i) {
    if (i % 40 > 36) continue;
    own += x[i] * x[i];
    near += x[i] * x[i + 1];
    far += x[i] * x[i + 3];
  }
  return {near / own, far / own};
}

TEST(Mnist1d, HasThePublishedTemplates) {
  LIKELY_SHARED_DATA(path, "mnist1d/templates.json");
  const auto stored = io::parse_json<io::SortedJson>(io::read_text(path))
                          .at("templates")
                          .get<std::vector<std::vector<double>>>();
  const Tensor ours = mnist1d_templates();
  for (std::int64_t digit = 0; digit < 10; ++digit) {
    for (std::int64_t i = 0; i < 12; ++i) {
      EXPECT_NEAR(ours.at({digit, i}), stored[static_cast<std::size_t>(digit)][static_cast<std::size_t>(i)],
                  1e-12);
    }
  }
}

TEST(Mnist1d, HasThePublishedSizes) {
  const auto [train, test] = mnist1d(Rng(1));
  EXPECT_EQ(train.all().x.shape().string(), "(4000, 40)");
  EXPECT_EQ(test.all().x.shape().string(), "(1000, 40)");
  std::vector<int> counts(10, 0);
  for (const Dataset& part : {train, test}) {
    for (const std::int64_t label : part.targets().to_vector<std::int64_t>())
      ++counts[static_cast<std::size_t>(label)];
  }
  EXPECT_EQ(counts, std::vector<int>(10, 500));
  const Tensor x = concat({train, test}).all().x.to(DType::f64);
  EXPECT_NEAR(mean(x).item(), 0.0, 1e-6);
  EXPECT_NEAR(mean(square(x)).item(), 1.0, 1e-6);
}

// Two draws of the recipe with 500 curves a class differ by chance by about sqrt(2 / 500) of the spread
// around the mean curves. The official data must not differ from ours by more than that allows.
TEST(Mnist1d, LooksLikeTheOfficialData) {
  LIKELY_SHARED_DATA(folder, "mnist1d");
  const Dataset official_train = io::read_csv(folder / "mnist1d_train.csv.gz").dataset("label");
  const Dataset official_test = io::read_csv(folder / "mnist1d_test.csv.gz").dataset("label");
  EXPECT_EQ(official_train.size(), 4000);
  EXPECT_EQ(official_test.size(), 1000);
  const auto [train, test] = mnist1d(Rng(42));
  const auto [other_train, other_test] = mnist1d(Rng(43));

  const Dataset official = concat({official_train, official_test});
  const Dataset ours = concat({train, test});
  const ClassCurves official_curves = class_curves(official);
  const ClassCurves our_curves = class_curves(ours);
  const ClassCurves other_curves = class_curves(concat({other_train, other_test}));
  const double chance = distance(our_curves.mean, other_curves.mean);
  EXPECT_LT(distance(our_curves.mean, official_curves.mean), 1.5 * chance);
  EXPECT_LT(distance(our_curves.deviation, official_curves.deviation),
            1.5 * distance(our_curves.deviation, other_curves.deviation));
  EXPECT_GT(distance(official_curves.mean, std::vector<double>(400, 0.0)), 5.0 * chance)
      << "the curves of the classes must be told apart for this to mean anything";
  for (const std::size_t lag : {0U, 1U}) EXPECT_NEAR(smoothness(ours)[lag], smoothness(official)[lag], 0.01);

  const double official_accuracy = linear_accuracy(official_train, official_test);
  const double accuracy = linear_accuracy(train, test);
  RecordProperty("linear_accuracy_official", std::to_string(official_accuracy));
  RecordProperty("linear_accuracy_generated", std::to_string(accuracy));
  EXPECT_NEAR(official_accuracy, 0.32, 0.03);
  EXPECT_NEAR(accuracy, 0.32, 0.04);
}

TEST(Mnist1d, DependsOnTheKeyAlone) {
  const int before = threads();
  const Tensor x = mnist1d(Rng(3)).train.all().x;
  for (const int count : {1, 2, 3}) {
    set_threads(count);
    EXPECT_TRUE(array_equal(mnist1d(Rng(3)).train.all().x, x));
  }
  set_threads(before);
  EXPECT_FALSE(array_equal(mnist1d(Rng(4)).train.all().x, x));
}

TEST(Mnist1d, CanBeMadeInOtherSizes) {
  const auto [train, test] = mnist1d(Rng(1), {.samples = 105, .train = 0.5, .length = 72});
  EXPECT_EQ(train.all().x.shape().string(), "(50, 72)");
  EXPECT_EQ(test.all().x.shape().string(), "(50, 72)");
}

TEST(Mnist1d, RefusesWhatMakesNoSense) {
  expect_refusal([] { mnist1d(Rng(1), {.samples = 9}); },
                 "[mnist1d] at least 10 samples are needed, got 9.000000");
  expect_refusal([] { mnist1d(Rng(1), {.train = 1.5}); },
                 "[mnist1d] train must be from 0 to 1, got 1.500000");
  expect_refusal([] { mnist1d(Rng(1), {.least_padding = 50, .most_padding = 40}); },
                 "[mnist1d] most_padding must not be below least_padding, got 40.000000");
  expect_refusal([] { mnist1d(Rng(1), {.iid_noise = -1.0}); },
                 "[mnist1d] iid_noise must not be negative, got -1.000000");
  expect_refusal([] { mnist1d(Rng(1), {.length = 1}); }, "[mnist1d] length must be at least 2, got 1.000000");
}

}  // namespace
}  // namespace likely::data
