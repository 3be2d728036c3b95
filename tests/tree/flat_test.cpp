#include "likely/tree/flat.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "likely/core/create.hpp"
#include "likely/nn/nn.hpp"
#include "likely/ops/arithmetic.hpp"
#include "likely/ops/math.hpp"
#include "likely/ops/matmul.hpp"
#include "likely/ops/reduce.hpp"
#include "tests/support/check_gradients.hpp"

namespace likely {
namespace {

using testing::expect_refusal;
using testing::numbers;

struct Inner {
  Tensor w = numbers({2, 3}, 1.0, 1);
  Buffer seen = tensor({5.0}, DType::f64);
  LIKELY_PARTS(w, seen)
};
struct Outer {
  Tensor a = tensor(0.5, DType::f64);
  std::vector<Inner> inner{Inner{}, Inner{}};
  Tensor none{};
  Tensor b = numbers({2}, 1.0, 2);
  LIKELY_PARTS(a, inner, none, b)
};

TEST(Flat, ParametersInOrderAndBack) {
  Outer model;
  model.inner[1].w.set_frozen(true);
  const Tensor flat = flatten_parts(model);
  std::vector<double> expected{0.5};
  for (const double each : model.inner[0].w.to_vector<double>()) expected.push_back(each);
  for (const double each : model.b.to_vector<double>()) expected.push_back(each);
  EXPECT_EQ(flat.to_vector<double>(), expected);
  EXPECT_EQ(flat.size(), count_parameters(model));

  const Outer moved = unflatten_parts(model, flat * 2.0);
  EXPECT_EQ(moved.a.item(), 1.0);
  EXPECT_EQ(moved.inner[0].w.shape(), Shape({2, 3}));
  EXPECT_EQ(moved.inner[0].w.at({1, 2}), 2.0 * model.inner[0].w.at({1, 2}));
  EXPECT_EQ(moved.inner[1].w.at({1, 2}), model.inner[1].w.at({1, 2}));  // frozen
  EXPECT_TRUE(moved.inner[1].w.frozen());
  EXPECT_EQ(moved.inner[0].seen.item(), 5.0);
  EXPECT_FALSE(moved.none.defined());
  EXPECT_EQ(flatten_parts(moved).to_vector<double>(), (flat * 2.0).to_vector<double>());
}

TEST(Flat, IsDifferentiable) {
  const Outer model;
  // d/dv of f(unflatten(v)), and d/dmodel of a function of flatten(model).
  const auto of_model = [](const Outer& m) { return sum(square(m.inner[0].w)) * m.a + sum(exp(m.b)); };
  testing::check_gradients(
      "unflatten_parts", [&](const std::vector<Tensor>& v) { return of_model(unflatten_parts(model, v[0])); },
      {flatten_parts(model)});
  const Outer gradient = grad(model, [](const Outer& m) {
    const Tensor v = flatten_parts(m);
    return sum(v * v * v);
  });
  EXPECT_NEAR(gradient.b.at({1}), 3.0 * model.b.at({1}) * model.b.at({1}), 1e-14);
  EXPECT_NEAR(gradient.a.item(), 0.75, 1e-14);
}

struct Two {
  Tensor u = tensor({0.3, -0.7}, DType::f64), v = tensor(1.2, DType::f64);
  LIKELY_PARTS(u, v)
};

TEST(Flat, HessianOfAModel) {
  const Two model;
  // f = v^2 u_0 + sin(u_1) v: second derivatives by hand.
  const Tensor h = hessian(model, [](const Two& m) {
    const Tensor weights = tensor({1.0, 0.0}, DType::f64);
    return m.v * m.v * sum(m.u * weights) + sum(sin(m.u) * (1.0 - weights)) * m.v;
  });
  const double u0 = 0.3, u1 = -0.7, v = 1.2;
  const double expected[3][3] = {
      {0.0, 0.0, 2.0 * v}, {0.0, -std::sin(u1) * v, std::cos(u1)}, {2.0 * v, std::cos(u1), 2.0 * u0}};
  ASSERT_EQ(h.shape(), Shape({3, 3}));
  for (std::int64_t i = 0; i < 3; ++i) {
    for (std::int64_t j = 0; j < 3; ++j) EXPECT_NEAR(h.at({i, j}), expected[i][j], 1e-14) << i << ", " << j;
  }
}

struct Mixed {
  Tensor a = zeros({2}), b = zeros({2}, DType::f64);
  LIKELY_PARTS(a, b)
};

TEST(Flat, Refuses) {
  const Outer model;
  expect_refusal([&] { unflatten_parts(model, zeros({4}, DType::f64)); },
                 "[unflatten_parts] the model has 15 parameters, the vector has shape (4,)");
  expect_refusal(
      [&] {
        unflatten_parts(model, zeros({15, 1}, DType::f64));
      },
      "[unflatten_parts] the model has 15 parameters, the vector has shape (15, 1)");
  expect_refusal([&] { unflatten_parts(model, zeros({15})); },
                 "[unflatten_parts] the parameters are f64, the vector is f32");
  expect_refusal([] { flatten_parts(Mixed{}); },
                 "[flatten_parts] the parameters have different types: f32 and f64");
  expect_refusal([] { flatten_parts(tensor({1, 2})); }, "[flatten_parts] the model has no parameters");
}

}  // namespace
}  // namespace likely
