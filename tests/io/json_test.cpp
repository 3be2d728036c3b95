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

TEST(ParseJson, RefusesWhatWouldTakeTheStackOrHours) {
  const auto nested = [](int depth) {
    std::string text;
    for (int i = 0; i < depth; ++i) text += i % 2 == 0 ? "[" : "{\"a\":";
    text += "1";
    for (int i = depth; i > 0; --i) text += i % 2 == 1 ? "]" : "}";
    return text;
  };
  EXPECT_TRUE(parse_json(nested(100)).is_array());
  EXPECT_TRUE(json_or_none<SortedJson>(nested(100)).is_array());
  for (const int depth : {101, 300'000}) {
    testing::expect_refusal([&] { parse_json(nested(depth)); }, "[json] this is nested too deeply");
    EXPECT_TRUE(json_or_none(nested(depth)).is_discarded());
    EXPECT_TRUE(json_or_none<SortedJson>(nested(depth)).is_discarded());
  }
  // Brackets in names and after names are none, nor are those that were closed.
  EXPECT_TRUE(parse_json(R"({"\"[[": ")" + std::string(1000, '[') + R"(", "\\": 1})").is_object());
  std::string many = "[";
  for (int i = 0; i < 1000; ++i) many += "[{}],";
  EXPECT_EQ(parse_json(many + "{}]").size(), 1001U);

  const auto keys = [](int count) {
    std::string text = "{";
    for (int i = 0; i < count; ++i) text += "\"" + std::to_string(i) + "\":[0],";
    return text + "\"last\":{}}";
  };
  EXPECT_EQ(parse_json(keys(9'999)).size(), 10'000U);
  testing::expect_refusal([&] { parse_json(keys(10'000)); }, "[json] an object has too many keys");
  EXPECT_TRUE(json_or_none(keys(10'000)).is_discarded());
  EXPECT_EQ(parse_json<SortedJson>(keys(50'000)).size(), 50'001U);
}

TEST(NumberJson, IsNullWhereItIsNotFinite) {
  EXPECT_EQ(number_json(0.5), Json(0.5));
  EXPECT_TRUE(number_json(std::numeric_limits<double>::infinity()).is_null());
  EXPECT_TRUE(number_json(std::numeric_limits<double>::quiet_NaN()).is_null());
}

}  // namespace
}  // namespace likely::io
