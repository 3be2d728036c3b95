#include "likely/ops/sparse.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "likely/autodiff/gradient.hpp"
#include "likely/core/create.hpp"
#include "likely/core/threads.hpp"
#include "likely/ops/arithmetic.hpp"
#include "likely/ops/matmul.hpp"
#include "likely/ops/reduce.hpp"
#include "likely/ops/view.hpp"
#include "tests/support/check_gradients.hpp"

namespace likely {
namespace {

using testing::check_gradients;
using testing::expect_refusal;
using testing::numbers;
using Inputs = std::vector<Tensor>;

using Whole = std::vector<std::int64_t>;

// 4 x 5, with a double entry at (2, 3), a row (1) and a column (2) without entries.
const Whole kRows{2, 0, 3, 2, 0, 2, 3};
const Whole kColumns{3, 4, 0, 0, 1, 3, 4};

SparseMatrix example(const Tensor& values) {
  return SparseMatrix::from_coordinates(4, 5, tensor(kRows), tensor(kColumns), values);
}

// By definition: all entries added up in a dense matrix.
Tensor example_dense(const Tensor& values) {
  std::vector<double> elements(20);
  for (std::size_t e = 0; e < kRows.size(); ++e) {
    elements[static_cast<std::size_t>(kRows[e] * 5 + kColumns[e])] +=
        values.at({static_cast<std::int64_t>(e)});
  }
  return tensor(elements, {4, 5});
}

// A large pattern in which every 7th entry or so is there.
SparseMatrix large(std::int64_t rows, std::int64_t columns, DType dtype) {
  Whole rows_of;
  Whole columns_of;
  for (std::int64_t i = 0; i < rows * columns; i += 1 + (i * 31) % 13) {
    rows_of.push_back(i / columns);
    columns_of.push_back(i % columns);
  }
  const auto entries = static_cast<std::int64_t>(rows_of.size());
  return SparseMatrix::from_coordinates(rows, columns, tensor(rows_of), tensor(columns_of),
                                        numbers({entries}).to(dtype));
}

TEST(SparseMatrix, SortsEntriesAndAddsDoubles) {
  const SparseMatrix a = example(tensor({1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0}));
  EXPECT_EQ(a.rows(), 4);
  EXPECT_EQ(a.columns(), 5);
  EXPECT_EQ(a.entries(), 6);
  EXPECT_TRUE(array_equal(a.row_offsets(), tensor({0, 2, 2, 4, 6})));
  EXPECT_TRUE(array_equal(a.column_indices(), tensor({1, 4, 0, 3, 0, 4})));
  EXPECT_TRUE(array_equal(a.values(), tensor({5.0, 2.0, 4.0, 7.0, 3.0, 7.0})));
  const SparseMatrix counted = SparseMatrix::from_coordinates(4, 5, tensor(kRows), tensor(kColumns));
  EXPECT_TRUE(array_equal(counted.values(), tensor({1.0, 1.0, 1.0, 2.0, 1.0, 1.0})));
}

TEST(SparseMatrix, BecomesDenseAndBack) {
  const Tensor values = numbers({7});
  const SparseMatrix a = example(values);
  EXPECT_TRUE(allclose(to_dense(a), example_dense(values), 1e-15, 1e-15));
  const SparseMatrix again = SparseMatrix::from_dense(to_dense(a));
  EXPECT_TRUE(array_equal(again.row_offsets(), a.row_offsets()));
  EXPECT_TRUE(array_equal(again.column_indices(), a.column_indices()));
  EXPECT_TRUE(array_equal(again.values(), a.values()));
  EXPECT_TRUE(array_equal(to_dense(transpose(a)), transpose(to_dense(a))));
  EXPECT_TRUE(array_equal(to_dense(transpose(transpose(a))), to_dense(a)));
  const SparseMatrix same = SparseMatrix::from_rows(5, a.row_offsets(), a.column_indices(), a.values());
  EXPECT_TRUE(array_equal(to_dense(same), to_dense(a)));
  EXPECT_TRUE(array_equal(to_dense(a.with_values(a.values() * 2.0)), to_dense(a) * 2.0));
}

TEST(SparseMatrix, MayBeEmpty) {
  const SparseMatrix none;
  EXPECT_EQ(none.rows(), 0);
  EXPECT_EQ(matmul(none, zeros({0, 3})).shape(), (Shape{0, 3}));
  const Tensor no_index = zeros({0}, DType::i64);
  const SparseMatrix blank = SparseMatrix::from_coordinates(2, 3, no_index, no_index);
  EXPECT_EQ(blank.entries(), 0);
  EXPECT_TRUE(array_equal(matmul(blank, ones({3, 2})), zeros({2, 2})));
  EXPECT_TRUE(array_equal(sparse_max(blank, ones({3, 2})), zeros({2, 2})));
  EXPECT_TRUE(array_equal(to_dense(blank), zeros({2, 3})));
  EXPECT_EQ(matmul(blank, zeros({3, 0})).shape(), (Shape{2, 0}));
}

TEST(SparseMatmul, IsTheDenseProduct) {
  const Tensor values = numbers({7});
  const SparseMatrix a = example(values);
  const Tensor x = numbers({5, 3}, 1.0, 1);
  EXPECT_TRUE(allclose(matmul(a, x), matmul(example_dense(values), x), 1e-14, 1e-14));
  const Tensor v = numbers({5}, 1.0, 2);
  EXPECT_TRUE(allclose(matmul(a, v), matmul(example_dense(values), v), 1e-14, 1e-14));
  const Tensor turned = transpose(numbers({3, 5}, 1.0, 1));
  EXPECT_TRUE(allclose(matmul(a, turned), matmul(example_dense(values), turned), 1e-14, 1e-14));
  const SparseMatrix big = large(90, 110, DType::f64);
  const Tensor wide = numbers({110, 37}, 1.0, 3);
  EXPECT_TRUE(allclose(matmul(big, wide), matmul(to_dense(big), wide), 1e-12, 1e-12));
  EXPECT_EQ(matmul(example(values.to(DType::f32)), x.to(DType::f32)).dtype(), DType::f32);
  EXPECT_EQ(matmul(example(values.to(DType::f32)), x).dtype(), DType::f64);
}

TEST(SparseMatmul, HasGradients) {
  check_gradients("sparse matmul", [](const Inputs& x) { return matmul(example(x[0]), x[1]); },
                  {numbers({7}), numbers({5, 2}, 1.0, 1)});
  check_gradients("vector", [](const Inputs& x) { return matmul(example(x[0]), x[1]); },
                  {numbers({7}), numbers({5}, 1.0, 1)});
  check_gradients("transposed",
                  [](const Inputs& x) { return matmul(transpose(example(x[0])), transpose(x[1])); },
                  {numbers({7}), numbers({2, 4}, 1.0, 1)});
  check_gradients("dense", [](const Inputs& x) { return to_dense(example(x[0] * x[0])); }, {numbers({7})});
  check_gradients("from dense", [](const Inputs& x) { return matmul(SparseMatrix::from_dense(x[0]), x[1]); },
                  {numbers({2, 2}), numbers({2, 2}, 1.0, 1)});
}

// y[i, k] = max of x[j, k] over the entries of row i, by a loop over the dense pattern.
Tensor max_by_definition(const Tensor& pattern, const Tensor& x) {
  std::vector<double> y;
  for (std::int64_t i = 0; i < pattern.dim(0); ++i) {
    for (std::int64_t k = 0; k < x.dim(1); ++k) {
      double best = -std::numeric_limits<double>::infinity();
      for (std::int64_t j = 0; j < pattern.dim(1); ++j) {
        if (pattern.at({i, j}) != 0.0) best = std::max(best, x.at({j, k}));
      }
      y.push_back(std::isinf(best) ? 0.0 : best);
    }
  }
  return tensor(y, {pattern.dim(0), x.dim(1)});
}

TEST(SparseMax, TakesTheLargestNeighbour) {
  const SparseMatrix a = example(numbers({7}));
  for (const std::int64_t width : {1, 2, 9, 40}) {
    const Tensor x = numbers({5, width}, 1.0, 1);
    EXPECT_TRUE(array_equal(sparse_max(a, x), max_by_definition(to_dense(a), x)));
    const Tensor single = sparse_max(a, x.to(DType::f32));
    EXPECT_TRUE(array_equal(single, max_by_definition(to_dense(a), x.to(DType::f32)).to(DType::f32)));
  }
  EXPECT_TRUE(array_equal(sparse_max(a, tensor({1.0, 2.0, 3.0, 4.0, 5.0})), tensor({5.0, 0.0, 4.0, 5.0})));
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(std::isnan(sparse_max(a, tensor({nan, 2.0, 3.0, 4.0, 5.0})).at({2})));
}

TEST(SparseMax, HasGradients) {
  const SparseMatrix a = example(numbers({7}));
  check_gradients("sparse_max", [&](const Inputs& x) { return sparse_max(a, x[0] * x[0]); },
                  {numbers({5, 3}, 1.0, 1)});
  check_gradients("vector", [&](const Inputs& x) { return sparse_max(a, x[0]); }, {numbers({5}, 1.0, 1)});
  check_gradients("strided", [&](const Inputs& x) { return sparse_max(a, transpose(x[0])) * 2.0; },
                  {numbers({2, 5}, 1.0, 1)});
  // Equal neighbours: the first gets the gradient.
  const Tensor gradient = grad(ones({5}), [&](const Tensor& x) { return sum(sparse_max(a, x)); });
  EXPECT_TRUE(array_equal(gradient, tensor({2.0, 1.0, 0.0, 0.0, 0.0})));
}

TEST(Sparse, SameBitsForAnyNumberOfThreads) {
  const int before = threads();
  const SparseMatrix a = large(700, 600, DType::f32);
  const Tensor x = numbers({600, 50}, 1.0, 1).to(DType::f32);
  const auto run = [&] {
    Inputs results = grad(Inputs{a.values(), x},
                          [&](const Inputs& p) { return sum(square(matmul(a.with_values(p[0]), p[1]))); });
    results.push_back(grad(x, [&](const Tensor& p) { return sum(square(sparse_max(a, p))); }));
    return results;
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

TEST(SparseMatrix, Refuses) {
  const Tensor one = tensor(Whole{1});
  const auto build = [](const Tensor& r, const Tensor& c, const Tensor& v) {
    SparseMatrix::from_coordinates(2, 3, r, c, v);
  };
  expect_refusal([&] { build(tensor(Whole{2}), one, {}); },
                 "[SparseMatrix] row 2 of entry 0 lies outside [0, 2)");
  expect_refusal(
      [&] {
        build(tensor(Whole{1, 1}), tensor(Whole{1, -1}), {});
      },
      "[SparseMatrix] column -1 of entry 1 lies outside [0, 3)");
  expect_refusal(
      [&] {
        build(tensor(Whole{1, 1}), one, {});
      },
      "[SparseMatrix] there are 2 row indices and 1 column indices");
  expect_refusal([&] { build(zeros({1}), one, {}); },
                 "[SparseMatrix] row_indices must be an i64 vector, got f32 of shape (1,)");
  expect_refusal(
      [&] {
        build(one, zeros({1, 1}, DType::i64), {});
      },
      "[SparseMatrix] column_indices must be an i64 vector, got i64 of shape (1, 1)");
  expect_refusal([&] { build(one, one, zeros({2})); },
                 "[SparseMatrix] the values must have shape (1,), got (2,)");
  expect_refusal([&] { build(one, one, one); }, "[SparseMatrix] the values must be floating, got i64");
  expect_refusal([&] { SparseMatrix::from_coordinates(-1, 3, one, one); },
                 "[SparseMatrix] sizes must not be negative, got -1 x 3");
  expect_refusal([&] { SparseMatrix::from_dense(zeros({2})); },
                 "[SparseMatrix] a floating matrix is needed, got f32 of shape (2,)");
}

TEST(SparseMatrix, RefusesRowsThatAreNotCompressed) {
  const auto build = [](const Whole& offsets, const Whole& columns) {
    SparseMatrix::from_rows(3, tensor(offsets), tensor(columns),
                            zeros({static_cast<std::int64_t>(columns.size())}));
  };
  EXPECT_NO_THROW(build({0, 1, 2}, {2, 0}));
  expect_refusal(
      [&] {
        build({0, 1, 1}, {2, 0});
      },
      "[SparseMatrix] the row offsets must rise from 0 to the number of entries, 2");
  expect_refusal(
      [&] {
        build({1, 1, 2}, {2, 0});
      },
      "[SparseMatrix] the row offsets must rise from 0 to the number of entries, 2");
  expect_refusal(
      [&] {
        build({0, 3, 2}, {2, 0});
      },
      "[SparseMatrix] the row offsets must rise from 0 to the number of entries, 2");
  expect_refusal([&] { build({0, 1}, {3}); }, "[SparseMatrix] column 3 of entry 0 lies outside [0, 3)");
  expect_refusal([&] { build({0, 2}, {2, 0}); }, "[SparseMatrix] the columns of row 0 do not ascend: 2, 0");
  expect_refusal([&] { build({0, 2}, {1, 1}); }, "[SparseMatrix] the columns of row 0 do not ascend: 1, 1");
}

TEST(Sparse, RefusesOperandsThatDoNotFit) {
  const SparseMatrix a = example(numbers({7}));
  expect_refusal(
      [&] {
        matmul(a, zeros({4, 2}));
      },
      "[matmul] a vector or matrix with 5 rows is needed for a sparse (4, 5), got shape (4, 2)");
  expect_refusal([&] { matmul(a, zeros({})); },
                 "[matmul] a vector or matrix with 5 rows is needed for a sparse (4, 5), got shape ()");
  expect_refusal(
      [&] {
        sparse_max(a, zeros({2, 5, 1}));
      },
      "[sparse_max] a vector or matrix with 5 rows is needed for a sparse (4, 5), got shape (2, 5, 1)");
  expect_refusal([&] { sparse_max(a, zeros({5}, DType::i64)); },
                 "[sparse_max] floating numbers are needed, got i64");
  expect_refusal([&] { a.with_values(zeros({7})); },
                 "[SparseMatrix] the values must have shape (6,), got (7,)");
}

}  // namespace
}  // namespace likely
