// Tensors over memory of others: seen, never written to, kept as long as it is seen.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "likely/autodiff/gradient.hpp"
#include "likely/core/create.hpp"
#include "likely/ops/accumulate.hpp"
#include "likely/ops/arithmetic.hpp"
#include "likely/ops/matmul.hpp"
#include "likely/ops/reduce.hpp"
#include "likely/ops/view.hpp"
#include "tests/support/check_gradients.hpp"

namespace likely {
namespace {

using testing::expect_refusal;

TEST(External, IsSeenWithoutACopy) {
  const std::vector<double> elements{1, 2, 3, 4, 5, 6};
  const MemoryReport before = memory_report();
  const Tensor x = tensor_over(elements.data(), {2, 3}, nullptr);
  EXPECT_EQ(memory_report().in_use, before.in_use);
  EXPECT_EQ(x.data<double>(), elements.data());
  EXPECT_EQ(x[1].data<double>(), elements.data() + 3);
  EXPECT_EQ(x.dtype(), DType::f64);
  EXPECT_EQ(sum(x).item(), 21.0);
  EXPECT_TRUE(array_equal(matmul(x, transpose(x)), tensor({{14.0, 32.0}, {32.0, 77.0}}, DType::f64)));
  EXPECT_TRUE(array_equal(grad(x, [](const Tensor& t) { return sum(square(t)); }), x * 2.0));
  const bool flags[] = {true, false};
  EXPECT_EQ(tensor_over(flags, {2}, nullptr).to_vector<std::uint8_t>(), (std::vector<std::uint8_t>{1, 0}));
  const std::int64_t whole[] = {7};
  EXPECT_EQ(tensor_over(whole, {}, nullptr).item(), 7.0);
  EXPECT_EQ(tensor_over(static_cast<const float*>(nullptr), {0, 3}, nullptr).size(), 0);
}

TEST(External, IsNeverWrittenTo) {
  const std::vector<float> elements{1, 2, 3}, same = elements;
  Tensor set = tensor_over(elements.data(), {3}, nullptr);
  EXPECT_FALSE(set.is_unique());
  set.set({0}, 10.0);
  EXPECT_EQ(set.at({0}), 10.0);
  Tensor written = tensor_over(elements.data(), {3}, nullptr);
  written.mutable_data<float>()[1] = 20.0F;
  Tensor added = tensor_over(elements.data(), {3}, nullptr);
  added += 1;
  Tensor summed = tensor_over(elements.data(), {3}, nullptr);
  accumulate(summed, ones({3}));
  EXPECT_EQ(summed.to_vector<float>(), (std::vector<float>{2, 3, 4}));
  EXPECT_EQ(elements, same);
}

TEST(External, KeepsTheKeeperWhileItIsSeen) {
  auto owner = std::make_shared<std::vector<float>>(1000, 2.0F);
  const std::weak_ptr<std::vector<float>> watch = owner;
  const float* const elements = owner->data();
  Tensor x = tensor_over(elements, {1000}, std::move(owner));
  Tensor part = slice(x, 0, {0, 10});
  x = {};
  EXPECT_FALSE(watch.expired());
  EXPECT_EQ(sum(part).item(), 20.0);
  std::thread([taken = std::move(part)]() mutable { taken = {}; }).join();
  EXPECT_TRUE(watch.expired());
}

TEST(External, Refusals) {
  expect_refusal([] { tensor_over(static_cast<const float*>(nullptr), {2}, nullptr); },
                 "[tensor_over] there are no elements: the pointer is null");
  alignas(8) const std::byte bytes[32]{};
  expect_refusal([&] { Tensor::external(bytes + 4, {2}, DType::f64, nullptr); },
                 "[tensor_over] the elements do not begin at a multiple of 8 bytes, as f64 must");
  expect_refusal([&] { tensor_over(reinterpret_cast<const float*>(bytes), {-1}, nullptr); },
                 testing::refusal_of([] { Shape({-1}).size(); }));
}

}  // namespace
}  // namespace likely
