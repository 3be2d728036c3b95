#include "likely/kernels/optimize.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "likely/core/threads.hpp"

namespace likely::kernels {
namespace {

template <class T>
std::vector<T> normal_values(std::size_t n, unsigned seed) {
  std::mt19937 generator(seed);
  std::normal_distribution<double> normal;
  std::vector<T> values(n);
  for (T& v : values) v = static_cast<T>(normal(generator));
  return values;
}

template <class T>
class Optimize : public testing::Test {
 protected:
  static constexpr double kTolerance = sizeof(T) == 4 ? 3e-6 : 1e-13;
};
using FloatingTypes = testing::Types<float, double>;
TYPED_TEST_SUITE(Optimize, FloatingTypes);

TYPED_TEST(Optimize, SgdFollowsItsEquations) {
  using T = TypeParam;
  const std::size_t n = 1003;
  for (const double momentum : {0.0, 0.9}) {
    for (const double decay : {0.0, 0.1}) {
      for (const bool nesterov : {false, true}) {
        auto p = normal_values<T>(n, 1);
        std::vector<T> velocity(n, 0);
        std::vector<double> q(p.begin(), p.end()), w(n, 0);
        for (unsigned t = 1; t <= 5; ++t) {
          const auto g = normal_values<T>(n, 10 + t);
          sgd_step({0.05, momentum, decay, nesterov}, p.data(), g.data(), velocity.data(),
                   static_cast<std::int64_t>(n));
          for (std::size_t i = 0; i < n; ++i) {
            double u = static_cast<double>(g[i]) + decay * q[i];
            if (momentum != 0) {
              w[i] = momentum * w[i] + u;
              u = nesterov ? u + momentum * w[i] : w[i];
            }
            q[i] -= 0.05 * u;
          }
        }
        for (std::size_t i = 0; i < n; ++i) ASSERT_NEAR(p[i], q[i], this->kTolerance) << i;
      }
    }
  }
}

TYPED_TEST(Optimize, SgdWithoutMomentumNeedsNoState) {
  using T = TypeParam;
  std::vector<T> p = {1, 2, 3}, g = {1, 0, -1};
  sgd_step({.rate = 0.5}, p.data(), g.data(), static_cast<T*>(nullptr), 3);
  EXPECT_EQ(p, (std::vector<T>{0.5, 2, 3.5}));
}

TYPED_TEST(Optimize, AdamFollowsItsEquations) {
  using T = TypeParam;
  const std::size_t n = 517;
  for (const double decay : {0.0, 0.1}) {
    for (const bool decoupled : {false, true}) {
      auto p = normal_values<T>(n, 1);
      std::vector<T> m(n, 0), v(n, 0);
      std::vector<double> q(p.begin(), p.end()), a(n, 0), b(n, 0);
      AdamStep step{.rate = 0.01,
                    .beta1 = 0.8,
                    .beta2 = 0.95,
                    .epsilon = 1e-6,
                    .weight_decay = decay,
                    .decoupled = decoupled};
      for (std::int64_t t = 1; t <= 6; ++t) {
        const auto g = normal_values<T>(n, 20 + static_cast<unsigned>(t));
        step.t = t;
        adam_step(step, p.data(), g.data(), m.data(), v.data(), static_cast<std::int64_t>(n));
        for (std::size_t i = 0; i < n; ++i) {
          double u = static_cast<double>(g[i]);
          if (decoupled) {
            q[i] *= 1 - 0.01 * decay;
          } else {
            u += decay * q[i];
          }
          a[i] = 0.8 * a[i] + 0.2 * u;
          b[i] = 0.95 * b[i] + 0.05 * u * u;
          const double first = a[i] / (1 - std::pow(0.8, static_cast<double>(t)));
          const double second = b[i] / (1 - std::pow(0.95, static_cast<double>(t)));
          q[i] -= 0.01 * first / (std::sqrt(second) + 1e-6);
        }
      }
      for (std::size_t i = 0; i < n; ++i) ASSERT_NEAR(p[i], q[i], this->kTolerance) << i;
    }
  }
}

TYPED_TEST(Optimize, RmspropFollowsItsEquations) {
  using T = TypeParam;
  const std::size_t n = 517;
  for (const double momentum : {0.0, 0.7}) {
    for (const double decay : {0.0, 0.1}) {
      for (const bool centred : {false, true}) {
        auto p = normal_values<T>(n, 1);
        std::vector<T> square(n, 0), mean(n, 0), velocity(n, 0);
        std::vector<double> q(p.begin(), p.end()), a(n, 0), b(n, 0), w(n, 0);
        const RmspropStep step{.rate = 0.01,
                               .decay = 0.8,
                               .epsilon = 0.01,
                               .momentum = momentum,
                               .weight_decay = decay,
                               .centred = centred};
        for (unsigned t = 1; t <= 6; ++t) {
          const auto g = normal_values<T>(n, 20 + t);
          rmsprop_step(
              step, p.data(), g.data(),
              {square.data(), centred ? mean.data() : nullptr, momentum != 0 ? velocity.data() : nullptr},
              static_cast<std::int64_t>(n));
          for (std::size_t i = 0; i < n; ++i) {
            const double u = static_cast<double>(g[i]) + decay * q[i];
            a[i] = 0.8 * a[i] + 0.2 * u * u;
            if (centred) b[i] = 0.8 * b[i] + 0.2 * u;
            w[i] = momentum * w[i] + u / (std::sqrt(a[i] - b[i] * b[i]) + 0.01);
            q[i] -= 0.01 * w[i];
          }
        }
        for (std::size_t i = 0; i < n; ++i) ASSERT_NEAR(p[i], q[i], 10 * this->kTolerance) << i;
      }
    }
  }
}

TYPED_TEST(Optimize, AdagradFollowsItsEquations) {
  using T = TypeParam;
  const std::size_t n = 517;
  for (const double decay : {0.0, 0.1}) {
    auto p = normal_values<T>(n, 1);
    std::vector<T> square(n, 0);
    std::vector<double> q(p.begin(), p.end()), a(n, 0);
    for (unsigned t = 1; t <= 6; ++t) {
      const auto g = normal_values<T>(n, 20 + t);
      adagrad_step({.rate = 0.05, .epsilon = 1e-3, .weight_decay = decay}, p.data(), g.data(), square.data(),
                   static_cast<std::int64_t>(n));
      for (std::size_t i = 0; i < n; ++i) {
        const double u = static_cast<double>(g[i]) + decay * q[i];
        a[i] += u * u;
        q[i] -= 0.05 * u / (std::sqrt(a[i]) + 1e-3);
      }
    }
    for (std::size_t i = 0; i < n; ++i) ASSERT_NEAR(p[i], q[i], this->kTolerance) << i;
  }
}

// The first step of Adam is the rate times the sign, however small the gradient.
TYPED_TEST(Optimize, AdamsFirstStepIsTheSignOfTheGradient) {
  using T = TypeParam;
  std::vector<T> p = {0, 0, 0}, g = {T(1e-3), -5, 0}, m(3), v(3);
  adam_step({.rate = 0.25, .epsilon = 1e-12}, p.data(), g.data(), m.data(), v.data(), 3);
  EXPECT_NEAR(p[0], -0.25, 1e-6);
  EXPECT_NEAR(p[1], 0.25, 1e-6);
  EXPECT_EQ(p[2], T{0});
}

TYPED_TEST(Optimize, SameBitsForAnyThreadCountAndPlace) {
  using T = TypeParam;
  const std::size_t n = 100'003;
  const auto start = normal_values<T>(n, 1), g = normal_values<T>(n, 2), s = normal_values<T>(n, 3);
  std::vector<T> positive(n);
  for (std::size_t i = 0; i < n; ++i) positive[i] = s[i] * s[i];
  const auto run = [&](std::size_t from) {
    std::vector<T> p(start.begin() + static_cast<std::ptrdiff_t>(from), start.end()),
        q = p, m(s.begin() + static_cast<std::ptrdiff_t>(from), s.end()),
        v(positive.begin() + static_cast<std::ptrdiff_t>(from), positive.end()), w = m;
    const auto count = static_cast<std::int64_t>(n - from);
    adam_step({.t = 3}, p.data(), g.data() + from, m.data(), v.data(), count);
    sgd_step({.rate = 0.1, .momentum = 0.9}, q.data(), g.data() + from, w.data(), count);
    p.insert(p.end(), q.begin(), q.end());
    return p;
  };
  const int saved = threads();
  set_threads(1);
  const auto one = run(0), later = run(5);
  for (std::size_t i = 5; i < n; ++i) ASSERT_EQ(later[i - 5], one[i]);
  for (const int count : {2, 3}) {
    set_threads(count);
    EXPECT_EQ(run(0), one) << count;
  }
  set_threads(saved);
}

}  // namespace
}  // namespace likely::kernels
