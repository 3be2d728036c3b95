#include "tests/support/plain_math.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace likely::testing {

Vector vector_of(const Tensor& x) { return x.to_vector<double>(); }

Matrix matrix_of(const Tensor& x) {
  Matrix rows(static_cast<std::size_t>(x.dim(0)), Vector(static_cast<std::size_t>(x.dim(1))));
  const Vector all = vector_of(x);
  std::size_t next = 0;
  for (Vector& row : rows) {
    for (double& element : row) element = all[next++];
  }
  return rows;
}

Vector times(const Matrix& a, const Vector& x) {
  Vector result;
  for (const Vector& row : a) result.push_back(dot_product(row, x));
  return result;
}

Matrix times(const Matrix& a, const Matrix& b) {
  Matrix result(a.size(), Vector(b.at(0).size()));
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t k = 0; k < b.size(); ++k) {
      for (std::size_t j = 0; j < b[k].size(); ++j) result[i][j] += a[i].at(k) * b[k][j];
    }
  }
  return result;
}

Matrix transposed(const Matrix& a) {
  Matrix result(a.at(0).size(), Vector(a.size()));
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t j = 0; j < a[i].size(); ++j) result[j][i] = a[i][j];
  }
  return result;
}

Matrix outer_product(const Vector& a, const Vector& b) {
  Matrix result;
  for (const double each : a) {
    result.emplace_back();
    for (const double other : b) result.back().push_back(each * other);
  }
  return result;
}

Matrix diagonal_matrix(const Vector& a) {
  Matrix result(a.size(), Vector(a.size()));
  for (std::size_t i = 0; i < a.size(); ++i) result[i][i] = a[i];
  return result;
}

Matrix identity(std::size_t size) { return diagonal_matrix(Vector(size, 1.0)); }

Vector plus(const Vector& a, const Vector& b, double factor) {
  Vector result = a;
  for (std::size_t i = 0; i < result.size(); ++i) result[i] += factor * b.at(i);
  return result;
}

Matrix plus(const Matrix& a, const Matrix& b) {
  Matrix result = a;
  for (std::size_t i = 0; i < result.size(); ++i) result[i] = plus(result[i], b.at(i));
  return result;
}

double dot_product(const Vector& a, const Vector& b) {
  double total = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) total += a[i] * b.at(i);
  return total;
}

Vector flattened(const Matrix& a) {
  Vector all;
  for (const Vector& row : a) all.insert(all.end(), row.begin(), row.end());
  return all;
}

double slope(const std::function<double(double)>& f, double at, double step) {
  return (f(at + step) - f(at - step)) / (2.0 * step);
}

Vector gradient(const std::function<double(const Vector&)>& f, const Vector& at, double step) {
  Vector result;
  for (std::size_t i = 0; i < at.size(); ++i) {
    result.push_back(slope(
        [&](double value) {
          Vector moved = at;
          moved[i] = value;
          return f(moved);
        },
        at[i], step));
  }
  return result;
}

Matrix slopes(const std::function<Vector(const Vector&)>& f, const Vector& at, double step) {
  Matrix result;
  for (std::size_t i = 0; i < at.size(); ++i) {
    Vector above = at, below = at;
    above[i] += step;
    below[i] -= step;
    Vector row = plus(f(above), f(below), -1.0);
    for (double& each : row) each /= 2.0 * step;
    result.push_back(row);
  }
  return result;
}

void expect_close(const std::string& what, const Vector& computed, const Vector& expected, double tolerance) {
  ASSERT_EQ(computed.size(), expected.size()) << what;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_NEAR(computed[i], expected[i], tolerance * std::max(1.0, std::abs(expected[i])))
        << what << ", element " << i;
  }
}

void expect_close(const std::string& what, const Tensor& computed, const Vector& expected, double tolerance) {
  expect_close(what, vector_of(computed), expected, tolerance);
}

void expect_close(const std::string& what, const Tensor& computed, const Matrix& expected, double tolerance) {
  expect_close(what, vector_of(computed), flattened(expected), tolerance);
}

}  // namespace likely::testing
