// The experiments of chapters 8 and 9 against closed forms.
#include <gtest/gtest.h>

#include <cmath>
#include <csignal>
#include <fstream>
#include <numeric>
#include <set>
#include <sstream>

#include "likely/likely.hpp"
#include "tests/support/check_gradients.hpp"
#include "tests/train/small_network.hpp"

namespace likely {
namespace {

using testing::expect_refusal;
using testing::numbers;
using testing::TemporaryFolder;

// 1, x, x^2, ... as columns, of x (rows, 1).
Tensor powers(const Tensor& x, int degree) {
  std::vector<Tensor> columns;
  for (int i = 0; i <= degree; ++i) columns.push_back(pow(x, static_cast<double>(i)));
  return concat(columns, 1);
}

Tensor least_squares(const Tensor& features, const Tensor& y) {
  return solve(matmul(transpose(features), features), matmul(transpose(features), y));
}

train::RegressionProblem sine() {
  return {.mean = [](const Tensor& x) { return sin(x * 5.0); },
          .noise = [](const Tensor& x) { return full_like(x, 0.3); },
          .inputs =
              [](std::int64_t rows, Rng) {
                return reshape(linspace(0.0, 1.0, rows, DType::f64), {rows, 1});
              }};
}

TEST(BiasVariance, OfPolynomialLeastSquaresIsTheClosedForm) {
  constexpr int kDegree = 2;
  constexpr std::int64_t kRows = 12;
  const Tensor at = reshape(linspace(0.1, 0.9, 5, DType::f64), {5, 1});
  const train::BiasVariance found = train::bias_variance(
      sine(), at,
      [](const data::Dataset& d, Rng) -> train::Predictor {
        const data::Batch all = d.all();
        const Tensor weights = least_squares(powers(all.x, kDegree), all.y);
        return [weights](const Tensor& x) { return matmul(powers(x, kDegree), weights); };
      },
      {.rows = kRows, .datasets = 4000, .seed = 1});

  // With fixed inputs X: E f(x) = phi(x)^T (X^T X)^-1 X^T mu, Var f(x) = sigma^2 phi(x)^T (X^T X)^-1 phi(x).
  const Tensor inputs = sine().inputs(kRows, Rng(0));
  const Tensor features = powers(inputs, kDegree);
  const Tensor phi = powers(at, kDegree);
  const Tensor expected_mean = matmul(phi, least_squares(features, sin(inputs * 5.0)));
  const Tensor gram = matmul(transpose(features), features);
  const Tensor expected_variance = sum(phi * transpose(solve(gram, transpose(phi))), 1, true) * 0.09;
  for (std::int64_t i = 0; i < 5; ++i) {
    const double variance = expected_variance.at({i, 0});
    // Four standard errors of a mean and of a variance over 4000 normal numbers.
    EXPECT_NEAR(found.mean_prediction.at({i, 0}), expected_mean.at({i, 0}), 4.0 * std::sqrt(variance / 4000));
    EXPECT_NEAR(found.variance.at({i, 0}), variance, 4.0 * variance * std::sqrt(2.0 / 4000));
    const double bias = expected_mean.at({i, 0}) - std::sin(5.0 * at.at({i, 0}));
    EXPECT_NEAR(found.bias.at({i, 0}), bias * bias,
                8.0 * (std::abs(bias) + 0.01) * std::sqrt(variance / 4000));
    EXPECT_NEAR(found.noise.at({i, 0}), 0.09, 1e-15);
  }
}

TEST(BiasVariance, RefusesWhatItCannotAverage) {
  const Tensor at = zeros({5, 1}, DType::f64);
  const auto flat = [](const data::Dataset&, Rng) -> train::Predictor {
    return [](const Tensor& x) { return select(x, 1, 0); };
  };
  expect_refusal([&] { train::bias_variance(sine(), at, flat, {.datasets = 1}); },
                 "[bias_variance] at least 2 datasets are needed, got 1");
  expect_refusal([&] { train::bias_variance(sine(), at, flat, {.rows = 0}); },
                 "[bias_variance] datasets need at least 1 row, got 0");
  expect_refusal([&] { train::bias_variance(sine(), at, flat); },
                 "[bias_variance] a prediction has shape (5,), the mean (5, 1)");
}

// Leaving one out of least squares: the error of row i is its residual / (1 - h_ii), with the hat matrix
// h = X (X^T X)^-1 X^T.
TEST(CrossValidation, LeavingOneOutOfLeastSquaresIsTheClosedForm) {
  const Tensor features = testing::numbers({9, 3});
  const Tensor y = numbers({9, 1}, 1.0, 5);
  const auto score = [](const train::Data& fold, Rng) {
    const data::Batch train = fold.train.all();
    const data::Batch held_out = fold.validation->all();
    const Tensor error = matmul(held_out.x, least_squares(train.x, train.y)) - held_out.y;
    return mean(square(error)).item();
  };
  const train::CrossValidation found = train::cross_validate({features, y}, 9, Rng(1), score);
  const Tensor hat = matmul(features, solve(matmul(transpose(features), features), transpose(features)));
  const Tensor residual = select(y - matmul(hat, y), 1, 0) / (1.0 - diagonal(hat));
  EXPECT_NEAR(found.mean, mean(square(residual)).item(), 1e-12);
  std::vector<double> expected = square(residual).to_vector<double>();
  std::vector<double> scores = found.scores;
  std::sort(expected.begin(), expected.end());
  std::sort(scores.begin(), scores.end());
  for (std::size_t i = 0; i < 9; ++i) EXPECT_NEAR(scores[i], expected[i], 1e-12);
  EXPECT_NEAR(found.standard_error, std(square(residual), {}, false, 1.0).item() / 3.0, 1e-12);
}

TEST(CrossValidation, WeighsFoldsByTheirRows) {
  const auto score = [](const train::Data& fold, Rng) { return sum(fold.validation->all().x).item(); };
  const train::CrossValidation found =
      train::cross_validate(data::Dataset(ones({7}, DType::f64)), 3, Rng(1), score);
  EXPECT_EQ(std::accumulate(found.rows.begin(), found.rows.end(), std::int64_t{0}), 7);
  // Each score is its number of rows here: 2, 2 and 3 in some order.
  EXPECT_DOUBLE_EQ(found.mean, (4.0 + 4.0 + 9.0) / 7.0);
}

struct Shift {
  Tensor by;
  Tensor operator()(const Tensor& x) const { return x + by; }
  LIKELY_PARTS(by)
};

TEST(Ensemble, AveragesItsMembers) {
  double next = 0.0;
  std::vector<Rng> keys;
  const auto trio = train::ensemble(3, Rng(1), [&](Rng rng) {
    keys.push_back(rng);
    const double by = next++ == 2.0 ? 9.0 : next;  // 1, 2, 9
    return Shift{tensor(by, DType::f64)};
  });
  const Tensor x = tensor({{0.0, 10.0}}, DType::f64);
  EXPECT_TRUE(array_equal(trio(x), tensor({{4.0, 14.0}}, DType::f64)));
  EXPECT_TRUE(array_equal(trio.median(x), tensor({{2.0, 12.0}}, DType::f64)));
  EXPECT_TRUE(allclose(trio.variance(x), full({1, 2}, (9.0 + 4.0 + 25.0) / 3.0, DType::f64), 1e-14));
  EXPECT_TRUE(allclose(trio.probabilities(x), softmax(x), 1e-14));  // a shift changes no softmax
  EXPECT_FALSE(keys[0] == keys[1] || keys[1] == keys[2]);
  EXPECT_EQ(count_parameters(trio), 3);
  const train::Ensemble<Shift> pair{{trio.members[0], trio.members[1]}};
  EXPECT_TRUE(array_equal(pair.median(x), tensor({{1.5, 11.5}}, DType::f64)));
}

TEST(Ensemble, MixesProbabilities) {
  const train::Ensemble<Shift> two{
      {Shift{tensor({1.0, 0.0}, DType::f64)}, Shift{tensor({0.0, 3.0}, DType::f64)}}};
  const Tensor p = two.probabilities(zeros({1, 2}, DType::f64));
  const double first = (std::exp(1.0) / (1.0 + std::exp(1.0)) + 1.0 / (1.0 + std::exp(3.0))) / 2.0;
  EXPECT_NEAR(p.at({0, 0}), first, 1e-15);
  EXPECT_NEAR(p.at({0, 1}), 1.0 - first, 1e-15);
}

TEST(Ensemble, RefusesToBeEmpty) {
  expect_refusal([] { train::ensemble(0, Rng(1), [](Rng) { return Shift{}; }); },
                 "[ensemble] at least 1 member is needed, got 0");
  expect_refusal([] { train::Ensemble<Shift>{}(zeros({1})); }, "[Ensemble] the ensemble has no members");
}

TEST(Ensemble, BootstrapDrawsWithReplacement) {
  const data::Dataset rows(arange(1000, DType::i64));
  const std::vector<std::int64_t> drawn = train::bootstrap(rows, Rng(1)).all().x.to_vector<std::int64_t>();
  ASSERT_EQ(drawn.size(), 1000U);
  const std::set<std::int64_t> different(drawn.begin(), drawn.end());
  // 1 - 1/e of the rows are expected, with a standard deviation of about 10.
  EXPECT_NEAR(static_cast<double>(different.size()), 632.0, 45.0);
  EXPECT_EQ(drawn, train::bootstrap(rows, Rng(1)).all().x.to_vector<std::int64_t>());
}

TEST(Search, TheGridTriesEverything) {
  std::vector<std::pair<double, double>> tried;
  const train::SearchResult found = train::grid_search(
      {{"x", {1.0, 2.0}}, {"a", {0.0, 5.0, 3.0}}}, Rng(1), [&](const train::Choice& c, Rng) {
        tried.emplace_back(c.at("x"), c.at("a"));
        return std::abs(c.at("x") - 2.0) + std::abs(c.at("a") - 3.0);
      });
  EXPECT_EQ(tried, (std::vector<std::pair<double, double>>{{1, 0}, {1, 5}, {1, 3}, {2, 0}, {2, 5}, {2, 3}}));
  EXPECT_EQ(found.best().choice, (train::Choice{{"a", 3.0}, {"x", 2.0}}));
  EXPECT_EQ(found.best().value, 0.0);
  EXPECT_FALSE(found.interrupted);
}

TEST(Search, RandomChoicesComeFromTheirRanges) {
  const auto space = [] {
    return std::vector<std::pair<std::string, train::Candidates>>{{"lr", train::log_uniform(1e-4, 1e-1)},
                                                                  {"p", train::uniform(0.1, 0.5)},
                                                                  {"width", train::whole(3, 5)},
                                                                  {"kind", train::one_of({-1.0, 7.0})}};
  };
  const auto value = [](const train::Choice& c, Rng) { return c.at("lr"); };
  const train::SearchResult found =
      train::random_search(space(), 400, Rng(1), value, {.higher_is_better = true});
  double below_one_percent = 0;
  std::set<double> widths;
  std::set<double> kinds;
  for (const train::Trial& trial : found.trials) {
    EXPECT_TRUE(trial.choice.at("lr") >= 1e-4 && trial.choice.at("lr") <= 1e-1);
    EXPECT_TRUE(trial.choice.at("p") >= 0.1 && trial.choice.at("p") <= 0.5);
    below_one_percent += trial.choice.at("lr") < 1e-3 ? 1 : 0;
    widths.insert(trial.choice.at("width"));
    kinds.insert(trial.choice.at("kind"));
    EXPECT_LE(trial.value, found.best().value);
  }
  EXPECT_NEAR(below_one_percent / 400.0, 1.0 / 3.0, 0.1);  // a third of the decades
  EXPECT_EQ(widths, (std::set<double>{3, 4, 5}));
  EXPECT_EQ(kinds, (std::set<double>{-1, 7}));
  const train::SearchResult again = train::random_search(space(), 400, Rng(1), value);
  for (std::size_t i = 0; i < 400; ++i) EXPECT_EQ(found.trials[i].choice, again.trials[i].choice);
}

TEST(Search, FailedTrialsAreNotedAndTheSearchGoesOn) {
  const TemporaryFolder folder;
  const train::SearchResult found =
      train::grid_search({{"lr", {0.5, 10.0, 0.1, 99.0}}}, Rng(1), [](const train::Choice& c, Rng) {
        if (c.at("lr") == 10.0) refuse("fit", "the loss is \"NaN\", sorry");
        return c.at("lr") == 99.0 ? std::nan("") : c.at("lr");
      });
  EXPECT_EQ(found.best().choice.at("lr"), 0.1);
  EXPECT_EQ(found.table(),
            "            lr         value\n"
            "           0.1           0.1\n"
            "           0.5           0.5\n"
            "            10        failed  [fit] the loss is \"NaN\", sorry\n"
            "            99        failed  the value is NaN\n");
  found.save_csv(folder.path() / "trials.csv");
  std::ifstream file(folder.path() / "trials.csv");
  std::ostringstream text;
  text << file.rdbuf();
  EXPECT_EQ(
      text.str(),
      "lr,value,error\n0.5,0.5,\n10,,\"[fit] the loss is \"\"NaN\"\", sorry\"\n0.1,0.1,\n99,,\"the value "
      "is NaN\"\n");
}

TEST(Search, RefusesWhatCannotBeTried) {
  const auto value = [](const train::Choice&, Rng) -> double { refuse("mine", "never"); };
  expect_refusal([&] { train::grid_search({}, Rng(1), value); },
                 "[grid_search] there are no options to search over");
  expect_refusal(
      [&] {
        train::grid_search({{"lr", {}}}, Rng(1), value);
      },
      "[grid_search] the option \"lr\" has no values");
  expect_refusal(
      [&] {
        train::grid_search({{"lr", {1.0}}, {"lr", {2.0}}}, Rng(1), value);
      },
      "[grid_search] the option \"lr\" is named twice");
  expect_refusal(
      [&] {
        train::random_search({{"lr", train::uniform(0, 1)}}, 0, Rng(1), value);
      },
      "[random_search] at least 1 trial is needed, got 0");
  expect_refusal([&] { train::uniform(1, 1); }, "[uniform] low must be below high, got 1 and 1");
  expect_refusal([&] { train::log_uniform(0, 1); }, "[log_uniform] 0 < low < high is needed, got 0 and 1");
  expect_refusal([&] { train::whole(2, 1); }, "[whole] low must not be above high, got 2 and 1");
  expect_refusal([&] { train::one_of({}); }, "[one_of] there are no values to choose from");
  expect_refusal(
      [&] {
        train::grid_search({{"lr", {1.0, 2.0}}}, Rng(1), value).best();
      },
      "[search] all 2 trials failed, the first with: [mine] never");
}

// Ctrl-C while a member, fold or trial is trained: that one ends, and nothing more is begun.
TEST(Experiments, StopOnCtrlC) {
  const auto interrupted = [](Rng) {
    std::raise(SIGINT);
    return Shift{zeros({1})};
  };
  expect_refusal([&] { train::ensemble(3, Rng(1), interrupted); },
                 "[ensemble] interrupted after 1 of 3 members");
  const data::Dataset rows(ones({6, 1}), zeros({6}, DType::i64));
  expect_refusal(
      [&] {
        train::cross_validate(rows, 3, Rng(1), [](const train::Data&, Rng) {
          std::raise(SIGINT);
          return 0.0;
        });
      },
      "[cross_validate] interrupted after 1 of 3 folds");
  expect_refusal(
      [&] {
        train::double_descent({1, 2}, {.train = rows, .validation = rows},
                              [&](std::int64_t, const data::Dataset&, Rng rng) { return interrupted(rng); },
                              {});
      },
      "[double_descent] interrupted after 1 of 2 widths");
  expect_refusal(
      [&] {
        train::bias_variance(sine(), zeros({5, 1}, DType::f64),
                             [](const data::Dataset&, Rng) -> train::Predictor {
                               std::raise(SIGINT);
                               return [](const Tensor& x) { return x; };
                             });
      },
      "[bias_variance] interrupted after 1 of 100 datasets");
  const train::SearchResult found =
      train::grid_search({{"lr", {1.0, 2.0, 3.0}}}, Rng(1), [](const train::Choice& c, Rng) {
        if (c.at("lr") == 2.0) std::raise(SIGINT);
        return c.at("lr");
      });
  EXPECT_TRUE(found.interrupted);
  EXPECT_EQ(found.trials.size(), 2U);  // what was found is kept
}

// A fit inside notices too, and the signal does not reach the next experiment.
TEST(Experiments, AFitInsideStopsWithThem) {
  std::int64_t steps = 0;
  const auto train_one = [&](Rng rng) {
    testing::SmallNetwork model(rng);
    optim::Sgd sgd(model, {.lr = 0.1});
    const auto result =
        train::fit(model, sgd, {.train = testing::three_classes(40, 1)}, testing::kCrossEntropy,
                   {.steps = 10,
                    .on_step =
                        [&](const train::StepReport& s) {
                          if (steps == 0 && s.step == 3) std::raise(SIGINT);
                        },
                    .progress = train::Progress::silent});
    steps = result.steps;
    return model;
  };
  expect_refusal([&] { train::ensemble(2, Rng(1), train_one); },
                 "[ensemble] interrupted after 1 of 2 members");
  EXPECT_EQ(steps, 3);
  EXPECT_EQ(train::ensemble(2, Rng(1), train_one).members.size(), 2U);
  EXPECT_EQ(steps, 10);
}

// Random features and the shortest weights that solve least squares: the model in which double descent is
// understood. The peak is where there are as many features as rows.
struct RandomFeatures {
  Buffer directions;
  Tensor weights;
  Tensor features(const Tensor& x) const { return relu(matmul(x, directions)); }
  Tensor operator()(const Tensor& x) const { return matmul(features(x), weights); }
  LIKELY_PARTS(directions, weights)
};

TEST(DoubleDescent, TheTestErrorPeaksWhereTheModelJustFits) {
  Rng rng(1);
  const Tensor truth = rng.normal({8, 1}, 0.0, 1.0, DType::f64);
  const auto rows = [&](std::int64_t count) {
    const Tensor x = rng.normal({count, 8}, 0.0, 1.0, DType::f64);
    return data::Dataset(x, tanh(matmul(x, truth)) + rng.normal({count, 1}, 0.0, 0.3, DType::f64));
  };
  const data::Dataset training = rows(40);
  const data::Dataset test = rows(500);
  const auto train_one = [](std::int64_t width, const data::Dataset& train, Rng key) {
    RandomFeatures model{key.normal({8, width}, 0.0, 1.0, DType::f64), {}};
    const data::Batch all = train.all();
    const Tensor f = model.features(all.x);
    const auto few = width <= all.x.dim(0);
    const Tensor gram = few ? matmul(transpose(f), f) : matmul(f, transpose(f));
    const Tensor solid = gram + eye(gram.dim(0), DType::f64) * 1e-9;
    model.weights =
        few ? solve(solid, matmul(transpose(f), all.y)) : matmul(transpose(f), solve(solid, all.y));
    return model;
  };
  const auto points =
      train::double_descent({4, 10, 40, 160, 640}, {.train = training, .validation = test}, train_one,
                            {{"error", train::mean_squared_error, false}}, {.seed = 3});
  ASSERT_EQ(points.size(), 5U);
  EXPECT_EQ(points[2].width, 40);
  EXPECT_EQ(points[2].parameters, 40);
  EXPECT_GT(points[0].on_train[0], 0.01);
  for (const std::size_t i : {2U, 3U, 4U}) EXPECT_LT(points[i].on_train[0], 1e-4);
  EXPECT_GT(points[2].on_test[0], 3.0 * points[1].on_test[0]);
  EXPECT_GT(points[2].on_test[0], 3.0 * points[4].on_test[0]);
  EXPECT_LT(points[4].on_test[0], points[3].on_test[0]);
}

TEST(DoubleDescent, TrainsOnNoisyLabelsAndTestsOnCleanOnes) {
  const data::Dataset clean(zeros({400, 1}), zeros({400}, DType::i64));
  std::vector<double> noise;
  const auto train_one = [&](std::int64_t width, const data::Dataset& train, Rng) {
    noise.push_back(mean(train.targets() != 0.0).item());
    return Shift{zeros({width})};
  };
  const auto points =
      train::double_descent({1, 2}, {.train = clean, .validation = clean}, train_one,
                            {{"label", [](const Shift&, const data::Batch& b) { return mean(b.y); }}},
                            {.label_noise = 0.5, .classes = 2, .seed = 1});
  EXPECT_NEAR(noise[0], 0.25, 0.08);
  EXPECT_EQ(noise[0], noise[1]);
  EXPECT_NEAR(points[0].on_train[0], noise[0], 1e-6);
  EXPECT_EQ(points[0].on_test[0], 0.0);
  expect_refusal([&] { train::double_descent({}, {.train = clean, .validation = clean}, train_one, {}); },
                 "[double_descent] there are no widths to try");
  expect_refusal([&] { train::double_descent({1}, {.train = clean}, train_one, {}); },
                 "[double_descent] test data are needed: Data::validation");
}

}  // namespace
}  // namespace likely
