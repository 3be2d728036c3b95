#include "likely/io/npy.hpp"

#include <gtest/gtest.h>

#include <string>

#include "likely/core/create.hpp"
#include "likely/ops/view.hpp"
#include "tests/support/check_gradients.hpp"
#include "tests/support/temporary_folder.hpp"

namespace likely::io {
namespace {

using testing::expect_refusal;
using testing::read_bytes;
using testing::TemporaryFolder;
using testing::write_bytes;
using namespace std::string_literals;

const std::string kReference = "tests/reference/data/";

std::string npy(const std::string& dictionary, const std::string& data) {
  std::string length{static_cast<char>(dictionary.size() & 0xFF), static_cast<char>(dictionary.size() >> 8)};
  return "\x93NUMPY\x01\x00"s + length + dictionary + data;
}

NamedTensors example() {
  return {{{"flags", tensor({true, false, true})},
           {"weight", tensor({{1.0, 2.0}, {3.0, -4.5}})},
           {"nothing", zeros({0, 3})},
           {"scalar", tensor(0.1, DType::f64)},
           {"labels", tensor({9007199254740993, -1})},
           {"zeros", zeros({100, 100})},
           {"view", transpose(tensor({{1.0, 2.0, 3.0}, {4.0, 5.0, 6.0}}))}},
          {}};
}

TEST(Npy, ReadsWhatItWrote) {
  const TemporaryFolder folder;
  for (const auto& [name, tensor] : example().tensors) {
    save_npy(folder / "x.npy", tensor);
    EXPECT_TRUE(array_equal(load_npy(folder / "x.npy"), tensor)) << name;
  }
}

// np.save wrote the file, and np.load reads ours: they are the same bytes.
TEST(Npy, WritesWhatNumpyWrites) {
  const TemporaryFolder folder;
  const Tensor stored = load_npy(kReference + "numpy.npy");
  EXPECT_TRUE(array_equal(stored, tensor({{0.0, 1.0, 2.0}, {3.0, 4.0, 5.0}})));
  save_npy(folder / "x.npy", stored);
  EXPECT_EQ(read_bytes(folder / "x.npy"), read_bytes(kReference + "numpy.npy"));
}

TEST(Npy, ReadsTheArchivesOfNumpy) {
  for (const char* name : {"numpy_stored.npz", "numpy_packed.npz"}) {
    const NamedTensors arrays = load_npz(kReference + name);
    EXPECT_EQ(arrays.tensors.size(), 8U);
    EXPECT_TRUE(array_equal(arrays["half"], tensor({1.0, -2.5, 65504.0})));
    EXPECT_TRUE(array_equal(arrays["column_major"], reshape(arange(24).to(DType::f64), {2, 3, 4})));
    EXPECT_TRUE(array_equal(arrays["big_endian"], tensor({{1.5, -2.0}})));
    EXPECT_TRUE(array_equal(arrays["small"], tensor({0, 255})));
    EXPECT_TRUE(array_equal(arrays["negative"], tensor({-1, 40000})));
    EXPECT_TRUE(array_equal(arrays["flags"], tensor({true, false})));
    EXPECT_TRUE(array_equal(arrays["scalar"], tensor(7)));
    EXPECT_TRUE(array_equal(arrays["nothing"], zeros({0, 3})));
  }
}

TEST(Npz, ReadsWhatItWrote) {
  const TemporaryFolder folder;
  const NamedTensors written = example();
  for (const bool compress : {true, false}) {
    save_npz(folder / "all.npz", written, {.compress = compress});
    const NamedTensors read = load_npz(folder / "all.npz");
    ASSERT_EQ(read.tensors.size(), written.tensors.size());
    for (std::size_t i = 0; i < written.tensors.size(); ++i) {
      EXPECT_EQ(read.tensors[i].first, written.tensors[i].first);
      EXPECT_TRUE(array_equal(read.tensors[i].second, written.tensors[i].second)) << written.tensors[i].first;
    }
    EXPECT_EQ(read_bytes(folder / "all.npz").size() > 40'000, !compress) << "40,000 bytes are zeros";
  }
  EXPECT_EQ(folder.list(), "all.npz");
}

TEST(Npy, RefusesBrokenArrays) {
  const TemporaryFolder folder;
  const std::string path = (folder / "x.npy").string();
  const auto expect_broken = [&](const std::string& bytes, const std::string& message) {
    write_bytes(path, bytes);
    expect_refusal([&] { load_npy(path); }, "[load_npy] " + path + ": " + message);
  };
  const std::string data(8, '\0');
  expect_broken("", "this is not an npy array");
  expect_broken("\x93NUMPY\x01\x00\x05"s, "the array ends within its header");
  expect_broken("\x93NUMPY\x04\x00\x05\x00"s, "version 4 of the format is unknown");
  expect_broken("\x93NUMPY\x01\x00\x50\x00{}"s, "the array ends within its header");
  expect_broken(npy("{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }", data),
                "shape (3,) does not fit the 8 bytes of elements");
  expect_broken(npy("{'descr': '<f4', 'fortran_order': False, 'shape': (4611686018427387904, 8), }", data),
                "shape (4611686018427387904, 8) does not fit the 8 bytes of elements");
  // Bytes in a file become numbers of eight, which are too many even where there are none.
  expect_broken(npy("{'descr': '|u1', 'fortran_order': False, 'shape': (2305843009213693952, 0), }", ""),
                "shape (2305843009213693952, 0) does not fit the 0 bytes of elements");
  expect_broken(npy("{'descr': '|O', 'fortran_order': False, 'shape': (1,), }", data),
                "header, character 14: the type '|O' is not supported");
  expect_broken(npy("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,), }", data),
                "header, character 10: arrays of records are not supported");
  expect_broken(npy("{'descr': '<f4', 'shape': (2,), }", data),
                "header, character 33: descr, fortran_order and shape are needed");
  expect_broken(npy("{'descr': '<f4', 'fortran_order': Maybe, 'shape': (2,), }", data),
                "header, character 34: True or False is expected");
  expect_broken(npy("{'descr': '<f4', 'fortran_order': False, 'shape': (-2,), }", data),
                "header, character 51: a dimension is expected");
  expect_broken(npy("{'shape': (1,1,1,1,1,1,1,1,1), }", data),
                "header, character 28: more than 8 dimensions are not supported");
  expect_broken(npy("{'color': 'red'}", data), "header, character 9: the entry 'color' is unknown");
  expect_refusal([&] { save_npy(path, Tensor()); }, "[save_npy] the tensor is empty");
}

TEST(Npz, RefusesDamagedArchives) {
  const TemporaryFolder folder;
  const std::string path = (folder / "x.npz").string();
  const std::string whole = read_bytes(kReference + "numpy_stored.npz");
  const auto expect_broken = [&](const std::string& bytes, const std::string& message) {
    write_bytes(path, bytes);
    expect_refusal([&] { load_npz(path); }, "[load_npz] " + path + message);
  };
  expect_broken("", ": this is not a zip archive, or its end is missing");
  expect_broken(whole.substr(0, whole.size() - 30), ": this is not a zip archive, or its end is missing");
  std::string changed = whole;
  changed[whole.find("\xff\x7b")] = '\x00';  // 65504 in "half"
  expect_broken(changed, ": the checksum of \"half.npy\" is wrong: the data are damaged");
  changed = whole;
  changed[whole.find("PK\x01\x02") + 8] = '\x01';
  expect_broken(changed, ": \"half.npy\" is encrypted");
  changed = whole;
  changed[whole.find("PK\x01\x02") + 10] = '\x0c';
  expect_broken(changed, ": \"half.npy\" is packed by method 12, which is not supported");
  changed = whole;
  changed[whole.find("PK\x01\x02") + 20] = '\x7f';
  expect_broken(changed, ": \"half.npy\" is said to unpack 127 bytes to 134, which cannot be");
  save_npz(path, {{{"a", tensor({1.0})}, {"b", tensor({2.0})}}, {}});
  std::string twice = read_bytes(path);
  for (std::size_t i; (i = twice.find("b.npy")) != std::string::npos;) twice[i] = 'a';
  expect_broken(twice, ": \"a.npy\" comes twice");
  expect_refusal(
      [&] {
        save_npz(path, {{{"a", zeros({1})}, {"a", zeros({1})}}, {}});
      },
      "[save_npz] two members are named \"a.npy\"");
  expect_refusal([&] { save_npz(path, {{{"a", Tensor()}}, {}}); }, "[save_npz] tensor \"a\" is empty");
  EXPECT_EQ(read_bytes(path), twice) << "a refused save leaves the old file";
}

}  // namespace
}  // namespace likely::io
