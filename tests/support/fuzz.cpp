#include "tests/support/fuzz.hpp"

#include <gtest/gtest.h>

#include <random>

#include "likely/core/error.hpp"
#include "likely/core/memory.hpp"
#include "tests/support/temporary_folder.hpp"

namespace likely::testing {

namespace {

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

}  // namespace

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

}  // namespace likely::testing
