#include "likely/ops/solve.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "likely/autodiff/gradient.hpp"
#include "likely/core/create.hpp"
#include "likely/core/threads.hpp"
#include "likely/ops/arithmetic.hpp"
#include "likely/ops/join.hpp"
#include "likely/ops/matmul.hpp"
#include "likely/ops/view.hpp"
#include "tests/support/check_gradients.hpp"

namespace likely {
namespace {

using testing::check_gradients;
using testing::expect_refusal;
using testing::numbers;
using Inputs = std::vector<Tensor>;

const double kInfinity = std::numeric_limits<double>::infinity();

// Laplace's expansion along the first row.
double determinant(const std::vector<std::vector<double>>& a) {
  if (a.empty()) return 1.0;
  double total = 0.0;
  for (std::size_t skip = 0; skip < a.size(); ++skip) {
    std::vector<std::vector<double>> minor;
    for (std::size_t i = 1; i < a.size(); ++i) {
      minor.push_back(a[i]);
      minor.back().erase(minor.back().begin() + static_cast<std::ptrdiff_t>(skip));
    }
    total += (skip % 2 == 0 ? 1.0 : -1.0) * a[0][skip] * determinant(minor);
  }
  return total;
}

double determinant(const Tensor& a) {
  std::vector<std::vector<double>> rows;
  for (std::int64_t i = 0; i < a.dim(0); ++i) rows.push_back(select(a, 0, i).to_vector<double>());
  return determinant(rows);
}

TEST(Solve, Solves) {
  EXPECT_TRUE(allclose(solve(tensor({{3.0, 1.0}, {1.0, 2.0}}), tensor({9.0, 8.0})), tensor({2.0, 3.0})));
  const Tensor a = numbers({5, 5});
  const Tensor b = numbers({5, 3}, 1.0, 1);
  EXPECT_TRUE(allclose(matmul(a, solve(a, b)), b, 1e-11, 1e-11));
  EXPECT_TRUE(allclose(matmul(transpose(a), solve(transpose(a), b)), b, 1e-11, 1e-11));
  const Tensor stacked = numbers({2, 1, 4, 4});
  const Tensor many = numbers({3, 4, 2}, 1.0, 1);
  const Tensor x = solve(stacked, many);
  EXPECT_EQ(x.shape(), (Shape{2, 3, 4, 2}));
  EXPECT_TRUE(allclose(matmul(stacked, x), expand(many, x.shape()), 1e-10, 1e-10));
  const Tensor shared = solve(select(select(stacked, 0, 1), 0, 0), many);
  EXPECT_TRUE(allclose(shared, select(x, 0, 1), 1e-10, 1e-10));
  const Tensor large = numbers({120, 120}).to(DType::f32) + eye(120) * 10.0;
  const Tensor right = numbers({120, 2}).to(DType::f32);
  EXPECT_TRUE(allclose(matmul(large, solve(large, right)), right, 1e-3, 1e-4));
  EXPECT_EQ(solve(zeros({0, 0}), zeros({0, 2})).shape(), (Shape{0, 2}));
  EXPECT_EQ(solve(eye(2), ones({2, 1}, DType::f64)).dtype(), DType::f64);
}

TEST(Solve, HasGradients) {
  const auto solution = [](const Inputs& x) { return solve(x[0] + eye(x[0].dim(-1), DType::f64), x[1]); };
  check_gradients("solve", solution, {numbers({3, 3}), numbers({3, 2}, 1.0, 1)});
  check_gradients("of one", solution, {numbers({1, 1}), numbers({1, 1}, 1.0, 1)});
  check_gradients("vector", solution, {numbers({2, 2}), numbers({2}, 1.0, 1)});
  check_gradients("broadcast", solution, {numbers({2, 1, 2, 2}), numbers({2, 2, 1}, 1.0, 1)});
  check_gradients("transposed", [](const Inputs& x) { return solve(transpose(x[0]), transpose(x[1])); },
                  {numbers({2, 2}), numbers({3, 2}, 1.0, 1)});
}

TEST(Solve, Refuses) {
  expect_refusal(
      [] {
        solve(tensor({{1.0, 2.0}, {2.0, 4.0}}), ones({2, 1}));
      },
      "[solve] the matrix is singular: pivot 1 is 0 within rounding");
  // Singular, though rounding leaves it a small last pivot.
  const Tensor hidden = tensor({{1, 2, 3}, {4, 5, 6}, {7, 8, 9}}, DType::f64);
  expect_refusal(
      [&] {
        solve(hidden, ones({3, 1}));
      },
      "[solve] the matrix is singular: pivot 2 is 0 within rounding");
  expect_refusal(
      [&] {
        solve(stack({eye(3, DType::f64), hidden}), ones({3, 1}));
      },
      "[solve] the matrix is singular: pivot 2 is 0 within rounding (matrix 1 of the batch)");
  expect_refusal(
      [] {
        solve(zeros({2, 3}), zeros({2, 1}));
      },
      "[solve] square matrices are needed, got shape (2, 3)");
  expect_refusal(
      [] {
        solve(eye(2), zeros({3, 1}));
      },
      "[solve] a right side with 2 rows is needed for (2, 2), got shape (3, 1)");
  expect_refusal([] { solve(eye(2), zeros({3})); },
                 "[solve] a right side with 2 rows is needed for (2, 2), got shape (3, 1)");
  expect_refusal(
      [] {
        solve(eye(2, DType::i64), zeros({2, 1}));
      },
      "[solve] floating numbers are needed, got i64");
}

TEST(Solve, ScalesOfRowsAndColumnsDoNotMatter) {
  const Tensor rows = tensor({{1.0, 2.0}, {1e-200, -1e-200}}, DType::f64);
  EXPECT_TRUE(allclose(solve(rows, tensor({3.0, 0.0}, DType::f64)), tensor({1.0, 1.0}, DType::f64)));
  const Tensor columns = tensor({{1.0, 1e-200}, {1.0, 2e-200}}, DType::f64);
  EXPECT_TRUE(allclose(solve(columns, tensor({2.0, 3.0}, DType::f64)), tensor({1.0, 1e200}, DType::f64)));
}

TEST(Inverse, MultipliesToOne) {
  EXPECT_TRUE(
      allclose(inverse(tensor({{4.0, 7.0}, {2.0, 6.0}})), tensor({{0.6, -0.7}, {-0.2, 0.4}}), 1e-6, 1e-6));
  const Tensor a = numbers({2, 3, 4, 4});
  EXPECT_TRUE(allclose(matmul(a, inverse(a)), expand(eye(4, DType::f64), a.shape()), 1e-10, 1e-10));
  EXPECT_TRUE(array_equal(inverse(full({1, 1}, 4.0)), full({1, 1}, 0.25)));
  EXPECT_EQ(inverse(zeros({0, 0})).shape(), (Shape{0, 0}));
  const Tensor large = numbers({130, 130});
  EXPECT_TRUE(allclose(matmul(large, inverse(large)), eye(130, DType::f64), 1e-8, 1e-8));
}

TEST(Inverse, HasGradients) {
  const auto inverted = [](const Inputs& x) { return inverse(x[0]); };
  check_gradients("inverse", inverted, {numbers({3, 3}) + eye(3, DType::f64)});
  check_gradients("of one", inverted, {numbers({1, 1})});
  check_gradients("batch", [](const Inputs& x) { return inverse(transpose(x[0])); },
                  {numbers({2, 2, 2}) + eye(2, DType::f64)});
}

TEST(Inverse, Refuses) {
  expect_refusal(
      [] {
        inverse(zeros({2, 2}));
      },
      "[inverse] the matrix is singular: pivot 0 is 0 within rounding");
  expect_refusal([] { inverse(zeros({2, 3})); }, "[inverse] square matrices are needed, got shape (2, 3)");
}

TEST(Det, IsLaplacesExpansion) {
  for (const std::int64_t n : {0, 1, 2, 3, 4, 6}) {
    const Tensor a = numbers({n, n});
    EXPECT_NEAR(det(a).item(), determinant(a), 1e-11) << n;
    EXPECT_NEAR(det(transpose(a)).item(), determinant(a), 1e-11) << n;
    EXPECT_NEAR(det(a.to(DType::f32)).item(), determinant(a), 1e-4) << n;
  }
  const Tensor batch = numbers({2, 3, 3, 3});
  const Tensor values = det(batch);
  EXPECT_EQ(values.shape(), (Shape{2, 3}));
  EXPECT_NEAR(values.at({1, 2}), determinant(select(select(batch, 0, 1), 0, 2)), 1e-12);
  EXPECT_EQ(det(tensor({{1.0, 2.0}, {2.0, 4.0}})).item(), 0.0);
  EXPECT_EQ(det(zeros({0, 2, 2})).shape(), (Shape{0}));
}

TEST(Det, HasGradients) {
  const auto value = [](const Inputs& x) { return det(x[0]); };
  check_gradients("det", value, {numbers({3, 3})});
  check_gradients("of one", value, {numbers({1, 1})});
  check_gradients("batch", [](const Inputs& x) { return det(transpose(x[0])); }, {numbers({2, 2, 2})});
}

TEST(Det, HasGradientsAtSingularMatrices) {
  // A determinant is linear in each element, so that differences with any step are exact.
  const testing::GradientCheck wide{.step = 0.1, .tolerance = 1e-9, .second = true};
  const auto value = [](const Inputs& x) { return det(x[0]); };
  check_gradients("zero", value, {zeros({1, 1})}, wide);
  check_gradients("rank 1 of 2", value, {tensor({{1.0, 2.0}, {2.0, 4.0}})}, wide);
  check_gradients("rank 0 of 2", value, {zeros({2, 2})}, wide);
  check_gradients("rank 2 of 3", value, {tensor({{1.0, 2.0, 3.0}, {4.0, 5.0, 6.0}, {7.0, 8.0, 9.0}})}, wide);
  check_gradients("rank 1 of 3", value, {outer(numbers({3}), numbers({3}, 1.0, 1))}, wide);
  check_gradients("rank 2 of 4", value, {matmul(numbers({4, 2}), numbers({2, 4}, 1.0, 1))}, wide);
  check_gradients("batch", value, {stack({eye(3, DType::f64), outer(numbers({3}), numbers({3}, 1.0, 1))})},
                  wide);
}

TEST(SlogDet, IsTheLogarithmWithoutOverflow) {
  const Tensor a = numbers({3, 4, 4});
  const SignAndLogDet parts = slogdet(a);
  for (std::int64_t i = 0; i < 3; ++i) {
    const double expected = determinant(select(a, 0, i));
    EXPECT_EQ(parts.sign.at({i}), expected > 0 ? 1.0 : -1.0);
    EXPECT_NEAR(parts.log_abs.at({i}), std::log(std::abs(expected)), 1e-12);
  }
  const SignAndLogDet huge = slogdet(eye(200) * -1e10);
  EXPECT_EQ(huge.sign.item(), 1.0);
  EXPECT_NEAR(huge.log_abs.item(), 200 * std::log(1e10), 1e-2);
  const SignAndLogDet none = slogdet(tensor({{1.0, 2.0}, {2.0, 4.0}}));
  EXPECT_EQ(none.sign.item(), 0.0);
  EXPECT_FALSE(std::signbit(none.sign.item()));
  EXPECT_EQ(none.log_abs.item(), -kInfinity);
  EXPECT_EQ(slogdet(zeros({0, 0})).sign.item(), 1.0);
  EXPECT_EQ(slogdet(zeros({0, 0})).log_abs.item(), 0.0);
}

TEST(LogDet, IsTheLogarithmOfTheDeterminant) {
  EXPECT_NEAR(logdet(tensor({{3.0, 1.0}, {1.0, 3.0}}, DType::f64)).item(), std::log(8.0), 1e-14);
  EXPECT_TRUE(std::isnan(logdet(tensor({{0.0, 1.0}, {1.0, 0.0}})).item()));
  EXPECT_EQ(logdet(zeros({2, 2})).item(), -kInfinity);
}

TEST(LogDet, HasGradients) {
  const auto logarithm = [](const Inputs& x) { return slogdet(x[0]).log_abs; };
  check_gradients("slogdet", logarithm, {numbers({3, 3})});
  check_gradients("of one", logarithm, {numbers({1, 1})});
  check_gradients("batch", [](const Inputs& x) { return slogdet(transpose(x[0])).log_abs; },
                  {numbers({2, 2, 2})});
  check_gradients("logdet", [](const Inputs& x) { return logdet(matmul(x[0], transpose(x[0]))); },
                  {numbers({3, 3})});
  expect_refusal(
      [] {
        grad(zeros({2, 2}), [](const Tensor& a) { return logdet(a); });
      },
      "[inverse] the matrix is singular: pivot 0 is 0 within rounding");
}

TEST(Det, Refuses) {
  expect_refusal([] { det(zeros({2, 3})); }, "[det] square matrices are needed, got shape (2, 3)");
  expect_refusal([] { slogdet(zeros({2})); }, "[slogdet] square matrices are needed, got shape (2,)");
  expect_refusal([] { logdet(eye(2, DType::i64)); }, "[slogdet] floating numbers are needed, got i64");
}

TEST(Solve, SameBitsForAnyNumberOfThreads) {
  const int before = threads();
  const Tensor many = numbers({40, 30, 30});
  const Tensor large = numbers({250, 250}).to(DType::f32);
  set_threads(1);
  const Inputs one{inverse(many), inverse(large), det(many)};
  for (const int n : {2, 3}) {
    set_threads(n);
    EXPECT_TRUE(array_equal(inverse(many), one[0])) << n;
    EXPECT_TRUE(array_equal(inverse(large), one[1])) << n;
    EXPECT_TRUE(array_equal(det(many), one[2])) << n;
  }
  set_threads(before);
}

}  // namespace
}  // namespace likely
