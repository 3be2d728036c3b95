#include "likely/ops/decompose.hpp"

#include <gtest/gtest.h>

#include "likely/core/create.hpp"
#include "likely/core/threads.hpp"
#include "likely/ops/arithmetic.hpp"
#include "likely/ops/join.hpp"
#include "likely/ops/matmul.hpp"
#include "likely/ops/triangle.hpp"
#include "likely/ops/view.hpp"
#include "tests/support/check_gradients.hpp"
#include "tests/support/matrices.hpp"

namespace likely {
namespace {

using testing::check_gradients;
using testing::expect_refusal;
using testing::numbers;
using Inputs = std::vector<Tensor>;

Tensor squared(const Tensor& root) { return matmul(root, transpose(root)) + eye(root.dim(-1), root.dtype()); }

TEST(Cholesky, OfAKnownMatrix) {
  const Tensor a = tensor({{4.0, 12.0, -16.0}, {12.0, 37.0, -43.0}, {-16.0, -43.0, 98.0}});
  const Tensor l = tensor({{2.0, 0.0, 0.0}, {6.0, 1.0, 0.0}, {-8.0, 5.0, 3.0}});
  EXPECT_TRUE(array_equal(cholesky(a), l));
  EXPECT_TRUE(array_equal(cholesky(a.to(DType::f64)), l.to(DType::f64)));
  EXPECT_TRUE(array_equal(cholesky(full({1, 1}, 9.0)), full({1, 1}, 3.0)));
  EXPECT_EQ(cholesky(zeros({0, 0})).shape(), (Shape{0, 0}));
  EXPECT_EQ(cholesky(zeros({0, 2, 2})).shape(), (Shape{0, 2, 2}));
}

TEST(Cholesky, MultipliesBackInBatches) {
  const Tensor a = testing::positive_definite({2, 3, 5, 5});
  const Tensor l = cholesky(a);
  EXPECT_TRUE(array_equal(l, tril(l)));
  EXPECT_TRUE(allclose(matmul(l, transpose(l)), a, 1e-12, 1e-12));
  const Tensor turned = cholesky(transpose(a));
  EXPECT_TRUE(allclose(turned, l, 1e-12, 1e-12));
}

TEST(Cholesky, HasGradients) {
  check_gradients("cholesky", [](const Inputs& x) { return cholesky(squared(x[0])); }, {numbers({3, 3})});
  check_gradients("cholesky of one", [](const Inputs& x) { return cholesky(squared(x[0])); },
                  {numbers({1, 1})});
  check_gradients("cholesky batch", [](const Inputs& x) { return cholesky(squared(transpose(x[0]))); },
                  {numbers({2, 2, 2})});
}

TEST(Cholesky, Refuses) {
  expect_refusal([] { cholesky(zeros({2, 3})); }, "[cholesky] square matrices are needed, got shape (2, 3)");
  expect_refusal([] { cholesky(zeros({3})); }, "[cholesky] square matrices are needed, got shape (3,)");
  expect_refusal([] { cholesky(eye(2, DType::i64)); }, "[cholesky] floating numbers are needed, got i64");
  expect_refusal(
      [] {
        cholesky(tensor({{1.0, 2.0}, {2.0, 1.0}}));
      },
      "[cholesky] the matrix is not positive definite: its leading minor of order 2 is not positive");
  expect_refusal(
      [] {
        cholesky(stack({eye(2), tensor({{0.0, 0.0}, {0.0, 1.0}})}));
      },
      "[cholesky] the matrix is not positive definite: its leading minor of order 1 is not positive "
      "(matrix 1 of the batch)");
  expect_refusal(
      [] {
        cholesky(tensor({{2.0, 1.0}, {0.5, 2.0}}));
      },
      "[cholesky] the matrix is not symmetric: element (1, 0) is 0.500000, its mirror image 1.000000");
}

TEST(Lu, MultipliesBack) {
  for (const Shape& shape :
       {Shape{1, 1}, Shape{4, 4}, Shape{2, 3, 3}, Shape{60, 60}, Shape{0, 0}, Shape{0, 2, 2}}) {
    const Tensor a = numbers(shape);
    const Lu factors = lu(a);
    EXPECT_TRUE(array_equal(factors.lower, tril(factors.lower)));
    EXPECT_TRUE(array_equal(factors.upper, triu(factors.upper)));
    EXPECT_TRUE(array_equal(diagonal(factors.lower), ones(diagonal(a).shape(), DType::f64)));
    EXPECT_TRUE(allclose(matmul(factors.permutation, transpose(factors.permutation)),
                         expand(eye(a.dim(-1), DType::f64), a.shape()), 0.0, 0.0));
    EXPECT_TRUE(allclose(matmul(factors.permutation, matmul(factors.lower, factors.upper)), a, 1e-12, 1e-12));
  }
  const Lu known = lu(tensor({{1.0, 2.0}, {4.0, 4.0}}));
  EXPECT_TRUE(array_equal(known.permutation, tensor({{0.0, 1.0}, {1.0, 0.0}})));
  EXPECT_TRUE(array_equal(known.lower, tensor({{1.0, 0.0}, {0.25, 1.0}})));
  EXPECT_TRUE(array_equal(known.upper, tensor({{4.0, 4.0}, {0.0, 1.0}})));
}

TEST(Lu, HasGradients) {
  check_gradients("lower", [](const Inputs& x) { return lu(x[0]).lower; }, {numbers({3, 3})});
  check_gradients("upper", [](const Inputs& x) { return lu(x[0]).upper; }, {numbers({3, 3})});
  check_gradients("both",
                  [](const Inputs& x) {
                    const Lu factors = lu(transpose(x[0]));
                    return matmul(factors.upper, factors.lower);
                  },
                  {numbers({2, 2, 2})});
  check_gradients("of one", [](const Inputs& x) { return lu(x[0]).lower * lu(x[0]).upper; },
                  {numbers({1, 1})});
}

TEST(Lu, Refuses) {
  expect_refusal([] { lu(zeros({2, 3})); }, "[lu] square matrices are needed, got shape (2, 3)");
  expect_refusal([] { lu(eye(2, DType::i64)); }, "[lu] floating numbers are needed, got i64");
}

constexpr TriangularSolve kWays[] = {
    {.lower = true, .transpose = false, .unit_diagonal = false},
    {.lower = true, .transpose = true, .unit_diagonal = false},
    {.lower = false, .transpose = false, .unit_diagonal = false},
    {.lower = false, .transpose = true, .unit_diagonal = false},
    {.lower = true, .transpose = false, .unit_diagonal = true},
    {.lower = false, .transpose = true, .unit_diagonal = true},
};

Tensor system_of(const Tensor& a, const TriangularSolve& way) {
  const Tensor unit = eye(a.dim(-1), a.dtype());
  Tensor part = way.lower ? tril(a) : triu(a);
  if (way.unit_diagonal) part = part * (1.0 - unit) + unit;
  return way.transpose ? transpose(part) : part;
}

TEST(TriangularSolve, Solves) {
  const Tensor a = numbers({4, 4}) + eye(4, DType::f64) * 3.0;
  const Tensor stacked = numbers({3, 1, 4, 4}) + eye(4, DType::f64) * 3.0;
  for (const TriangularSolve& way : kWays) {
    const Tensor b = numbers({4, 2}, 1.0, 2);
    EXPECT_TRUE(allclose(matmul(system_of(a, way), triangular_solve(a, b, way)), b, 1e-12, 1e-12));
    const Tensor v = numbers({4}, 1.0, 3);
    EXPECT_TRUE(allclose(matmul(system_of(a, way), triangular_solve(a, v, way)), v, 1e-12, 1e-12));
    const Tensor many = numbers({5, 4, 2}, 1.0, 4);
    EXPECT_TRUE(allclose(matmul(system_of(a, way), triangular_solve(a, many, way)), many, 1e-12, 1e-12));
    const Tensor x = triangular_solve(stacked, many, way);
    EXPECT_EQ(x.shape(), (Shape{3, 5, 4, 2}));
    EXPECT_TRUE(allclose(matmul(system_of(stacked, way), x), expand(many, x.shape()), 1e-12, 1e-12));
    const Tensor turned = triangular_solve(transpose(a), transpose(numbers({3, 4})), way);
    EXPECT_TRUE(
        allclose(matmul(system_of(transpose(a), way), turned), transpose(numbers({3, 4})), 1e-12, 1e-12));
  }
  EXPECT_EQ(triangular_solve(eye(2), ones({2, 1}, DType::f64)).dtype(), DType::f64);
  EXPECT_EQ(triangular_solve(zeros({0, 0}), zeros({0, 3})).shape(), (Shape{0, 3}));
  EXPECT_EQ(triangular_solve(eye(3), zeros({3, 0})).shape(), (Shape{3, 0}));
}

TEST(TriangularSolve, HasGradients) {
  for (const TriangularSolve& way : kWays) {
    const auto solution = [&](const Inputs& x) {
      return triangular_solve(x[0] + eye(x[0].dim(-1), DType::f64) * 2.0, x[1], way);
    };
    check_gradients("triangular_solve", solution, {numbers({3, 3}), numbers({3, 2}, 1.0, 1)});
    check_gradients("of one", solution, {numbers({1, 1}), numbers({1, 1}, 1.0, 1)});
    check_gradients("vector", solution, {numbers({2, 2}), numbers({2}, 1.0, 1)});
    check_gradients("broadcast", solution, {numbers({2, 1, 2, 2}), numbers({2, 2, 1}, 1.0, 1)});
  }
}

TEST(TriangularSolve, Refuses) {
  expect_refusal(
      [] {
        triangular_solve(zeros({2, 3}), zeros({2, 1}));
      },
      "[triangular_solve] square matrices are needed, got shape (2, 3)");
  expect_refusal(
      [] {
        triangular_solve(eye(2), zeros({3, 1}));
      },
      "[triangular_solve] a right side with 2 rows is needed for (2, 2), got shape (3, 1)");
  expect_refusal([] { triangular_solve(eye(2), zeros({})); },
                 "[triangular_solve] a right side with 2 rows is needed for (2, 2), got shape ()");
  expect_refusal(
      [] {
        triangular_solve(eye(2), zeros({2, 1}, DType::i64));
      },
      "[triangular_solve] floating numbers are needed, got i64");
  expect_refusal(
      [] {
        triangular_solve(tensor({{1.0, 0.0}, {3.0, 0.0}}), zeros({2, 1}));
      },
      "[triangular_solve] the matrix is singular: element 1 of its diagonal is 0");
  EXPECT_NO_THROW(triangular_solve(tensor({{1.0, 0.0}, {3.0, 0.0}}), zeros({2, 1}), {.unit_diagonal = true}));
}

TEST(Decompose, SameBitsForAnyNumberOfThreads) {
  const int before = threads();
  const Tensor many = numbers({50, 40, 40});
  const Tensor large = numbers({300, 300}).to(DType::f32);
  const auto run = [&] {
    const Lu factors = lu(large);
    return Inputs{cholesky(squared(many)), factors.lower, factors.upper,
                  triangular_solve(many + eye(40, DType::f64) * 4.0, many)};
  };
  set_threads(1);
  const Inputs one = run();
  for (const int n : {2, 3}) {
    set_threads(n);
    const Inputs again = run();
    for (std::size_t i = 0; i < one.size(); ++i) EXPECT_TRUE(array_equal(again[i], one[i])) << n << ", " << i;
  }
  set_threads(before);
}

}  // namespace
}  // namespace likely
