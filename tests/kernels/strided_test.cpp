#include "likely/kernels/strided/strided.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <vector>

#include "likely/core/error.hpp"
#include "likely/core/threads.hpp"

namespace likely::kernels {
namespace {

using Sizes = std::vector<std::int64_t>;

std::int64_t product(const Sizes& shape) {
  std::int64_t result = 1;
  for (const std::int64_t size : shape) result *= size;
  return result;
}

// The plain definition: where element `flat` of an output of this shape finds its operand.
std::int64_t offset(std::int64_t flat, const Sizes& shape, const Sizes& strides) {
  std::int64_t result = 0;
  for (int d = static_cast<int>(shape.size()) - 1; d >= 0; --d) {
    result += flat % shape[d] * strides[d];
    flat /= shape[d];
  }
  return result;
}

struct Layout {
  Sizes shape, a, b;
  std::int64_t a_start = 0;
};

const Layout kLayouts[] = {
    {{}, {}, {}},
    {{5}, {1}, {0}},
    {{0, 3}, {3, 1}, {0, 1}},
    {{70, 300}, {300, 1}, {0, 1}},             // a bias
    {{70, 300}, {300, 1}, {1, 0}},             // a column
    {{300, 70}, {1, 300}, {70, 1}},            // a transpose
    {{300, 7}, {7, 1}, {1, 0}},                // short rows
    {{40, 3, 50}, {3, 120, 900}, {0, 50, 1}},  // permuted
    {{4, 1, 6, 1, 33}, {198, 7, 33, 9, 1}, {0, 0, 33, 0, 1}},
    {{100}, {-1}, {3}, 99},  // reversed, every third
    {{9, 200}, {200, -1}, {0, 0}, 199},
    {{50000}, {2}, {1}},
    {{2, 40000}, {40000, 1}, {0, 1}},
    {{33, 2, 3, 5}, {0, 15, 5, 1}, {30, 15, 1, 3}},
};

template <class T>
std::vector<T> numbers(std::size_t n) {
  std::mt19937 random(7);
  std::vector<T> values(n);
  for (T& v : values) v = static_cast<T>(static_cast<int>(random() % 200) - 100) / T{4};
  return values;
}

template <class T>
void check_binary() {
  const std::vector<T> a = numbers<T>(100000);
  const std::vector<T> b = numbers<T>(90000);
  for (const Layout& layout : kLayouts) {
    const std::int64_t n = product(layout.shape);
    const int rank = static_cast<int>(layout.shape.size());
    for (const int threads_used : {1, 2, 3}) {
      set_threads(threads_used);
      std::vector<T> out(n + 1, T{77});
      std::vector<std::uint8_t> less(n + 1, 7);
      const Operand first{a.data() + layout.a_start, layout.a.data()};
      const Operand second{b.data(), layout.b.data()};
      apply_binary(Binary::subtract, dtype_of<T>, first, second, out.data(), rank, layout.shape.data());
      apply_compare(Compare::less, dtype_of<T>, first, second, less.data(), rank, layout.shape.data());
      for (std::int64_t i = 0; i < n; ++i) {
        const T x = a[layout.a_start + offset(i, layout.shape, layout.a)];
        const T y = b[offset(i, layout.shape, layout.b)];
        ASSERT_EQ(out[i], x - y) << "layout " << (&layout - kLayouts) << " at " << i;
        ASSERT_EQ(less[i], x < y ? 1 : 0);
      }
      EXPECT_EQ(out[n], T{77});
      EXPECT_EQ(less[n], 7);
    }
  }
  set_threads(1);
}

TEST(Strided, BinaryOfAnyLayout) {
  check_binary<float>();
  check_binary<double>();
  check_binary<std::int64_t>();
}

TEST(Strided, UnaryWhereAndCastOfAnyLayout) {
  const std::vector<float> a = numbers<float>(100000);
  const std::vector<float> b = numbers<float>(90000);
  std::vector<std::uint8_t> condition(90000);
  for (std::size_t i = 0; i < condition.size(); ++i) condition[i] = b[i] > 1.0f;
  for (const Layout& layout : kLayouts) {
    const std::int64_t n = product(layout.shape);
    const int rank = static_cast<int>(layout.shape.size());
    const std::int64_t* shape = layout.shape.data();
    std::vector<float> negative(n), repeated(n), selected(n);
    std::vector<std::int64_t> integers(n);
    const Operand x{a.data() + layout.a_start, layout.a.data()};
    apply_unary(Unary::negative, DType::f32, x, negative.data(), rank, shape);
    apply_unary(Unary::negative, DType::f32, {b.data(), layout.b.data()}, repeated.data(), rank, shape);
    apply_where(DType::f32, {condition.data(), layout.b.data()}, x, {b.data(), layout.b.data()},
                selected.data(), rank, shape);
    apply_cast(DType::f32, DType::i64, {b.data(), layout.b.data()}, integers.data(), rank, shape);
    for (std::int64_t i = 0; i < n; ++i) {
      const float u = a[layout.a_start + offset(i, layout.shape, layout.a)];
      const std::int64_t place = offset(i, layout.shape, layout.b);
      ASSERT_EQ(negative[i], -u);
      ASSERT_EQ(repeated[i], -b[place]);
      ASSERT_EQ(selected[i], condition[place] ? u : b[place]);
      ASSERT_EQ(integers[i], static_cast<std::int64_t>(b[place]));
    }
  }
}

TEST(Strided, BitsDoNotDependOnThreadsOrTiles) {
  constexpr std::int64_t n = 200'003;
  const std::vector<float> x = numbers<float>(n);
  std::vector<float> expected(n);
  unary_row(Unary::tanh, DType::f32)(x.data(), expected.data(), n, 0, 0);
  for (const int threads_used : {1, 2, 3}) {
    set_threads(threads_used);
    std::vector<float> y(n);
    apply_unary(Unary::tanh, DType::f32, x.data(), y.data(), n);
    EXPECT_EQ(std::memcmp(y.data(), expected.data(), n * sizeof(float)), 0);
  }
  set_threads(1);
}

TEST(Strided, RefusesWhatDoesNotExist) {
  std::int64_t value = 1;
  EXPECT_THROW(apply_unary(Unary::exp, DType::i64, &value, &value, 1), Error);
  EXPECT_THROW(apply_binary(Binary::add, DType::boolean, &value, &value, &value, 1), Error);
}

}  // namespace
}  // namespace likely::kernels
