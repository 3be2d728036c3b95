// Paths that lead to no regular file: every reader says so at once, in the project's own words.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "likely/core/error.hpp"
#include "likely/core/printable.hpp"
#include "likely/io/byte_stream.hpp"
#include "likely/io/csv.hpp"
#include "likely/io/csv_layout.hpp"
#include "likely/io/csv_stream.hpp"
#include "likely/io/idx.hpp"
#include "likely/io/inspect.hpp"
#include "likely/io/mapped_array.hpp"
#include "likely/io/mnist1d.hpp"
#include "likely/io/npy.hpp"
#include "likely/io/path_kind.hpp"
#include "likely/io/safetensors.hpp"
#include "likely/io/text.hpp"
#include "likely/train/history.hpp"
#include "tests/support/check_gradients.hpp"
#include "tests/support/temporary_folder.hpp"

namespace likely::io {
namespace {

namespace fs = std::filesystem;

using testing::expect_refusal;
using testing::TemporaryFolder;

struct Reader {
  std::string name;
  std::function<void(const fs::path&)> read;
};

std::vector<Reader> readers() {
  return {{"read_text", [](const fs::path& path) { read_text(path); }},
          {"read_text", [](const fs::path& path) { read_lines(path); }},
          {"read_csv", [](const fs::path& path) { read_csv(path); }},
          {"read_csv", [](const fs::path& path) { guess_csv_layout(path); }},
          {"CsvStream", [](const fs::path& path) { CsvStream stream(path); }},
          {"csv_dataset", [](const fs::path& path) { csv_dataset(path, "y"); }},
          {"load_npy", [](const fs::path& path) { load_npy(path); }},
          {"load_npz", [](const fs::path& path) { load_npz(path); }},
          {"map_npy", [](const fs::path& path) { map_npy(path); }},
          {"load_idx", [](const fs::path& path) { load_idx(path); }},
          {"map_idx", [](const fs::path& path) { map_idx(path); }},
          {"load_safetensors", [](const fs::path& path) { load_safetensors(path); }},
          {"map_safetensors", [](const fs::path& path) { map_safetensors(path, "x"); }},
          {"inspect", [](const fs::path& path) { inspect(path); }}};
}

TEST(HostilePath, APipeIsRefusedAndNotWaitedFor) {
  const TemporaryFolder folder;
  const fs::path pipe = folder / "pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  for (const Reader& reader : readers()) {
    expect_refusal([&] { reader.read(pipe); },
                   "[" + reader.name + "] " + pipe.string() + " is not a regular file");
    expect_refusal([&] { reader.read("/dev/null"); },
                   "[" + reader.name + "] /dev/null is not a regular file");
    expect_refusal([&] { reader.read(folder.path()); },
                   "[" + reader.name + "] " + folder.path().string() + " is not a regular file");
  }
}

TEST(HostilePath, TooLongIsSaid) {
  const TemporaryFolder folder;
  const fs::path long_name = folder / std::string(300, 'x');
  fs::path long_path = folder.path();
  for (int i = 0; i < 100; ++i) long_path /= std::string(100, 'y');
  for (const fs::path& path : {long_name, long_path}) {
    for (const Reader& reader : readers())
      expect_refusal([&] { reader.read(path); },
                     "[" + reader.name + "] cannot open " + path.string() + ": File name too long");
    expect_refusal([&] { path_exists(path); }, path.string() + ": File name too long");
    expect_refusal([&] { is_folder(path); }, path.string() + ": File name too long");
    EXPECT_THROW(load_mnist(path), Error);
    EXPECT_THROW(load_mnist1d(path), Error);
    EXPECT_THROW(inspect_folder(path), Error);
  }
}

TEST(HostilePath, ThatGoesOnBehindACharacterOfCodeZeroIsNoOther) {
  const TemporaryFolder folder;
  testing::write_bytes(folder / "table.csv", "a,b\n1,2\n");
  const fs::path path = (folder / "table.csv").string() + std::string("\0.csv", 5);
  for (const Reader& reader : readers())
    expect_refusal([&] { reader.read(path); }, "[" + reader.name + "] cannot open " +
                                                   printable(path.string()) +
                                                   ": the path holds a character of code 0");
}

TEST(HostilePath, OfMetricsIsRefusedToo) {
  const TemporaryFolder folder;
  EXPECT_TRUE(train::read_history(folder.path()).empty());
  ASSERT_EQ(mkfifo((folder / "metrics.jsonl").c_str(), 0600), 0);
  expect_refusal([&] { train::read_history(folder.path()); },
                 "[read_text] " + (folder / "metrics.jsonl").string() + " is not a regular file");
}

TEST(HostileMetrics, AreNamedWithTheirLine) {
  const TemporaryFolder folder;
  const std::string path = (folder / "metrics.jsonl").string();
  const std::string good =
      "{\"epoch\":1,\"step\":10,\"loss\":0.5,\"lr\":0.1,\"improved\":true,\"seconds\":1.5}\n";
  for (const auto& [line, what] :
       {std::pair(R"({"epoch":"two"})", "epoch is \"two\""), std::pair(R"({"epoch":1e30})", "epoch is 1e+30"),
        std::pair(R"({"epoch":2,"step":1.5})", "step is 1.5"),
        std::pair(R"({"epoch":2,"step":[]})", "step is []")}) {
    testing::write_bytes(path, good + line + "\n");
    expect_refusal([&] { train::read_history(folder.path()); },
                   "[read_history] " + path + ", line 2: " + what + ", must be a count from 0 to 2^53");
  }
  for (const auto& [line, what] :
       {std::pair("{\"epoch\":2", "this is not a JSON object"), std::pair("", "this is not a JSON object"),
        std::pair("[2]", "this is not a JSON object"),
        std::pair("{\"epoch\":2,\"loss\":1e999}", "this is not a JSON object"),
        std::pair("{\"loss\":2}", "this is neither an epoch nor a step"),
        std::pair("{\"epoch\":2,\"loss\":\"x\"}", "loss is \"x\", must be a number or null"),
        std::pair("{\"step\":2,\"lr\":[]}", "lr is [], must be a number or null"),
        std::pair("{\"epoch\":2,\"validation_loss\":{}}", "validation_loss is {}, must be a number or null"),
        std::pair("{\"epoch\":2,\"improved\":3}", "improved is 3, must be true or false"),
        std::pair("{\"epoch\":2,\"seconds\":[]}", "seconds is [], must be a number or null")}) {
    testing::write_bytes(path, good + line + "\n");
    expect_refusal([&] { train::read_history(folder.path()); },
                   "[read_history] " + path + ", line 2: " + what);
  }
  // A step, and a line that a training is writing, or was when it was killed, are passed over.
  for (const char* line :
       {"{\"step\":3}\n", "{\"step\":3,\"loss\":null,\"lr\":0.1}\n", "{\"epoch\":2", "{\"epoch\":2}"}) {
    testing::write_bytes(path, good + line);
    EXPECT_EQ(train::read_history(folder.path()).size(), 1U) << line;
  }
  testing::write_bytes(path, "{\"epoch\":1,\"loss\":null}\n");
  EXPECT_TRUE(std::isnan(train::read_history(folder.path()).at(0).loss));
}

}  // namespace
}  // namespace likely::io
