#include "likely/io/safetensors.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <iomanip>
#include <limits>
#include <sstream>
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

std::string length_of(const std::string& header) {
  std::string bytes;
  for (int i = 0; i < 8; ++i) bytes += static_cast<char>(header.size() >> (8 * i) & 0xFF);
  return bytes;
}

// By long division, bit by bit.
std::string plain_crc32(const std::string& bytes) {
  std::uint32_t rest = 0xFFFFFFFFU;
  for (const char byte : bytes) {
    rest ^= static_cast<unsigned char>(byte);
    for (int bit = 0; bit < 8; ++bit) rest = (rest >> 1) ^ ((rest & 1U) != 0 ? 0xEDB88320U : 0U);
  }
  std::ostringstream text;
  text << std::hex << std::setfill('0') << std::setw(8) << (rest ^ 0xFFFFFFFFU);
  return text.str();
}

std::string file_of(const std::string& header, const std::string& data) {
  return length_of(header) + header + data;
}

void expect_broken(const std::string& bytes, const std::string& message) {
  const TemporaryFolder folder;
  const auto path = folder / "broken.safetensors";
  write_bytes(path, bytes);
  expect_refusal([&] { load_safetensors(path); }, "[load_safetensors] " + path.string() + ": " + message);
}

TEST(Safetensors, ReadWhatTheyWrote) {
  const TemporaryFolder folder;
  const NamedTensors written{{{"flags", tensor({true, false, true})},
                              {"a.weight", tensor({{1.0, 2.0}, {3.0, -4.5}})},
                              {"nothing", zeros({0, 3})},
                              {"scalar", tensor(0.1, DType::f64)},
                              {"labels", tensor({{9007199254740993, -1}})},
                              {"view", transpose(tensor({{1.0, 2.0, 3.0}, {4.0, 5.0, 6.0}}))}},
                             {{"epoch", "3"}, {"quote", "\"\\\n\u00e9"}}};
  save_safetensors(folder / "all.safetensors", written);
  const NamedTensors read = load_safetensors(folder / "all.safetensors");
  EXPECT_EQ(read.metadata, written.metadata);
  EXPECT_EQ(read.tensors.size(), written.tensors.size());
  for (const auto& [name, tensor] : written.tensors) EXPECT_TRUE(array_equal(read[name], tensor)) << name;
  EXPECT_EQ(folder.list(), "all.safetensors");
}

TEST(Safetensors, HaveExactlyThePublishedLayout) {
  const TemporaryFolder folder;
  save_safetensors(folder / "x", {{{"b", tensor({true})}, {"w", tensor({{1.0, -2.0}})}}, {{"by", "us"}}});
  const std::string w = "\x00\x00\x80\x3f\x00\x00\x00\xc0"s, b = "\x01"s;
  const auto header_with = [&](const std::string& own) {
    const std::string header = R"({"__metadata__":{"by":"us","likely.checksums":"likely-crc32 )" + own + " " +
                               plain_crc32(w) + " " + plain_crc32(b) +
                               R"("},"w":{"dtype":"F32","shape":[1,2],"data_offsets":[0,8]},)"
                               R"("b":{"dtype":"BOOL","shape":[1],"data_offsets":[8,9]}})";
    return header + std::string((8 - header.size() % 8) % 8, ' ');
  };
  const std::string header = header_with(plain_crc32(header_with("00000000")));
  EXPECT_EQ(read_bytes(folder / "x"), file_of(header, w + b));
}

// Whatever byte is changed, and in whatever way, somebody sees it; in the data the tensor is named.
TEST(Safetensors, RefuseAByteThatWasChanged) {
  const TemporaryFolder folder;
  const auto path = folder / "x.safetensors";
  save_safetensors(path, {{{"encoder.fill", tensor({1.0, 2.0, 3.0}, DType::f64)},
                           {"weight", tensor({{0.5, -0.5}})},
                           {"flags", tensor({true, false})}},
                          {{"epoch", "3"}}});
  const std::string valid = read_bytes(path);
  const std::size_t data = valid.size() - 3 * 8 - 2 * 4 - 2;
  for (std::size_t i = 0; i < valid.size(); ++i) {
    for (const char change : {'\x01', '\x20', '\x7f'}) {
      std::string bytes = valid;
      bytes[i] = static_cast<char>(bytes[i] ^ change);
      write_bytes(path, bytes);
      try {
        load_safetensors(path);
        ADD_FAILURE() << "byte " << i << " of " << valid.size() << " may be changed by " << int{change};
      } catch (const Error& error) {
        if (i < data) continue;
        const std::string name = i < data + 24 ? "encoder.fill" : i < data + 32 ? "weight" : "flags";
        EXPECT_EQ(error.what(), "[load_safetensors] " + path.string() + ": tensor \"" + name +
                                    "\" was changed after it was written (its checksum does not fit)");
      }
    }
  }
  write_bytes(path, valid);
  EXPECT_EQ(load_safetensors(path).metadata, (std::map<std::string, std::string>{{"epoch", "3"}}));
  std::string renamed = valid;
  renamed.replace(renamed.find("weight"), 6, "height");
  write_bytes(path, renamed);
  expect_refusal([&] { load_safetensors(path); },
                 "[load_safetensors] " + path.string() +
                     ": the header was changed after it was written (its checksum does not fit; who changes "
                     "it on purpose leaves out the metadata \"likely.checksums\")");
  expect_refusal(
      [&] {
        save_safetensors(path, {{}, {{"likely.checksums", "mine"}}});
      },
      "[save_safetensors] the metadata \"likely.checksums\" are likely's own");
}

