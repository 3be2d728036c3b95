// Chapter 10, convolutional networks.
#include <gtest/gtest.h>

#include <algorithm>

#include "likely/likely.hpp"
#include "likely/models/book/chapter_10/convolution_matrix.hpp"
#include "likely/models/book/chapter_10/symmetry.hpp"
#include "tests/support/check_gradients.hpp"
#include "tests/support/golden.hpp"
#include "tests/support/plain_math.hpp"
#include "tests/support/shared_data.hpp"

namespace likely {
namespace {

using testing::expect_close;
using testing::Matrix;
using testing::matrix_of;
using testing::numbers;
using testing::Vector;
using testing::vector_of;

// A picture in the middle of an empty (1, 1, 12, 14): what moves by one or two places stays inside.
Tensor picture() { return pad(numbers({1, 1, 4, 5}, 1.0, 3), {{}, {}, {4, 4}, {4, 5}}); }
Tensor moved(const Tensor& x) { return roll(roll(x, 2, 2), -1, 3); }

Tensor filter(const Tensor& x) {
  return conv2d(x, numbers({3, 1, 3, 3}, 1.0, 1), {}, {.padding = 1, .relu = true});
}

// The gaps as numbers: maps of four numbers by hand, and what they differ by.
TEST(Udl10, Eq1_InvarianceGapByHand) {
  const Tensor x = tensor({1.0, -2.0, 4.0, 0.5}, DType::f64);
  const book::TensorMap turned = [](const Tensor& v) { return roll(v, 1, 0); };  // (0.5, 1, -2, 4)
  const book::TensorMap weighted = [](const Tensor& v) {
    return v * tensor({1.0, 2.0, 3.0, 4.0}, DType::f64);
  };
  // f[x] = (1, -4, 12, 2), f[t[x]] = (0.5, 2, -6, 16): they differ most in the third.
  EXPECT_EQ(book::invariance_gap(weighted, turned, x), 18.0);
  // t[f[x]] = (2, 1, -4, 12): f[t[x]] differs from it by 1.5, 1, 2 and 4.
  EXPECT_EQ(book::equivariance_gap(weighted, turned, x), 4.0);
  EXPECT_EQ(book::invariance_gap([](const Tensor& v) { return sum(v); }, turned, x), 0.0);
  EXPECT_EQ(book::equivariance_gap([](const Tensor& v) { return v * v - 1.0; }, turned, x), 0.0);
  const book::TensorMap cut = [](const Tensor& v) { return reshape(v, {2, 2}); };
  testing::expect_refusal([&] { book::invariance_gap([](const Tensor& v) { return v; }, cut, x); },
                          "[invariance_gap] shapes differ: (2, 2) and (4,)");
}

TEST(Udl10, Eq1_Invariance) {
  const book::TensorMap mean_of_features = [](const Tensor& x) { return mean(filter(x), {2, 3}); };
  const book::TensorMap largest_features = [](const Tensor& x) { return max(filter(x), {2, 3}); };
  const book::TensorMap fully_connected = [](const Tensor& x) {
    return linear(flatten(x, 1), numbers({3, 12 * 14}, 1.0, 2));
  };
  EXPECT_LT(book::invariance_gap(mean_of_features, moved, picture()), 1e-15);
  EXPECT_EQ(book::invariance_gap(largest_features, moved, picture()), 0.0);
  // That is something: a layer without the symmetry, and features that stay where they are, do see the move.
  EXPECT_GT(book::invariance_gap(fully_connected, moved, picture()), 0.1);
  EXPECT_GT(book::invariance_gap(filter, moved, picture()), 0.1);
}

TEST(Udl10, Eq2_Equivariance) {
  EXPECT_EQ(book::equivariance_gap(filter, moved, picture()), 0.0);
  EXPECT_EQ(
      book::equivariance_gap([](const Tensor& x) { return max_pool2d(x, 3, {.stride = 1, .padding = 1}); },
                             moved, picture()),
      0.0);
  const book::TensorMap fully_connected = [](const Tensor& x) {
    return reshape(linear(flatten(x, 1), numbers({12 * 14, 12 * 14}, 1.0, 2)), {1, 1, 12, 14});
  };
  EXPECT_GT(book::equivariance_gap(fully_connected, moved, picture()), 0.1);
  // At the border zeros come in, and the symmetry ends.
  EXPECT_GT(book::equivariance_gap(
                filter, [](const Tensor& x) { return roll(x, 5, 2); }, picture()),
            0.1);
}

Tensor channel(const Vector& x) { return tensor(x, Shape{1, 1, static_cast<std::int64_t>(x.size())}); }
// x_i with zeros around; i counts from 0.
double padded(const Vector& x, std::int64_t i) {
  return i < 0 || i >= static_cast<std::int64_t>(x.size()) ? 0.0 : x[static_cast<std::size_t>(i)];
}

const Vector kOmega{0.7, -0.2, 1.1};

TEST(Udl10, Eq3_ConvolutionInOneDimension) {
  const Vector x = vector_of(numbers({9}, 1.0, 5));
  Vector z;
  for (std::int64_t i = 0; i < 9; ++i) {
    z.push_back(kOmega[0] * padded(x, i - 1) + kOmega[1] * padded(x, i) + kOmega[2] * padded(x, i + 1));
  }
  expect_close("z", conv1d(channel(x), channel(kOmega), {}, {.padding = 1}), z, 1e-14);
  expect_close("inside", conv1d(channel(x), channel(kOmega)), Vector(z.begin() + 1, z.end() - 1), 1e-14);
}

TEST(Udl10, Eq3_ConvolutionsOfTheWorkedExample) {
  LIKELY_SHARED_DATA(file, "udl_golden/udl_golden.json");
  const std::string at = "/ch10_conv1d/";
  const Tensor x = channel(testing::golden_numbers(file, at + "x"));
  const auto compare = [&](const std::string& name, const Vector& kernel, const Conv1dOptions& options) {
    expect_close(name, conv1d(x, channel(kernel), {}, options),
                 testing::golden_numbers(file, at + "outputs/" + name), 1e-10);
  };
  const Vector third(3, 0.33);
  compare("k3", third, {.padding = 1});
  compare("k3_stride2", third, {.stride = 2, .padding = 1});
  compare("k5", Vector(5, 0.2), {.padding = 2});
  compare("k3_dil2", third, {.padding = 2, .dilation = 2});
  compare("k3_asym", {-1.0, 0.5, -0.2}, {.padding = 1});
}

TEST(Udl10, Eq4_ConvolutionalLayer) {
  const Vector x = vector_of(numbers({9}, 1.0, 5));
  const double beta = -0.1;
  nn::Conv1d layer(1, 1, 3, {.padding = 1, .relu = true}, Rng(1));
  layer.weight = channel(kOmega);
  layer.bias = tensor({beta}, DType::f64);
  Vector h;
  for (std::int64_t i = 1; i <= 9; ++i) {  // the equation counts from 1
    double total = beta;
    for (std::int64_t j = 1; j <= 3; ++j) {
      total += kOmega[static_cast<std::size_t>(j - 1)] * padded(x, i + j - 2 - 1);
    }
    h.push_back(std::max(0.0, total));
  }
  EXPECT_GT(*std::max_element(h.begin(), h.end()), 0.0);
  EXPECT_EQ(*std::min_element(h.begin(), h.end()), 0.0);
  expect_close("h", layer(channel(x)), h, 1e-14);
}

TEST(Udl10, Eq5_FullyConnectedLayer) {
  const Tensor x = numbers({9}, 1.0, 5), omega = numbers({9, 9}, 1.0, 6), beta = numbers({9}, 1.0, 7);
  Vector h = testing::plus(vector_of(beta), testing::times(matrix_of(omega), vector_of(x)));
  for (double& each : h) each = std::max(0.0, each);
  EXPECT_GT(*std::max_element(h.begin(), h.end()), 0.0);
  EXPECT_EQ(*std::min_element(h.begin(), h.end()), 0.0);
  expect_close("h", linear(x, omega, beta, Activation::relu), h, 1e-14);
  // A convolution is such a layer: most weights are 0, the others the same in every row.
  const Tensor matrix = book::convolution_matrix(tensor(kOmega), 9, {.padding = 1});
  for (std::int64_t i = 0; i < 9; ++i) {
    for (std::int64_t j = 0; j < 9; ++j) {
      const std::int64_t k = j - i + 1;
      EXPECT_EQ(matrix.at({i, j}), k >= 0 && k < 3 ? kOmega[static_cast<std::size_t>(k)] : 0.0);
    }
  }
  struct Case {
    Conv1dOptions options;
    std::int64_t stride, padding, dilation;
  };
  const std::vector<Case> all{{{}, 1, 0, 1},
                              {{.stride = 2, .padding = 2}, 2, 2, 1},
                              {{.padding = 3, .dilation = 2}, 1, 3, 2},
                              {{.padding = kSame}, 1, 1, 1}};
  for (const Case& c : all) {
    Vector expected;
    for (std::int64_t i = 0; i * c.stride + 2 * c.dilation < 9 + 2 * c.padding; ++i) {
      expected.push_back(0.0);
      for (std::int64_t k = 0; k < 3; ++k)
        expected.back() += kOmega[static_cast<std::size_t>(k)] *
                           padded(vector_of(x), i * c.stride + k * c.dilation - c.padding);
    }
    expect_close("matrix", matmul(book::convolution_matrix(tensor(kOmega), 9, c.options), x), expected,
                 1e-14);
    expect_close("conv1d", conv1d(reshape(x, {1, 1, 9}), channel(kOmega), {}, c.options), expected, 1e-14);
  }
}

TEST(Udl10, Eq6_ConvolutionInTwoDimensions) {
  const Tensor x = numbers({6, 7}, 1.0, 1), omega = numbers({3, 3}, 1.0, 2);
  const double beta = 0.05;
  const Matrix in = matrix_of(x), weights = matrix_of(omega);
  const auto pixel = [&](int i, int j) {  // from 1
    return i < 1 || i > 6 || j < 1 || j > 7
               ? 0.0
               : in[static_cast<std::size_t>(i - 1)][static_cast<std::size_t>(j - 1)];
  };
  Vector h;
  for (int i = 1; i <= 6; ++i) {
    for (int j = 1; j <= 7; ++j) {
      double total = beta;
      for (int m = 1; m <= 3; ++m) {
        for (int n = 1; n <= 3; ++n) {
          total += weights[static_cast<std::size_t>(m - 1)][static_cast<std::size_t>(n - 1)] *
                   pixel(i + m - 2, j + n - 2);
        }
      }
      h.push_back(std::max(0.0, total));
    }
  }
  EXPECT_GT(*std::max_element(h.begin(), h.end()), 0.0);
  EXPECT_EQ(*std::min_element(h.begin(), h.end()), 0.0);
  nn::Conv2d layer(1, 1, 3, {.padding = 1, .relu = true}, Rng(1));
  layer.weight = reshape(omega, {1, 1, 3, 3});
  layer.bias = tensor({beta}, DType::f64);
  expect_close("h", layer(reshape(x, {1, 1, 6, 7})), h, 1e-14);
}

}  // namespace
}  // namespace likely
