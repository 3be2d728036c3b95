// Formulas as plain loops over doubles: what the tests of the textbook's equations compare likely with.
// Nothing here uses likely's operations.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "likely/core/tensor.hpp"

namespace likely::testing {

using Vector = std::vector<double>;
using Matrix = std::vector<Vector>;  // rows

Vector vector_of(const Tensor& x);  // all elements, row by row
Matrix matrix_of(const Tensor& x);  // of two axes

Vector times(const Matrix& a, const Vector& x);
Matrix times(const Matrix& a, const Matrix& b);
Matrix transposed(const Matrix& a);
Matrix outer_product(const Vector& a, const Vector& b);  // a b^T
Matrix diagonal_matrix(const Vector& a);
Matrix identity(std::size_t size);
Vector plus(const Vector& a, const Vector& b, double factor = 1.0);  // a + factor b
Matrix plus(const Matrix& a, const Matrix& b);
double dot_product(const Vector& a, const Vector& b);
Vector flattened(const Matrix& a);

// Central differences. The step suits functions of order 1.
double slope(const std::function<double(double)>& f, double at, double step = 1e-6);
Vector gradient(const std::function<double(const Vector&)>& f, const Vector& at, double step = 1e-6);
// Element [i][j] is the derivative of output j by input i, the textbook's layout.
Matrix slopes(const std::function<Vector(const Vector&)>& f, const Vector& at, double step = 1e-6);

// |computed - expected| <= tolerance max(1, |expected|) for each element, row by row.
void expect_close(const std::string& what, const Tensor& computed, const Vector& expected, double tolerance);
void expect_close(const std::string& what, const Tensor& computed, const Matrix& expected, double tolerance);
void expect_close(const std::string& what, const Vector& computed, const Vector& expected, double tolerance);

}  // namespace likely::testing