// The header is sealed, and has not one checksum for each tensor.
TEST(Safetensors, RefuseTooFewOrTooManyChecksums) {
  const TemporaryFolder folder;
  const auto path = folder / "x";
  const std::string w = "\x00\x00\x80\x3f\x00\x00\x00\xc0"s, b = "\x01"s;
  const auto write_with = [&](const std::string& checksums) {
    const auto header_with = [&](const std::string& own) {
      const std::string header = R"({"__metadata__":{"likely.checksums":"likely-crc32 )" + own + checksums +
                                 R"("},"w":{"dtype":"F32","shape":[1,2],"data_offsets":[0,8]},)"
                                 R"("b":{"dtype":"BOOL","shape":[1],"data_offsets":[8,9]}})";
      return header + std::string((8 - header.size() % 8) % 8, ' ');
    };
    write_bytes(path, file_of(header_with(plain_crc32(header_with("00000000"))), w + b));
  };
  const std::string of_w = " " + plain_crc32(w), of_b = " " + plain_crc32(b);
  write_with(of_w + of_b);
  EXPECT_EQ(load_safetensors(path).tensors.size(), 2U);
  for (const std::string& checksums : {""s, of_w, of_w + of_b + of_b}) {
    write_with(checksums);
    for (const auto& [reader, read] :
         {std::pair<std::string, std::function<void()>>{"load_safetensors", [&] { load_safetensors(path); }},
          {"map_safetensors", [&] { map_safetensors(path, "w"); }}})
      expect_refusal(read,
                     "[" + reader + "] " + path.string() +
                         ": the header was changed after it was written (its checksum does not fit; who "
                         "changes it on purpose leaves out the metadata \"likely.checksums\")");
  }
}

TEST(Safetensors, ReadOtherTypesByConversion) {
  const TemporaryFolder folder;
  const std::string header = R"({"f16":{"dtype":"F16","shape":[7],"data_offsets":[0,14]},)"
                             R"("bf16":{"dtype":"BF16","shape":[2],"data_offsets":[14,18]},)"
                             R"("i32":{"dtype":"I32","shape":[2],"data_offsets":[18,26]},)"
                             R"("u8":{"dtype":"U8","shape":[2],"data_offsets":[26,28]},)"
                             R"("i16":{"dtype":"I16","shape":[1],"data_offsets":[28,30]},)"
                             R"("bool":{"dtype":"BOOL","shape":[2],"data_offsets":[30,32]}})";
  // 1, -2, the largest, the smallest subnormal, -infinity, NaN, -0 in half precision.
  const std::string f16 = "\x00\x3c\x00\xc0\xff\x7b\x01\x00\x00\xfc\x01\x7e\x00\x80"s;
  const std::string rest =
      "\x80\x3f\x49\xc0"s + "\xff\xff\xff\xff\x01\x00\x01\x00"s + "\x00\xff"s + "\xfe\xff"s + "\x00\x07"s;
  write_bytes(folder / "x", file_of(header, f16 + rest));
  const NamedTensors read = load_safetensors(folder / "x");
  const std::vector<float> half = read["f16"].to_vector<float>();
  EXPECT_EQ(half[0], 1.0F);
  EXPECT_EQ(half[1], -2.0F);
  EXPECT_EQ(half[2], 65504.0F);
  EXPECT_EQ(half[3], 0x1p-24F);
  EXPECT_EQ(half[4], -std::numeric_limits<float>::infinity());
  EXPECT_TRUE(std::isnan(half[5]));
  EXPECT_TRUE(half[6] == 0.0F && std::signbit(half[6]));
  EXPECT_TRUE(array_equal(read["bf16"], tensor({1.0, -3.140625})));
  EXPECT_TRUE(array_equal(read["i32"], tensor({-1, 65537})));
  EXPECT_TRUE(array_equal(read["u8"], tensor({0, 255})));
  EXPECT_TRUE(array_equal(read["i16"], tensor({-2})));
  EXPECT_TRUE(array_equal(read["bool"], tensor({false, true})));
}

TEST(Safetensors, OfNothingAreAFile) {
  const TemporaryFolder folder;
  save_safetensors(folder / "x", {});
  EXPECT_TRUE(load_safetensors(folder / "x").tensors.empty());
}

