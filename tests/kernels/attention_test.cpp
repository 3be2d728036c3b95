#include "likely/kernels/attention/attention.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <random>
#include <vector>

#include "likely/core/threads.hpp"

namespace likely::kernels {
namespace {

using Reals = std::vector<double>;

template <class T>
std::vector<T> normal_values(std::int64_t n, unsigned seed, double scale = 1) {
  std::mt19937 generator(seed);
  std::normal_distribution<double> normal(0, scale);
  std::vector<T> values(static_cast<std::size_t>(n));
  for (T& v : values) v = static_cast<T>(normal(generator));
  return values;
}

template <class T>
struct Example {
  AttentionShape shape;
  double scale = 0.3;
  bool causal = false;
  std::vector<T> q, k, v, g, added;
  std::unique_ptr<bool[]> allowed;
  AttentionMask<T> mask;

  explicit Example(AttentionShape s, double size = 1) : shape(s) {
    const std::int64_t heads = s.batch * s.heads;
    q = normal_values<T>(heads * s.queries * s.depth, 1, size);
    k = normal_values<T>(heads * s.keys * s.depth, 2, size);
    v = normal_values<T>(heads * s.keys * s.value_depth, 3);
    g = normal_values<T>(heads * s.queries * s.value_depth, 4);
  }
  std::int64_t rows() const { return shape.batch * shape.heads * shape.queries; }

