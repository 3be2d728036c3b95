// Damaged files: whatever the bytes, a reader gives a result or an Error, and takes no memory that the file
// could not fill.
#include <gtest/gtest.h>
#include <zlib.h>

#include <functional>
#include <random>
#include <string>

#include "likely/core/create.hpp"
#include "likely/core/memory.hpp"
#include "likely/data/batches.hpp"
#include "likely/io/csv_stream.hpp"
#include "likely/io/idx.hpp"
#include "likely/io/mapped_array.hpp"
#include "likely/io/npy.hpp"
#include "likely/io/safetensors.hpp"
#include "tests/support/temporary_folder.hpp"

namespace likely::io {
namespace {

using testing::read_bytes;
using testing::TemporaryFolder;
using testing::write_bytes;
using namespace std::string_literals;

constexpr int kCases = 2000;

// Some bytes changed, put in, taken out or repeated; numbers in text replaced; the end cut off.
std::string damaged(std::string bytes, std::mt19937_64& random) {
  const auto below = [&](std::size_t n) {
    return static_cast<std::size_t>(random() % std::max<std::size_t>(n, 1));
  };
  static const std::string kTelling = "\x00\xff\x7f\x80{}[](),:\"'\n\r\t0129-.eP"s;
  for (std::size_t changes = 1 + below(4); changes > 0 && !bytes.empty(); --changes) {
    const std::size_t place = below(bytes.size());
    const char byte = below(2) == 0 ? static_cast<char>(random()) : kTelling[below(kTelling.size())];
    switch (below(6)) {
      case 0:
      case 1: bytes[place] = byte; break;
      case 2: bytes.insert(place, 1 + below(8), byte); break;
      case 3: bytes.erase(place, 1 + below(8)); break;
      case 4: bytes.insert(place, bytes.substr(below(bytes.size()), below(64))); break;
      default:
        // Large numbers: eight bytes of binary, or digits.
        bytes.replace(place, std::min<std::size_t>(8, bytes.size() - place),
                      below(2) == 0 ? std::string(8, '\xff') : std::to_string(random()));
    }
  }
  if (below(4) == 0) bytes.resize(below(bytes.size() + 1));
  return bytes;
}

void fuzz(const std::string& valid, const std::function<void(const std::filesystem::path&)>& read,
          double ratio) {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder / "file";
  write_bytes(path, valid);
  ASSERT_NO_THROW(read(path)) << "the file must be readable before it is damaged";
  std::mt19937_64 random(12345);
  int refused = 0;
  for (int i = 0; i < kCases; ++i) {
    const std::string bytes = damaged(valid, random);
    write_bytes(path, bytes);
    const std::int64_t before = memory_report().in_use;
    reset_peak_memory();
    try {
      read(path);
    } catch (const Error& error) {
      ++refused;
      ASSERT_NE(std::string(error.what()).find(path.string()), std::string::npos)
          << "no file named: " << error.what();
    } catch (const std::exception& error) {
      FAIL() << "case " << i << ": " << error.what();
    }
    ASSERT_LE(static_cast<double>(memory_report().peak - before),
              100'000.0 + ratio * static_cast<double>(bytes.size()))
        << "case " << i;
  }
  EXPECT_GT(refused, kCases / 4);
}

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
