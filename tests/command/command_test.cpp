#include "tests/command/command.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include "likely/io/json.hpp"
#include "likely/models/recipes.hpp"
#include "likely/runs/recipe.hpp"
#include "tests/support/temporary_folder.hpp"

namespace likely::testing {

namespace {

pid_t start(const std::string& folder, const std::string& program, const std::vector<std::string>& words,
            const std::string& out, const std::string& err) {
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  const pid_t child = fork();
  if (child != 0) return child;
  const int to_out = open(out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
  const int to_err = open(err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
  dup2(to_out, 1);
  dup2(to_err, 2);
  if (chdir(folder.c_str()) != 0) _exit(126);
  execv(program.c_str(), arguments.data());
  _exit(127);
}

}  // namespace

pid_t start_command(const std::string& folder, const std::vector<std::string>& words, const std::string& out,
                    const std::string& err) {
  std::vector<std::string> all = {"likely"};
  all.insert(all.end(), words.begin(), words.end());
  return start(folder, LIKELY_COMMAND, all, out, err);
}

int wait_for(pid_t child) {
  int status = 0;
  if (waitpid(child, &status, 0) != child) return 128;
  return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

Ran likely_command(const std::string& folder, const std::vector<std::string>& words) {
  const TemporaryFolder output;
  const std::string out = (output / "out").string();
  const std::string err = (output / "err").string();
  const int code = wait_for(start_command(folder, words, out, err));
  return {code, read_bytes(out), read_bytes(err)};
}

std::vector<std::string> command_names() {
  std::istringstream help(likely_command(".", {"--help"}).out);
  std::vector<std::string> names;
  bool listed = false;
  for (std::string line; std::getline(help, line);) {
    if (listed && line.starts_with("  ") && line[2] != ' ')
      names.push_back(line.substr(2, line.find(' ', 2) - 2));
    listed = listed ? !line.empty() : line == "Subcommands:";
  }
  return names;
}

Ran shell(const std::string& folder, const std::string& line) {
  const TemporaryFolder output;
  const std::string out = (output / "out").string();
  const std::string err = (output / "err").string();
  const std::string binaries = std::filesystem::path(LIKELY_COMMAND).parent_path().string();
  const std::string whole = "PATH='" + binaries + "':\"$PATH\"; " + line;
  const int code = wait_for(start(folder, "/bin/bash", {"bash", "-c", whole}, out, err));
  return {code, read_bytes(out), read_bytes(err)};
}

namespace {

using Words = std::vector<std::string>;

// A training of a second at most.
Words quick(const Words& more = {}) {
  Words words = {"train", "moons", "--epochs", "1", "--units", "4", "--quiet"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

// Expects exit code 2, one line, and nothing left behind.
void expect_complaint(const Words& words, const std::string& line) {
  const TemporaryFolder folder;
  const Ran ran = likely_command(folder.path().string(), words);
  EXPECT_EQ(ran.code, 2) << line;
  // What does not parse names the command; everything else names the program.
  EXPECT_EQ(ran.err, (line.starts_with("likely") ? "" : "likely: ") + line + "\n");
  EXPECT_EQ(ran.out, "") << line;
  EXPECT_EQ(folder.list(), "") << line;
}

TEST(Command, RefusesUnknownNamesWithTheNearest) {
  expect_complaint({"trian"}, "likely: nothing is called \"trian\"; did you mean \"train\"?");
  expect_complaint({"zebra"}, "likely: nothing is called \"zebra\"; see `likely --help`");
  expect_complaint({}, "likely: what? `likely --help` lists the commands");
  expect_complaint({"train"}, "likely train: what? `likely list` shows what can be trained");
  expect_complaint({"train", "mooons"},
                   "likely train: nothing is called \"mooons\"; did you mean \"moons\"?");
  expect_complaint({"train", "moons", "--epoch", "3"},
                   "likely train moons has no option --epoch; did you mean \"--epochs\"?");
  expect_complaint({"train", "moons", "--set", "unts=3", "--quiet"},
                   "moons has no setting \"unts\"; did you mean \"units\"?");
  expect_complaint({"list", "--jsn"}, "likely list has no option --jsn; did you mean \"--json\"?");
  expect_complaint({"list", "all"}, "likely list: \"all\" is one word too many; see `likely list --help`");
}

TEST(Command, RefusesBadValuesAndContradictions) {
  expect_complaint(quick({"--lr", "fast"}), "moons: lr must be a number of at least 0, got \"fast\"");
  expect_complaint({"train", "moons", "--epochs", "0", "--quiet"},
                   "moons: epochs must be a whole number of at least 1, got \"0\"");
  expect_complaint(quick({"--set", "epochs=3"}), "epochs is set twice");
  expect_complaint(
      quick({"--threads", "0"}),
      "likely train moons: --threads: must be a whole number from 1 to 1024, got \"0\"; see `likely train "
      "moons --help`");
  expect_complaint(quick({"--seed", "1", "--seeds", "1,2"}),
                   "likely train moons: --seed excludes --seeds; see `likely train moons --help`");
  expect_complaint(quick({"--seeds", "1,1"}), "seed 1 is there twice");
  expect_complaint(quick({"--seed", "-1"}),
                   "likely train moons: --seed: must be a whole number from 0 to 18446744073709551615, got "
                   "\"-1\"; see `likely "
                   "train moons --help`");
  expect_complaint({"train", "moons", "--units"},
                   "likely train moons: --units: 1 required N missing; see `likely train moons --help`");
  expect_complaint({"train", "moons", "--data", "nowhere"},
                   "--data nowhere: there is no such file or folder");
  expect_complaint(quick({"--data", "nowhere"}), "--data nowhere: there is no such file or folder");
  expect_complaint({"resume", "nowhere"}, "nowhere: there is no such folder");
  expect_complaint({"eval", "nowhere"}, "nowhere: there is no such folder");
  expect_complaint({"plot", "nowhere"}, "nowhere: there is no such folder");
  expect_complaint({"predict", "nowhere", "--in", "x.csv"}, "nowhere: there is no such folder");
  expect_complaint({"predict", "nowhere"}, "likely predict: --in is required; see `likely predict --help`");
  expect_complaint({"completion", "fish"},
                   "likely completion: shell: fish not in {bash,zsh}; see `likely "
                   "completion --help`");
}

TEST(Command, LeavesNothingBehindWhenDataAreBad) {
  const TemporaryFolder folder;
  write_bytes(folder / "data.csv", "x0,x1,y\n1,2,0\n1,two,1\n");
  const Ran ran = likely_command(folder.path().string(), quick({"--data", "data.csv"}));
  EXPECT_EQ(ran.code, 2);
  const std::string file = (folder / "data.csv").string();
  EXPECT_EQ(ran.err,
            "likely: [Table::matrix] " + file + ", line 3, column \"x1\": \"two\" is not a number\n");
  EXPECT_EQ(folder.list(), "data.csv");
}

TEST(Command, TrainsEvaluatesPredictsAndPlots) {
  const TemporaryFolder folder;
  const std::string at = folder.path().string();
  const Ran trained = likely_command(at, quick({"--json"}));
  ASSERT_EQ(trained.code, 0) << trained.err;
  EXPECT_EQ(trained.err, "");
  const auto json = io::parse_json<io::SortedJson>(trained.out);
  EXPECT_EQ(json["name"], "moons");
  EXPECT_EQ(json["out"], "runs/moons");
  for (const auto& picture : json["pictures"])
    EXPECT_TRUE(std::filesystem::exists(folder / picture.get<std::string>())) << picture;

  const Ran evaluated = likely_command(at, {"eval", "runs/moons", "--json"});
  ASSERT_EQ(evaluated.code, 0) << evaluated.err;
  EXPECT_EQ(io::parse_json<io::SortedJson>(evaluated.out)["figures"], json["figures"]);
  EXPECT_FALSE(json.contains("calibration"));
  const auto calibration = io::parse_json<io::SortedJson>(evaluated.out)["calibration"];
  ASSERT_EQ(calibration.size(), 3U) << evaluated.out;
  // The loss by another way.
  EXPECT_NEAR(calibration["test_NLL"].get<double>(), json["figures"]["test_loss"].get<double>(), 1e-5);
  EXPECT_GT(calibration["test_ECE"].get<double>(), 0.0);
  EXPECT_LT(calibration["test_ECE"].get<double>(), 0.5);
  const Ran shown = likely_command(at, {"eval", "runs/moons"});
  EXPECT_NE(shown.out.find(fmt::format("Brier {:.4f}", calibration["test_Brier"].get<double>())),
            std::string::npos)
      << shown.out << evaluated.out;
  EXPECT_NE(shown.out.find(fmt::format("ECE {:.2f}", 100.0 * calibration["test_ECE"].get<double>())),
            std::string::npos)
      << shown.out << evaluated.out;
  EXPECT_EQ(shown.out.substr(0, 15), "test accuracy  ") << shown.out;
  EXPECT_NE(shown.out.find("(usually 98 %)"), std::string::npos) << shown.out;

  write_bytes(folder / "rows.csv", "0.5,-1\n");
  const Ran predicted = likely_command(at, {"predict", "runs/moons", "--in", "rows.csv"});
  ASSERT_EQ(predicted.code, 0) << predicted.err;
  EXPECT_EQ(predicted.out.substr(0, 30), "prediction,probability,p_0,p_1");
  const Ran written = likely_command(at, {"predict", "runs/moons", "--in", "rows.csv", "--to", "said.csv"});
  EXPECT_EQ(written.out, "");
  EXPECT_EQ(read_bytes(folder / "said.csv"), predicted.out);
  const Ran refused = likely_command(at, {"predict", "runs/moons", "--in", "said.csv", "--to", "more.csv"});
  EXPECT_EQ(refused.code, 2);
  EXPECT_EQ(refused.err, "likely: said.csv: 4 columns, the model needs 2\n");
  EXPECT_FALSE(std::filesystem::exists(folder / "more.csv"));

  const Ran twice = likely_command(at, quick());
  EXPECT_EQ(twice.code, 2);
  EXPECT_EQ(twice.err,
            "likely: runs/moons already holds a run; go on with it (likely resume runs/moons), "
            "replace it "
            "(--force) or choose another --out\n");
  EXPECT_EQ(likely_command(at, quick({"--force"})).code, 0);
  EXPECT_EQ(likely_command(at, {"plot", "runs/moons", "--quiet"}).code, 0);
}

TEST(Command, GoesOnAfterCtrlCToTheSameBits) {
  const TemporaryFolder folder;
  const std::string at = folder.path().string();
  const auto train = [](const std::string& epochs, const std::string& out) {
    return Words{"train", "moons", "--units", "8", "--epochs", epochs, "--out", out};
  };
  const pid_t child = start_command(at, train("1000000", "parts"), (folder / "out.txt").string(),
                                    (folder / "err.txt").string());
  const std::filesystem::path metrics = folder / "parts/metrics.jsonl";
  for (int i = 0; i < 4000 && !(std::filesystem::exists(metrics) && !read_bytes(metrics).empty()); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  kill(child, SIGINT);
  EXPECT_EQ(wait_for(child), 130);
  const std::string said = read_bytes(folder / "err.txt");
  EXPECT_NE(said.find("interrupted; go on with: likely resume parts\n"), std::string::npos) << said;
  const Ran early = likely_command(at, {"eval", "parts"});
  EXPECT_EQ(early.code, 2);
  EXPECT_EQ(early.err, "likely: parts holds no finished model; finish it with: likely resume parts\n");

  const std::string lines = read_bytes(metrics);
  const std::string epochs = std::to_string(std::count(lines.begin(), lines.end(), '\n') + 3);
  const Ran resumed = likely_command(at, {"resume", "parts", "--epochs", epochs, "--quiet"});
  EXPECT_EQ(resumed.code, 0) << resumed.err;
  ASSERT_EQ(likely_command(at, train(epochs, "whole")).code, 0);
  EXPECT_EQ(read_bytes(folder / "parts/model.safetensors"), read_bytes(folder / "whole/model.safetensors"));
}

TEST(Command, SaysWhatItRunsOnAndHeedsTheNumberOfThreadsInTheEnvironment) {
  const TemporaryFolder folder;
  const std::string at = folder.path().string();
  const auto threads_with = [&](const std::string& variable) {
    const Ran ran = shell(at, variable + " likely info");
    EXPECT_EQ(ran.code, 0) << ran.err;
    const std::string label = "\nthreads              ";
    const std::size_t start = ran.out.find(label);
    if (start == std::string::npos) return "none said: " + ran.out;
    return ran.out.substr(start + label.size(), ran.out.find('\n', start + 1) - start - label.size());
  };
  EXPECT_EQ(threads_with("OMP_NUM_THREADS=5"), "5");
  EXPECT_EQ(threads_with("OMP_NUM_THREADS=3,2"), "3");
  // Only the first of its processors is allowed, and what is no number says nothing.
  const std::string one = R"sh(taskset -c "$(taskset -cp $$ | sed 's/.*: *//; s/[,-].*//')")sh";
  for (const char* const text : {"", "0", "-2", "many", "4x", "99999999999999999999"}) {
    EXPECT_EQ(threads_with(std::string("export OMP_NUM_THREADS='") + text + "'; " + one), "1") << text;
  }
}

TEST(Command, ListsAndCompletesEveryName) {
  const TemporaryFolder folder;
  const std::string at = folder.path().string();
  const Ran list = likely_command(at, {"list"});
  const Ran bash = likely_command(at, {"completion", "bash"});
  const Ran zsh = likely_command(at, {"completion", "zsh"});
  const auto json = io::parse_json<io::SortedJson>(likely_command(at, {"list", "--json"}).out);
  ASSERT_EQ(json.size(), models::recipes().size());
  for (const runs::Recipe& recipe : models::recipes()) {
    EXPECT_NE(list.out.find("\n" + recipe.name + " "), std::string::npos) << recipe.name;
    EXPECT_NE(bash.out.find("train/" + recipe.name + ") words='"), std::string::npos) << recipe.name;
    EXPECT_NE(zsh.out.find("train/" + recipe.name + ") words='"), std::string::npos) << recipe.name;
  }
  // What bash makes of it.
  write_bytes(folder / "complete.sh", bash.out + R"(
COMP_WORDS=(likely tr); COMP_CWORD=1; _likely; echo "${COMPREPLY[@]}"
COMP_WORDS=(likely train moo); COMP_CWORD=2; _likely; echo "${COMPREPLY[@]}"
COMP_WORDS=(likely train moons --uni); COMP_CWORD=3; _likely; echo "${COMPREPLY[@]}"
COMP_WORDS=(likely predict compl); COMP_CWORD=2; _likely; echo "${COMPREPLY[@]}"
)");
  const std::string command = "cd " + at + " && bash complete.sh > completed.txt 2>&1";
  ASSERT_EQ(std::system(command.c_str()), 0);
  EXPECT_EQ(read_bytes(folder / "completed.txt"), "train\nmoons\n--units\ncomplete.sh completed.txt\n");
}

TEST(Command, HelpNamesEverySetting) {
  const TemporaryFolder folder;
  for (const runs::Recipe& recipe : models::recipes()) {
    const Ran help = likely_command(folder.path().string(), {"train", recipe.name, "--help"});
    EXPECT_EQ(help.code, 0);
    for (const runs::Setting& setting : recipe.settings)
      EXPECT_NE(help.out.find("--" + setting.name), std::string::npos) << recipe.name << " " << setting.name;
  }
  const std::vector<std::string> commands = command_names();
  EXPECT_GE(commands.size(), 17U);
  for (const std::string& command : commands) {
    const Ran help = likely_command(folder.path().string(), {command, "--help"});
    EXPECT_EQ(help.code, 0) << command;
    EXPECT_NE(help.out.find("Usage: likely " + command), std::string::npos) << help.out;
  }
}

}  // namespace

}  // namespace likely::testing
