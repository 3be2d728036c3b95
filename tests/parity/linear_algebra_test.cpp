#include <gtest/gtest.h>

#include "likely/core/create.hpp"
#include "likely/ops/arithmetic.hpp"
#include "likely/ops/decompose.hpp"
#include "likely/ops/einsum.hpp"
#include "likely/ops/linear.hpp"
#include "likely/ops/matmul.hpp"
#include "likely/ops/solve.hpp"
#include "likely/ops/sparse.hpp"
#include "likely/ops/view.hpp"
#include "tests/support/reference.hpp"

namespace likely::testing {
namespace {

using In = const std::vector<Tensor>&;

TEST(Parity, Products) {
  expect_parity("products",
                {{"matmul", [](In x) { return matmul(x[0], x[1]); }},
                 {"matmul_batched", [](In x) { return matmul(x[0], x[1]); }},
                 {"matmul_vector", [](In x) { return matmul(x[0], x[1]); }},
                 {"matmul_transposed", [](In x) { return matmul(transpose(x[0]), transpose(x[1])); }},
                 {"outer", [](In x) { return outer(x[0], x[1]); }},
                 {"dot", [](In x) { return dot(x[0], x[1]); }},
                 {"einsum",
                  [](In x) {
                    return einsum("bij,bkj->bik", {x[0], x[1]});
                  }},
                 {"linear_relu", [](In x) { return linear(x[0], x[1], x[2], Activation::relu); }}});
}

TEST(Parity, Factorizations) {
  expect_parity("factorizations",
                {{"cholesky", [](In x) { return cholesky((x[0] + transpose(x[0])) * 0.5); }},
                 {"triangular_solve", [](In x) { return triangular_solve(x[0], x[1]); }},
                 {"solve", [](In x) { return solve(x[0], x[1]); }},
                 {"inverse", [](In x) { return inverse(x[0]); }},
                 {"det", [](In x) { return det(x[0]); }},
                 {"logdet", [](In x) { return logdet(x[0]); }},
                 {"slogdet", [](In x) { return slogdet(x[0]).log_abs; }}});
}

TEST(Parity, SparseMatrices) {
  // The places of the ones in the script's pattern, row by row.
  const Tensor rows = tensor({0, 1, 1, 2, 3, 3});
  const Tensor columns = tensor({1, 0, 2, 2, 0, 1});
  expect_parity("sparse", {{"sparse_matmul", [&](In x) {
                              return matmul(SparseMatrix::from_coordinates(4, 3, rows, columns, x[0]), x[1]);
                            }}});
}

}  // namespace
}  // namespace likely::testing
