// Chapter 2, supervised learning: each numbered equation against plain arithmetic.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "likely/core/create.hpp"
#include "likely/likely.hpp"
#include "likely/models/book/book.hpp"
#include "tests/support/check_gradients.hpp"
#include "tests/support/golden.hpp"
#include "tests/support/plain_line.hpp"
#include "tests/support/shared_data.hpp"

namespace likely::book {
namespace {

using testing::golden_numbers;
using testing::plain_best_line;
using testing::plain_squares;

const std::vector<double> kX{0.3, -1.2, 2.5, 0.9, 1.7};
const std::vector<double> kY{1.1, 0.2, 2.0, 1.6, 1.3};

TEST(Udl02, Eq3_Argmin) {
  // A loss whose minimum is known, at (1, 1) in a curved valley.
  Tensor phi = tensor({-1.2, 1.0}, DType::f64);
  const auto loss = [](const Tensor& p) {
    const Tensor a = select(p, 0, 0), b = select(p, 0, 1);
    return 100.0 * square(b - square(a)) + square(1.0 - a);
  };
  EXPECT_NEAR(loss(phi).item(), 24.2, 1e-12);
  optim::Lbfgs lbfgs;
  const optim::Minimum end = lbfgs.minimize(phi, loss, {.max_iterations = 200, .gradient_tolerance = 1e-10});
  EXPECT_TRUE(end.converged);
  EXPECT_NEAR(phi.at({0}), 1.0, 1e-8);
  EXPECT_NEAR(phi.at({1}), 1.0, 1e-8);
  // train::fit on rows ends at the minimum of the loss of all of them, whatever is told of batches.
  const auto [phi0, phi1] = plain_best_line(kX, kY);
  Line model(2.0, -1.0, DType::f64);
  optim::Lbfgs by_rows;
  train::fit(model, by_rows, {.train = data::Dataset(tensor(kX), tensor(kY))},
             [](const Line& m, const data::Batch& b) { return least_squares(m(b.x), b.y); },
             {.epochs = 50, .batch = 2, .seed = 1, .progress = train::Progress::silent});
  EXPECT_NEAR(model.phi.at({0}), phi0, 1e-6);
  EXPECT_NEAR(model.phi.at({1}), phi1, 1e-6);
}

TEST(Udl02, Eq4_Line) {
  for (const DType dtype : {DType::f32, DType::f64}) {
    const Line model(0.4, -0.2, dtype);
    const Tensor y = model(tensor(kX, {5, 1}).to(dtype));
    EXPECT_EQ(y.shape(), Shape({5, 1}));
    EXPECT_EQ(y.dtype(), dtype);
    EXPECT_TRUE(
        array_equal(line(tensor(kX, {5, 1}).to(dtype), select(model.phi, 0, 0), select(model.phi, 0, 1)), y));
    for (std::int64_t i = 0; i < 5; ++i)
      EXPECT_NEAR(y.at({i, 0}), 0.4 - 0.2 * kX[static_cast<std::size_t>(i)],
                  dtype == DType::f32 ? 1e-6 : 1e-15);
  }
}

TEST(Udl02, Eq5_LeastSquares) {
  const Tensor x = tensor(kX), y = tensor(kY);
  for (const auto& [phi0, phi1] : {std::pair(0.4, 0.2), std::pair(1.6, -0.8), std::pair(0.0, 0.0)}) {
    EXPECT_NEAR(least_squares(Line(phi0, phi1, DType::f64)(x), y).item(), plain_squares({phi0, phi1}, kX, kY),
                1e-13);
  }
  // All of a surface: rows are phi_0, columns phi_1.
  const std::vector<double> phi0{0.4, 1.6, -0.3}, phi1{0.2, -0.8};
  const Tensor surface = loss_surface(line, x, y, tensor(phi0), tensor(phi1));
  ASSERT_EQ(surface.shape(), Shape({3, 2}));
  for (std::size_t j = 0; j < 3; ++j) {
    for (std::size_t k = 0; k < 2; ++k)
      EXPECT_NEAR(surface.at({static_cast<std::int64_t>(j), static_cast<std::int64_t>(k)}),
                  plain_squares({phi0[j], phi1[k]}, kX, kY), 1e-13);
  }
  testing::expect_refusal(
      [&] {
        least_squares(reshape(x, {5, 1}), y);
      },
      "[least_squares] f and y must have one shape, got (5, 1) and (5,)");
}

TEST(Udl02, Eq5_LeastSquaresOfTheBook) {
  LIKELY_SHARED_DATA(file, "udl_golden/udl_golden.json");
  const Tensor x = tensor(golden_numbers(file, "/ch02_linear_regression/x"));
  const Tensor y = tensor(golden_numbers(file, "/ch02_linear_regression/y"));
  const std::vector<double> loss = golden_numbers(file, "/ch02_linear_regression/loss");
  ASSERT_EQ(loss.size(), 3U);
  std::vector<double> phi0, phi1;
  for (std::size_t i = 0; i < 3; ++i) {
    const std::vector<double> phi = golden_numbers(file, "/ch02_linear_regression/phi/" + std::to_string(i));
    EXPECT_NEAR(least_squares(Line(phi[0], phi[1], DType::f64)(x), y).item(), loss[i], 1e-10);
    phi0.push_back(phi[0]);
    phi1.push_back(phi[1]);
  }
  const Tensor surface = loss_surface(line, x, y, tensor(phi0), tensor(phi1));
  for (std::int64_t i = 0; i < 3; ++i)
    EXPECT_NEAR(surface.at({i, i}), loss[static_cast<std::size_t>(i)], 1e-10);
}

TEST(Udl02, Eq6_ClosedForm) {
  const auto [phi0, phi1] = plain_best_line(kX, kY);
  const Line best = fit_line(tensor(kX), tensor(kY));
  EXPECT_NEAR(best.phi.at({0}), phi0, 1e-13);
  EXPECT_NEAR(best.phi.at({1}), phi1, 1e-13);
  EXPECT_EQ(best.phi.dtype(), DType::f64);
  // No neighbour is better.
  for (const double d : {-1e-3, 1e-3}) {
    EXPECT_GT(plain_squares({phi0 + d, phi1}, kX, kY), plain_squares({phi0, phi1}, kX, kY));
    EXPECT_GT(plain_squares({phi0, phi1 + d}, kX, kY), plain_squares({phi0, phi1}, kX, kY));
  }
  // Training ends there too.
  Line trained(0.0, 0.0, DType::f64);
  optim::Lbfgs lbfgs;
  lbfgs.minimize(trained, [&](const Line& m) { return least_squares(m(tensor(kX)), tensor(kY)); },
                 {.gradient_tolerance = 1e-11});
  EXPECT_NEAR(trained.phi.at({0}), phi0, 1e-10);
  EXPECT_NEAR(trained.phi.at({1}), phi1, 1e-10);
  testing::expect_refusal(
      [] {
        fit_line(tensor({2.0, 2.0}), tensor({1.0, 3.0}));
      },
      "[fit_line] x must have two different values");
  testing::expect_refusal(
      [] {
        fit_line(tensor({0.0, 1e-200}, DType::f64), tensor({1.0, 3.0}));
      },
      "[fit_line] x must have two different values");  // the squares of their differences are 0
}

TEST(Udl02, Eq6_ClosedFormOfTheBook) {
  LIKELY_SHARED_DATA(file, "udl_golden/udl_golden.json");
  const Tensor x = tensor(golden_numbers(file, "/ch02_linear_regression/x"));
  const Tensor y = tensor(golden_numbers(file, "/ch02_linear_regression/y"));
  const std::vector<double> minimum = golden_numbers(file, "/ch02_linear_regression/closed_form_minimum");
  const Line best = fit_line(x, y);
  EXPECT_NEAR(best.phi.at({0}), minimum.at(0), 1e-10);
  EXPECT_NEAR(best.phi.at({1}), minimum.at(1), 1e-10);
  EXPECT_NEAR(least_squares(best(x), y).item(), minimum.at(2), 1e-10);
}

}  // namespace
}  // namespace likely::book
