#include "likely/io/inspect.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "likely/core/create.hpp"
#include "likely/io/json.hpp"
#include "likely/io/npy.hpp"
#include "likely/io/safetensors.hpp"
#include "tests/support/check_gradients.hpp"
#include "tests/support/temporary_folder.hpp"

namespace likely::io {
namespace {

using testing::expect_refusal;
using testing::read_bytes;
using testing::TemporaryFolder;
using testing::write_bytes;

constexpr float kInf = std::numeric_limits<float>::infinity();

TEST(Inspect, SaysWhatASafetensorsFileHolds) {
  const TemporaryFolder folder;
  save_safetensors(folder / "a.safetensors",
                   {.tensors = {{"w", tensor({{1.0, 2.0}, {3.0, 6.0}})}, {"n", tensor({4, -4})}},
                    .metadata = {{"epoch", "3"}}});
  const FileSummary summary = inspect(folder / "a.safetensors");
  EXPECT_EQ(summary.format, "safetensors");
  EXPECT_EQ(summary.numbers(), 6);
  EXPECT_EQ(summary.not_finite(), 0);
  EXPECT_EQ(summary.metadata.at("epoch"), "3");
  ASSERT_EQ(summary.tensors.size(), 2U);
  const TensorSummary& w = summary.tensors[0].name == "w" ? summary.tensors[0] : summary.tensors[1];
  EXPECT_EQ(w.type, "f32");
  EXPECT_EQ(w.shape, (Shape{2, 2}));
  EXPECT_EQ(w.min, 1.0);
  EXPECT_EQ(w.max, 6.0);
  EXPECT_EQ(w.mean, 3.0);
  EXPECT_DOUBLE_EQ(w.stddev, std::sqrt(14.0 / 4.0));
}

TEST(Inspect, SaysWhetherChecksumsFit) {
  const TemporaryFolder folder;
  const auto path = folder / "a.safetensors";
  save_safetensors(path, {.tensors = {{"w", tensor({1.0, 2.0})}, {"n", tensor({4, -4})}}, .metadata = {}});
  write_bytes(folder / "sealed.json", sealed_json("{\"seed\":7}\n"));
  write_bytes(folder / "plain.json", "{\"seed\":7}");
  FolderSummary summary = inspect_folder(folder.path());
  EXPECT_EQ(summary.files[0].checksums, Seal::fits);
  EXPECT_TRUE(summary.files[0].metadata.empty());
  EXPECT_NE(summary.files[0].table().find("\n  checksums: fit\n"), std::string::npos);
  EXPECT_EQ(summary.records.at("sealed.json").at("checksum"), "fits");
  EXPECT_FALSE(summary.records.at("plain.json").contains("checksum"));
  std::string bytes = read_bytes(path);
  bytes.back() ^= 1;
  write_bytes(path, bytes);
  std::string json = read_bytes(folder / "sealed.json");
  json[json.find('7')] = '8';
  write_bytes(folder / "sealed.json", json);
  summary = inspect_folder(folder.path());
  EXPECT_EQ(summary.files[0].checksums, Seal::broken);
  EXPECT_EQ(summary.files[0].changed, std::vector<std::string>{"w"});
  EXPECT_NE(summary.files[0].table().find("\n  checksums: do not fit\n  changed after it was written: w\n"),
            std::string::npos);
  EXPECT_EQ(io::parse_json<io::SortedJson>(json_of(summary))["files"][0]["changed"][0], "w");
  EXPECT_EQ(summary.records.at("sealed.json").at("checksum"), "does not fit");
}

TEST(Inspect, CountsWhatIsNotFinite) {
  const TemporaryFolder folder;
  save_npy(folder / "x.npy", tensor(std::vector<float>{1.0F, kInf, std::nanf(""), 3.0F}));
  const FileSummary summary = inspect(folder / "x.npy");
  EXPECT_EQ(summary.format, "npy");
  EXPECT_EQ(summary.not_finite(), 2);
  EXPECT_EQ(summary.tensors[0].mean, 2.0);
  save_npy(folder / "nothing.npy", tensor(std::vector<float>{kInf}));
  EXPECT_TRUE(std::isnan(inspect(folder / "nothing.npy").tensors[0].mean));
  // Far from 0 no digits are lost.
  save_npy(folder / "far.npy", tensor(std::vector<double>{1e9 + 1, 1e9 + 2, 1e9 + 3}));
  EXPECT_NEAR(inspect(folder / "far.npy").tensors[0].stddev, std::sqrt(2.0 / 3.0), 1e-9);
}

TEST(Inspect, ReadsNpzAndFolders) {
  const TemporaryFolder folder;
  save_npz(folder / "b.npz",
           {.tensors = {{"x", zeros({3, 5})}, {"y", tensor({true, false})}}, .metadata = {}});
  write_bytes(folder / "config.json", R"({"seed": 7, "name": "mlp", "parts": [1, 2]})");
  const FolderSummary summary = inspect_folder(folder.path());
  ASSERT_EQ(summary.files.size(), 1U);
  EXPECT_EQ(summary.files[0].format, "npz");
  EXPECT_EQ(summary.files[0].numbers(), 17);
  EXPECT_EQ(summary.files[0].tensors[1].type, "bool");
  const auto& record = summary.records.at("config.json");
  EXPECT_EQ(record.at("seed"), "7");
  EXPECT_EQ(record.at("name"), "mlp");
  EXPECT_FALSE(record.contains("parts"));
  EXPECT_EQ(io::parse_json<io::SortedJson>(json_of(summary))["files"][0]["numbers"], 17);
}

TEST(Inspect, WritesATableAndJson) {
  const TemporaryFolder folder;
  save_npy(folder / "x.npy", tensor(std::vector<float>{1.0F, kInf}));
  const FileSummary summary = inspect(folder / "x.npy");
  EXPECT_NE(summary.table().find("1 tensor, 2 numbers, 1 of them not finite\n"), std::string::npos);
  const auto json = io::parse_json<io::SortedJson>(json_of(summary));
  EXPECT_EQ(json["tensors"][0]["shape"], io::SortedJson::array({2}));
  EXPECT_EQ(json["tensors"][0]["max"], 1.0);
  save_npy(folder / "nothing.npy", tensor(std::vector<float>{kInf}));
  EXPECT_TRUE(io::parse_json<io::SortedJson>(json_of(inspect(folder / "nothing.npy")))["tensors"][0]["max"]
                  .is_null());
}

TEST(Inspect, RefusesOtherFiles) {
  const TemporaryFolder folder;
  const auto expect = [&](const std::string& bytes, const std::string& message) {
    write_bytes(folder / "file", bytes);
    expect_refusal([&] { inspect(folder / "file"); },
                   "[inspect] " + (folder / "file").string() + ": " + message);
  };
  expect("", "the file is empty");
  expect("a,b\n1,2\n", "this is neither a safetensors nor an npz nor an npy file");
  expect("\x1f\x8b\x08 rest", "the file is packed with gzip: unpack it first");
  expect_refusal([&] { inspect(folder / "none"); },
                 "[inspect] cannot open " + (folder / "none").string() + ": No such file or directory");
  std::filesystem::create_directory(folder / "empty");
  expect_refusal([&] { inspect_folder(folder / "empty"); },
                 "[inspect] " + (folder / "empty").string() +
                     " holds no files of tensors and no records: it is not a run folder");
}

}  // namespace
}  // namespace likely::io
