// Estimators of gradients against sums by hand and closed forms.
#include "likely/prob/expectation/expectation.hpp"

#include "tests/prob/expectation_support.hpp"
#include "tests/support/check_gradients.hpp"

namespace likely {
namespace {

using testing::class_values;
using testing::copies;
using testing::curve;
using testing::expect_unbiased;
using testing::f64;
using testing::kClassLogits;
using testing::kFactor;
using testing::kWeights;
using testing::Numbers;
using testing::of_labels;
using testing::of_rows;
using testing::repeated;
using testing::sum_over_classes;

constexpr std::int64_t kRepetitions = 20000;

struct Named {
  std::string name;
  Estimator estimator;
};

const Tensor kFixed = f64({kFactor});

std::vector<Named> for_any_discrete_law() {
  return {
      {"score", estimator::Score{.samples = 3}},
      {"constant", estimator::Score{.samples = 3, .baseline = baseline::Constant(0.7)}},
      {"leave-one-out", estimator::Score{.samples = 3, .baseline = baseline::LeaveOneOut{}}},
      {"optimal", estimator::Score{.samples = 3, .baseline = baseline::Optimal{}}},
      {"learned", estimator::Score{.samples = 2, .baseline = baseline::Learned{tensor(0.4, DType::f64)}}},
  };
}

std::vector<Named> relaxing() {
  const auto control = [](const Tensor& z) { return z.rank() == 2 ? sin(z) : sum(sin(z), -1); };
  return {
      {"rebar", estimator::Rebar{.samples = 2}},
      {"rebar, hot", estimator::Rebar{.samples = 1, .temperature = 3.0, .scale = 0.3}},
      {"rebar, cold and wrong way", estimator::Rebar{.temperature = 0.1, .scale = -1.0}},
      {"relax", estimator::Rebar{.samples = 1, .scale = 0.8, .control = control}},
  };
}

std::vector<Named> for_classes() {
  using Weights = estimator::WithoutReplacement::Weights;
  return {
      {"exact", estimator::Exact{}},
      {"one of them", estimator::WithoutReplacement{.samples = 1, .weights = Weights::plain}},
      {"two plain", estimator::WithoutReplacement{.samples = 2, .weights = Weights::plain}},
      {"two", estimator::WithoutReplacement{.samples = 2, .weights = Weights::with_baseline}},
      {"three", estimator::WithoutReplacement{.samples = 3, .weights = Weights::with_baseline}},
      {"a set of two", estimator::WithoutReplacement{.samples = 2}},
      {"a set of three", estimator::WithoutReplacement{.samples = 3}},
  };
}

TEST(Expectation, EstimatorsForClassesAreUnbiased) {
  const auto [value, gradient] = sum_over_classes(kClassLogits, class_values());
  const Tensor logits = copies(kClassLogits, kRepetitions);
  std::vector<Named> all = for_any_discrete_law();
  for (const Named& more : for_classes()) all.push_back(more);
  int seed = 0;
  for (const auto& [name, e] : all) {
    Expectation found;
    const Tensor gradients = grad(logits, [&, &chosen = e](const Tensor& x) {
      found = estimate(
          Categorical(x), [](const Tensor& z) { return of_labels(z, kFixed); }, chosen, Rng(++seed));
      return sum(found.value);
    });
    expect_unbiased(name + ", value", stop_gradient(found.value), {value});
    expect_unbiased(name, gradients, gradient);
  }
}

TEST(Expectation, EstimatorsThatRelaxOneHotsAreUnbiased) {
  const auto [value, gradient] = sum_over_classes(kClassLogits, class_values());
  const Tensor logits = copies(kClassLogits, kRepetitions);
  std::vector<Named> all = relaxing();
  for (const Named& more : for_any_discrete_law()) all.push_back(more);
  int seed = 100;
  for (const auto& [name, e] : all) {
    Tensor estimates;
    const Tensor gradients = grad(logits, [&, &chosen = e](const Tensor& x) {
      estimates = expect(
          OneHot{Categorical(x)}, [](const Tensor& z) { return of_rows(z, kFixed); }, chosen, Rng(++seed));
      return sum(estimates);
    });
    expect_unbiased(name + ", value", stop_gradient(estimates), {value});
    expect_unbiased(name, gradients, gradient);
  }
}

TEST(Expectation, EstimatorsForBernoulliAreUnbiased) {
  const double x0 = -0.8, p = 1.0 / (1.0 + std::exp(-x0));
  const double at_0 = curve(-0.2), at_1 = curve(0.9);
  const Tensor logits = full({kRepetitions}, x0, DType::f64);
  std::vector<Named> all = relaxing();
  for (const Named& more : for_any_discrete_law()) all.push_back(more);
  all.push_back({"exact", estimator::Exact{}});
  int seed = 200;
  for (const auto& [name, e] : all) {
    Tensor estimates;
    const Tensor gradients = grad(logits, [&, &chosen = e](const Tensor& x) {
      estimates = expect(
          Bernoulli(x), [](const Tensor& z) { return curve(1.1 * z - 0.2); }, chosen, Rng(++seed));
      return sum(estimates);
    });
    expect_unbiased(name + ", value", stop_gradient(estimates), {p * at_1 + (1.0 - p) * at_0});
    expect_unbiased(name, gradients, {p * (1.0 - p) * (at_1 - at_0)});
  }
}

// f of two answers at once, each from three classes.
double of_pair(std::size_t a, std::size_t b) { return curve(kWeights[a] - 0.7 * kWeights[b]); }

TEST(Expectation, SeveralNumbersTogether) {
  const Numbers logits = {0.3, -0.5, 0.8, -1.0, 0.2, 0.6};
  const Numbers p = testing::softmax_by_hand({0.3, -0.5, 0.8}),
                q = testing::softmax_by_hand({-1.0, 0.2, 0.6});
  double value = 0.0;
  Numbers gradient(6);
  for (std::size_t a = 0; a < 3; ++a) {
    for (std::size_t b = 0; b < 3; ++b) {
      const double term = p[a] * q[b] * of_pair(a, b);
      value += term;
      for (std::size_t k = 0; k < 3; ++k) {
        gradient[k] += term * ((a == k ? 1.0 : 0.0) - p[k]);
        gradient[3 + k] += term * ((b == k ? 1.0 : 0.0) - q[k]);
      }
    }
  }
  const auto f = [](const Tensor& z) {
    const Tensor s = sum(z * f64({kWeights[0], kWeights[1], kWeights[2]}), -1);
    return curve(select(s, -1, 0) - 0.7 * select(s, -1, 1));
  };
  std::vector<Named> all = relaxing();
  all.pop_back();  // its control is of one number
  for (const Named& more : for_any_discrete_law()) all.push_back(more);
  all.push_back({"exact", estimator::Exact{}});
  int seed = 300;
  for (const auto& [name, e] : all) {
    Tensor estimates;
    const Tensor gradients = grad(copies(logits, kRepetitions), [&, &chosen = e](const Tensor& x) {
      const Tensor of_both = reshape(x, {kRepetitions, 2, 3});
      estimates = expect(OneHot{Independent(Categorical(of_both), 1)}, f, chosen, Rng(++seed));
      return sum(estimates);
    });
    expect_unbiased(name + ", value", stop_gradient(estimates), {value});
    expect_unbiased(name, gradients, gradient);
  }
}

TEST(Expectation, SeveralBitsTogether) {
  const Numbers logits = {0.3, -0.5, 0.8};
  const auto of_bits = [](double a, double b, double c) { return curve(a - 0.4 * b + c * (a - 0.5)); };
  Numbers p, gradient(3);
  for (const double x : logits) p.push_back(1.0 / (1.0 + std::exp(-x)));
  for (int bits = 0; bits < 8; ++bits) {
    const double z[3] = {bits & 1 ? 1.0 : 0.0, bits & 2 ? 1.0 : 0.0, bits & 4 ? 1.0 : 0.0};
    double term = of_bits(z[0], z[1], z[2]);
    for (std::size_t i = 0; i < 3; ++i) term *= z[i] == 1.0 ? p[i] : 1.0 - p[i];
    for (std::size_t i = 0; i < 3; ++i) gradient[i] += term * (z[i] - p[i]);
  }
  const auto f = [](const Tensor& z) {
    const Tensor a = select(z, -1, 0), b = select(z, -1, 1), c = select(z, -1, 2);
    return curve(a - 0.4 * b + c * (a - 0.5));
  };
  const std::vector<Named> all = {
      {"exact", estimator::Exact{}},
      {"rebar", estimator::Rebar{}},
      {"optimal", estimator::Score{.samples = 4, .baseline = baseline::Optimal{}}},
      {"leave-one-out", estimator::Score{.samples = 4, .baseline = baseline::LeaveOneOut{}}},
  };
  int seed = 400;
  for (const auto& [name, e] : all) {
    const Tensor gradients = grad(copies(logits, kRepetitions), [&, &chosen = e](const Tensor& x) {
      return sum(expect(Independent(Bernoulli(x), 1), f, chosen, Rng(++seed)));
    });
    expect_unbiased(name, gradients, gradient);
  }
}

TEST(Expectation, NormalLawsAgainstTheClosedForm) {
  // E z^2 = m^2 + s^2.
  const Numbers point = {0.7, 1.3};
  const std::vector<Named> all = {
      {"score", estimator::Score{.samples = 5}},
      {"constant", estimator::Score{.samples = 5, .baseline = baseline::Constant(2.0)}},
      {"leave-one-out", estimator::Score{.samples = 5, .baseline = baseline::LeaveOneOut{}}},
      {"optimal", estimator::Score{.samples = 5, .baseline = baseline::Optimal{}}},
      {"reparameterised", estimator::Reparameterised{.samples = 5}},
  };
  int seed = 500;
  for (const auto& [name, e] : all) {
    Tensor estimates;
    const Tensor gradients = grad(copies(point, kRepetitions), [&, &chosen = e](const Tensor& x) {
      estimates = expect(
          Normal(select(x, -1, 0), select(x, -1, 1)), [](const Tensor& z) { return square(z); }, chosen,
          Rng(++seed));
      return sum(estimates);
    });
    expect_unbiased(name + ", value", stop_gradient(estimates), {0.49 + 1.69});
    expect_unbiased(name, gradients, {1.4, 2.6});
  }
}

// A scale for the whole batch: its gradient is the sum over the rows.
TEST(Expectation, ParametersThatTheBatchShares) {
  const Tensor rows = tensor(Numbers{0.7, -1.2, 0.1});
  const std::vector<Named> all = {
      {"optimal", estimator::Score{.samples = 20000, .baseline = baseline::Optimal{}}},
      {"leave-one-out", estimator::Score{.samples = 20000, .baseline = baseline::LeaveOneOut{}}},
      {"reparameterised", estimator::Reparameterised{.samples = 20000}},
  };
  for (const auto& [name, e] : all) {
    const auto gradient = grad(std::tuple(rows, tensor(1.3, DType::f64)), [&, &chosen = e](auto& m, auto& s) {
      return sum(expect(
          Normal(m, s), [](const Tensor& z) { return square(z); }, chosen, Rng(3)));
    });
    EXPECT_EQ(std::get<1>(gradient).rank(), 0);
    // Standard errors: of a row's score at most sqrt(E g^2 (z^2 - c)^2 / 20000) < 0.06.
    EXPECT_NEAR(std::get<1>(gradient).item(), 3 * 2.6, 0.4) << name;
    for (std::int64_t i = 0; i < 3; ++i)
      EXPECT_NEAR(std::get<0>(gradient).at({i}), 2.0 * rows.at({i}), 0.2) << name;
  }
}

TEST(Expectation, ParametersInsideOfFHaveTheirGradient) {
  const auto [value, gradient] = sum_over_classes(kClassLogits, class_values());
  const Tensor logits = copies(kClassLogits, kRepetitions);
  std::vector<Named> all = relaxing();
  for (const Named& more : for_any_discrete_law()) all.push_back(more);
  for (const Named& more : for_classes()) all.push_back(more);
  int seed = 600;
  for (const auto& [name, e] : all) {
    const auto gradients = grad(
        std::tuple(logits, full({kRepetitions}, kFactor, DType::f64)), [&, &chosen = e](auto& x, auto& a) {
          return sum(expect(
              OneHot{Categorical(x)}, [&](const Tensor& z) { return of_rows(z, a); }, chosen, Rng(++seed)));
        });
    expect_unbiased(name, std::get<0>(gradients), gradient);
    expect_unbiased(name + ", of f", std::get<1>(gradients), {value / kFactor});
  }
}

TEST(Expectation, ExactHasDerivativesOfAllOrders) {
  testing::check_gradients("exact",
                           [](const std::vector<Tensor>& in) {
                             return expect(
                                 Categorical(in[0]),
                                 [&](const Tensor& z) { return of_labels(z, in[1] * in[1]); },
                                 estimator::Exact{}, Rng(1));
                           },
                           {f64(kClassLogits), kFixed});
}

TEST(Expectation, ALogitOfMinusInfinityIsNeverDrawn) {
  Numbers logits = kClassLogits;
  logits[1] = -std::numeric_limits<double>::infinity();
  const auto [value, gradient] = sum_over_classes(logits, class_values());
  std::vector<Named> all = relaxing();
  for (const Named& more : for_classes()) all.push_back(more);
  all.push_back({"leave-one-out", estimator::Score{.samples = 3, .baseline = baseline::LeaveOneOut{}}});
  all.push_back({"optimal", estimator::Score{.samples = 3, .baseline = baseline::Optimal{}}});
  int seed = 700;
  for (const auto& [name, e] : all) {
    if (name == "relax") continue;  // sin(-inf)
    ++seed;
    const auto estimates = [&, &chosen = e](const Tensor& x) {
      return expect(
          OneHot{Categorical(x)}, [](const Tensor& z) { return of_rows(z, kFixed); }, chosen, Rng(seed));
    };
    const Tensor x = copies(logits, kRepetitions);
    expect_unbiased(name, estimates(x), {value});
    expect_unbiased(name, grad(x, [&](const Tensor& y) { return sum(estimates(y)); }), gradient);
  }
}

// The score function estimator may be differentiated again; its second derivatives are unbiased, too.
TEST(Expectation, SecondDerivativesOfScoresAreUnbiased) {
  const auto f = [](const Tensor& x, const Tensor& z) {
    return of_labels(z, square(select(x, -1, 0)) + 1.0);
  };
  const Tensor exact = hessian(f64(kClassLogits), [&](const Tensor& x) {
    return expect(
        Categorical(x), [&](const Tensor& z) { return f(x, z); }, estimator::Exact{}, Rng(1));
  });
  for (const Baseline& b :
       {Baseline(baseline::None{}), Baseline(baseline::Constant(0.5)), Baseline(baseline::LeaveOneOut{})}) {
    std::vector<Tensor> found;
    Rng rng(9);
    for (int i = 0; i < 30; ++i) {
      found.push_back(hessian(f64(kClassLogits), [&](const Tensor& x) {
        return expect(
            Categorical(x), [&](const Tensor& z) { return f(x, z); },
            estimator::Score{.samples = 1000, .baseline = b}, rng.fold_in(static_cast<std::uint64_t>(i)));
      }));
    }
    expect_unbiased("second derivatives", stack(found), exact.to_vector<double>());
  }
}

TEST(Expectation, DiscreteSamplesTakenForTheirProbabilitiesAreExactForLinearF) {
  const auto [value, gradient] = sum_over_classes(kClassLogits, kWeights);
  const Tensor found = grad(f64(kClassLogits), [](const Tensor& x) {
    return expect(
        OneHot{Categorical(x)}, [](const Tensor& z) { return sum(z * f64(kWeights), -1); },
        estimator::StraightThrough{.samples = 2}, Rng(1));
  });
  EXPECT_TRUE(allclose(found, f64(gradient), 1e-12, 1e-14));
}

double bias_of(const Estimator& e) {
  const auto [value, gradient] = sum_over_classes(kClassLogits, class_values());
  const Tensor found = grad(copies(kClassLogits, kRepetitions), [&](const Tensor& x) {
    return sum(expect(
        OneHot{Categorical(x)}, [](const Tensor& z) { return of_rows(z, kFixed); }, e, Rng(21)));
  });
  const testing::Repeated r = repeated(found);
  const Tensor bias = abs(r.mean - f64(gradient));
  // How many standard errors it is, at most; negative where it may be none.
  const double sure = max(bias - 6.0 * r.error).item();
  return sure < 0.0 ? -1.0 : max(bias).item();
}

TEST(Expectation, BiasedEstimatorsAreAndApproachTheGradient) {
  EXPECT_GT(bias_of(estimator::StraightThrough{}), 0.1);
  EXPECT_GT(bias_of(estimator::GumbelSoftmax{.temperature = 1.0, .hard = true}), 0.1);
  const double hot = bias_of(estimator::GumbelSoftmax{.samples = 20, .temperature = 1.0});
  const double warm = bias_of(estimator::GumbelSoftmax{.samples = 20, .temperature = 0.4});
  const double cold = bias_of(estimator::GumbelSoftmax{.samples = 20, .temperature = 0.05});
  EXPECT_GT(hot, 0.1);
  EXPECT_GT(hot, 2.0 * warm);
  EXPECT_LT(cold, 0.0);
  EXPECT_LT(bias_of(estimator::Rebar{}), 0.0);
}

// The values of relaxed and hard samples.
TEST(Expectation, HardSamplesAreSeenByF) {
  const auto all_hard = [](const Estimator& e) {
    bool hard = true;
    for (const bool binary : {false, true}) {
      const auto look = [&](const Tensor& z) {
        hard = hard && all(logical_or(z == 0.0, z == 1.0)).item() == 1.0;
        return sum(z, -1);
      };
      const Tensor logits = f64(kClassLogits);
      grad(logits, [&](const Tensor& x) {
        return binary ? expect(Independent(Bernoulli(x), 1), look, e, Rng(4))
                      : expect(OneHot{Categorical(x)}, look, e, Rng(4));
      });
    }
    return hard;
  };
  EXPECT_TRUE(all_hard(estimator::StraightThrough{.samples = 50}));
  EXPECT_TRUE(all_hard(estimator::GumbelSoftmax{.samples = 50, .temperature = 0.7, .hard = true}));
  EXPECT_FALSE(all_hard(estimator::GumbelSoftmax{.samples = 50, .temperature = 0.7}));
}

TEST(Expectation, AllClassesWithoutReplacementAreTheWholeSum) {
  using Weights = estimator::WithoutReplacement::Weights;
  const auto [value, gradient] = sum_over_classes(kClassLogits, class_values());
  for (const Weights weights :
       {Weights::unordered, Weights::plain, Weights::with_baseline, Weights::normalised}) {
    for (const std::uint64_t seed : {1U, 2U, 3U}) {
      const auto [found, slope] = value_and_grad(f64(kClassLogits), [&](const Tensor& x) {
        return expect(
            Categorical(x), [](const Tensor& z) { return of_labels(z, kFixed); },
            estimator::WithoutReplacement{.samples = 4, .weights = weights}, Rng(seed));
      });
      EXPECT_NEAR(found.item(), value, 1e-13);
      EXPECT_TRUE(allclose(slope, f64(gradient), 1e-11, 1e-13));
    }
  }
}

// A model of a user's own: numbers of two rows of data, whose latent numbers have laws that it computes.
struct Encoder {
  Tensor weight, offset;
  LIKELY_PARTS(weight, offset)
};

TEST(Expectation, GradientsHaveTheTypeOfTheModel) {
  const Tensor x = f64({0.5, -1.0, 2.0});
  const Encoder model{f64({0.7}), f64({-0.2})};
  // mean over rows of E (z - 3 x)^2 with z ~ N(w x + b, 1) is mean (w x + b - 3 x)^2 + 1.
  const Tensor miss = model.weight * x + model.offset - 3.0 * x;
  for (const Estimator& e :
       {Estimator(estimator::Reparameterised{.samples = 20000}),
        Estimator(estimator::Score{.samples = 20000, .baseline = baseline::LeaveOneOut{}})}) {
    const auto [value, gradient] = value_and_grad(model, [&](const Encoder& m) {
      const Tensor each = expect(
          Normal(m.weight * x + m.offset, 1.0), [&](const Tensor& z) { return square(z - 3.0 * x); }, e,
          Rng(6));
      EXPECT_EQ(each.shape(), Shape{3});
      return mean(each);
    });
    // Of a row, sqrt(8 miss^2 + 10) / sqrt(20000) < 0.1; times x, and the mean over the rows.
    EXPECT_NEAR(value.item(), mean(square(miss)).item() + 1.0, 0.3);
    EXPECT_NEAR(gradient.weight.item(), mean(2.0 * miss * x).item(), 0.45);
    EXPECT_NEAR(gradient.offset.item(), mean(2.0 * miss).item(), 0.3);
  }
}

// f32, and laws that are as good as certain.
TEST(Expectation, ExtremeLogitsGiveFiniteNumbers) {
  std::vector<Named> all = relaxing();
  for (const Named& more : for_any_discrete_law()) all.push_back(more);
  all.push_back({"soft", estimator::GumbelSoftmax{.samples = 100, .temperature = 0.05}});
  all.push_back({"straight-through", estimator::StraightThrough{.samples = 100}});
  std::vector<Named> of_classes = all;
  for (const Named& more : for_classes()) of_classes.push_back(more);
  const auto expect_finite = [](const std::string& name, const auto& found) {
    EXPECT_EQ(found.gradient.dtype(), DType::f32);
    EXPECT_EQ(min(is_finite(found.gradient).to(DType::i64)).item(), 1.0) << name << " " << found.gradient;
    EXPECT_EQ(min(is_finite(found.value).to(DType::i64)).item(), 1.0) << name;
  };
  for (const double far : {30.0, 90.0, 300.0}) {
    const Tensor logits = tensor({far, 0.0, -far, far - 1.0}, DType::f32);
    const Tensor rows = contiguous(expand(logits, {200, 4}));
    for (const auto& [name, e] : of_classes) {
      expect_finite(name, value_and_grad(rows, [&, &chosen = e](const Tensor& x) {
                      return sum(expect(
                          OneHot{Categorical(x)},
                          [](const Tensor& z) {
                            return square(sum(z * tensor({0.3, -1.0, 2.0, 0.7}), -1));
                          },
                          chosen, Rng(3)));
                    }));
    }
    for (const auto& [name, e] : all) {
      expect_finite(name, value_and_grad(flatten(rows), [&, &chosen = e](const Tensor& x) {
                      return sum(expect(
                          Bernoulli(x), [](const Tensor& z) { return square(z - 0.3); }, chosen, Rng(3)));
                    }));
    }
  }
}

TEST(Expectation, BitsDoNotDependOnThreads) {
  const std::vector<Named> all = {
      {"score", estimator::Score{.samples = 300, .baseline = baseline::Optimal{}}},
      {"leave-one-out", estimator::Score{.samples = 300, .baseline = baseline::LeaveOneOut{}}},
      {"rebar", estimator::Rebar{.samples = 300}},
      {"soft", estimator::GumbelSoftmax{.samples = 300}},
      {"different", estimator::WithoutReplacement{.samples = 3}},
  };
  const int saved = threads();
  for (const auto& [name, e] : all) {
    const auto run = [&, &chosen = e] {
      return value_and_grad(copies(kClassLogits, 200), [&](const Tensor& x) {
        return sum(expect(
            OneHot{Categorical(x)}, [](const Tensor& z) { return of_rows(z, kFixed); }, chosen, Rng(8)));
      });
    };
    set_threads(1);
    const auto one = run();
    for (const int count : {2, 3}) {
      set_threads(count);
      const auto more = run();
      EXPECT_TRUE(array_equal(one.value, more.value)) << name;
      EXPECT_TRUE(array_equal(one.gradient, more.gradient)) << name;
    }
  }
  set_threads(saved);
}

}  // namespace
}  // namespace likely
