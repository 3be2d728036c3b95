// The expected texts are what NumPy 1.24 prints for the expression beside them.
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

#include "likely/core/create.hpp"
#include "likely/ops/view.hpp"

namespace likely {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

struct Case {
  const char* numpy;
  Tensor tensor;
  const char* text;
};

void check(const std::vector<Case>& cases) {
  for (const Case& c : cases) EXPECT_EQ(to_string(c.tensor), c.text) << c.numpy;
}

TEST(Print, FloatingNumbers) {
  check({
      {"np.array([1, 2.5, -3], 'f4')", tensor({1.0, 2.5, -3.0}), "[ 1.   2.5 -3. ]"},
      {"np.array([1, 2, 3], 'f4')", tensor({1.0, 2.0, 3.0}), "[1. 2. 3.]"},
      {"np.array([[0.1, 0.25], [-10.5, 100]], 'f4')", tensor({{0.1, 0.25}, {-10.5, 100.0}}),
       R"([[  0.1    0.25]
 [-10.5  100.  ]])"},
      {"np.array([1e-5, 1], 'f4')", tensor({1e-5, 1.0}), "[1.e-05 1.e+00]"},
      {"np.array([1e8, 1], 'f4')", tensor({1e8, 1.0}), "[1.e+08 1.e+00]"},
      {"np.array([0.001, 1.5], 'f4')", tensor({0.001, 1.5}), "[1.0e-03 1.5e+00]"},
      {"np.array([0.001, 1.0], 'f4')", tensor({0.001, 1.0}), "[0.001 1.   ]"},
      {"np.array([1 / 3, 2 / 3])", tensor({1.0 / 3.0, 2.0 / 3.0}, DType::f64), "[0.33333333 0.66666667]"},
      {"np.array([1 / 3, 1e6])", tensor({1.0 / 3.0, 1e6}, DType::f64), "[3.33333333e-01 1.00000000e+06]"},
      {"np.array([1e100, -1e-100])", tensor({1e100, -1e-100}, DType::f64), "[ 1.e+100 -1.e-100]"},
      {"np.array([nan, 1, -inf], 'f4')", tensor({kNan, 1.0, -kInf}), "[ nan   1. -inf]"},
      {"np.array([inf, nan], 'f4')", tensor({kInf, kNan}), "[inf nan]"},
      {"np.array([-0.0, 0.0], 'f4')", tensor({-0.0, 0.0}), "[-0.  0.]"},
      {"np.array([75323192, 10000000], 'f4')", tensor({75323192.0, 2.0 * 5000000.0}),
       "[75323192. 10000000.]"},
  });
}

TEST(Print, WholeNumbersAndBools) {
  check({
      {"np.array([1, -20, 300])", tensor({1, -20, 300}), "[  1 -20 300]"},
      {"np.array([2**63 - 1, -2**63])", tensor(std::vector<std::int64_t>{INT64_MAX, INT64_MIN}),
       "[ 9223372036854775807 -9223372036854775808]"},
      {"np.array([True, False, True])", tensor({true, false, true}), "[ True False  True]"},
      {"np.ones((2, 2), bool)", tensor({{true, true}, {true, true}}), R"([[ True  True]
 [ True  True]])"},
  });
}

