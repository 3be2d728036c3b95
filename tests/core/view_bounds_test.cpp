#include <gtest/gtest.h>

#include "likely/core/create.hpp"
#include "tests/support/check_gradients.hpp"

namespace likely {
namespace {

using testing::expect_refusal;

TEST(View, SeesAnyPartOfItsMemory) {
  const Tensor x = tensor(std::vector<float>{0, 1, 2, 3, 4, 5}, {2, 3});
  EXPECT_TRUE(array_equal(x.view({3}, {-1}, 5), tensor({5.0, 4.0, 3.0})));
  EXPECT_TRUE(array_equal(x.view({2, 2}, {3, 0}, 2), tensor({{2.0, 2.0}, {5.0, 5.0}})));
  EXPECT_TRUE(array_equal(x.view({1, 2}, {INT64_MAX, 1}, 4), tensor({{4.0, 5.0}})));  // never taken
  EXPECT_EQ(x.view({0, 7}, {7, 1}, 6).size(), 0);
  // A view of a view may look at what the first left out.
  const Tensor tail = x.view({2}, {1}, 4);
  EXPECT_TRUE(array_equal(tail.view({6}, {1}, -4), x.view({6}, {1}, 0)));
}

TEST(View, RefusesToLeaveItsMemory) {
  const Tensor x = zeros({2, 3});
  const auto refuses = [&](const Shape& shape, const Strides& strides, std::int64_t offset) {
    expect_refusal([&] { x.view(shape, strides, offset); },
                   "[view] shape " + shape.string() + " with strides " + strides.string() + " from element " +
                       std::to_string(offset) + " leaves the memory of shape (2, 3)");
    EXPECT_TRUE(x.is_unique());
  };
  refuses({7}, {1}, 0);
  refuses({6}, {1}, 1);
  refuses({1}, {1}, 6);
  refuses({1}, {1}, -1);
  refuses({2}, {-1}, 0);
  refuses({2, 3}, {4, 1}, 0);
  refuses({}, {}, INT64_MAX);
  refuses({3}, {INT64_MAX}, 0);
  refuses({1LL << 32, 2}, {INT64_MIN, 1}, 0);
  refuses({2, 3}, {3}, 0);
  refuses({0, 3}, {3}, 0);
  expect_refusal([&] { x.view({-1}, {1}, 0); }, "[tensor] a dimension is negative in shape (-1,)");
  expect_refusal(
      [&] {
        x.view({1LL << 32, 1LL << 32}, {0, 0}, 0);
      },
      "[tensor] out of memory: shape (4294967296, 4294967296) has too many elements");
  const Tensor none = zeros({0});
  expect_refusal([&] { none.view({1}, {0}, 0); },
                 "[view] shape (1,) with strides (0,) from element 0 leaves the memory of shape (0,)");
}

}  // namespace
}  // namespace likely