  double hidden_or_added(std::int64_t head, std::int64_t i, std::int64_t j) const {
    constexpr double kHidden = -std::numeric_limits<double>::infinity();
    const std::int64_t at = head / shape.heads * mask.batch_stride + head % shape.heads * mask.head_stride +
                            i * mask.query_stride + j * mask.key_stride;
    if (causal && j > i + shape.keys - shape.queries) return kHidden;
    if (mask.allowed != nullptr && !mask.allowed[at]) return kHidden;
    return mask.added != nullptr ? static_cast<double>(mask.added[at]) : 0.0;
  }
};

struct Expected {
  Reals out, lse, dq, dk, dv;
};

// The definition with whole matrices, and the chain rule through softmax.
template <class T>
Expected reference(const Example<T>& e) {
  const AttentionShape& s = e.shape;
  Expected r{Reals(e.g.size()), Reals(static_cast<std::size_t>(e.rows())), Reals(e.q.size()),
             Reals(e.k.size()), Reals(e.v.size())};
  const auto at = [](const auto& values, std::int64_t i) -> auto& {
    return values[static_cast<std::size_t>(i)];
  };
  const auto to = [](auto& values, std::int64_t i) -> auto& { return values[static_cast<std::size_t>(i)]; };
  for (std::int64_t head = 0; head < s.batch * s.heads; ++head) {
    for (std::int64_t i = 0; i < s.queries; ++i) {
      const std::int64_t row = head * s.queries + i;
      Reals p(static_cast<std::size_t>(s.keys)), dp(p.size());
      double max = -std::numeric_limits<double>::infinity(), sum = 0;
      for (std::int64_t j = 0; j < s.keys; ++j) {
        double dot = 0;
        for (std::int64_t c = 0; c < s.depth; ++c) {
          dot += static_cast<double>(at(e.q, row * s.depth + c)) *
                 static_cast<double>(at(e.k, (head * s.keys + j) * s.depth + c));
        }
        to(p, j) = e.scale * dot + e.hidden_or_added(head, i, j);
        max = std::max(max, to(p, j));
      }
      for (double& x : p) sum += x = std::exp(x - max);
      to(r.lse, row) = max + std::log(sum);
      double mean = 0;
      for (std::int64_t j = 0; j < s.keys; ++j) {
        to(p, j) /= sum;
        for (std::int64_t c = 0; c < s.value_depth; ++c) {
          const auto value = static_cast<double>(at(e.v, (head * s.keys + j) * s.value_depth + c));
          const auto gradient = static_cast<double>(at(e.g, row * s.value_depth + c));
          to(r.out, row * s.value_depth + c) += to(p, j) * value;
          to(r.dv, (head * s.keys + j) * s.value_depth + c) += to(p, j) * gradient;
          to(dp, j) += gradient * value;
        }
        mean += to(p, j) * to(dp, j);
      }
      for (std::int64_t j = 0; j < s.keys; ++j) {
        const double t = e.scale * to(p, j) * (to(dp, j) - mean);
        for (std::int64_t c = 0; c < s.depth; ++c) {
          const std::int64_t key = (head * s.keys + j) * s.depth + c, query = row * s.depth + c;
          to(r.dq, query) += t * static_cast<double>(at(e.k, key));
          to(r.dk, key) += t * static_cast<double>(at(e.q, query));
        }
      }
    }
  }
  return r;
}

template <class T>
struct Result {
  std::int64_t bad = -1;
  std::vector<T> out, dq, dk, dv;
  std::vector<double> lse;
};

template <class T>
Result<T> run(const Example<T>& e) {
  Result<T> r;
  r.out.resize(e.g.size());
  r.dq.resize(e.q.size());
  r.dk.resize(e.k.size());
  r.dv.resize(e.v.size());
  r.lse.resize(static_cast<std::size_t>(e.rows()));
  r.bad = attention(e.q.data(), e.k.data(), e.v.data(), e.shape, e.scale, e.causal, e.mask, r.out.data(),
                    r.lse.data());
  if (r.bad < 0) {
    attention_backward(e.q.data(), e.k.data(), e.v.data(), r.out.data(), r.lse.data(), e.g.data(), e.shape,
                       e.scale, e.causal, e.mask, r.dq.data(), r.dk.data(), r.dv.data());
  }
  return r;
}

template <class T, class U>
void expect_near(const std::vector<T>& got, const std::vector<U>& expected, double tolerance,
                 const char* what) {
  ASSERT_EQ(got.size(), expected.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    const auto e = static_cast<double>(expected[i]);
    ASSERT_NEAR(static_cast<double>(got[i]), e, tolerance * (1 + std::abs(e))) << what << " " << i;
  }
}

template <class T>
class Attention : public testing::Test {
 protected:
  static constexpr double kTolerance = sizeof(T) == 4 ? 2e-5 : 1e-12;
  void check(const Example<T>& example) {
    const Result<T> got = run(example);
    const Expected expected = reference(example);
    ASSERT_EQ(got.bad, -1);
    expect_near(got.out, expected.out, kTolerance, "out");
    expect_near(got.lse, expected.lse, kTolerance, "lse");
    expect_near(got.dq, expected.dq, kTolerance, "dq");
    expect_near(got.dk, expected.dk, kTolerance, "dk");
    expect_near(got.dv, expected.dv, kTolerance, "dv");
  }
};
using FloatingTypes = testing::Types<float, double>;
TYPED_TEST_SUITE(Attention, FloatingTypes);

TYPED_TEST(Attention, AgreesWithWholeMatrices) {
  for (const AttentionShape shape : {AttentionShape{1, 1, 1, 1, 1, 1},
                                     {2, 1, 5, 7, 3, 2},
                                     {1, 2, 64, 128, 8, 8},
                                     {1, 1, 150, 300, 16, 5},
                                     {3, 3, 70, 131, 4, 4},
                                     {1, 1, 1, 200, 32, 32}}) {
    Example<TypeParam> example(shape);
    this->check(example);
    example.causal = true;
    this->check(example);
  }
}

TYPED_TEST(Attention, LargeScoresDoNotOverflow) {
  Example<TypeParam> example({1, 2, 70, 140, 8, 4}, 30);
  const Result<TypeParam> got = run(example);
  const Expected expected = reference(example);
  ASSERT_EQ(got.bad, -1);
  // Scores of some thousands: their rounding is the error of the exponent.
  expect_near(got.out, expected.out, sizeof(TypeParam) == 4 ? 5e-3 : 1e-10, "out");
}

TYPED_TEST(Attention, MasksWithAnyStrides) {
  using T = TypeParam;
  Example<T> example({2, 3, 70, 133, 8, 4});
  // One row of keys for all: padding.
  example.allowed = std::make_unique<bool[]>(2 * 133);
  for (int i = 0; i < 2 * 133; ++i) example.allowed[static_cast<std::size_t>(i)] = i % 5 != 2;
  example.mask.allowed = example.allowed.get();
  this->check(example);
  example.mask.batch_stride = 133;
  this->check(example);
  example.causal = true;
  example.allowed[0] = example.allowed[133] = true;
  this->check(example);
  // Added to the scores, one matrix a head.
  Example<T> biased({2, 3, 70, 133, 8, 4});
  biased.added = normal_values<T>(3 * 70 * 133, 9);
  biased.added[5] = -std::numeric_limits<T>::infinity();
  biased.mask.added = biased.added.data();
  biased.mask.head_stride = 70 * 133;
  biased.mask.query_stride = 133;
  this->check(biased);
  // The same matrix read with keys and queries exchanged.
  biased.mask.query_stride = 1;
  biased.mask.key_stride = 70;
  this->check(biased);
}

TYPED_TEST(Attention, ReportsTheFirstQueryThatSeesNothing) {
  using T = TypeParam;
  Example<T> example({2, 2, 100, 150, 8, 4});
  example.allowed = std::make_unique<bool[]>(100 * 150);
  for (int i = 0; i < 100 * 150; ++i) example.allowed[static_cast<std::size_t>(i)] = i / 150 != 77;
  example.mask.allowed = example.allowed.get();
  example.mask.query_stride = 150;
  EXPECT_EQ(run(example).bad, 77);
  Example<T> poisoned({1, 2, 100, 150, 8, 4});
  poisoned.q[static_cast<std::size_t>((100 + 3) * 8)] = std::numeric_limits<T>::quiet_NaN();
  EXPECT_EQ(run(poisoned).bad, 103);
  // More queries than keys: the first ones lie before every key.
  Example<T> early({1, 1, 10, 4, 8, 4});
  early.causal = true;
  EXPECT_EQ(run(early).bad, 0);
}

TYPED_TEST(Attention, SameBitsForAnyThreadCount) {
  using T = TypeParam;
  const int saved = threads();
  for (const AttentionShape shape : {AttentionShape{4, 3, 130, 200, 16, 16}, {1, 2, 130, 200, 16, 16}}) {
    Example<T> example(shape);
    example.causal = true;
    set_threads(1);
    const Result<T> one = run(example);
    for (const int count : {2, 3}) {
      set_threads(count);
      const Result<T> more = run(example);
      EXPECT_EQ(more.out, one.out);
      EXPECT_EQ(more.lse, one.lse);
      EXPECT_EQ(more.dq, one.dq);
      EXPECT_EQ(more.dk, one.dk);
      EXPECT_EQ(more.dv, one.dv);
    }
  }
  set_threads(saved);
}

}  // namespace
}  // namespace likely::kernels
