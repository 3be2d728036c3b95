#include "likely/core/strided_copy.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "likely/core/threads.hpp"

namespace likely::detail {
namespace {

struct Layout {
  Shape shape;
  Strides strides;
  std::int64_t start = 0;
};

const Layout kLayouts[] = {
    {{}, {}},
    {{5}, {1}},
    {{0, 3}, {3, 1}},
    {{70, 300}, {300, 1}},
    {{300, 70}, {1, 300}},
    {{256, 256}, {1, 256}},
    {{129, 67}, {1, 130}},
    {{3, 5}, {1, 3}},
    {{300, 7}, {11, 1}},
    {{40, 3, 50}, {3, 120, 900}, 0},
    {{4, 1, 6, 1, 33}, {198, 7, 33, 9, 1}},
    {{100}, {-1}, 99},
    {{9, 200}, {200, -1}, 199},
    {{64, 48}, {-1, 64}, 63},
    {{50000}, {2}},
    {{2, 3, 4, 5, 2, 3, 2, 2}, {720, 1, 180, 36, 3, 12, 6, 360}},
};

// The plain definition: where element `flat` of the shape lies.
std::int64_t place(std::int64_t flat, const Layout& layout) {
  std::int64_t result = layout.start;
  for (int d = layout.shape.rank() - 1; d >= 0; --d) {
    result += flat % layout.shape[d] * layout.strides[d];
    flat /= layout.shape[d];
  }
  return result;
}

template <class Element>
void check_copies() {
  const int before = threads();
  std::vector<Element> source(120000);
  for (std::size_t i = 0; i < source.size(); ++i) source[i] = static_cast<Element>(i * 2654435761U >> 3U);
  for (const Layout& layout : kLayouts) {
    const Strides dense = row_major_strides(layout.shape);
    const std::int64_t n = layout.shape.size();
    for (const int used : {1, 2, 3}) {
      set_threads(used);
      std::vector<Element> copy(static_cast<std::size_t>(n) + 1, Element{7});
      copy_strided(sizeof(Element), layout.shape, source.data() + layout.start, layout.strides, copy.data(),
                   dense);
      for (std::int64_t i = 0; i < n; ++i) {
        ASSERT_EQ(copy[static_cast<std::size_t>(i)], source[static_cast<std::size_t>(place(i, layout))])
            << layout.shape.string() << layout.strides.string() << " at " << i;
      }
      ASSERT_EQ(copy.back(), Element{7});

      std::vector<Element> target(source.size(), Element{1});
      std::vector<Element> expected = target;
      copy_strided(sizeof(Element), layout.shape, copy.data(), dense, target.data() + layout.start,
                   layout.strides);
      for (std::int64_t i = 0; i < n; ++i) {
        expected[static_cast<std::size_t>(place(i, layout))] = copy[static_cast<std::size_t>(i)];
      }
      ASSERT_EQ(target, expected) << layout.shape.string() << layout.strides.string();
    }
  }
  set_threads(before);
}

TEST(StridedCopy, ToAndFromAnyLayout) {
  check_copies<std::uint8_t>();
  check_copies<std::uint32_t>();
  check_copies<std::uint64_t>();
}

TEST(StridedCopy, RepeatedElements) {
  const std::vector<std::uint32_t> source = {1, 2, 3};
  std::vector<std::uint32_t> copy(6);
  copy_strided(4, {2, 3}, source.data(), {0, 1}, copy.data(), {3, 1});
  EXPECT_EQ(copy, (std::vector<std::uint32_t>{1, 2, 3, 1, 2, 3}));
  copy_strided(4, {3, 2}, source.data(), {1, 0}, copy.data(), {2, 1});
  EXPECT_EQ(copy, (std::vector<std::uint32_t>{1, 1, 2, 2, 3, 3}));
  copy_strided(4, {3, 2}, source.data(), {1, 0}, copy.data(), {1, 3});
  EXPECT_EQ(copy, (std::vector<std::uint32_t>{1, 2, 3, 1, 2, 3}));
}

template <class Element>
void check_blocks() {
  std::vector<Element> from(100 * 101);
  for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<Element>(i * 7);
  for (const std::int64_t rows : {1, 3, 16, 17, 64, 100}) {
    for (const std::int64_t columns : {1, 2, 15, 16, 33, 64, 100}) {
      std::vector<Element> to(100 * 103, Element{9});
      transpose_block(sizeof(Element), from.data(), 101, to.data(), 103, rows, columns);
      for (std::int64_t i = 0; i < 100; ++i) {
        for (std::int64_t j = 0; j < 103; ++j) {
          const bool inside = i < rows && j < columns;
          const Element expected = inside ? from[static_cast<std::size_t>(i + j * 101)] : Element{9};
          ASSERT_EQ(to[static_cast<std::size_t>(i * 103 + j)], expected) << rows << " x " << columns;
        }
      }
    }
  }
}

TEST(StridedCopy, TransposedBlocks) {
  check_blocks<std::uint8_t>();
  check_blocks<std::uint32_t>();
  check_blocks<std::uint64_t>();
}

}  // namespace
}  // namespace likely::detail
