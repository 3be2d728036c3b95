#include "likely/ops/index.hpp"

#include <gtest/gtest.h>

#include <functional>

#include "likely/autodiff/gradient.hpp"
#include "likely/core/create.hpp"
#include "likely/core/threads.hpp"
#include "likely/ops/arithmetic.hpp"
#include "likely/ops/reduce.hpp"
#include "likely/ops/rng.hpp"
#include "likely/ops/view.hpp"
#include "tests/support/check_gradients.hpp"

namespace likely {
namespace {

using testing::check_gradients;
using testing::expect_refusal;
using testing::numbers;

using Index3 = std::array<std::int64_t, 3>;

void for_each_place(const Shape& shape, const std::function<void(Index3)>& body) {
  for (std::int64_t i = 0; i < shape[0]; ++i) {
    for (std::int64_t j = 0; j < shape[1]; ++j) {
      for (std::int64_t k = 0; k < shape[2]; ++k) body({i, j, k});
    }
  }
}

double at(const Tensor& x, Index3 p) { return x.at({p[0], p[1], p[2]}); }

Tensor random_index(std::uint64_t seed, const Shape& shape, std::int64_t length) {
  return Rng(seed).randint(0, length, shape);
}

TEST(Gather, PicksAlongEachAxis) {
  for (const DType dtype : {DType::f32, DType::f64, DType::i64, DType::boolean}) {
    const Tensor x = (numbers({3, 4, 5}) * 9.0).to(dtype);
    for (int axis = 0; axis < 3; ++axis) {
      Shape shape = x.shape();
      shape[axis] = 7;
      const Tensor index = random_index(1, shape, x.shape()[axis]);
      const Tensor y = gather(x, axis - 3, index);
      EXPECT_EQ(y.dtype(), dtype);
      for_each_place(shape, [&](Index3 p) {
        Index3 from = p;
        from[static_cast<std::size_t>(axis)] = static_cast<std::int64_t>(at(index, p));
        EXPECT_EQ(at(y, p), at(x, from));
      });
    }
  }
}

TEST(ScatterAdd, AddsAlongEachAxis) {
  for (const DType dtype : {DType::f32, DType::f64, DType::i64}) {
    const Tensor x = (numbers({3, 4, 5}) * 9.0).to(dtype);
    for (int axis = 0; axis < 3; ++axis) {
      Shape shape = x.shape();
      shape[axis] = 7;
      const Tensor index = random_index(2, shape, x.shape()[axis]);
      const Tensor source = (numbers(shape, 9.0, 3)).to(dtype);
      Tensor expected = x.to(DType::f64);
      for_each_place(shape, [&](Index3 p) {
        Index3 to = p;
        to[static_cast<std::size_t>(axis)] = static_cast<std::int64_t>(at(index, p));
        expected.set({to[0], to[1], to[2]}, at(expected, to) + at(source, p));
      });
      const Tensor y = scatter_add(x, axis, index, source);
      EXPECT_EQ(y.dtype(), dtype);
      EXPECT_TRUE(allclose(y.to(DType::f64), expected, 1e-5, 1e-5)) << "axis " << axis;
    }
  }
}

TEST(ScatterAdd, LeavesItsInputAlone) {
  const Tensor x = zeros({3});
  const Tensor y = scatter_add(x, 0, tensor({1, 1, 2}), tensor({1.0, 2.0, 4.0}));
  EXPECT_TRUE(array_equal(x, zeros({3})));
  EXPECT_TRUE(array_equal(y, tensor({0.0, 3.0, 4.0})));
}

TEST(ScatterAdd, MeetsInTheLargerType) {
  const Tensor y = scatter_add(tensor({1, 2}), 0, tensor({1}), tensor({0.5}));
  EXPECT_TRUE(array_equal(y, tensor({1.0, 2.5})));
  EXPECT_EQ(scatter_add(zeros({2}), 0, tensor({1}), ones({1}, DType::f64)).dtype(), DType::f64);
  EXPECT_TRUE(array_equal(scatter_add(zeros({2}), 0, tensor({1}), tensor({true})), tensor({0.0, 1.0})));
}

TEST(IndexSelect, PicksWholeSlices) {
  const Tensor x = numbers({3, 4, 5});
  const Tensor indices = tensor({3, 0, 0});
  const Tensor y = index_select(x, 1, indices);
  EXPECT_EQ(y.shape().string(), "(3, 3, 5)");
  for_each_place(y.shape(), [&](Index3 p) {
    EXPECT_EQ(at(y, p), x.at({p[0], static_cast<std::int64_t>(indices.at({p[1]})), p[2]}));
  });
  EXPECT_TRUE(
      array_equal(index_select(transpose(x, 0, 2), 0, tensor({4})), transpose(slice(x, 2, {4, 5}), 0, 2)));
}

TEST(TakeAlongAxis, Broadcasts) {
  const Tensor x = numbers({1, 4, 5});
  const Tensor indices = random_index(4, {3, 2, 1}, 4);
  const Tensor y = take_along_axis(x, indices, 1);
  EXPECT_EQ(y.shape().string(), "(3, 2, 5)");
  for_each_place(y.shape(), [&](Index3 p) {
    EXPECT_EQ(at(y, p), x.at({0, static_cast<std::int64_t>(indices.at({p[0], p[1], 0})), p[2]}));
  });
}

TEST(OneHot, HasOnesAtTheLabels) {
  const Tensor labels = tensor({{0, 2}, {1, 1}});
  EXPECT_TRUE(array_equal(one_hot(labels, 3),
                          tensor({{{1.0, 0.0, 0.0}, {0.0, 0.0, 1.0}}, {{0.0, 1.0, 0.0}, {0.0, 1.0, 0.0}}})));
  for (const DType dtype : {DType::f32, DType::f64, DType::i64, DType::boolean}) {
    EXPECT_EQ(one_hot(labels, 3, dtype).dtype(), dtype);
    EXPECT_TRUE(array_equal(one_hot(labels, 3, dtype), one_hot(labels, 3).to(dtype)));
  }
  EXPECT_TRUE(array_equal(one_hot(tensor(1), 2), tensor({0.0, 1.0})));
}

TEST(Embedding, LooksUpRows) {
  const Tensor table = numbers({5, 3});
  const Tensor ids = tensor({{4, 0}, {0, 2}});
  const Tensor y = embedding(table, ids);
  EXPECT_EQ(y.shape().string(), "(2, 2, 3)");
  for_each_place(y.shape(), [&](Index3 p) {
    EXPECT_EQ(at(y, p), table.at({static_cast<std::int64_t>(ids.at({p[0], p[1]})), p[2]}));
  });
  EXPECT_EQ(embedding(table, tensor(3)).shape().string(), "(3,)");
}

TEST(Index, EmptyAndScalarShapes) {
  const Tensor none = zeros({0}, DType::i64);
  EXPECT_EQ(index_select(zeros({3, 2}), 0, none).shape().string(), "(0, 2)");
  EXPECT_EQ(index_select(zeros({0, 2}), 0, none).shape().string(), "(0, 2)");
  EXPECT_EQ(index_select(zeros({3, 0}), 0, tensor({1, 2})).shape().string(), "(2, 0)");
  EXPECT_EQ(gather(zeros({2, 3}), 1, zeros({2, 0}, DType::i64)).shape().string(), "(2, 0)");
  EXPECT_TRUE(array_equal(scatter_add(ones({2}), 0, none, zeros({0})), ones({2})));
  EXPECT_EQ(embedding(zeros({3, 4}), zeros({2, 0}, DType::i64)).shape().string(), "(2, 0, 4)");
  EXPECT_EQ(one_hot(none, 4).shape().string(), "(0, 4)");
}

TEST(Index, Gradients) {
  const Tensor x = numbers({3, 4, 2});
  for (int axis = 0; axis < 3; ++axis) {
    Shape shape = x.shape();
    shape[axis] = 5;
    const Tensor index = random_index(5, shape, x.shape()[axis]);
    check_gradients("gather", [&](const auto& in) { return square(gather(in[0], axis, index)); }, {x});
    check_gradients("scatter_add",
                    [&](const auto& in) { return square(scatter_add(in[0], axis, index, in[1] * in[1])); },
                    {x, numbers(shape, 1.0, 1)});
    check_gradients("index_select",
                    [&](const auto& in) {
                      return square(index_select(in[0], axis, tensor({1, 0, 1, 1})));
                    },
                    {x});
  }
  check_gradients("gather of a transpose",
                  [](const auto& in) {
                    return square(gather(transpose(in[0]), 0, tensor({{1, 0}, {2, 2}})));
                  },
                  {numbers({2, 3})});
  check_gradients("take_along_axis",
                  [](const auto& in) {
                    return square(take_along_axis(in[0], reshape(tensor({0, 2, 2}), {1, 3, 1}), 1));
                  },
                  {numbers({2, 3, 2})});
  check_gradients("embedding",
                  [](const auto& in) {
                    return square(embedding(in[0], tensor({{2, 0}, {2, 1}})));
                  },
                  {numbers({4, 3})});
  check_gradients("size 1", [](const auto& in) { return square(gather(in[0], 0, tensor({0}))); },
                  {numbers({1})});
}

TEST(Index, GradientOfASelectionCountsHowOftenEachIsTaken) {
  const Tensor g = grad(zeros({4}), [](const Tensor& x) {
    return sum(index_select(x, 0, tensor({1, 1, 3})));
  });
  EXPECT_TRUE(array_equal(g, tensor({0.0, 2.0, 0.0, 1.0})));
}

TEST(Index, GivesTheSameBitsForAnyNumberOfThreads) {
  const Tensor source = Rng(1).normal({300, 700});
  const Tensor rows = random_index(2, {300}, 40);
  const Tensor elements = random_index(3, {300, 700}, 40);
  const Tensor columns = random_index(4, {300, 700}, 30);
  const auto run = [&] {
    const Tensor wide = expand(reshape(rows, {300, 1}), {300, 700});
    return std::vector<Tensor>{scatter_add(zeros({40, 700}), 0, wide, source),
                               scatter_add(zeros({40, 700}), 0, elements, source),
                               scatter_add(zeros({300, 30}), 1, columns, source), gather(source, 0, elements),
                               index_select(source, 0, rows)};
  };
  const int saved = threads();
  set_threads(1);
  const std::vector<Tensor> expected = run();
  for (const int count : {2, 3}) {
    set_threads(count);
    const std::vector<Tensor> again = run();
    for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_TRUE(array_equal(again[i], expected[i])) << i;
  }
  set_threads(saved);
  EXPECT_TRUE(allclose(sum(expected[0], 0), sum(source, 0), 1e-3, 1e-4));
}

TEST(Index, Refuses) {
  const Tensor x = zeros({2, 3});
  expect_refusal(
      [&] {
        gather(x, 2, zeros({2, 3}, DType::i64));
      },
      "[gather] axis 2 is out of range for shape (2, 3)");
  expect_refusal([&] { gather(x, 1, zeros({2, 3})); }, "[gather] indices must be i64, got f32");
  expect_refusal(
      [&] {
        gather(x, 1, zeros({3, 1}, DType::i64));
      },
      "[gather] the index must have x's shape outside axis 1: (3, 1) and (2, 3)");
  expect_refusal(
      [&] {
        gather(x, 1, tensor({{0, 1}, {2, 3}}));
      },
      "[gather] index 3 at (1, 1) is not in [0, 3)");
  expect_refusal(
      [&] {
        gather(x, 1, tensor({{0, 1}, {-1, 0}}));
      },
      "[gather] index -1 at (1, 0) is not in [0, 3)");
  expect_refusal(
      [&] {
        scatter_add(x, 0, zeros({5, 2}, DType::i64), zeros({5, 3}));
      },
      "[scatter_add] the index must have x's shape outside axis 0: (5, 2) and (2, 3)");
  expect_refusal(
      [&] {
        scatter_add(x, 0, zeros({5, 3}, DType::i64), zeros({4, 3}));
      },
      "[scatter_add] source and index differ in shape: (4, 3) and (5, 3)");
  expect_refusal(
      [&] {
        scatter_add(zeros({3}), 0, tensor({0, 3}), zeros({2}));
      },
      "[scatter_add] index 3 at (1,) is not in [0, 3)");
  expect_refusal([&] { scatter_add(tensor({true}), 0, tensor({0}), tensor({true})); },
                 "[scatter_add] is not defined for bool");
  expect_refusal(
      [&] {
        index_select(x, 0, zeros({1, 1}, DType::i64));
      },
      "[index_select] indices must have one dimension, got shape (1, 1)");
  expect_refusal(
      [&] {
        index_select(x, 0, tensor({0, 2}));
      },
      "[index_select] index 2 at (1,) is not in [0, 2)");
  expect_refusal([&] { take_along_axis(x, tensor({0}), 0); },
                 "[take_along_axis] x and indices must have the same rank, got shapes (2, 3) and (1,)");
  expect_refusal(
      [&] {
        one_hot(tensor({{0, 1}, {3, 0}}), 3);
      },
      "[one_hot] index 3 at (1, 0) is not in [0, 3)");
  expect_refusal([&] { one_hot(tensor({0}), 0); }, "[one_hot] at least one class is needed, got 0");
  expect_refusal([&] { one_hot(tensor({0.5}), 2); }, "[one_hot] indices must be i64, got f32");
  expect_refusal([&] { embedding(zeros({3}), tensor({0})); },
                 "[embedding] the table must have two dimensions, got shape (3,)");
  expect_refusal(
      [&] {
        embedding(x, tensor({{0, 1}, {2, 0}}));
      },
      "[embedding] index 2 at (1, 0) is not in [0, 2)");
}

}  // namespace
}  // namespace likely
