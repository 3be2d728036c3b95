#include "likely/io/idx.hpp"

#include <gtest/gtest.h>
#include <zlib.h>

#include <string>

#include "likely/core/create.hpp"
#include "likely/ops/reduce.hpp"
#include "tests/support/check_gradients.hpp"
#include "tests/support/shared_data.hpp"
#include "tests/support/temporary_folder.hpp"

namespace likely::io {
namespace {

using testing::expect_refusal;
using testing::TemporaryFolder;
using testing::write_bytes;
using namespace std::string_literals;

// (2, 3) bytes 0, 1, ..., 5, but the last is 255.
const std::string kBytes = "\0\0\x08\x02\0\0\0\x02\0\0\0\x03\0\x01\x02\x03\x04\xff"s;

void write_gzip(const std::filesystem::path& path, const std::string& text) {
  gzFile file = gzopen(path.c_str(), "wb");
  gzwrite(file, text.data(), static_cast<unsigned>(text.size()));
  gzclose(file);
}

TEST(Idx, IsReadPlainAndPacked) {
  const TemporaryFolder folder;
  write_bytes(folder / "plain", kBytes);
  write_gzip(folder / "packed", kBytes);
  for (const char* name : {"plain", "packed"}) {
    EXPECT_TRUE(array_equal(load_idx(folder / name), tensor({{0, 1, 2}, {3, 4, 255}})));
    EXPECT_TRUE(
        array_equal(load_idx(folder / name, DType::f32), tensor({{0.0, 1.0, 2.0}, {3.0, 4.0, 255.0}})));
  }
}

TEST(Idx, HasBigEndianNumbersOfEveryType) {
  const TemporaryFolder folder;
  const auto read = [&](const std::string& bytes) {
    write_bytes(folder / "x", bytes);
    return load_idx(folder / "x");
  };
  EXPECT_TRUE(array_equal(read("\0\0\x09\x01\0\0\0\x02\xff\x7f"s), tensor({-1, 127})));
  EXPECT_TRUE(array_equal(read("\0\0\x0b\x01\0\0\0\x02\xff\xfe\x01\x02"s), tensor({-2, 258})));
  EXPECT_TRUE(array_equal(read("\0\0\x0c\x01\0\0\0\x01\x01\x02\x03\x04"s), tensor({16909060})));
  EXPECT_TRUE(array_equal(read("\0\0\x0d\x01\0\0\0\x01\x3f\x80\0\0"s), tensor({1.0})));
  EXPECT_TRUE(array_equal(read("\0\0\x0e\x01\0\0\0\x01\xc0\0\0\0\0\0\0\0"s), tensor({-2.0}, DType::f64)));
  EXPECT_EQ(read("\0\0\x08\x00\x07"s).item(), 7.0);
}

TEST(Idx, RefusesBrokenFiles) {
  const TemporaryFolder folder;
  const std::string path = (folder / "x").string();
  const auto expect_broken = [&](const std::string& bytes, const std::string& message) {
    write_bytes(path, bytes);
    expect_refusal([&] { load_idx(path); }, "[load_idx] " + path + ": " + message);
  };
  expect_broken("\0\0"s, "the data end at byte 2, 4 bytes were expected from byte 0 on");
  expect_broken("\x01\0\x08\x01\0\0\0\0"s, "this is not an IDX file: it must start with two bytes of 0");
  expect_broken("\0\0\x0a\x01\0\0\0\0"s, "the element type 10 is unknown");
  expect_broken("\0\0\x08\x09"s, "9 dimensions are announced, at most 8 are supported");
  expect_broken(kBytes.substr(0, 17), "shape (2, 3) is announced, which the file is too short for");
  expect_broken("\0\0\x0e\x03\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"s,
                "shape (4294967295, 4294967295, 4294967295) is announced, which the file is too short for");
  expect_broken(kBytes + "x", "there is more than shape (2, 3) announces");
  write_gzip(path, kBytes.substr(0, 17));
  expect_refusal([&] { load_idx(path); },
                 "[load_idx] " + path + ": the data end at byte 17, 6 bytes were expected from byte 12 on");
}

TEST(Idx, ReadsMnist) {
  LIKELY_SHARED_DATA(folder, "mnist");
  const Mnist mnist = load_mnist(folder);
  const data::Batch test = mnist.test.all();
  EXPECT_EQ(mnist.train.size(), 60'000);
  EXPECT_EQ(test.x.shape().string(), "(10000, 784)");
  EXPECT_EQ(max(test.x).item(), 1.0);
  EXPECT_EQ(min(test.x).item(), 0.0);
  // Published: the training images have mean 0.1307, the first labels are 5, 0, 4, 1, 9.
  EXPECT_NEAR(mean(mnist.train.all().x).item(), 0.1307, 1e-4);
  EXPECT_TRUE(array_equal(mnist.train.range(0, 5).y, tensor({5, 0, 4, 1, 9})));
  EXPECT_TRUE(array_equal(mnist.test.range(0, 4).y, tensor({7, 2, 1, 0})));
}

TEST(Idx, GivesImagesTheirShapeOnRequest) {
  const TemporaryFolder folder;
  const std::string images = "\0\0\x08\x03\0\0\0\x02\0\0\0\x01\0\0\0\x02\0\xff\x33\0"s;
  for (const char* part : {"train", "t10k"}) {
    write_bytes(folder / (part + "-images-idx3-ubyte"s), images);
    write_gzip(folder / (part + "-labels-idx1-ubyte.gz"s), "\0\0\x08\x01\0\0\0\x02\x05\x06"s);
  }
  const data::Batch batch = load_mnist(folder.path(), {.flat = false}).train.all();
  EXPECT_EQ(batch.x.shape().string(), "(2, 1, 1, 2)");
  EXPECT_TRUE(allclose(load_mnist(folder.path()).test.all().x, tensor({{0.0, 1.0}, {0.2, 0.0}})));
  EXPECT_TRUE(array_equal(batch.y, tensor({5, 6})));
  expect_refusal([&] { load_mnist(folder / "none"); },
                 "[load_idx] cannot open " + (folder / "none/train-images-idx3-ubyte.gz").string() +
                     ": No such file or directory");
}

TEST(Idx, ImagesWithoutTheirLabelsAreRefusedByTheFile) {
  const TemporaryFolder folder;
  const std::string images = "\0\0\x08\x03\0\0\0\x02\0\0\0\x01\0\0\0\x02\0\xff\x33\0"s;
  write_bytes(folder / "train-images-idx3-ubyte", images);
  const std::string labels = (folder / "train-labels-idx1-ubyte").string();
  const auto expect = [&](const std::string& bytes, const std::string& shape) {
    write_bytes(labels, bytes);
    expect_refusal([&] { load_mnist(folder.path()); },
                   "[load_mnist] " + labels + ": one label for each of the 2 images of " +
                       (folder / "train-images-idx3-ubyte").string() + " is expected, got shape " + shape);
  };
  expect("\0\0\x08\x01\0\0\0\x03\x05\x06\x07"s, "(3,)");
  expect("\0\0\x08\x02\0\0\0\x02\0\0\0\x01\x05\x06"s, "(2, 1)");
  write_bytes(folder / "train-images-idx3-ubyte", "\0\0\x08\x03\0\0\0\0\0\0\0\x02\0\0\0\x02"s);
  expect_refusal([&] { load_mnist(folder.path()); },
                 "[load_mnist] " + (folder / "train-images-idx3-ubyte").string() + ": there are no images");
}

}  // namespace
}  // namespace likely::io