TEST(Safetensors, RefuseToBeReadWhereAnythingIsWrong) {
  const std::string data(8, '\0');
  expect_broken("1234567", "the file ends at byte 7, 8 bytes were expected from byte 0 on");
  expect_broken("\x09\0\0\0\0\0\0\0{}"s, "a header of 9 bytes is announced, the file has 10");
  expect_broken("\xff\xff\xff\xff\xff\xff\xff\xff{}"s,
                "a header of 18446744073709551615 bytes is announced, the file has 10");
  expect_broken(file_of("{\"a\":", ""), "the header is not JSON, see byte 14");
  expect_broken(file_of("[]", ""), "the header is not a JSON object");
  expect_broken(file_of(R"({"a":{"dtype":"F32","shape":[1e999],"data_offsets":[0,4]}})", data),
                "the header holds a number that is too large");
  expect_broken(file_of("[[[[[[", ""), "the header is nested too deeply");
  expect_broken(file_of(R"({"a":1})", ""), "tensor \"a\" is not described by an object");
  expect_broken(file_of(R"({"a":{"shape":[1],"data_offsets":[0,4]}})", data), "tensor \"a\" has no dtype");
  expect_broken(file_of(R"({"a":{"dtype":"F8_E4M3","shape":[1],"data_offsets":[0,4]}})", data),
                "tensor \"a\" has the type F8_E4M3, which is not supported");
  expect_broken(file_of(R"({"a":{"dtype":"F32","shape":[-2],"data_offsets":[0,8]}})", data),
                "tensor \"a\" has the impossible dimension -2");
  expect_broken(file_of(R"({"a":{"dtype":"F32","shape":[2.5],"data_offsets":[0,8]}})", data),
                "tensor \"a\" has the impossible dimension 2.5");
  expect_broken(file_of(R"({"a":{"dtype":"F32","shape":[1,1,1,1,1,1,1,1,2],"data_offsets":[0,8]}})", data),
                "tensor \"a\" has 9 dimensions, at most 8 are supported");
  expect_broken(file_of(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[8,0]}})", data),
                "tensor \"a\" has data_offsets that are not two growing numbers");
  expect_broken(file_of(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[8,16]}})", data),
                "tensor \"a\" ends at byte 16 of the data, which has 8");
  expect_broken(file_of(R"({"a":{"dtype":"F32","shape":[3],"data_offsets":[0,8]}})", data),
                "tensor \"a\" has shape (3,) of F32, which needs 12 bytes, and 8 bytes in the file");
  expect_broken(
      file_of(R"({"a":{"dtype":"F32","shape":[4611686018427387904,4],"data_offsets":[0,8]}})", data),
      "tensor \"a\" has shape (4611686018427387904, 4) of F32, which needs more bytes than there are, "
      "and 8 bytes in the file");
  expect_broken(file_of(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},)"
                        R"("b":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})",
                        data),
                "tensor \"b\" overlaps another one");
  expect_broken(file_of(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})", data),
                "there is a gap before tensor \"a\"");
  expect_broken(file_of(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})", data),
                "4 bytes at the end belong to no tensor");
  expect_broken(file_of(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},)"
                        R"("a":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})",
                        data),
                "the header names \"a\" twice");
  expect_broken(file_of(R"({"__metadata__":{"a":1}})", ""),
                "__metadata__ has a value for \"a\" that is not a string");
}

TEST(Safetensors, RefuseToBeWrittenWithoutProperNames) {
  const TemporaryFolder folder;
  const auto save = [&](const NamedTensors& named) { save_safetensors(folder / "x", named); };
  expect_refusal(
      [&] {
        save({{{"a", zeros({1})}, {"a", zeros({1})}}, {}});
      },
      "[save_safetensors] two tensors are named \"a\"");
  expect_refusal(
      [&] {
        save({{{"__metadata__", zeros({1})}}, {}});
      },
      "[save_safetensors] a tensor must not be named \"__metadata__\"");
  expect_refusal([&] { save({{{"a", Tensor()}}, {}}); }, "[save_safetensors] tensor \"a\" is empty");
  expect_refusal(
      [&] {
        save({{{"\xff", zeros({1})}}, {}});
      },
      "[save_safetensors] " + (folder / "x").string() + ": a name or the metadata is not valid UTF-8");
  expect_refusal([&] { NamedTensors{}["a"]; }, "[NamedTensors] there is no tensor \"a\"");
  EXPECT_EQ(folder.list(), "");
  expect_refusal(
      [&] { load_safetensors(folder / "none"); },
      "[load_safetensors] cannot open " + (folder / "none").string() + ": No such file or directory");
  expect_refusal([&] { load_safetensors(folder.path()); },
                 "[load_safetensors] " + folder.path().string() + " is not a regular file");
}

}  // namespace
}  // namespace likely::io
