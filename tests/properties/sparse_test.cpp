#include "likely/ops/sparse.hpp"

#include <cmath>
#include <optional>

#include "tests/properties/elementwise.hpp"
#include "tests/properties/families.hpp"

namespace likely::testing {

namespace {

using plain::Array;
using plain::Number;

// Entries by their coordinates; the last input says how many rows there are.
std::vector<Input> entries(const std::string& x) {
  return {labels("e", 'r'), labels("e", 'c'), {.axes = "e"}, {.axes = x}, constant_input("r", 0.0, 1.0)};
}

SparseMatrix matrix_of(const Tensors& t) {
  return SparseMatrix::from_coordinates(t[4].dim(0), t[3].dim(0), t[0], t[1], t[2]);
}

// The dense matrix: entries that name the same element add up.
Array dense_of(const Arrays& t, const Array& values) {
  Array dense({t[4].size(), t[3].shape[0]});
  for (std::int64_t e = 0; e < values.size(); ++e) {
    const auto row = static_cast<std::int64_t>(t[0][e].value);
    const auto column = static_cast<std::int64_t>(t[1][e].value);
    if (row >= dense.shape[0] || column >= dense.shape[1]) throw plain::Refused();
    Number& element = dense.at({row, column});
    element = element + values[e];
  }
  return dense;
}

Op sparse_op(const std::string& name, std::vector<std::string> declared,
             std::function<Tensor(const Tensors&)> call, std::function<Array(const Arrays&)> loop,
             const std::string& x = "cd") {
  return {.name = name,
          .declares = std::move(declared),
          .inputs = entries(x),
          .sizes = {"e=13 r=5 c=7 d=3", "e=700 r=131 c=67 d=17", "e=300 r=3 c=70 d=65"},
          .call = std::move(call),
          .loop = std::move(loop)};
}

// Each row takes the largest of its neighbours; the first wins a tie, a row without entries is 0.
Array plain_sparse_max(const Arrays& t) {
  const Array dense = dense_of(t, Array({t[0].size()}, plain::Numbers(t[0].elements.size(), Number(1))));
  const std::int64_t rows = dense.shape[0], columns = dense.shape[1], width = t[3].shape[1];
  Array y({rows, width});
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::int64_t k = 0; k < width; ++k) {
      const Number* best = nullptr;
      for (std::int64_t j = 0; j < columns; ++j) {
        const Number& candidate = t[3][j * width + k];
        if (dense[i * columns + j].value != 0 && (best == nullptr || candidate.value > best->value))
          best = &candidate;
      }
      if (best != nullptr) y[i * width + k] = *best;
    }
  }
  return y;
}

}  // namespace

Ops sparse_ops() {
  const std::string from = "SparseMatrix::from_coordinates(int64_t, int64_t, Tensor, Tensor, Tensor)";
  const std::vector<std::string> parts = {"SparseMatrix::rows()",
                                          "SparseMatrix::columns()",
                                          "SparseMatrix::entries()",
                                          "SparseMatrix::row_offsets()",
                                          "SparseMatrix::column_indices()",
                                          "SparseMatrix::values()",
                                          "SparseMatrix::from_rows(int64_t, Tensor, Tensor, Tensor)",
                                          "SparseMatrix::with_values(Tensor)"};
  return {
      sparse_op(
          "sparse matmul", {"matmul(SparseMatrix, Tensor)", from},
          [](const Tensors& t) { return matmul(matrix_of(t), t[3]); },
          [](const Arrays& t) { return plain::matrix_product(dense_of(t, t[2]), t[3]); }),
      sparse_op(
          "sparse matmul with a vector", {"matmul(SparseMatrix, Tensor)"},
          [](const Tensors& t) { return matmul(matrix_of(t), t[3]); },
          [](const Arrays& t) {
            const Array y = plain::matrix_product(dense_of(t, t[2]), plain::reshaped(t[3], {t[3].size(), 1}));
            return plain::reshaped(y, {y.size()});
          },
          "c"),
      sparse_op(
          "sparse transpose", {"transpose(SparseMatrix)", "to_dense(SparseMatrix)"},
          [](const Tensors& t) { return to_dense(transpose(matrix_of(t))); },
          [](const Arrays& t) { return plain::transposed(dense_of(t, t[2])); }, "c"),
      sparse_op(
          "to_dense of parts put together again", parts,
          [](const Tensors& t) {
            const SparseMatrix a = matrix_of(t);
            const SparseMatrix again =
                SparseMatrix::from_rows(a.columns(), a.row_offsets(), a.column_indices(), a.values());
            EXPECT_EQ(again.rows(), a.rows());
            EXPECT_EQ(again.entries(), a.values().size());
            return to_dense(again.with_values(a.values()));
          },
          [](const Arrays& t) { return dense_of(t, t[2]); }, "c"),
      sparse_op(
          "sparse_max", {"sparse_max(SparseMatrix, Tensor)"},
          [](const Tensors& t) { return sparse_max(matrix_of(t), t[3]); }, plain_sparse_max),
      {.name = "from_dense",
       .declares = {"SparseMatrix::from_dense(Tensor)"},
       .inputs = {zeros_in("rc"), {.axes = "cd"}},
       .sizes = {"r=5 c=7 d=3", "r=67 c=33 d=5"},
       .call = [](const Tensors& t) { return matmul(SparseMatrix::from_dense(t[0]), t[1]); },
       .loop =
           [](const Arrays& t) {
             // Elements that are 0 are no part of it, so nothing flows to them.
             const Array kept =
                 plain::map([](const Number& v) { return v.value == 0 ? Number(0) : v; }, t[0]);
             return plain::matrix_product(kept, t[1]);
           },
       .second = false},
  };
}

INSTANTIATE_TEST_SUITE_P(Sparse, OpProperties, ::testing::ValuesIn(sparse_ops()), name_of_op);

}  // namespace likely::testing
