#include "likely/io/mapped_array.hpp"

#include <gtest/gtest.h>

#include <string>

#include "likely/core/create.hpp"
#include "likely/core/threads.hpp"
#include "likely/data/batches.hpp"
#include "likely/io/npy.hpp"
#include "likely/io/safetensors.hpp"
#include "tests/support/check_gradients.hpp"
#include "tests/support/temporary_folder.hpp"

namespace likely::io {
namespace {

using testing::expect_refusal;
using testing::TemporaryFolder;
using testing::write_bytes;
using namespace std::string_literals;

TEST(MappedArray, GivesTheRowsOfEveryFormat) {
  const TemporaryFolder folder;
  const Tensor x = Rng(1).normal({50, 3, 2});
  const Tensor y = Rng(2).randint(0, 9, {50});
  save_npy(folder / "x.npy", x);
  save_npy(folder / "y.npy", y);
  save_safetensors(folder / "both", {{{"x", x}, {"y", y}}, {}});
  const data::Dataset memory(x, y);
  for (const data::Dataset& mapped :
       {mapped_dataset(map_npy(folder / "x.npy"), map_npy(folder / "y.npy")),
        mapped_dataset(map_safetensors(folder / "both", "x"), map_safetensors(folder / "both", "y"))}) {
    EXPECT_EQ(mapped.size(), 50);
    for (const int count : {1, 2, 3}) {
      set_threads(count);
      const data::Batch batch = mapped.batches(7, Rng(3), {.prefetch = 2})[2];
      EXPECT_TRUE(array_equal(batch.x, memory.batches(7, Rng(3))[2].x));
      EXPECT_TRUE(array_equal(batch.y, memory.batches(7, Rng(3))[2].y));
    }
    EXPECT_TRUE(array_equal(mapped.range(10, 20).x, memory.range(10, 20).x));
    EXPECT_TRUE(array_equal(mapped.all().y, y));
    EXPECT_EQ(mapped.rows({}).x.shape().string(), "(0, 3, 2)");
  }
}

TEST(MappedArray, ConvertsRowsAsTheyAreRead) {
  const TemporaryFolder folder;
  write_bytes(folder / "x.idx", "\0\0\x08\x02\0\0\0\x03\0\0\0\x02\x00\x01\x02\x03\x04\xff"s);
  const MappedArray pixels = map_idx(folder / "x.idx");
  EXPECT_EQ(pixels.shape().string(), "(3, 2)");
  EXPECT_EQ(pixels.dtype(), DType::i64);
  EXPECT_TRUE(array_equal(mapped_dataset(pixels).rows({2, 0}).x, tensor({{4, 255}, {0, 1}})));
  EXPECT_TRUE(
      array_equal(mapped_dataset(pixels.as(DType::f32)).rows({2, 0}).x, tensor({{4.0, 255.0}, {0.0, 1.0}})));
}

TEST(MappedArray, RefusesWhatHasNoRowsInOnePlace) {
  const TemporaryFolder folder;
  save_npy(folder / "scalar.npy", tensor(1.0));
  save_npy(folder / "three.npy", zeros({3}));
  save_npy(folder / "four.npy", zeros({4}));
  save_safetensors(folder / "x", {{{"a", zeros({1})}}, {}});
  expect_refusal([&] { map_npy(folder / "scalar.npy"); }, "[map_npy] " + (folder / "scalar.npy").string() +
                                                              ": rows are needed, the array is a scalar");
  expect_refusal([&] { map_safetensors(folder / "x", "b"); },
                 "[map_safetensors] " + (folder / "x").string() + ": there is no tensor \"b\"");
  expect_refusal([&] { mapped_dataset(map_npy(folder / "three.npy"), map_npy(folder / "four.npy")); },
                 "[mapped_dataset] x and y must have the same number of rows, got shapes (3,) and (4,)");
  write_bytes(folder / "short.idx", "\0\0\x08\x01\0\0\0\x03\x01"s);
  expect_refusal(
      [&] { map_idx(folder / "short.idx"); },
      "[map_idx] " + (folder / "short.idx").string() + ": shape (3,) does not fit the 1 bytes of elements");
  write_bytes(
      folder / "columns.npy",
      "\x93NUMPY\x01\x00\x39\x00{'descr': '<f4', 'fortran_order': True, 'shape': (1, 2)}\n\0\0\0\0\0\0\0\0"s);
  expect_refusal([&] { map_npy(folder / "columns.npy"); },
                 "[map_npy] " + (folder / "columns.npy").string() +
                     ": the array is column-major, its rows do not lie together");
}

}  // namespace
}  // namespace likely::io
