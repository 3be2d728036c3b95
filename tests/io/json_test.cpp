#include "likely/io/json.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "tests/support/check_gradients.hpp"

namespace likely::io {
namespace {

TEST(JsonText, KeepsTheOrderOfKeysAndReplacesWhatIsNotUtf8) {
  const Json json{{"z", 1}, {"a", "gr\xFCn"}};
  EXPECT_EQ(json_text(json), "{\"z\":1,\"a\":\"gr\uFFFDn\"}");
  EXPECT_EQ(json_text(SortedJson{{"z", 1}, {"a", 2}}), "{\"a\":2,\"z\":1}");
  EXPECT_EQ(json_text(Json{{"z", 1}}, 2), "{\n  \"z\": 1\n}");
  EXPECT_EQ(exact_json_text("gr\u00FCn"), "\"gr\u00FCn\"");
  testing::expect_refusal([&] { exact_json_text(json); }, "[json] this is not UTF-8");
}

TEST(ParseJson, SaysWhereItIsNotJson) {
  EXPECT_EQ(parse_json(R"({"b": 1, "a": [true, null]})"), Json({{"b", 1}, {"a", {true, nullptr}}}));
  EXPECT_EQ(json_text(parse_json<SortedJson>(R"({"b": 1, "a": 2})")), R"({"a":2,"b":1})");
  testing::expect_refusal([] { parse_json("{\"a\": x}"); }, "[json] this is not JSON, see byte 7");
  testing::expect_refusal([] { parse_json<SortedJson>(""); }, "[json] this is not JSON, see byte 1");
  testing::expect_refusal([] { parse_json("[1e999]"); }, "[json] a number is too large");
}

TEST(ParseJson, MayGiveNothing) {
  for (const char* text : {"", "{", "[1e999]", "{} {}"}) {
    EXPECT_TRUE(json_or_none(text).is_discarded()) << text;
    EXPECT_FALSE(json_or_none<SortedJson>(text).is_object()) << text;
  }
  EXPECT_EQ(json_or_none("7"), Json(7));
}

TEST(NumberJson, IsNullWhereItIsNotFinite) {
  EXPECT_EQ(number_json(0.5), Json(0.5));
  EXPECT_TRUE(number_json(std::numeric_limits<double>::infinity()).is_null());
  EXPECT_TRUE(number_json(std::numeric_limits<double>::quiet_NaN()).is_null());
}

}  // namespace
}  // namespace likely::io
