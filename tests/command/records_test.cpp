// report.json, metrics.jsonl and table.json of a run that were changed, damaged or moved.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <string>

#include "likely/io/json.hpp"
#include "tests/command/command.hpp"
#include "tests/support/temporary_folder.hpp"

namespace likely::testing {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

constexpr const char* kChanged =
    ": the file was changed after it was written (its checksum does not fit; without the key \"checksum\" it "
    "is "
    "taken as it is)\n";

class Records : public ::testing::Test {
 protected:
  Ran run(const Words& words) { return likely_command(folder_.path().string(), words); }
  void refuses(const Words& words, const std::string& line) {
    const Ran ran = run(words);
    EXPECT_EQ(ran.code, 2) << words[0];
    EXPECT_EQ(ran.err, line) << words[0];
  }
  void train_moons() {
    ASSERT_EQ(run({"train", "moons", "--epochs", "3", "--units", "3", "--out", "run", "--quiet"}).code, 0);
  }
  std::string read(const std::string& name) { return read_bytes(folder_ / name); }
  void write(const std::string& name, const std::string& text) { write_bytes(folder_ / name, text); }

  TemporaryFolder folder_;
};

TEST_F(Records, ThatAreDamagedAreNamedByInspect) {
  train_moons();
  const Ran whole = run({"inspect", "run"});
  EXPECT_EQ(whole.code, 0);
  EXPECT_EQ(whole.err, "");
  const std::string report = read("run/report.json");
  write("run/report.json", report.substr(0, report.size() / 2));
  const std::string line = "[inspect] run/report.json: this is not a JSON object";
  const Ran damaged = run({"inspect", "run"});
  EXPECT_EQ(damaged.code, 2);
  EXPECT_EQ(damaged.err, "likely: " + line + "\n");
  EXPECT_NE(damaged.out.find("run/recipe.json\n"), std::string::npos) << "the others are shown";
  EXPECT_NE(damaged.out.find("run/model.safetensors ("), std::string::npos);
  const Ran json = run({"inspect", "run", "--json"});
  EXPECT_EQ(json.code, 2);
  EXPECT_EQ(io::parse_json<io::SortedJson>(json.out)["unreadable"], io::SortedJson::array({line}));
  fs::remove(folder_ / "run/report.json");
  ASSERT_EQ(mkfifo((folder_ / "run/report.json").c_str(), 0600), 0);
  refuses({"inspect", "run"}, "likely: [read_text] run/report.json is not a regular file\n");
  fs::remove(folder_ / "run/report.json");
  fs::create_symlink("nowhere", folder_ / "run/report.json");
  refuses({"inspect", "run"}, "likely: [read_text] cannot open run/report.json: No such file or directory\n");
  fs::remove(folder_ / "run/report.json");
  write("run/metrics.jsonl", "nonsense\n");
  refuses({"inspect", "run"},
          "likely: [read_history] run/metrics.jsonl, line 1: this is not a JSON object\n");
}

TEST_F(Records, ThatWereChangedAreRefusedByPlotAndEval) {
  train_moons();
  for (const char* command : {"plot", "eval"}) ASSERT_EQ(run({command, "run"}).code, 0);
  const std::string report = read("run/report.json");
  const std::string metrics = read("run/metrics.jsonl");
  const auto refused = [&](const std::string& line) {
    for (const char* command : {"plot", "eval"}) refuses({command, "run"}, line);
  };
  std::string changed = report;
  changed[changed.find("\"epochs\":3") + 9] = '4';
  write("run/report.json", changed);
  refused(std::string("likely: run/report.json") + kChanged);
  write("run/report.json", "[1]");
  refused("likely: run/report.json: this is not JSON\n");
  fs::remove(folder_ / "run/report.json");
  ASSERT_EQ(mkfifo((folder_ / "run/report.json").c_str(), 0600), 0);
  refused("likely: [read_text] run/report.json is not a regular file\n");
  fs::remove(folder_ / "run/report.json");
  // Without the key it is a file of the user's own.
  io::SortedJson free = io::parse_json<io::SortedJson>(report);
  free.erase("checksum");
  write("run/report.json", io::json_text(free));
  EXPECT_EQ(run({"eval", "run"}).code, 0);

  changed = metrics;
  changed[changed.find("\"loss\":0.") + 9] ^= 1;
  write("run/metrics.jsonl", changed);
  refused(
      "likely: [read_history] \"run/metrics.jsonl\" was changed after it was written (its checksum does not "
      "fit)\n");
  const std::size_t second = metrics.find('\n') + 1;
  write("run/metrics.jsonl", metrics.substr(0, second) + "{\"epoch\":\n" + metrics.substr(second));
  refused("likely: [read_history] run/metrics.jsonl, line 2: this is not a JSON object\n");
  // A line that is being written is no damage.
  write("run/metrics.jsonl", metrics + "{\"epoch\":4,\"st");
  for (const char* command : {"plot", "eval", "inspect"}) EXPECT_EQ(run({command, "run"}).code, 0) << command;
}

TEST_F(Records, OfEverySeedAreLookedAt) {
  ASSERT_EQ(run({"train", "moons", "--epochs", "2", "--repeats", "2", "--out", "run", "--quiet"}).code, 0);
  const std::string report = read("run/seed-2/report.json");
  write("run/seed-2/report.json", report + " ");
  refuses({"eval", "run"}, std::string("likely: run/seed-2/report.json") + kChanged);
  write("run/seed-2/report.json", report);
  EXPECT_EQ(run({"eval", "run"}).code, 0);
}

// 60 rows whose classes are half noise, so that rows that were learned from are told from others.
std::string noisy_table() {
  std::string text = "a,b,c,kind\n";
  unsigned state = 1;
  for (int i = 0; i < 60; ++i) {
    for (int k = 0; k < 3; ++k) {
      state = state * 1103515245U + 12345U;
      text += std::to_string((state >> 16) % 1000) + ",";
    }
    text += (state >> 20) % 2 == 0 ? "yes\n" : "no\n";
  }
  return text;
}

TEST_F(Records, OfATableTellWhichRowsWereHeldOutWhereverItIs) {
  write("mine.csv", noisy_table());
  ASSERT_EQ(run({"train", "csv", "--in", "mine.csv", "--members", "1", "--epochs", "20", "--holdout", "0.3",
                 "--out", "run", "--quiet"})
                .code,
            0);
  const Ran held_out = run({"eval", "run"});
  ASSERT_EQ(held_out.code, 0) << held_out.err;
  EXPECT_NE(held_out.out.find("held out"), std::string::npos) << held_out.out;
  // The same table elsewhere has the same rows held out.
  fs::rename(folder_ / "mine.csv", folder_ / "moved.csv");
  const Ran moved = run({"eval", "run", "--data", "moved.csv"});
  EXPECT_EQ(moved.code, 0) << moved.err;
  EXPECT_EQ(moved.out, held_out.out);
  // Another table is judged whole, and that is said.
  std::string rows = noisy_table();
  write("other.csv", rows + "1,2,3,yes\n");
  const Ran other = run({"eval", "run", "--data", "other.csv"});
  EXPECT_EQ(other.code, 0) << other.err;
  EXPECT_TRUE(other.out.starts_with("judged by all 61 rows of " + (folder_ / "other.csv").string() +
                                    "; if the model learned from some of them, it looks better than it is\n"))
      << other.out;
  // Inputs that were changed where the targets were not.
  rows.replace(rows.find('\n') + 1, 1, "9");
  write("mine.csv", rows);
  refuses({"eval", "run"},
          "likely: [csv] " + (folder_ / "mine.csv").string() +
              " has changed since the model was fitted: which rows were held out is not known any "
              "more\n");
  // A record that names another file does not make training rows new ones.
  write("mine.csv", noisy_table());
  io::SortedJson table = io::parse_json<io::SortedJson>(read("run/table.json"));
  table.erase("checksum");
  table["file"] = "/elsewhere/mine.csv";
  write("run/table.json", io::json_text(table));
  EXPECT_EQ(run({"eval", "run"}).out, held_out.out);
}

}  // namespace
}  // namespace likely::testing
