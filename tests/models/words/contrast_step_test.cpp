#include "likely/models/words/contrast_step.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <tuple>

#include "likely/likely.hpp"
#include "likely/prob/noise_contrastive.hpp"
#include "tests/support/check_gradients.hpp"

namespace likely::words {

namespace {

using likely::testing::numbers;

// A few rows of a whole stride, with zeros behind them.
Tensor rows_of(const Tensor& values) {
  const std::int64_t words = values.dim(0), dimension = values.dim(1);
  Tensor rows = zeros({words, row_stride(dimension)});
  for (std::int64_t i = 0; i < words; ++i) {
    for (std::int64_t j = 0; j < dimension; ++j) rows.set({i, j}, values.at({i, j}));
  }
  return rows;
}

void expect_close(const Tensor& rows, const Tensor& expected, const std::string& what) {
  for (std::int64_t i = 0; i < expected.dim(0); ++i) {
    for (std::int64_t j = 0; j < rows.dim(1); ++j) {
      const double right = j < expected.dim(1) ? expected.at({i, j}) : 0.0;
      ASSERT_NEAR(rows.at({i, j}), right, 2e-6) << what << ": row " << i << ", " << j;
    }
  }
}

constexpr double kRate = 0.3;

// A step against the derivatives of the loss in f64, for dimensions that fill vectors and such that do not.
class ContrastStep : public ::testing::TestWithParam<std::tuple<std::int64_t, bool>> {};

TEST_P(ContrastStep, GoesDownTheGradientOfTheLoss) {
  const auto [dimension, nce] = GetParam();
  const std::vector<std::uint32_t> words{3, 0, 5, 1, 6, 2};
  const Tensor ids = tensor(std::vector<std::int64_t>(words.begin(), words.end()));
  const double scale = 2.0 / std::sqrt(static_cast<double>(dimension));
  const Tensor u = numbers({7, dimension}, scale, 1).to(DType::f64),
               h = numbers({1, dimension}, scale, 2).to(DType::f64);
  const Tensor b = numbers({7}, 1.0, 3).to(DType::f64), log_q = numbers({7}, 1.0, 4).to(DType::f64) - 2.0;
  const double k = 5.0;
  const auto loss = [&](const Tensor& all_u, const Tensor& hidden, const Tensor& biases) {
    const Tensor s = reshape(matmul(index_select(all_u, 0, ids), transpose(hidden)), {6});
    const Tensor data = slice(s, 0, {0, 1}), noise = slice(s, 0, {1, 6});
    if (!nce) return negative_sampling_loss(data, noise);
    const Tensor bias = index_select(biases, 0, ids), q = index_select(log_q, 0, ids);
    return noise_contrastive_loss({data + slice(bias, 0, {0, 1}), slice(q, 0, {0, 1}),
                                   noise + slice(bias, 0, {1, 6}), slice(q, 0, {1, 6})},
                                  k);
  };
  const Tensor du = grad(u, [&](const Tensor& x) { return loss(x, h, b); });
  const Tensor dh = grad(h, [&](const Tensor& x) { return loss(u, x, b); });
  const Tensor db = grad(b, [&](const Tensor& x) { return loss(u, h, x); });
  for (const bool moves : {true, false}) {
    Tensor rows = rows_of(u), hidden = rows_of(h), change = rows_of(h);
    Tensor biases = b.to(DType::f32), log_noise = (log_q + std::log(k)).to(DType::f32);
    Outputs outputs{rows.mutable_data<float>(), rows.dim(1), nullptr, nullptr};
    if (nce) {
      outputs.biases = biases.mutable_data<float>();
      outputs.log_noise = log_noise.data<float>();
    }
    const float found = contrast_step(outputs, {words.data(), 6}, kRate, hidden.mutable_data<float>(),
                                      moves ? nullptr : change.mutable_data<float>(), true);
    EXPECT_NEAR(found, loss(u, h, b).item(), 1e-5);
    expect_close(rows, u - kRate * du, "u");
    expect_close(hidden, moves ? h - kRate * dh : h, "h");
    if (!moves) expect_close(change, -kRate * dh, "change");
    for (std::int64_t i = 0; i < 7; ++i)
      EXPECT_NEAR(biases.at({i}), b.at({i}) - (nce ? kRate * db.at({i}) : 0.0), 2e-6);
  }
}

INSTANTIATE_TEST_SUITE_P(Dimensions, ContrastStep,
                         ::testing::Combine(::testing::Values(1, 3, 16, 17, 48, 100), ::testing::Bool()));

// The bag of CBOW: each v_w gets the slope of the loss in it.
TEST(ContrastStep, SpreadsAStepOverTheWordsOfABag) {
  const std::int64_t dimension = 21;
  const std::vector<std::uint32_t> bag{4, 1, 4}, words{2, 0, 1};
  const Tensor v = numbers({5, dimension}, 0.5, 1).to(DType::f64),
               u = numbers({3, dimension}, 0.5, 2).to(DType::f64);
  const auto loss = [&](const Tensor& all) {
    const Tensor h = mean(index_select(all, 0, tensor({4, 1, 4})), {0}, true);
    const Tensor s = reshape(matmul(index_select(u, 0, tensor({2, 0, 1})), transpose(h)), {3});
    return negative_sampling_loss(slice(s, 0, {0, 1}), slice(s, 0, {1, 3}));
  };
  Tensor inputs = rows_of(v), outputs = rows_of(u), hidden = zeros({row_stride(dimension)}),
         change = zeros_like(hidden);
  const std::int64_t stride = row_stride(dimension);
  mean_of_rows(inputs.data<float>(), stride, bag.data(), 3, hidden.mutable_data<float>());
  contrast_step({outputs.mutable_data<float>(), stride, nullptr, nullptr}, {words.data(), 3}, kRate,
                hidden.mutable_data<float>(), change.mutable_data<float>(), false);
  spread_over_rows(inputs.mutable_data<float>(), stride, bag.data(), 3, change.data<float>());
  expect_close(inputs, v - kRate * grad(v, loss), "v");
}

// As is said in the header: scores first, then one move after the other.
TEST(ContrastStep, MovesAWordTwiceThatComesTwice) {
  Tensor rows = rows_of(tensor({{0.5}, {-0.25}})), hidden = rows_of(tensor({{2.0}}));
  const std::vector<std::uint32_t> words{1, 0, 0};
  contrast_step({rows.mutable_data<float>(), 16, nullptr, nullptr}, {words.data(), 3}, 1.0F,
                hidden.mutable_data<float>(), nullptr, false);
  const double of_data = 1.0 - 1.0 / (1.0 + std::exp(0.5)), of_noise = -1.0 / (1.0 + std::exp(-1.0));
  EXPECT_NEAR(rows.at({1, 0}), -0.25 + of_data * 2.0, 1e-6);
  EXPECT_NEAR(rows.at({0, 0}), 0.5 + 2.0 * of_noise * 2.0, 1e-6);
  EXPECT_NEAR(hidden.at({0, 0}), 2.0 + of_data * -0.25 + of_noise * 0.5 + of_noise * (0.5 + of_noise * 2.0),
              1e-6);
}

}  // namespace

}  // namespace likely::words
