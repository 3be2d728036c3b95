#include "likely/io/checksum.hpp"

#include <gtest/gtest.h>

#include "likely/core/error.hpp"
#include "likely/io/json.hpp"
#include "tests/support/check_gradients.hpp"
#include "tests/support/temporary_folder.hpp"

namespace likely::io {
namespace {

TEST(Checksum, IsTheOneOfZipAndPng) {
  // The check value that the catalogues of CRCs give.
  EXPECT_EQ(checksum_of("123456789"), 0xCBF43926U);
  EXPECT_EQ(checksum_of(""), 0U);
  EXPECT_EQ(checksum_of("6789", 4, checksum_of("12345")), 0xCBF43926U);
}

TEST(Seal, IsAKeyOfTheObject) {
  for (const std::string object :
       {"{\n  \"seed\": 7,\n  \"name\": \"a\"\n}\n", "{\"seed\":7,\"name\":\"a\"}\n", "{}\n", "{\n}"}) {
    const std::string sealed = sealed_json(object);
    EXPECT_EQ(seal_of(sealed), Seal::fits) << sealed;
    EXPECT_EQ(seal_of(object), Seal::none);
    auto json = io::parse_json(sealed);
    EXPECT_EQ(json.begin().key(), "checksum");
    json.erase("checksum");
    EXPECT_EQ(json, io::parse_json(object));
  }
  // In a line of its own, which can be deleted.
  std::string lines = sealed_json("{\n  \"seed\": 7\n}\n");
  lines.erase(2, lines.find('\n', 2) - 1);
  EXPECT_EQ(lines, "{\n  \"seed\": 7\n}\n");
}

TEST(Seal, BreaksWithEveryByte) {
  const std::string sealed = sealed_json("{\n  \"data\": \"mine.csv\",\n  \"seed\": 7\n}\n");
  for (std::size_t i = 0; i < sealed.size(); ++i) {
    for (const char change : {'\x01', '\x20', '\x7f'}) {
      std::string changed = sealed;
      changed[i] = static_cast<char>(changed[i] ^ change);
      EXPECT_EQ(seal_of(changed), Seal::broken) << changed;
    }
  }
  EXPECT_EQ(seal_of(sealed + " "), Seal::broken);
  EXPECT_EQ(seal_of(sealed.substr(0, sealed.size() - 1)), Seal::broken);
  // Other people's keys of that name are theirs.
  EXPECT_EQ(seal_of("{\"columns\": [{\"checksum\": \"abc\"}]}"), Seal::none);
  EXPECT_EQ(seal_of(""), Seal::none);
}

TEST(Seal, IsLookedAtBeforeAFileIsRead) {
  const testing::TemporaryFolder folder;
  const std::string sealed = sealed_json("{\"seed\": 7}\n");
  const std::filesystem::path path = folder / "file.json";
  testing::write_bytes(path, sealed);
  EXPECT_EQ(read_sealed("read", path), sealed);
  testing::write_bytes(path, "{\"seed\": 7}\n");
  EXPECT_EQ(read_sealed("read", path), "{\"seed\": 7}\n");
  testing::write_bytes(path, sealed + " ");
  const std::string why =
      path.string() +
      ": the file was changed after it was written (its checksum does not fit; without the "
      "key \"checksum\" it is taken as it is)";
  testing::expect_refusal([&] { read_sealed("read", path); }, "[read] " + why);
  testing::expect_refusal([&] { read_sealed("", path); }, why);
}

}  // namespace
}  // namespace likely::io