TEST(Print, LongAndNestedArrays) {
  check({
      {"np.arange(2000)", arange(2000), "[   0    1    2 ... 1997 1998 1999]"},
      {"np.arange(2000).reshape(40, 50)", reshape(arange(2000), {40, 50}),
       R"([[   0    1    2 ...   47   48   49]
 [  50   51   52 ...   97   98   99]
 [ 100  101  102 ...  147  148  149]
 ...
 [1850 1851 1852 ... 1897 1898 1899]
 [1900 1901 1902 ... 1947 1948 1949]
 [1950 1951 1952 ... 1997 1998 1999]])"},
      {"np.arange(1200, dtype='f4').reshape(20, 3, 20)", reshape(arange(0.0, 1200.0), {20, 3, 20}),
       R"([[[0.000e+00 1.000e+00 2.000e+00 ... 1.700e+01 1.800e+01 1.900e+01]
  [2.000e+01 2.100e+01 2.200e+01 ... 3.700e+01 3.800e+01 3.900e+01]
  [4.000e+01 4.100e+01 4.200e+01 ... 5.700e+01 5.800e+01 5.900e+01]]

 [[6.000e+01 6.100e+01 6.200e+01 ... 7.700e+01 7.800e+01 7.900e+01]
  [8.000e+01 8.100e+01 8.200e+01 ... 9.700e+01 9.800e+01 9.900e+01]
  [1.000e+02 1.010e+02 1.020e+02 ... 1.170e+02 1.180e+02 1.190e+02]]

 [[1.200e+02 1.210e+02 1.220e+02 ... 1.370e+02 1.380e+02 1.390e+02]
  [1.400e+02 1.410e+02 1.420e+02 ... 1.570e+02 1.580e+02 1.590e+02]
  [1.600e+02 1.610e+02 1.620e+02 ... 1.770e+02 1.780e+02 1.790e+02]]

 ...

 [[1.020e+03 1.021e+03 1.022e+03 ... 1.037e+03 1.038e+03 1.039e+03]
  [1.040e+03 1.041e+03 1.042e+03 ... 1.057e+03 1.058e+03 1.059e+03]
  [1.060e+03 1.061e+03 1.062e+03 ... 1.077e+03 1.078e+03 1.079e+03]]

 [[1.080e+03 1.081e+03 1.082e+03 ... 1.097e+03 1.098e+03 1.099e+03]
  [1.100e+03 1.101e+03 1.102e+03 ... 1.117e+03 1.118e+03 1.119e+03]
  [1.120e+03 1.121e+03 1.122e+03 ... 1.137e+03 1.138e+03 1.139e+03]]

 [[1.140e+03 1.141e+03 1.142e+03 ... 1.157e+03 1.158e+03 1.159e+03]
  [1.160e+03 1.161e+03 1.162e+03 ... 1.177e+03 1.178e+03 1.179e+03]
  [1.180e+03 1.181e+03 1.182e+03 ... 1.197e+03 1.198e+03 1.199e+03]]])"},
      {"np.arange(40)", arange(40),
       R"([ 0  1  2  3  4  5  6  7  8  9 10 11 12 13 14 15 16 17 18 19 20 21 22 23
 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38 39])"},
      {"np.linspace(0, 1, 21, dtype='f4')", linspace(0.0, 1.0, 21),
       R"([0.   0.05 0.1  0.15 0.2  0.25 0.3  0.35 0.4  0.45 0.5  0.55 0.6  0.65
 0.7  0.75 0.8  0.85 0.9  0.95 1.  ])"},
      {"np.arange(12).reshape(2, 2, 3)", reshape(arange(12), {2, 2, 3}), R"([[[ 0  1  2]
  [ 3  4  5]]

 [[ 6  7  8]
  [ 9 10 11]]])"},
      {"np.arange(6).reshape(2, 3).T", transpose(reshape(arange(6), {2, 3})), R"([[0 3]
 [1 4]
 [2 5]])"},
  });
}

TEST(Print, NothingAndOneNumber) {
  check({
      {"np.zeros(0, 'f4')", zeros({0}), "[]"},
      {"np.zeros((2, 0), 'f4')", zeros({2, 0}), "[]"},
      {"np.zeros((1, 1, 1), 'f4')", zeros({1, 1, 1}), "[[[0.]]]"},
      {"np.array(1.5, 'f4')", tensor(1.5), "1.5"},
      {"np.array(0.1, 'f4')", tensor(0.1), "0.1"},
      {"np.array(1 / 3)", tensor(1.0 / 3.0, DType::f64), "0.3333333333333333"},
      {"np.array(1e-5, 'f4')", tensor(1e-5), "1e-05"},
      {"np.array(1e16, 'f4')", tensor(1e16), "1e+16"},
      {"np.array(123456789, 'f4')", tensor(123456789.0), "123456790.0"},
      {"np.array(-7)", tensor(-7), "-7"},
      {"np.array(True)", tensor(true), "True"},
      {"np.array(nan, 'f4')", tensor(kNan), "nan"},
  });
}

TEST(Print, Stream) {
  std::ostringstream out;
  out << tensor({1, 2});
  EXPECT_EQ(out.str(), "[1 2]");
}

TEST(Print, EmptyHandle) { EXPECT_EQ(to_string(Tensor()), "(empty tensor)"); }

}  // namespace
}  // namespace likely
