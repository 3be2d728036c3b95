#include "likely/kernels/normalize/normalize.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <vector>

#include "likely/core/threads.hpp"

namespace likely::kernels {
namespace {

constexpr double kEpsilon = 1e-5;

template <class T>
std::vector<T> normal_values(std::int64_t n, unsigned seed, double mean = 0, double scale = 1) {
  std::mt19937 generator(seed);
  std::normal_distribution<double> normal(mean, scale);
  std::vector<T> values(static_cast<std::size_t>(n));
  for (T& v : values) v = static_cast<T>(normal(generator));
  return values;
}

using Reals = std::vector<long double>;

template <class T>
Reals reals(const std::vector<T>& v) {
  return {v.begin(), v.end()};
}

// y = (x - mean) / sqrt(variance + epsilon) weight + bias, where elements with the same set number share mean
// and variance, and elements with the same parameter number share weight and bias. With `centred` false the
// mean counts as 0.
struct Rule {
  std::function<std::size_t(std::size_t)> set, parameter;
  std::size_t sets = 0;
  bool centred = true;
};

Reals reference(const Rule& rule, const Reals& x, const Reals& weight, const Reals& bias) {
  Reals count(rule.sets), mean(rule.sets), variance(rule.sets), y(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    count[rule.set(i)] += 1;
    if (rule.centred) mean[rule.set(i)] += x[i];
  }
  for (std::size_t s = 0; s < rule.sets; ++s) mean[s] /= count[s];
  for (std::size_t i = 0; i < x.size(); ++i) {
    const auto difference = x[i] - mean[rule.set(i)];
    variance[rule.set(i)] += difference * difference / count[rule.set(i)];
  }
  for (std::size_t i = 0; i < x.size(); ++i) {
    const auto s = rule.set(i), p = rule.parameter(i);
    y[i] = (x[i] - mean[s]) / std::sqrt(variance[s] + kEpsilon) * weight[p] + bias[p];
  }
  return y;
}

// The derivative of sum_i g_i y_i with respect to each of `values`, by central differences.
Reals differences(Reals& values, const Reals& g, const std::function<Reals()>& y) {
  Reals gradient(values.size());
  constexpr long double kStep = 1e-5L;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto kept = values[i];
    values[i] = kept + kStep;
    const Reals above = y();
    values[i] = kept - kStep;
    const Reals below = y();
    values[i] = kept;
    for (std::size_t k = 0; k < g.size(); ++k) gradient[i] += g[k] * (above[k] - below[k]) / (2 * kStep);
  }
  return gradient;
}

template <class T>
void expect_near(const std::vector<T>& got, const Reals& expected, double tolerance, const char* what) {
  ASSERT_EQ(got.size(), expected.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    const auto e = static_cast<double>(expected[i]);
    ASSERT_NEAR(static_cast<double>(got[i]), e, tolerance * (1 + std::abs(e))) << what << " " << i;
  }
}

template <class T>
class Normalize : public testing::Test {
 protected:
  static constexpr double kTolerance = sizeof(T) == 4 ? 2e-5 : 1e-8;

  struct Result {
    std::vector<T> y, dx, dweight, dbias;
  };
  using Run = std::function<Result(const std::vector<T>& x, const std::vector<T>& weight,
                                   const std::vector<T>& bias, const std::vector<T>& g)>;

