// Damaged files: whatever the bytes, a reader gives a result or an Error, and takes no memory that the file
// could not fill.
#include <gtest/gtest.h>
#include <zlib.h>

#include <functional>
#include <string>

#include "likely/core/create.hpp"
#include "likely/data/batches.hpp"
#include "likely/io/csv_stream.hpp"
#include "likely/io/idx.hpp"
#include "likely/io/mapped_array.hpp"
#include "likely/io/npy.hpp"
#include "likely/io/safetensors.hpp"
#include "tests/support/fuzz.hpp"
#include "tests/support/temporary_folder.hpp"

namespace likely::io {
namespace {

using testing::fuzz;
using testing::read_bytes;
using testing::TemporaryFolder;
using namespace std::string_literals;

NamedTensors example() {
  return {{{"layer.weight", tensor({{1.0, 2.0, 3.0}, {4.0, 5.0, 6.0}})},
           {"layer.bias", tensor({0.5, 1.5}, DType::f64)},
           {"labels", tensor({1, 2, 3})},
           {"mask", tensor({true, false})}},
          {{"epoch", "12"}}};
}

std::string written(const std::function<void(const std::filesystem::path&)>& write) {
  const TemporaryFolder folder;
  write(folder / "file");
  return read_bytes(folder / "file");
}

std::string packed(const std::string& text) {
  return written([&](const std::filesystem::path& path) {
    gzFile file = gzopen(path.c_str(), "wb");
    gzwrite(file, text.data(), static_cast<unsigned>(text.size()));
    gzclose(file);
  });
}

// What one byte of a file can become: u8 as i64, or a field of a CSV as f64, and a copy of it; a thousand
// times that where it is packed.
constexpr double kPlain = 40.0;
constexpr double kPacked = 40.0 * 1032.0;

TEST(Fuzz, Safetensors) {
  fuzz(
      written([](const auto& path) { save_safetensors(path, example()); }),
      [](const auto& path) { load_safetensors(path); }, kPlain);
}

TEST(Fuzz, MappedSafetensors) {
  fuzz(
      written([](const auto& path) { save_safetensors(path, example()); }),
      [](const auto& path) { mapped_dataset(map_safetensors(path, "labels")).all(); }, kPlain);
}

TEST(Fuzz, Npy) {
  fuzz(
      written([](const auto& path) {
        save_npy(path, tensor({{1.0, 2.0}, {3.0, 4.0}}));
      }),
      [](const auto& path) { load_npy(path); }, kPlain);
}

TEST(Fuzz, StoredNpz) {
  fuzz(
      written([](const auto& path) { save_npz(path, example(), {.compress = false}); }),
      [](const auto& path) { load_npz(path); }, kPlain);
}

TEST(Fuzz, PackedNpz) {
  fuzz(
      read_bytes("tests/reference/data/numpy_packed.npz"), [](const auto& path) { load_npz(path); }, kPacked);
}

const std::string kIdx = "\0\0\x0c\x02\0\0\0\x02\0\0\0\x03"s + std::string(24, 'x');

TEST(Fuzz, Idx) {
  fuzz(
      kIdx, [](const auto& path) { load_idx(path); }, kPlain);
}

TEST(Fuzz, MappedIdx) {
  fuzz(
      kIdx, [](const auto& path) { mapped_dataset(map_idx(path)).all(); }, kPlain);
}

TEST(Fuzz, PackedIdx) {
  fuzz(
      packed(kIdx), [](const auto& path) { load_idx(path, DType::f32); }, kPacked);
}

const std::string kCsv =
    "id,height,species\n1,2.5,cat\n2,-1e3,\"dog, \"\"big\"\"\"\r\n-3,4,cat\n7,NA,mouse\n8,1,\n";

TEST(Fuzz, Csv) {
  for (const Missing missing : {Missing::keep, Missing::drop_row}) {
    fuzz(
        kCsv, [&](const auto& path) { read_csv(path, {.missing = missing}); }, kPlain);
  }
}

TEST(Fuzz, CsvDataset) {
  fuzz(
      kCsv, [](const auto& path) { csv_dataset(path, "species", {}, {.missing = Missing::keep}).all(); },
      kPlain);
}

TEST(Fuzz, PackedCsv) {
  fuzz(
      packed(kCsv), [](const auto& path) { read_csv(path, {.missing = Missing::keep}); }, kPacked);
}

}  // namespace
}  // namespace likely::io
