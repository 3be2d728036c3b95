#include "likely/io/checksum.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "likely/core/error.hpp"
#include "tests/support/check_gradients.hpp"

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
    auto json = nlohmann::ordered_json::parse(sealed);
    EXPECT_EQ(json.begin().key(), "checksum");
    json.erase("checksum");
    EXPECT_EQ(json, nlohmann::ordered_json::parse(object));
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
  check_seal("read", "file.json", sealed);
  testing::expect_refusal(
      [&] { check_seal("read", "file.json", sealed + " "); },
      "[read] file.json: the file was changed after it was written (its checksum does not "
      "fit; without the key \"checksum\" it is taken as it is)");
}

}  // namespace
}  // namespace likely::io
