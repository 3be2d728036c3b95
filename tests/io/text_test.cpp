#include "likely/io/text.hpp"

#include <gtest/gtest.h>
#include <zlib.h>

#include "tests/support/check_gradients.hpp"
#include "tests/support/temporary_folder.hpp"

namespace likely::io {
namespace {

using testing::expect_refusal;
using testing::TemporaryFolder;
using testing::write_bytes;

TEST(Text, IsReadPlainAndPacked) {
  const TemporaryFolder folder;
  std::string text = "first\r\nsecond\n\nfourth";
  text += std::string(3'000'000, 'x');
  write_bytes(folder / "plain", text);
  gzFile file = gzopen((folder / "packed").c_str(), "wb");
  gzwrite(file, text.data(), static_cast<unsigned>(text.size()));
  gzclose(file);
  for (const char* name : {"plain", "packed"}) {
    EXPECT_EQ(read_text(folder / name), text);
    const std::vector<std::string> lines = read_lines(folder / name);
    ASSERT_EQ(lines.size(), 4U);
    EXPECT_EQ(lines[0], "first");
    EXPECT_EQ(lines[1], "second");
    EXPECT_EQ(lines[2], "");
  }
  write_bytes(folder / "empty", "");
  EXPECT_EQ(read_text(folder / "empty"), "");
  EXPECT_TRUE(read_lines(folder / "empty").empty());
}

TEST(Text, RefusesDamagedFiles) {
  const TemporaryFolder folder;
  const std::string path = (folder / "packed").string();
  gzFile file = gzopen(path.c_str(), "wb");
  gzputs(file, "some text that is long enough to be packed, packed, packed");
  gzclose(file);
  std::string bytes = testing::read_bytes(path);
  bytes[bytes.size() - 6] ^= '\x01';  // of the checksum
  write_bytes(path, bytes);
  expect_refusal([&] { read_text(path); },
                 "[read_text] " + path + ": damaged after byte 0: incorrect data check");
  expect_refusal([&] { read_text(folder.path()); },
                 "[read_text] " + folder.path().string() + " is not a regular file");
}

}  // namespace
}  // namespace likely::io