  void check(const Rule& rule, std::int64_t elements, std::int64_t parameters, const Run& run,
             bool has_bias = true) {
    const auto x = normal_values<T>(elements, 1, 0.5, 2), g = normal_values<T>(elements, 2);
    const auto weight = normal_values<T>(parameters, 3, 1);
    auto bias = normal_values<T>(parameters, 4);
    if (!has_bias) std::fill(bias.begin(), bias.end(), T{0});
    const Result result = run(x, weight, bias, g);
    Reals rx = reals(x), rw = reals(weight), rb = reals(bias);
    const Reals rg = reals(g);
    const auto y = [&] { return reference(rule, rx, rw, rb); };
    expect_near(result.y, y(), kTolerance, "y");
    expect_near(result.dx, differences(rx, rg, y), kTolerance, "dx");
    expect_near(result.dweight, differences(rw, rg, y), kTolerance, "dweight");
    if (has_bias) expect_near(result.dbias, differences(rb, rg, y), kTolerance, "dbias");
  }
};
using FloatingTypes = testing::Types<float, double>;
TYPED_TEST_SUITE(Normalize, FloatingTypes);

TYPED_TEST(Normalize, LayerNormAndItsGradientsAgreeWithTheDefinition) {
  using T = TypeParam;
  for (const std::int64_t cols : {2, 7, 16, 40, 131}) {
    const std::int64_t rows = 3;
    const Rule rule{[&](std::size_t i) { return i / static_cast<std::size_t>(cols); },
                    [&](std::size_t i) { return i % static_cast<std::size_t>(cols); }, 3};
    this->check(rule, rows * cols, cols, [&](const auto& x, const auto& w, const auto& b, const auto& g) {
      std::vector<T> y(x.size()), dx(x.size()), dw(w.size()), db(w.size()), mean(3), rstd(3);
      layer_norm(x.data(), w.data(), b.data(), kEpsilon, y.data(), mean.data(), rstd.data(), rows, cols);
      layer_norm_backward(x.data(), g.data(), w.data(), mean.data(), rstd.data(), dx.data(), dw.data(),
                          db.data(), rows, cols);
      return typename TestFixture::Result{y, dx, dw, db};
    });
  }
}

TYPED_TEST(Normalize, RmsNormAndItsGradientsAgreeWithTheDefinition) {
  using T = TypeParam;
  for (const std::int64_t cols : {1, 9, 64, 100}) {
    const std::int64_t rows = 3;
    const Rule rule{[&](std::size_t i) { return i / static_cast<std::size_t>(cols); },
                    [&](std::size_t i) { return i % static_cast<std::size_t>(cols); }, 3, false};
    this->check(
        rule, rows * cols, cols,
        [&](const auto& x, const auto& w, const auto&, const auto& g) {
          std::vector<T> y(x.size()), dx(x.size()), dw(w.size()), rstd(3);
          rms_norm(x.data(), w.data(), kEpsilon, y.data(), rstd.data(), rows, cols);
          rms_norm_backward(x.data(), g.data(), w.data(), rstd.data(), dx.data(), dw.data(), rows, cols);
          return typename TestFixture::Result{y, dx, dw, {}};
        },
        false);
  }
}

TYPED_TEST(Normalize, BatchNormAndItsGradientsAgreeWithTheDefinition) {
  using T = TypeParam;
  for (const ImageShape shape : {ImageShape{4, 3, 1}, {2, 3, 5}, {3, 2, 20}, {1, 2, 33}}) {
    const auto channel = [&](std::size_t i) {
      return i / static_cast<std::size_t>(shape.spatial) % static_cast<std::size_t>(shape.channels);
    };
    const Rule rule{channel, channel, static_cast<std::size_t>(shape.channels)};
    this->check(rule, shape.batch * shape.channels * shape.spatial, shape.channels,
                [&](const auto& x, const auto& w, const auto& b, const auto& g) {
                  std::vector<T> y(x.size()), dx(x.size()), dw(w.size()), db(w.size()), mean(w.size()),
                      variance(w.size()), rstd(w.size());
                  batch_norm(x.data(), shape, w.data(), b.data(), nullptr, false, kEpsilon, y.data(),
                             mean.data(), variance.data(), rstd.data());
                  batch_norm_backward(x.data(), g.data(), nullptr, shape, mean.data(), rstd.data(), w.data(),
                                      dx.data(), dw.data(), db.data(), nullptr);
                  return typename TestFixture::Result{y, dx, dw, db};
                });
  }
}

TYPED_TEST(Normalize, GroupNormAndItsGradientsAgreeWithTheDefinition) {
  using T = TypeParam;
  for (const ImageShape shape : {ImageShape{2, 4, 1}, {2, 4, 5}, {1, 6, 19}}) {
    for (const std::int64_t groups : {1, 2}) {
      const auto spatial = static_cast<std::size_t>(shape.spatial),
                 channels = static_cast<std::size_t>(shape.channels);
      const auto size = channels / static_cast<std::size_t>(groups) * spatial;
      const Rule rule{[=](std::size_t i) { return i / size; },
                      [=](std::size_t i) { return i / spatial % channels; },
                      static_cast<std::size_t>(shape.batch * groups)};
      this->check(rule, shape.batch * shape.channels * shape.spatial, shape.channels,
                  [&](const auto& x, const auto& w, const auto& b, const auto& g) {
                    std::vector<T> y(x.size()), dx(x.size()), dw(w.size()), db(w.size()), mean(rule.sets),
                        rstd(rule.sets);
                    group_norm(x.data(), shape, groups, w.data(), b.data(), kEpsilon, y.data(), mean.data(),
                               rstd.data());
                    group_norm_backward(x.data(), g.data(), shape, groups, mean.data(), rstd.data(), w.data(),
                                        dx.data(), dw.data(), db.data());
                    return typename TestFixture::Result{y, dx, dw, db};
                  });
    }
  }
}

// The fused relu and residual against the same steps one by one, and missing weights against ones.
TYPED_TEST(Normalize, BatchNormFusesResidualAndReluAndAllowsMissingParameters) {
  using T = TypeParam;
  for (const ImageShape shape : {ImageShape{5, 3, 37}, {9, 300, 1}}) {
    const std::int64_t n = shape.batch * shape.channels * shape.spatial;
    const auto x = normal_values<T>(n, 1, 3), residual = normal_values<T>(n, 2), g = normal_values<T>(n, 3);
    const auto channels = static_cast<std::size_t>(shape.channels);
    const std::vector<T> one(channels, 1), zero(channels, 0);
    std::vector<T> mean(channels), variance(channels), rstd(channels), kept_mean(channels),
        kept_variance(channels);
    std::vector<T> fused(x.size()), plain(x.size()), transformed(x.size());
    batch_norm(x.data(), shape, static_cast<const T*>(nullptr), static_cast<const T*>(nullptr),
               residual.data(), true, kEpsilon, fused.data(), mean.data(), variance.data(), rstd.data());
    batch_norm(x.data(), shape, one.data(), zero.data(), static_cast<const T*>(nullptr), false, kEpsilon,
               plain.data(), mean.data(), variance.data(), rstd.data());
    channel_statistics(x.data(), shape, kept_mean.data(), kept_variance.data());
    EXPECT_EQ(kept_mean, mean);
    EXPECT_EQ(kept_variance, variance);
    channel_transform(x.data(), shape, mean.data(), rstd.data(), static_cast<const T*>(nullptr),
                      static_cast<const T*>(nullptr), residual.data(), true, transformed.data());
    EXPECT_EQ(transformed, fused);
    std::vector<T> masked = g;
    for (std::size_t i = 0; i < x.size(); ++i) {
      EXPECT_EQ(fused[i], std::max(T{0}, plain[i] + residual[i]));
      if (!(fused[i] > 0)) masked[i] = 0;
    }
    std::vector<T> dx(x.size()), dresidual(x.size()), dw(channels), db(channels);
    std::vector<T> plain_dx(x.size()), plain_dw(channels), plain_db(channels);
    batch_norm_backward(x.data(), g.data(), fused.data(), shape, mean.data(), rstd.data(),
                        static_cast<const T*>(nullptr), dx.data(), dw.data(), db.data(), dresidual.data());
    batch_norm_backward(x.data(), masked.data(), static_cast<const T*>(nullptr), shape, mean.data(),
                        rstd.data(), one.data(), plain_dx.data(), plain_dw.data(), plain_db.data(),
                        static_cast<T*>(nullptr));
    EXPECT_EQ(dresidual, masked);
    EXPECT_EQ(dx, plain_dx);
    EXPECT_EQ(dw, plain_dw);
    EXPECT_EQ(db, plain_db);
  }
}

// With a mean of 10000 and a spread of 1, the sum of squares alone would have lost every digit of the
// variance.
TYPED_TEST(Normalize, StatisticsSurviveALargeMean) {
  using T = TypeParam;
  const ImageShape shape{8, 2, 500};
  const auto x = normal_values<T>(8 * 2 * 500, 5, 1e4);
  std::vector<T> mean(2), variance(2), row_mean(1), rstd(1), y(1000);
  channel_statistics(x.data(), shape, mean.data(), variance.data());
  for (std::size_t c = 0; c < 2; ++c) {
    long double sum = 0, squares = 0;
    for (std::size_t n = 0; n < 8; ++n) {
      for (std::size_t s = 0; s < 500; ++s) sum += x[(n * 2 + c) * 500 + s];
    }
    for (std::size_t n = 0; n < 8; ++n) {
      for (std::size_t s = 0; s < 500; ++s) squares += std::pow(x[(n * 2 + c) * 500 + s] - sum / 4000, 2);
    }
    EXPECT_NEAR(mean[c], static_cast<double>(sum / 4000), sizeof(T) == 4 ? 6e-4 : 1e-10);
    EXPECT_NEAR(variance[c], static_cast<double>(squares / 4000), sizeof(T) == 4 ? 1e-5 : 1e-10);
  }
  layer_norm(x.data(), static_cast<const T*>(nullptr), static_cast<const T*>(nullptr), 0.0, y.data(),
             row_mean.data(), rstd.data(), 1, 1000);
  long double squares = 0;
  for (const T v : y) squares += static_cast<long double>(v) * static_cast<long double>(v);
  EXPECT_NEAR(static_cast<double>(squares / 1000), 1, 1e-5);
}

TYPED_TEST(Normalize, SameBitsForAnyThreadCount) {
  using T = TypeParam;
  const std::int64_t rows = 517, cols = 300;
  const auto x = normal_values<T>(rows * cols, 6), g = normal_values<T>(rows * cols, 7),
             w = normal_values<T>(cols, 8);
  const ImageShape shape{47, 11, 300}, features{517, 300, 1};
  const auto run = [&] {
    std::vector<T> y(x.size()), dx(x.size()), mean(rows), variance(rows), rstd(rows), dw(cols), db(cols), all;
    const auto keep = [&] {
      for (const auto* v : {&y, &dx, &dw, &db, &mean, &rstd}) all.insert(all.end(), v->begin(), v->end());
    };
    layer_norm(x.data(), w.data(), w.data(), kEpsilon, y.data(), mean.data(), rstd.data(), rows, cols);
    layer_norm_backward(x.data(), g.data(), w.data(), mean.data(), rstd.data(), dx.data(), dw.data(),
                        db.data(), rows, cols);
    keep();
    for (const ImageShape s : {shape, features}) {
      batch_norm(x.data(), s, w.data(), w.data(), static_cast<const T*>(nullptr), true, kEpsilon, y.data(),
                 mean.data(), variance.data(), rstd.data());
      batch_norm_backward(x.data(), g.data(), y.data(), s, mean.data(), rstd.data(), w.data(), dx.data(),
                          dw.data(), db.data(), static_cast<T*>(nullptr));
      keep();
    }
    group_norm(x.data(), shape, 11, w.data(), w.data(), kEpsilon, y.data(), mean.data(), rstd.data());
    group_norm_backward(x.data(), g.data(), shape, 11, mean.data(), rstd.data(), w.data(), dx.data(),
                        dw.data(), db.data());
    keep();
    return all;
  };
  const int saved = threads();
  set_threads(1);
  const auto one = run();
  for (const int count : {2, 3}) {
    set_threads(count);
    EXPECT_EQ(run(), one) << count;
  }
  set_threads(saved);
}

}  // namespace
}  // namespace likely::kernels
