#include <cmath>
#include <limits>
#include <numeric>

#include "likely/core/create.hpp"
#include "likely/ops/arithmetic.hpp"
#include "likely/ops/decompose.hpp"
#include "likely/ops/solve.hpp"
#include "likely/ops/view.hpp"
#include "tests/properties/elementwise.hpp"
#include "tests/properties/families.hpp"

namespace likely::testing {

namespace {

using plain::Array;
using plain::Extents;
using plain::Number;
using plain::Numbers;
using plain::Real;

// A square or rectangular matrix of a batch.
struct Matrix {
  std::int64_t rows, columns;
  Numbers elements;
  Number& at(std::int64_t i, std::int64_t j) { return elements[static_cast<std::size_t>(i * columns + j)]; }
  const Number& at(std::int64_t i, std::int64_t j) const {
    return elements[static_cast<std::size_t>(i * columns + j)];
  }
};

Matrix zeros_matrix(std::int64_t rows, std::int64_t columns) {
  return {rows, columns, Numbers(static_cast<std::size_t>(rows * columns))};
}

Matrix identity(std::int64_t n) {
  Matrix one = zeros_matrix(n, n);
  for (std::int64_t i = 0; i < n; ++i) one.at(i, i) = Number(1);
  return one;
}

Matrix transposed(const Matrix& a) {
  Matrix t = zeros_matrix(a.columns, a.rows);
  for (std::int64_t i = 0; i < a.rows; ++i) {
    for (std::int64_t j = 0; j < a.columns; ++j) t.at(j, i) = a.at(i, j);
  }
  return t;
}

std::vector<Matrix> matrices_of(const Array& x) {
  const std::int64_t rows = x.shape[x.shape.size() - 2], columns = x.shape.back();
  const Extents batch(x.shape.begin(), x.shape.end() - 2);
  std::vector<Matrix> result;
  for (std::int64_t i = 0; i < plain::product(batch); ++i) {
    const auto first = x.elements.begin() + i * rows * columns;
    result.push_back({rows, columns, Numbers(first, first + rows * columns)});
  }
  return result;
}

// f of each matrix (or pair); its results one after the other in this shape.
Array each(const Array& a, const Extents& shape, const std::function<Numbers(const Matrix&)>& f) {
  Array y;
  y.shape = shape;
  for (const Matrix& matrix : matrices_of(a)) {
    for (const Number& element : f(matrix)) y.elements.push_back(element);
  }
  return y;
}
Array each(const Array& a, const Array& b, const std::function<Numbers(const Matrix&, const Matrix&)>& f) {
  Array y;
  y.shape = b.shape;
  const std::vector<Matrix> left = matrices_of(a), right = matrices_of(b);
  for (std::size_t i = 0; i < left.size(); ++i) {
    for (const Number& element : f(left[i], right[i])) y.elements.push_back(element);
  }
  return y;
}

struct Factors {
  Matrix lower, upper;
  std::vector<std::int64_t> order;  // row i of lower * upper is row order[i] of a
  int sign = 1;
};

Factors factorized(Matrix a) {
  Factors f{identity(a.rows), {}, std::vector<std::int64_t>(static_cast<std::size_t>(a.rows))};
  std::iota(f.order.begin(), f.order.end(), 0);
  for (std::int64_t k = 0; k < a.rows; ++k) {
    std::int64_t best = k;
    for (std::int64_t i = k + 1; i < a.rows; ++i) {
      if (std::abs(a.at(i, k).value) > std::abs(a.at(best, k).value)) best = i;
    }
    if (best != k) {
      f.sign = -f.sign;
      std::swap(f.order[static_cast<std::size_t>(best)], f.order[static_cast<std::size_t>(k)]);
      for (std::int64_t j = 0; j < a.columns; ++j) std::swap(a.at(best, j), a.at(k, j));
      for (std::int64_t j = 0; j < k; ++j) std::swap(f.lower.at(best, j), f.lower.at(k, j));
    }
    for (std::int64_t i = k + 1; i < a.rows; ++i) {
      f.lower.at(i, k) = a.at(i, k) / a.at(k, k);
      a.at(i, k) = Number(0);
      for (std::int64_t j = k + 1; j < a.columns; ++j)
        a.at(i, j) = a.at(i, j) - f.lower.at(i, k) * a.at(k, j);
    }
  }
  f.upper = a;
  return f;
}

// x with a x = b for a triangular a.
Matrix substituted(const Matrix& a, Matrix b, bool lower, bool unit) {
  for (std::int64_t column = 0; column < b.columns; ++column) {
    for (std::int64_t step = 0; step < a.rows; ++step) {
      const std::int64_t i = lower ? step : a.rows - 1 - step;
      plain::Sum rest;
      rest.add(b.at(i, column));
      for (std::int64_t j = lower ? 0 : i + 1; j < (lower ? i : a.rows); ++j) {
        rest.add_product(-a.at(i, j), b.at(j, column));
      }
      b.at(i, column) = unit ? rest.total() : rest.total() / a.at(i, i);
    }
  }
  return b;
}

Matrix solved(const Matrix& a, const Matrix& b) {
  const Factors f = factorized(a);
  Matrix right = b;
  for (std::int64_t i = 0; i < b.rows; ++i) {
    for (std::int64_t j = 0; j < b.columns; ++j)
      right.at(i, j) = b.at(f.order[static_cast<std::size_t>(i)], j);
  }
  return substituted(f.upper, substituted(f.lower, right, true, true), false, false);
}

Number determinant(const Matrix& a) {
  const Factors f = factorized(a);
  Number result(f.sign);
  for (std::int64_t i = 0; i < a.rows; ++i) result = result * f.upper.at(i, i);
  return result;
}

Number log_determinant(const Matrix& a) {
  const Factors f = factorized(a);
  plain::Sum total;
  for (std::int64_t i = 0; i < a.rows; ++i) {
    const Number& pivot = f.upper.at(i, i);
    total.add(log(pivot.value < 0 ? -pivot : pivot));
  }
  return total.total();
}

Matrix cholesky_of(const Matrix& a) {
  Matrix l = zeros_matrix(a.rows, a.rows);
  for (std::int64_t i = 0; i < a.rows; ++i) {
    for (std::int64_t j = 0; j <= i; ++j) {
      plain::Sum rest;
      rest.add(a.at(i, j));
      for (std::int64_t k = 0; k < j; ++k) rest.add_product(-l.at(i, k), l.at(j, k));
      l.at(i, j) = i == j ? sqrt(rest.total()) : rest.total() / l.at(j, j);
    }
  }
  return l;
}

Extents batch_of(const Array& a) { return {a.shape.begin(), a.shape.end() - 2}; }

// Blocks of a factorisation have 48 rows.
const std::vector<std::string> kMatrixSizes = {"b=3 n=5 k=4", "b=2 n=13 k=1", "b=1 n=53 k=3"};

Op of_matrix(const std::string& name, const std::string& declared, std::function<Tensor(const Tensor&)> call,
             std::function<Array(const Array&)> loop) {
  return {.name = name,
          .declares = {declared},
          .inputs = {matrices("bnn")},
          .sizes = kMatrixSizes,
          .call = [call = std::move(call)](const Tensors& x) { return call(x[0]); },
          .loop = [loop = std::move(loop)](const Arrays& x) { return loop(x[0]); },
          .repeat_last = false,
          .slack = 16,
          .gradient_slack = 64};
}

Op system_op(const std::string& name, const std::string& declared, const std::string& right,
             std::function<Tensor(const Tensor&, const Tensor&)> call,
             std::function<Matrix(const Matrix&, const Matrix&)> loop) {
  return {.name = name + " with " + right,
          .declares = {declared},
          .inputs = {matrices(right == "n" ? "nn" : "bnn"), {.axes = right}},
          .sizes = kMatrixSizes,
          .call = [call = std::move(call)](const Tensors& x) { return call(x[0], x[1]); },
          .loop =
              [loop = std::move(loop), right](const Arrays& x) {
                Array b = x[1];
                if (right == "n") b.shape.push_back(1);
                Extents shape = batch_of(x[0]);
                shape.insert(shape.end(), b.shape.end() - 2, b.shape.end());
                Array y = each(x[0], plain::expanded(b, shape),
                               [&](const Matrix& a, const Matrix& r) { return loop(a, r).elements; });
                if (right == "n") y.shape.pop_back();
                return y;
              },
          .repeat_first = right != "n",  // the rows of a single matrix must differ
          .repeat_last = false,
          .slack = 16,
          .gradient_slack = 64};
}

// The triangle that is read, the other 0.
Matrix triangle(const Matrix& a, bool lower) {
  Matrix t = a;
  for (std::int64_t i = 0; i < a.rows; ++i) {
    for (std::int64_t j = 0; j < a.columns; ++j) {
      if (lower ? j > i : j < i) t.at(i, j) = Number(0);
    }
  }
  return t;
}

void add_triangular(Ops& ops) {
  for (const bool lower : {true, false}) {
    for (const bool transpose : {true, false}) {
      for (const bool unit : {true, false}) {
        const TriangularSolve options{.lower = lower, .transpose = transpose, .unit_diagonal = unit};
        Op op = system_op(
            std::string("triangular_solve ") + (lower ? "lower" : "upper") +
                (transpose ? " transposed" : "") + (unit ? " unit" : ""),
            "triangular_solve(Tensor, Tensor, TriangularSolve)", lower ? "bnk" : "nk",
            [options](const Tensor& a, const Tensor& b) { return triangular_solve(a, b, options); },
            [=](const Matrix& a, const Matrix& b) {
              const Matrix read = triangle(a, lower);
              return substituted(transpose ? transposed(read) : read, b, lower != transpose, unit);
            });
        // Without the large diagonal a substitution grows like a power of the rest.
        if (unit) op.sizes = {"b=3 n=5 k=4", "b=2 n=13 k=1"};
        ops.push_back(op);
      }
    }
  }
}

}  // namespace

Ops matrix_ops() {
  const auto solution = [](const Tensor& a, const Tensor& b) { return solve(a, b); };
  const auto plain_lu = [](const Array& a, const std::function<Numbers(const Factors&)>& part) {
    return each(a, a.shape, [&](const Matrix& m) { return part(factorized(m)); });
  };
  Ops ops = {
      // From the symmetric part of the input.
      of_matrix(
          "cholesky", "cholesky(Tensor)",
          [](const Tensor& x) { return cholesky(transpose((x + transpose(x)) * 0.5)); },
          [](const Array& x) {
            return each(x, x.shape, [](const Matrix& a) {
              Matrix symmetric = a;
              for (std::int64_t i = 0; i < a.rows; ++i) {
                for (std::int64_t j = 0; j < a.rows; ++j) {
                  symmetric.at(i, j) = (a.at(i, j) + a.at(j, i)) * Number(0.5L);
                }
              }
              return cholesky_of(symmetric).elements;
            });
          }),
      of_matrix(
          "lu, permutation", "lu(Tensor)", [](const Tensor& x) { return lu(x).permutation; },
          [=](const Array& x) {
            return plain_lu(x, [](const Factors& f) {
              Matrix p = zeros_matrix(f.lower.rows, f.lower.rows);
              for (std::int64_t i = 0; i < p.rows; ++i)
                p.at(f.order[static_cast<std::size_t>(i)], i) = Number(1);
              return p.elements;
            });
          }),
      of_matrix(
          "lu, lower", "lu(Tensor)", [](const Tensor& x) { return lu(x).lower; },
          [=](const Array& x) { return plain_lu(x, [](const Factors& f) { return f.lower.elements; }); }),
      of_matrix(
          "lu, upper", "lu(Tensor)", [](const Tensor& x) { return lu(x).upper; },
          [=](const Array& x) { return plain_lu(x, [](const Factors& f) { return f.upper.elements; }); }),
      system_op("solve", "solve(Tensor, Tensor)", "bnk", solution, solved),
      system_op("solve", "solve(Tensor, Tensor)", "nk", solution, solved),
      system_op("solve", "solve(Tensor, Tensor)", "n", solution, solved),
      of_matrix("inverse", "inverse(Tensor)", inverse,
                [](const Array& x) {
                  return each(x, x.shape,
                              [](const Matrix& a) { return solved(a, identity(a.rows)).elements; });
                }),
      of_matrix("det", "det(Tensor)", det,
                [](const Array& x) {
                  return each(x, batch_of(x), [](const Matrix& a) { return Numbers{determinant(a)}; });
                }),
      of_matrix(
          "slogdet, sign", "slogdet(Tensor)", [](const Tensor& x) { return slogdet(x).sign; },
          [](const Array& x) {
            return each(x, batch_of(x),
                        [](const Matrix& a) { return Numbers{Number(determinant(a).value > 0 ? 1 : -1)}; });
          }),
      of_matrix(
          "slogdet, log_abs", "slogdet(Tensor)", [](const Tensor& x) { return slogdet(x).log_abs; },
          [](const Array& x) {
            return each(x, batch_of(x), [](const Matrix& a) { return Numbers{log_determinant(a)}; });
          }),
      of_matrix("logdet", "logdet(Tensor)", logdet,
                [](const Array& x) {
                  return each(x, batch_of(x), [](const Matrix& a) { return Numbers{log_determinant(a)}; });
                }),
  };
  for (Op& op : ops) {
    // The determinant of a large matrix leaves the range of f32.
    if (op.name == "det") op.sizes.pop_back();
  }
  // Pivots that must be sought: no large diagonal.
  for (const std::string name : {"lu, upper", "inverse", "det", "lu, permutation"}) {
    for (std::size_t i = 0; i < ops.size(); ++i) {
      if (ops[i].name != name) continue;
      ops.push_back(with(ops[i], [](Op& op) {
        op.name += ", pivots sought";
        op.inputs = {{.axes = "bnn"}};
        op.sizes = {"b=2 n=5", "b=1 n=17"};
        op.repeat_first = false;
      }));
      break;
    }
  }
  add_triangular(ops);
  return ops;
}

INSTANTIATE_TEST_SUITE_P(Matrix, OpProperties, ::testing::ValuesIn(matrix_ops()), name_of_op);

}  // namespace likely::testing
