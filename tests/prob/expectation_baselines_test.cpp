// Variances of estimators beside what theory says, baselines, scores of trajectories, and refusals.
#include "likely/prob/expectation/expectation.hpp"
#include "likely/prob/sampling/gumbel_top_k.hpp"
#include "tests/prob/expectation_support.hpp"
#include "tests/support/check_gradients.hpp"

namespace likely {
namespace {

using testing::class_values;
using testing::copies;
using testing::expect_refusal;
using testing::expect_unbiased;
using testing::f64;
using testing::kClassLogits;
using testing::kFactor;
using testing::Numbers;
using testing::of_labels;
using testing::repeated;
using testing::sum_over_classes;

const Tensor kFactorOfF = f64({kFactor});

// The variance of one estimate of d/dm E z^2, z ~ N(m, 1), measured over many.
double normal_variance(double m, const Estimator& e, std::int64_t repetitions = 40000) {
  const Tensor found = grad(full({repetitions}, m, DType::f64), [&](const Tensor& x) {
    return sum(expect(
        Normal(x, 1.0), [](const Tensor& z) { return square(z); }, e, Rng(31)));
  });
  return repeated(found).variance.item();
}

// With g = z - m: E g^2 z^4 - 4 m^2 and so on, from the moments 1, 3, 15 of a standard normal number.
TEST(ExpectationVariance, OfNormalExpectationsIsWhatTheMomentsSay) {
  const double m = 1.7, m2 = m * m;
  // The variance of a variance over n is (kurtosis - 1) / n; heavy tails are allowed for by 8 %.
  const auto expect_variance = [&](const Estimator& e, double exact) {
    EXPECT_NEAR(normal_variance(m, e), exact, 0.08 * exact);
  };
  const double plain = m2 * m2 + 14.0 * m2 + 15.0, best = 8.0 * m2 + 6.0, usual = 8.0 * m2 + 10.0;
  expect_variance(estimator::Reparameterised{}, 4.0);
  expect_variance(estimator::Reparameterised{.samples = 10}, 0.4);
  expect_variance(estimator::Score{}, plain);
  expect_variance(estimator::Score{.samples = 10}, plain / 10.0);
  // c* = E[g^2 f] / E[g^2] = m^2 + 3; the mean value, m^2 + 1, is not quite as good.
  expect_variance(estimator::Score{.baseline = baseline::Constant(m2 + 3.0)}, best);
  expect_variance(estimator::Score{.baseline = baseline::Constant(m2 + 1.0)}, usual);
  EXPECT_LT(normal_variance(m, estimator::Score{.baseline = baseline::Constant(m2 + 3.0)}),
            normal_variance(m, estimator::Score{.baseline = baseline::Constant(m2 + 2.0)}));
}

TEST(ExpectationVariance, IsOrderedAsTheorySays) {
  const double m = 5.0;  // theta = 1 in the example of the document
  const auto score = [&](const Baseline& b) {
    return normal_variance(m, estimator::Score{.samples = 100, .baseline = b}, 4000);
  };
  const double path = normal_variance(m, estimator::Reparameterised{.samples = 100}, 4000);
  const double best = score(baseline::Optimal{}), others = score(baseline::LeaveOneOut{});
  const double plain = score(baseline::None{});
  EXPECT_LT(10.0 * path, best);
  EXPECT_LT(10.0 * path, others);
  EXPECT_LT(3.0 * others, plain);
  EXPECT_LT(3.0 * best, plain);
  // What the others' mean costs beside the mean itself is 1 / (n - 1) of it, and so.
  const double usual = (8.0 * m * m + 10.0) / 100.0;
  EXPECT_NEAR(others, usual, 0.15 * usual);
}

// The best constant for each logit is a sum over the classes; no other constant has less variance.
TEST(ExpectationVariance, NoConstantIsBetterThanTheOptimalBaseline) {
  const Numbers p = testing::softmax_by_hand(kClassLogits), f = {0.2, 1.5, -0.3, 0.9};
  const Numbers exact = sum_over_classes(kClassLogits, f).second;
  const auto variance = [&](std::size_t j, double c) {
    double second = 0.0;
    for (std::size_t k = 0; k < p.size(); ++k) {
      const double g = (k == j ? 1.0 : 0.0) - p[j];
      second += p[k] * g * g * (f[k] - c) * (f[k] - c);
    }
    return second - exact[j] * exact[j];
  };
  constexpr std::int64_t kSamples = 300;
  const auto measured = [&](const Baseline& b) {
    const Tensor found = grad(copies(kClassLogits, 1200), [&](const Tensor& x) {
      return sum(expect(
          OneHot{Categorical(x)}, [&](const Tensor& z) { return sum(z * f64(f), -1); },
          estimator::Score{.samples = kSamples, .baseline = b}, Rng(77)));
    });
    return repeated(found).variance.to_vector<double>();
  };
  const Numbers optimal = measured(baseline::Optimal{}), others = measured(baseline::LeaveOneOut{});
  for (std::size_t j = 0; j < p.size(); ++j) {
    double above = 0.0, below = 0.0, usual = 0.0;
    for (std::size_t k = 0; k < p.size(); ++k) {
      const double g = (k == j ? 1.0 : 0.0) - p[j];
      above += p[k] * g * g * f[k];
      below += p[k] * g * g;
      usual += p[k] * f[k];
    }
    const double best = variance(j, above / below);
    for (const double c : {-1.0, 0.0, 0.2, 0.5, 1.0, 2.0}) EXPECT_LE(best, variance(j, c) + 1e-12);
    // 1200 repetitions: a standard error of 4.1 %; that 300 samples do not know c* costs at most 7 %.
    EXPECT_NEAR(optimal[j] * kSamples, best, 0.25 * best) << j;
    EXPECT_NEAR(others[j] * kSamples, variance(j, usual), 0.25 * variance(j, usual)) << j;
    if (variance(j, usual) > 1.6 * best) {
      EXPECT_LT(optimal[j], others[j]) << j;
    }
  }
}

// Of all four elements of the gradient, for 3 (s + shift), s the number of the class.
double total_variance(const Estimator& e, double shift = 0.0) {
  const Tensor found = grad(copies(kClassLogits, 20000), [&](const Tensor& x) {
    return sum(expect(
        OneHot{Categorical(x)},
        [&](const Tensor& z) { return 3.0 * (sum(z * f64(testing::kWeights), -1) + shift); }, e, Rng(41)));
  });
  return sum(repeated(found).variance).item();
}

TEST(ExpectationVariance, ControlVariatesAndDifferentSamplesHelp) {
  using Weights = estimator::WithoutReplacement::Weights;
  const auto different = [](Weights weights, double shift) {
    return total_variance(estimator::WithoutReplacement{.samples = 3, .weights = weights}, shift);
  };
  const double plain = total_variance(estimator::Score{.samples = 3});
  EXPECT_LT(2.0 * total_variance(estimator::Rebar{.samples = 3, .temperature = 1.0}), plain);
  EXPECT_LT(2.0 * different(Weights::plain, 0.0), plain);
  // Far from 0 a baseline is needed.
  const double others =
      total_variance(estimator::Score{.samples = 3, .baseline = baseline::LeaveOneOut{}}, 3.0);
  EXPECT_LT(different(Weights::with_baseline, 3.0), different(Weights::plain, 3.0));
  EXPECT_LT(2.0 * different(Weights::normalised, 3.0), different(Weights::with_baseline, 3.0));
  EXPECT_LT(2.0 * different(Weights::normalised, 3.0), others);
  EXPECT_LT(2.0 * different(Weights::unordered, 3.0), different(Weights::with_baseline, 3.0));
  EXPECT_LT(2.0 * different(Weights::unordered, 3.0), others);
  const double cold = total_variance(estimator::GumbelSoftmax{.samples = 3, .temperature = 0.1});
  EXPECT_GT(cold, 2.0 * total_variance(estimator::GumbelSoftmax{.samples = 3, .temperature = 1.0}));
}

// Its bias is shown to be there, and to fall as more of the classes are drawn.
TEST(ExpectationVariance, NormalisedWeightsHaveASmallBias) {
  const auto [value, gradient] = sum_over_classes(kClassLogits, class_values());
  Numbers bias;
  for (const std::int64_t k : {1, 2, 3}) {
    const Tensor found = grad(copies(kClassLogits, 60000), [&](const Tensor& x) {
      return sum(expect(
          Categorical(x), [](const Tensor& z) { return of_labels(z, kFactorOfF); },
          estimator::WithoutReplacement{.samples = k,
                                        .weights = estimator::WithoutReplacement::Weights::normalised},
          Rng(51)));
    });
    const testing::Repeated r = repeated(found);
    bias.push_back(max(abs(r.mean - f64(gradient))).item());
    EXPECT_GT(max(abs(r.mean - f64(gradient)) / r.error).item(), 6.0) << k;
  }
  EXPECT_GT(bias[0], bias[1]);
  EXPECT_GT(bias[1], bias[2]);
}

// Two classes drawn without replacement, their weights and the normalised estimate written out.
TEST(WithoutReplacement, NormalisedWeightsByHand) {
  const Numbers p = testing::softmax_by_hand(kClassLogits), f = class_values();
  for (const std::uint64_t seed : {1U, 2U, 3U, 4U}) {
    const PerturbedSample drawn = gumbel_top_k(log_softmax(f64(kClassLogits)), 2, Rng(seed));
    const double kappa = drawn.threshold.item();
    double all = 0.0, usual = 0.0;
    Numbers weight(4), slope(4);
    const auto indices = drawn.indices.to_vector<std::int64_t>();
    for (const std::int64_t index : indices) {
      const auto i = static_cast<std::size_t>(index);
      weight[i] = p[i] / (1.0 - std::exp(-std::exp(std::log(p[i]) - kappa)));
      all += weight[i];
      usual += weight[i] * f[i];
    }
    usual /= all;
    for (const std::int64_t index : indices) {
      const auto i = static_cast<std::size_t>(index);
      const double factor = weight[i] / (all - weight[i] + p[i]) * (f[i] - usual);
      for (std::size_t j = 0; j < 4; ++j) slope[j] += factor * ((i == j ? 1.0 : 0.0) - p[j]);
    }
    const auto [value, gradient] = value_and_grad(f64(kClassLogits), [&](const Tensor& x) {
      return expect(
          Categorical(x), [](const Tensor& z) { return of_labels(z, kFactorOfF); },
          estimator::WithoutReplacement{.samples = 2,
                                        .weights = estimator::WithoutReplacement::Weights::normalised},
          Rng(seed));
    });
    EXPECT_NEAR(value.item(), usual, 1e-12);
    EXPECT_TRUE(allclose(gradient, f64(slope), 1e-11, 1e-12)) << gradient;
  }
}

// All sets of two of four classes, with their probabilities by hand: the mean over them is the exact
// gradient.
TEST(WithoutReplacement, SetsAreWeightedByTheirProbabilities) {
  const Numbers p = testing::softmax_by_hand(kClassLogits), f = class_values();
  const auto [value, gradient] = sum_over_classes(kClassLogits, f);
  const auto set_of = [](std::uint64_t seed) {
    return gumbel_top_k(log_softmax(f64(kClassLogits)), 2, Rng(seed)).indices.to_vector<std::int64_t>();
  };
  double mean_value = 0.0, all = 0.0;
  Numbers mean_slope(4);
  for (std::int64_t a = 0; a < 4; ++a) {
    for (std::int64_t b = a + 1; b < 4; ++b) {
      std::uint64_t seed = 1;  // one that draws this set
      for (auto set = set_of(seed); std::min(set[0], set[1]) != a || std::max(set[0], set[1]) != b;)
        set = set_of(++seed);
      const double pa = p[static_cast<std::size_t>(a)], pb = p[static_cast<std::size_t>(b)];
      const double likely_set = pa * pb / (1.0 - pa) + pb * pa / (1.0 - pb);
      const auto [found, slope] = value_and_grad(f64(kClassLogits), [&](const Tensor& x) {
        return expect(
            Categorical(x), [](const Tensor& z) { return of_labels(z, kFactorOfF); },
            estimator::WithoutReplacement{.samples = 2}, Rng(seed));
      });
      all += likely_set;
      mean_value += likely_set * found.item();
      for (std::int64_t k = 0; k < 4; ++k)
        mean_slope[static_cast<std::size_t>(k)] += likely_set * slope.at({k});
    }
  }
  EXPECT_NEAR(all, 1.0, 1e-14);
  EXPECT_NEAR(mean_value, value, 1e-13);
  for (std::size_t k = 0; k < 4; ++k) EXPECT_NEAR(mean_slope[k], gradient[k], 1e-13);
}

// A policy of two steps over three actions, whose second step knows the first: all nine trajectories by hand.
TEST(ScoreSurrogate, IsThePolicyGradient) {
  const Numbers first = {0.2, -0.4, 0.5}, second = {0.1, 0.3, -0.2, 0.7, -0.6, 0.0, -0.1, 0.4, 0.9};
  const Numbers p = testing::softmax_by_hand(first);
  const auto reward = [](std::size_t a, std::size_t b) {
    return 1.0 + static_cast<double>(a) - 0.8 * static_cast<double>(a == b) +
           0.3 * static_cast<double>(b * b);
  };
  double value = 0.0;
  Numbers of_first(3), of_second(9);
  for (std::size_t a = 0; a < 3; ++a) {
    const Numbers q = testing::softmax_by_hand({second[3 * a], second[3 * a + 1], second[3 * a + 2]});
    for (std::size_t b = 0; b < 3; ++b) {
      const double term = p[a] * q[b] * reward(a, b);
      value += term;
      for (std::size_t k = 0; k < 3; ++k) {
        of_first[k] += term * ((k == a ? 1.0 : 0.0) - p[k]);
        of_second[3 * a + k] += term * ((k == b ? 1.0 : 0.0) - q[k]);
      }
    }
  }
  constexpr std::int64_t kEpisodes = 400;
  std::vector<Tensor> firsts, seconds, values;
  Rng rng(5);
  for (int i = 0; i < 200; ++i) {
    const auto result =
        value_and_grad(std::tuple(f64(first), reshape(f64(second), {3, 3})), [&](auto& x, auto& y) {
          const Categorical start(x);
          const Tensor a = start.sample(rng.split(), {kEpisodes});
          const Categorical next(index_select(y, 0, a));
          const Tensor b = next.sample(rng.split());
          const Tensor af = a.to(DType::f64), bf = b.to(DType::f64);
          const Tensor rewards = 1.0 + af - 0.8 * equal(a, b).to(DType::f64) + 0.3 * square(bf);
          return score_surrogate(start.log_prob(a) + next.log_prob(b), rewards, baseline::LeaveOneOut{});
        });
    values.push_back(result.value);
    firsts.push_back(std::get<0>(result.gradient));
    seconds.push_back(flatten(std::get<1>(result.gradient)));
  }
  expect_unbiased("value", stack(values), {value});
  expect_unbiased("first step", stack(firsts), of_first);
  expect_unbiased("second step", stack(seconds), of_second);
}

TEST(ScoreSurrogate, GivesANumberForEachStep) {
  const Tensor log_probs = testing::numbers({4, 3}), rewards = testing::numbers({4, 3}, 1.0, 1);
  const Tensor b = testing::numbers({4, 1}, 1.0, 2);
  const auto [value, gradient] = value_and_grad(log_probs, [&](const Tensor& l) {
    const Tensor steps = score_surrogate(l, rewards, baseline::Constant(b));
    EXPECT_EQ(steps.shape(), Shape{3});
    return sum(steps);
  });
  EXPECT_NEAR(value.item(), sum(mean(rewards, 0)).item(), 1e-14);
  EXPECT_TRUE(allclose(gradient, (rewards - b) / 4.0, 1e-14, 1e-15));
}

TEST(ScoreSurrogate, LeaveOneOutByHand) {
  const Numbers r = {1.0, -2.5, 4.0, 0.25};
  const Tensor gradient = grad(zeros({4}, DType::f64), [&](const Tensor& l) {
    return score_surrogate(l, f64(r), baseline::LeaveOneOut{});
  });
  for (std::size_t i = 0; i < r.size(); ++i) {
    double others = 0.0;
    for (std::size_t j = 0; j < r.size(); ++j) others += j == i ? 0.0 : r[j] / 3.0;
    EXPECT_NEAR(gradient.at({static_cast<std::int64_t>(i)}), (r[i] - others) / 4.0, 1e-15);
  }
}

// Rows of data with a baseline that is a function of them.
TEST(Baseline, ALearnedOneIsTaughtByItsOwnLoss) {
  constexpr std::int64_t kRows = 64;
  const Tensor x = linspace(-1.0, 1.0, kRows, DType::f64);
  const auto f = [&](const Tensor& z) { return square(z) + 3.0 * x; };
  Tensor w = f64({0.0, 0.0, 0.0});
  const auto prediction = [&](const Tensor& v) { return v[0] + v[1] * x + v[2] * square(x); };
  Rng rng(2);
  const auto step = [&](const Tensor& weights, Tensor& of_law) {
    Tensor loss;
    const auto gradient = grad(std::tuple(weights, tensor(1.5, DType::f64)), [&](auto& v, auto& slope) {
      const Expectation e =
          estimate(Normal(slope * x, 1.0), f,
                   estimator::Score{.samples = 4, .baseline = baseline::Learned{prediction(v)}}, rng.split());
      EXPECT_EQ(e.values.shape(), (Shape{4, kRows}));
      // By hand: the mean squared error of the prediction.
      EXPECT_NEAR(e.baseline_loss.item(), mean(square(e.values - prediction(stop_gradient(v)))).item(),
                  1e-12);
      return mean(e.value) + e.baseline_loss;
    });
    of_law = std::get<1>(gradient);
    return std::get<0>(gradient);
  };
  const auto variance = [&](const Tensor& weights) {
    std::vector<Tensor> found;
    Tensor of_law;
    for (int i = 0; i < 300; ++i) {
      step(weights, of_law);
      found.push_back(of_law);
    }
    const testing::Repeated r = repeated(stack(found));
    // d/ds mean(s^2 x^2 + 1 + 3 x) = 2 s mean(x^2)
    EXPECT_NEAR(r.mean.item(), 3.0 * mean(square(x)).item(), 4.5 * r.error.item());
    return r.variance.item();
  };
  const double before = variance(w);
  Tensor unused;
  for (int i = 0; i < 300; ++i) w = w - 0.1 * step(w, unused);
  // The regression of z^2 + 3 x on (1, x, x^2) is (1, 3, 2.25).
  EXPECT_TRUE(allclose(w, f64({1.0, 3.0, 2.25}), 0.0, 0.6)) << w;
  EXPECT_LT(2.0 * variance(w), before);
}

// Without its loss the estimate itself must not teach the baseline.
TEST(Baseline, ALearnedOneGetsNoGradientFromTheEstimate) {
  const auto gradient = grad(std::tuple(f64(kClassLogits), tensor(0.3, DType::f64)), [&](auto& x, auto& c) {
    return expect(
        Categorical(x), [](const Tensor& z) { return of_labels(z, kFactorOfF); },
        estimator::Score{.samples = 10, .baseline = baseline::Learned{square(c)}}, Rng(1));
  });
  EXPECT_EQ(std::get<1>(gradient).item(), 0.0);
}

TEST(Baseline, MovingMeanForgets) {
  MovingMean usual{.decay = 0.5};
  EXPECT_EQ(usual.baseline().value.item(), 0.0);
  usual.add(tensor({1.0, 3.0}));
  EXPECT_NEAR(usual.baseline().value.item(), 2.0, 1e-15);
  usual.add(tensor({8.0}));
  // (2 / 4 + 8 / 2) / (1 / 4 + 1 / 2)
  EXPECT_NEAR(usual.baseline().value.item(), 6.0, 1e-15);
  expect_refusal([] { MovingMean{.decay = 1.0}.add(tensor({1.0})); },
                 "[MovingMean] decay must be in [0, 1), got 1");
}

TEST(Expectation, RefusesWhatAnEstimatorCannotDo) {
  const auto of = [](const auto& law, const Estimator& e) {
    return [=] {
      expect(
          law, [](const Tensor& z) { return z; }, e, Rng(1));
    };
  };
  const Categorical labels(f64(kClassLogits));
  const Normal normal(0.0, 1.0);
  const Bernoulli bit(tensor(0.3));
  expect_refusal(of(labels, estimator::Reparameterised{}),
                 "[expect] Reparameterised needs a law with rsample, got Categorical");
  expect_refusal(of(OneHot{labels}, estimator::Reparameterised{}),
                 "[expect] Reparameterised needs a law with rsample, got Categorical");
  expect_refusal(of(Poisson(2.0), estimator::Reparameterised{}),
                 "[expect] Reparameterised needs a law with rsample, got Poisson");
  expect_refusal(
      of(labels, estimator::StraightThrough{}),
      "[expect] StraightThrough needs samples that can lie between classes, and those of Categorical "
      "are labels: use OneHot{Categorical}");
  expect_refusal(of(normal, estimator::Rebar{}),
                 "[expect] Rebar needs Bernoulli or OneHot{Categorical}, got Normal");
  expect_refusal(of(bit, estimator::GumbelSoftmax{.temperature = 0.0}),
                 "[expect] GumbelSoftmax needs a temperature above 0, got 0");
  expect_refusal(of(bit, estimator::Rebar{.scale = std::numeric_limits<double>::infinity()}),
                 "[expect] Rebar needs a finite scale, got inf");
  expect_refusal(of(normal, estimator::Exact{}), "[expect] Exact needs Bernoulli or Categorical, got Normal");
  expect_refusal(of(Independent(Bernoulli(zeros({21})), 1), estimator::Exact{}),
                 "[expect] Exact goes through at most 1048576 values, 21 of 2 classes have more");
  expect_refusal(of(bit, estimator::WithoutReplacement{}),
                 "[expect] WithoutReplacement needs one Categorical, got Bernoulli");
  expect_refusal(of(Independent(Categorical(zeros({2, 3})), 1), estimator::WithoutReplacement{}),
                 "[expect] WithoutReplacement needs one Categorical, got Categorical");
  expect_refusal(of(labels,
                    estimator::WithoutReplacement{
                        .samples = 1, .weights = estimator::WithoutReplacement::Weights::with_baseline}),
                 "[expect] WithoutReplacement needs at least 2 samples, got 1");
  expect_refusal(of(Categorical(zeros({20})), estimator::WithoutReplacement{.samples = 11}),
                 "[expect] WithoutReplacement goes through sets of at most 10 samples, got 11; choose other "
                 "weights");
  expect_refusal(of(labels, estimator::WithoutReplacement{.samples = 5}),
                 "[gumbel_top_k] k must be in [1, 4], got 5");
}

TEST(Expectation, RebarRefusesAControlOfAnotherShape) {
  const Tensor logits = copies(kClassLogits, 3);
  const auto with = [&](const std::function<Tensor(const Tensor&)>& control) {
    return expect(
        OneHot{Categorical(logits)}, [](const Tensor& z) { return testing::of_rows(z, kFactorOfF); },
        estimator::Rebar{.samples = 5, .control = control}, Rng(1));
  };
  EXPECT_EQ(with([](const Tensor& z) { return sum(sin(z), -1); }).shape(), Shape({3}));
  for (const Shape& shape : {Shape{}, Shape{3}, Shape{1, 3}, Shape{5, 1}, Shape{2, 5, 3}, Shape{5, 3, 4}})
    expect_refusal([&] { with([&](const Tensor&) { return ones(shape, DType::f64); }); },
                   "[expect] the control of Rebar must be (samples, batch), (5, 3), got " + shape.string());
}

TEST(Expectation, RefusesSamplesValuesAndBaselinesThatDoNotFit) {
  const auto square_of = [](const Tensor& z) { return square(z); };
  const Normal normal(zeros({3}), 1.0);
  const auto with = [&](const ValueFunction& f, const Estimator& e) {
    return [&, f, e] { expect(normal, f, e, Rng(1)); };
  };
  expect_refusal(with(square_of, estimator::Score{.samples = 0}),
                 "[expect] Score needs at least 1 sample, got 0");
  expect_refusal(with(square_of, estimator::Score{.baseline = baseline::LeaveOneOut{}}),
                 "[expect] baseline::LeaveOneOut needs at least 2 samples, got 1");
  expect_refusal(with(square_of, estimator::Score{.baseline = baseline::Optimal{}}),
                 "[expect] baseline::Optimal needs at least 2 samples, got 1");
  expect_refusal(with(square_of, estimator::Score{.baseline = baseline::Constant(zeros({2, 3}))}),
                 "[expect] baseline::Constant of shape (2, 3) does not broadcast to the values' (1, 3)");
  expect_refusal(with(square_of, estimator::Score{.baseline = baseline::Learned{}}),
                 "[expect] baseline::Learned is empty");
  expect_refusal(
      with([](const Tensor& z) { return mean(z); }, estimator::Score{.samples = 5}),
      "[expect] f must give one number for each sample and each element of the batch, shape (5, 3), "
      "got ()");
  expect_refusal(
      with([](const Tensor&) { return Tensor(); }, estimator::Score{.samples = 5}),
      "[expect] f must give one number for each sample and each element of the batch, shape (5, 3), "
      "got nothing");
  expect_refusal(
      [] {
        expect(
            Dirichlet(ones({3})), [](const Tensor& z) { return sum(z, -1); },
            estimator::Score{.samples = 3, .baseline = baseline::Optimal{}}, Rng(1));
      },
      "[expect] baseline::Optimal needs a law of single numbers or of labels, got Dirichlet");
  expect_refusal(
      [] { score_surrogate(zeros({3}), zeros({4})); },
      "[score_surrogate] log_probs and rewards must have one shape, samples first, got (3,) and (4,)");
  expect_refusal([] { score_surrogate(zeros({3}), zeros({3}), baseline::Optimal{}); },
                 "[score_surrogate] baseline::Optimal needs the law: use expect");
  expect_refusal(
      [] { score_estimate(zeros({3}), zeros({4})); },
      "[score_estimate] log_probs and rewards must have one shape, samples first, got (3,) and (4,)");
  expect_refusal([] { score_estimate(zeros({3}), zeros({3}), baseline::Optimal{}); },
                 "[score_estimate] baseline::Optimal needs the law: use expect");
}

}  // namespace
}  // namespace likely
