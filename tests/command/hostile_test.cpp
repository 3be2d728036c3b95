// Pictures that fail, names that want to be commands, files that are none: nothing is lost, run or waited
// for.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "likely/core/printable.hpp"
#include "likely/io/csv_writer.hpp"
#include "likely/io/json.hpp"
#include "likely/io/missing_words.hpp"
#include "tests/command/command.hpp"
#include "tests/support/payloads.hpp"
#include "tests/support/temporary_folder.hpp"

namespace likely::testing {
namespace {

namespace fs = std::filesystem;

using Words = std::vector<std::string>;

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// 30 rows of two inputs whose sizes tell the kind.
std::string table(const std::string& first, const std::string& second, const std::string& one,
                  const std::string& other, double unit = 1.0) {
  std::string text = io::csv_field(first) + "," + io::csv_field(second) + ",kind\n";
  for (int i = 0; i < 30; ++i) {
    const int size = (i * 37) % 50;
    text += io::json_text(io::Json(unit * (size + 1))) + "," + std::to_string(i % 3) + "," +
            io::csv_field(size > 25 ? one : other) + "\n";
  }
  return text;
}

Words train(const std::string& out, const Words& more = {}) {
  Words words{"train", "csv",     "--in", "mine.csv", "--members", "1",      "--epochs",
              "4",     "--folds", "0",    "--out",    out,         "--quiet"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

class Hostile : public ::testing::Test {
 protected:
  Ran run(const Words& words) { return likely_command(folder_.path().string(), words); }
  void write(const std::string& name, const std::string& text) { write_bytes(folder_ / name, text); }
  // Every picture there is, in any folder, is whole: none is empty.
  void expect_whole_pictures() {
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder_.path())) {
      EXPECT_TRUE(!entry.is_regular_file() || entry.file_size() > 0) << entry.path();
    }
  }

  TemporaryFolder folder_;
};

TEST_F(Hostile, APictureThatFailsCostsNothing) {
  ProgramsFirst programs;
  programs.add("gnuplot", "echo out of ink; exit 1");
  const std::string why = " could not be drawn: [Figure::save] gnuplot refused the picture: out of ink\n";
  write("mine.csv", table("a", "b", "big", "small"));
  const Ran trained = run(train("run"));
  EXPECT_EQ(trained.code, 0);
  EXPECT_EQ(trained.err,
            "likely: the picture \"confusion\"" + why + "likely: the picture \"importance\"" + why);
  EXPECT_EQ(io::parse_json<io::SortedJson>(read_bytes(folder_ / "run/report.json"))["warnings"].size(), 2U);
  EXPECT_EQ(run({"predict", "run", "--in", "mine.csv"}).code, 0);
  const Ran plotted = run({"plot", "run"});
  EXPECT_EQ(plotted.code, 1);  // nobody's input is to blame
  const std::string first = why.substr(0, why.size() - 1) + "; the picture \"importance\"" + why;
  EXPECT_EQ(plotted.err, "likely: the picture \"confusion\"" + first);

  const Ran moons =
      run({"train", "moons", "--epochs", "2", "--units", "4", "--out", "moons", "--json", "--quiet"});
  EXPECT_EQ(moons.code, 0);
  EXPECT_TRUE(contains(moons.err, "likely: the picture \"loss\"" + why)) << moons.err;
  EXPECT_TRUE(contains(moons.err, "likely: the picture \"areas\"" + why)) << moons.err;
  EXPECT_EQ(io::parse_json<io::SortedJson>(moons.out)["pictures"].size(), 0U);
  const Ran resumed = run({"resume", "moons", "--epochs", "3", "--quiet"});
  EXPECT_EQ(resumed.code, 0);
  EXPECT_TRUE(contains(resumed.err, "likely: the picture \"loss\"" + why)) << resumed.err;
  EXPECT_EQ(run({"predict", "moons", "--in", "mine.csv"}).code, 2) << "it has two columns more than moons";

  const Ran swept = run({"sweep", "linear-regression", "--grid", "lr=0.1,0.01", "--set", "epochs=2",
                         "--quiet", "--out", "sweep"});
  EXPECT_EQ(swept.code, 0);
  EXPECT_TRUE(contains(swept.err, "likely: trial 2: the picture \"loss\"" + why)) << swept.err;
  EXPECT_TRUE(contains(swept.err, "likely: the picture \"sweep\"" + why)) << swept.err;
  EXPECT_TRUE(fs::exists(folder_ / "sweep/trial-2/model.safetensors"));
  EXPECT_TRUE(fs::exists(folder_ / "sweep/sweep.csv"));

  ASSERT_EQ(
      run({"simulate", "--subjects", "3", "--trials", "20", "--out", "trials.tsv", "--drift", "1e12"}).code,
      0);
  const Ran fitted = run({"fit", "trials.tsv", "--out", "fitted", "--quiet"});
  EXPECT_EQ(fitted.code, 0);
  EXPECT_EQ(fitted.err,
            "likely: the picture \"learning-rw\"" + why + "likely: the picture \"parameters-rw\"" + why);
  EXPECT_TRUE(fs::exists(folder_ / "fitted/subjects-rw.csv"));
  const Ran compared = run({"compare", "trials.tsv", "--model", "rw,random", "--out", "compared", "--quiet"});
  EXPECT_EQ(compared.code, 0);
  EXPECT_TRUE(contains(compared.err, "likely: the picture \"frequencies\"" + why)) << compared.err;
  EXPECT_TRUE(fs::exists(folder_ / "compared/selection.csv"));
  const Ran recovered =
      run({"recover", "--subjects", "3", "--trials", "20", "--out", "recovered", "--quiet"});
  EXPECT_EQ(recovered.code, 0);
  EXPECT_EQ(recovered.err, "likely: the picture \"recovery-rw\"" + why);
  EXPECT_TRUE(fs::exists(folder_ / "recovered/recovery-rw.csv"));
  expect_whole_pictures();
}

// A gnuplot that hangs is ended with the training, not waited for.
TEST_F(Hostile, CtrlCEndsAGnuplotThatHangs) {
  fs::create_directories(folder_ / "bin");
  write("bin/gnuplot", "#!/bin/sh\nkill -TERM $PPID\nsleep 1000 & sleep 1000\n");
  fs::permissions(folder_ / "bin/gnuplot", fs::perms::owner_all);
  write("mine.csv", table("a", "b", "big", "small"));
  const Ran ran =
      shell(folder_.path().string(),
            "PATH=\"$PWD/bin:$PATH\" timeout -s KILL 60 likely train csv --in mine.csv --members 2 "
            "--epochs 3 --quiet --out run");
  EXPECT_EQ(ran.code, 130) << ran.err;
  EXPECT_TRUE(
      ran.err.ends_with("likely: interrupted before all pictures were drawn\ninterrupted; all is learned, "
                        "draw the pictures with: likely plot run\n"))
      << ran.err;
  EXPECT_EQ(run({"plot", "run", "--quiet"}).code, 0);
}

// The commands that only draw or measure have nothing to resume.
TEST_F(Hostile, CtrlCEndsPlotWithItsOwnAdvice) {
  for (const Words& words : {Words{"run"}, Words{"seeds", "--seeds", "1,2"}}) {
    Words training{"train", "moons", "--epochs", "2", "--units", "4", "--quiet", "--out"};
    training.insert(training.end(), words.begin(), words.end());
    ASSERT_EQ(run(training).code, 0);
    fs::create_directories(folder_ / "bin");
    write("bin/gnuplot", "#!/bin/sh\nkill -INT $PPID\nsleep 1000 & sleep 1000\n");
    fs::permissions(folder_ / "bin/gnuplot", fs::perms::owner_all);
    const Ran ran = shell(folder_.path().string(),
                          "PATH=\"$PWD/bin:$PATH\" timeout -s KILL 60 likely plot --json " + words[0]);
    EXPECT_EQ(ran.code, 130) << ran.err;
    EXPECT_EQ(ran.err, "interrupted; draw the pictures with: likely plot " + words[0] + "\n");
    EXPECT_EQ(io::parse_json(ran.out)["stopped"], "interrupted");
    EXPECT_EQ(run({"plot", words[0], "--quiet"}).code, 0);
  }
}

// Nothing is in PATH: a machine without gnuplot.
class EmptyPath {
 public:
  EmptyPath() : before_(std::getenv("PATH")) { setenv("PATH", folder_.path().c_str(), 1); }
  ~EmptyPath() { setenv("PATH", before_.c_str(), 1); }
  EmptyPath(const EmptyPath&) = delete;
  EmptyPath& operator=(const EmptyPath&) = delete;

 private:
  TemporaryFolder folder_;
  std::string before_;
};

TEST_F(Hostile, WithoutGnuplotOneLineSaysWhatToInstall) {
  const std::string line =
      "likely: no pictures were drawn, only their scripts are kept: gnuplot is not installed (on Debian: apt "
      "install gnuplot-nox)\n";
  write("mine.csv", table("a", "b", "big", "small"));
  ASSERT_EQ(run({"simulate", "--subjects", "3", "--trials", "20", "--out", "trials.tsv"}).code, 0);
  const EmptyPath path;
  const auto warned = [&](const Words& words, const std::string& kept) {
    const Ran ran = run(words);
    EXPECT_EQ(ran.code, 0) << words[0];
    EXPECT_EQ(ran.err, line) << words[0];
    EXPECT_TRUE(fs::exists(folder_ / kept)) << kept;
  };
  warned(train("run"), "run/model.safetensors");
  EXPECT_EQ(io::parse_json<io::SortedJson>(read_bytes(folder_ / "run/report.json"))["warnings"].size(), 1U);
  EXPECT_TRUE(fs::exists(folder_ / "run/figures/confusion.gp"));
  warned({"train", "moons", "--epochs", "2", "--repeats", "2", "--out", "moons", "--quiet"},
         "moons/seed-2/model.safetensors");
  warned({"resume", "moons", "--epochs", "3", "--quiet"}, "moons/seed-2/model.safetensors");
  warned({"sweep", "moons", "--grid", "lr=0.1,0.01", "--set", "epochs=2", "--quiet", "--out", "sweep"},
         "sweep/trial-2/model.safetensors");
  warned({"fit", "trials.tsv", "--out", "fitted", "--quiet"}, "fitted/subjects-rw.csv");
  warned({"compare", "trials.tsv", "--model", "rw,random", "--out", "compared", "--quiet"},
         "compared/selection.csv");
  warned({"recover", "--subjects", "3", "--trials", "20", "--out", "recovered", "--quiet"},
         "recovered/recovery-rw.csv");
  for (const char* folder : {"run", "moons"}) {
    const Ran plotted = run({"plot", folder});
    EXPECT_EQ(plotted.code, 1) << folder;
    EXPECT_EQ(plotted.err, line) << folder;
    EXPECT_EQ(plotted.out, "") << folder;
  }
}

TEST_F(Hostile, NumbersOfAnySizeAreLearnedFrom) {
  for (const double unit : {1e-200, 1e160, 1e200}) {
    write("mine.csv", table("a", "b", "big", "small", unit));
    const Ran classes = run(train("classes", {"--json", "--force", "--holdout", "0.3"}));
    ASSERT_EQ(classes.code, 0) << classes.err;
    EXPECT_EQ(classes.err, "");
    const Ran numbers = run(train("numbers", {"--target", "a", "--json", "--force", "--holdout", "0.3"}));
    ASSERT_EQ(numbers.code, 0) << numbers.err;
    EXPECT_EQ(numbers.err, "");
    EXPECT_TRUE(io::parse_json<io::SortedJson>(numbers.out)["figures"]["test_R2"].is_number()) << numbers.out;
  }
  expect_whole_pictures();
  write("mine.csv", "a,b,kind\n1e999,1,x\n2,2,y\n3,3,x\n4,4,y\n");
  const Ran infinite = run(train("infinite"));
  EXPECT_EQ(infinite.code, 2);
  EXPECT_EQ(infinite.err, "likely: [csv] " + (folder_ / "mine.csv").string() +
                              ": line 2, column \"a\": the number is not finite\n");
}

TEST_F(Hostile, NamesAreNamesAndNoCommands) {
  const Trap trap;
  // Folders.
  write("mine.csv", table("a", "b", "big", "small"));
  for (const std::string out :
       {"|pwned #", "< pwned", "-e pwned", "'; system('pwned') #", "`pwned`", "\n!pwned\n"}) {
    Words words = train("");
    *(std::find(words.begin(), words.end(), "--out") + 1) = "./" + out;
    const Ran ran = run(words);
    EXPECT_EQ(ran.code, 0) << ran.err;
    EXPECT_EQ(ran.err, "");
    EXPECT_TRUE(fs::exists(folder_.path() / out / "model.safetensors")) << out;
    EXPECT_FALSE(trap.sprung()) << out;
  }
  const Ran bare = run({"train", "csv", "--in", "mine.csv", "--members", "1", "--epochs", "1", "--folds", "0",
                        "--quiet", "--out=|pwned"});
  EXPECT_EQ(bare.code, 0) << bare.err;
  // Columns and classes, four payloads at a time.
  std::vector<std::string> names;
  for (const std::string& text : payloads()) {
    if (text.find('\0') == std::string::npos && text.find_first_not_of(' ') != std::string::npos)
      names.push_back(text);
  }
  while (names.size() % 4 != 0) names.push_back(names[names.size() % 4]);
  for (std::size_t i = 0; i < names.size(); i += 4) {
    if (names[i + 2] == "1e999" || names[i + 3] == "1e999") continue;
    // What stands for a missing value is a name of a column, but no class.
    const auto class_name = [](const std::string& text) {
      return io::is_usually_missing(text) ? text + text : text;
    };
    write("mine.csv", table(names[i], names[i + 1], class_name(names[i + 2]), class_name(names[i + 3])));
    const Ran ran = run(train("run", {"--force", "--header", "yes"}));
    EXPECT_EQ(ran.code, 0) << i;
    EXPECT_EQ(ran.err, "") << i;
    EXPECT_FALSE(trap.sprung()) << i;
  }
  // Options of trials.
  write("trials.csv",
        "subjID,choice,outcome\n\"|pwned\",\"'`pwned`'\",1\n\"|pwned\",\"\"\"; system('pwned') #\",0\n");
  const Ran fitted = run({"fit", "trials.csv", "--out", "|pwned fit", "--quiet"});
  EXPECT_EQ(fitted.code, 0) << fitted.err;
  EXPECT_EQ(fitted.err, "");
  EXPECT_FALSE(trap.sprung());
  expect_whole_pictures();
}

TEST_F(Hostile, WhatIsNoFileIsNotWaitedFor) {
  ASSERT_EQ(mkfifo((folder_ / "pipe.csv").c_str(), 0600), 0);
  write("mine.csv", table("a", "b", "big", "small"));
  ASSERT_EQ(run(train("run")).code, 0);
  const auto refused = [&](const Words& words) {
    const Ran ran = run(words);
    EXPECT_EQ(ran.code, 2) << words[0];
    EXPECT_TRUE(ran.err.ends_with("pipe.csv is not a regular file\n")) << ran.err;
  };
  refused({"train", "csv", "--in", "pipe.csv", "--quiet"});
  refused({"train", "csv", "--in", "mine.csv", "--target-file", "pipe.csv", "--quiet"});
  refused({"predict", "run", "--in", "pipe.csv"});
  refused({"eval", "run", "--data", "pipe.csv"});
  refused({"fit", "pipe.csv"});
  refused({"compare", "pipe.csv"});
  refused({"simulate", "--parameters", "pipe.csv", "--out", "trials.tsv"});
  refused({"inspect", "pipe.csv"});
  fs::create_directory(folder_ / "strange");
  ASSERT_EQ(mkfifo((folder_ / "strange/recipe.json").c_str(), 0600), 0);
  for (const char* command : {"eval", "resume", "plot"}) {
    const Ran ran = run({command, "strange"});
    EXPECT_EQ(ran.code, 2) << command;
    EXPECT_TRUE(ran.err.ends_with("recipe.json is not a regular file\n")) << ran.err;
  }
}

TEST_F(Hostile, PathsThatAreTooLongAreSaidToBe) {
  write("mine.csv", table("a", "b", "big", "small"));
  const std::string name(300, 'x');
  for (const Words& words :
       {Words{"train", "csv", "--in", name, "--quiet"}, Words{"predict", name, "--in", "mine.csv"},
        Words{"eval", name}, Words{"fit", name}, Words{"inspect", name}, Words{"resume", name}}) {
    const Ran ran = run(words);
    EXPECT_EQ(ran.code, 2) << words[0];
    EXPECT_TRUE(ran.err.ends_with("File name too long\n")) << ran.err;
    EXPECT_TRUE(ran.err.find("filesystem error") == std::string::npos) << ran.err;
  }
}

TEST_F(Hostile, TextOfOthersDoesNotCommandTheTerminal) {
  const std::string escape = "\x1b[31m";
  const Ran absent = run({"train", "csv", "--in", escape, "--quiet"});
  EXPECT_EQ(absent.code, 2);
  EXPECT_EQ(absent.err, "likely: --data \\x1b[31m: there is no such file or folder\n");
  EXPECT_EQ(run({"train", "moons", escape}).err.find('\x1b'), std::string::npos);
  EXPECT_EQ(run({escape}).err.find('\x1b'), std::string::npos);
  write("mine.csv", table(escape + "a", "b", escape + "big", "small\x9b"));
  for (const Words& words :
       {Words{"train", "csv", "--in", "mine.csv", "--target", "none", "--quiet"},
        train("run", {"--holdout", "0.3"}), Words{"eval", "run"}, Words{"inspect", "run"}}) {
    const Ran ran = run(words);
    for (const std::string& text : {ran.out, ran.err}) {
      EXPECT_EQ(text.find('\x1b'), std::string::npos) << words[0];
      EXPECT_EQ(text.find('\x9b'), std::string::npos) << words[0];
    }
  }
  // What programs read stays as it is.
  const Ran predicted = run({"predict", "run", "--in", "mine.csv"});
  EXPECT_NE(predicted.out.find(escape + "big"), std::string::npos);
  EXPECT_EQ(run({"predict", "run", "--in", "mine.csv", "--json"}).code, 0);
}

// Every text that a command prints for people, with ends of lines in it: none of them begins a line.
// What is proposed can be pasted, and does what it says.
TEST_F(Hostile, CommandsThatAreProposedCanBePasted) {
  for (const std::string out : {"my run", "|touch pwn #", "it's\n$(touch pwn)", "-run"}) {
    const Words words{"train", "moons", "--epochs", "1", "--units", "4", "--out=" + out};
    const Ran trained = run(words);
    ASSERT_EQ(trained.code, 0) << trained.err;
    const std::size_t next = trained.out.find("next: likely predict ");
    ASSERT_NE(next, trained.out.npos) << trained.out;
    std::string line = trained.out.substr(next + 6, trained.out.find('\n', next) - next - 6);
    line.replace(line.find("FILE"), 4, "rows.csv");
    write("rows.csv", "1,2\n");
    const Ran predicted = shell(folder_.path().string(), line);
    EXPECT_EQ(predicted.code, 0) << line << predicted.err;
    EXPECT_TRUE(predicted.out.starts_with("prediction,")) << predicted.out;
    const Ran again = run(words);
    EXPECT_EQ(again.code, 2);
    EXPECT_TRUE(contains(again.err, "(likely resume " + shell_word(out) + ")")) << again.err;
    EXPECT_FALSE(std::filesystem::exists(folder_ / "pwn")) << line;
  }
}

TEST_F(Hostile, NoNameBeginsALineOfItsOwn) {
  const std::string evil = "x\nlikely: all is well\r\n\tlikely: done";
  const std::string shown = "x\\x0alikely: all is well\\x0d\\x0a\\x09likely: done";
  bool seen = false;
  const auto look = [&](const Words& words) {
    const Ran ran = run(words);
    for (const std::string& text : {ran.out, ran.err}) {
      for (const char* part : {"\nlikely: all", "\nlikely: done", "\tlikely: done", "\r"})
        EXPECT_FALSE(contains(text, part)) << words[0] << ": " << text;
      seen = seen || contains(text, "x\\x0a");
    }
    return ran;
  };
  const auto shows = [&](const Words& words) {
    seen = false;
    const Ran ran = look(words);
    EXPECT_TRUE(seen) << words[0] << " does not show the name:\n" << ran.out << ran.err;
    return ran;
  };
  const std::string name = "./" + evil;
  // Columns, classes, the target's own name, paths, settings.
  std::string rows =
      io::csv_field(evil) + ",b," + io::csv_field(evil + " id") + "," + io::csv_field(evil + " kind") + "\n";
  for (int i = 0; i < 30; ++i)
    rows += std::to_string((i * 37) % 50) + "," + std::to_string(i % 3) + "," + std::to_string(i) + "," +
            io::csv_field((i * 37) % 50 > 25 ? evil : "small") + "\n";
  write("mine.csv", rows);
  write(evil, rows);
  Words words{"train",    "csv", "--in",      name,  "--members", "1",
              "--epochs", "2",   "--holdout", "0.3", "--out",     name + "-run"};
  const Ran trained = shows(words);
  EXPECT_EQ(trained.code, 0) << trained.err;
  EXPECT_TRUE(contains(trained.out, "\"" + shown + " kind\" is one of 2 classes")) << trained.out;
  EXPECT_TRUE(contains(trained.out, "column \"" + shown + " id\" left out")) << trained.out;
  shows(words);  // there is a run already
  shows({"eval", name + "-run"});
  shows({"eval", name + "-run", "--data", "mine.csv"});
  shows({"plot", name + "-run"});
  shows({"resume", name + "-none"});
  shows({"inspect", name + "-run"});
  shows({"inspect", name + "-run/model.safetensors"});
  shows({"predict", name + "-run", "--in", name + "-none"});
  shows({"train", "csv", "--in", "mine.csv", "--target", evil + "none", "--out", "none"});
  shows({"train", "csv", "--in", "mine.csv", "--ignore", evil, "--epochs", "1", "--members", "1", "--out",
         "ignored"});
  shows({"train", "moons", "--activation", evil});
  shows({"train", evil});
  shows({evil});
  shows({"list", evil});
  shows({"bench", evil});
  shows({"equations", evil});
  shows({"inspect", evil});
  shows({"sweep", evil});
  shows({"sweep", "csv", "--data", "mine.csv", "--grid", "ignore=b," + evil, "--set", "epochs=1", "--set",
         "members=1", "--out", "sweep"});
  // Trials: subjects, columns, options, files.
  std::string trials = "subjID,choice,outcome\n";
  for (int i = 0; i < 40; ++i)
    trials += io::csv_field(i < 20 ? evil : "other") + "," + io::csv_field(i % 3 == 0 ? evil : "b") + "," +
              std::to_string(i % 2) + "\n";
  write(evil + ".csv", trials);
  shows({"fit", name + ".csv", "--out", name + "-fit"});
  shows({"fit", name + ".csv", "--method", "mle", "--model", "rw-dual"});
  shows({"compare", name + ".csv", "--model", "rw,random", "--out", name + "-compared"});
  shows({"fit", name + ".csv", "--model", evil});
  shows({"fit", name + ".csv", "--choice-column", evil});
  shows({"fit", name + ".csv", "--bound", evil + "=0,1"});
  shows({"simulate", "--subjects", "2", "--trials", "5", "--out", name + ".tsv"});
  shows({"simulate", "--subjects", "2", "--param", evil + "=1", "--out", "none.tsv"});
  shows({"recover", "--subjects", "3", "--trials", "10", "--out", name + "-recovered", "--quiet"});
  // What programs read has them as they are.
  const Ran predicted = run({"predict", name + "-run", "--in", "mine.csv"});
  EXPECT_TRUE(contains(predicted.out, ",\"p_" + evil + "\"")) << predicted.out.substr(0, 200);
}

TEST_F(Hostile, PipesUnderTheNamesOfARunAreSetAside) {
  const Words quick{"train", "moons", "--epochs", "1", "--units", "4", "--out", "run", "--quiet"};
  ASSERT_EQ(run(quick).code, 0);
  for (const char* name : {"model.safetensors", "report.json", "figures/loss.gp"}) {
    fs::remove(folder_ / "run" / name);
    ASSERT_EQ(mkfifo((folder_ / "run" / name).c_str(), 0600), 0);
  }
  const Ran eval = run({"eval", "run"});
  EXPECT_EQ(eval.code, 2);
  EXPECT_TRUE(eval.err.ends_with("is not a regular file\n")) << eval.err;
  const Ran resumed = run({"resume", "run", "--epochs", "2", "--quiet"});
  EXPECT_EQ(resumed.code, 0) << resumed.err;
  for (const char* name : {"model.safetensors", "report.json", "figures/loss.gp"}) {
    EXPECT_TRUE(fs::is_regular_file(folder_ / "run" / name)) << name;
    EXPECT_TRUE(fs::is_fifo(folder_ / "run" / (std::string(name) + ".kept"))) << name;
    EXPECT_TRUE(contains(resumed.err, std::string("run/") + name + " was somebody else's")) << resumed.err;
  }
  for (const char* name : {"figures/loss.png", "figures/loss.svg"}) {
    fs::remove(folder_ / "run" / name);
    ASSERT_EQ(mkfifo((folder_ / "run" / name).c_str(), 0600), 0);
  }
  EXPECT_EQ(run({"plot", "run", "--quiet"}).code, 0);
  EXPECT_TRUE(fs::is_regular_file(folder_ / "run/figures/loss.png"));
}

// As whoever started it wished, such as nohup.
TEST_F(Hostile, CtrlCStaysIgnoredWhereItWas) {
  ASSERT_EQ(run({"train", "moons", "--epochs", "2", "--units", "4", "--quiet", "--out", "run"}).code, 0);
  fs::create_directories(folder_ / "bin");
  write("bin/gnuplot", "#!/bin/sh\nkill -INT $PPID\nPATH=${PATH#*:}\nexport PATH\nexec gnuplot \"$@\"\n");
  fs::permissions(folder_ / "bin/gnuplot", fs::perms::owner_all);
  for (const std::string words : {"plot run", "train moons --epochs 2 --units 4 --out other", "eval other",
                                  "resume other --epochs 3"}) {
    const Ran ran =
        shell(folder_.path().string(), "trap '' INT; PATH=\"$PWD/bin:$PATH\" likely " + words + " --quiet");
    EXPECT_EQ(ran.code, 0) << words;
    EXPECT_EQ(ran.err, "") << words;
  }
}

// Signals that come while a picture is drawn: gnuplot itself sends them.
TEST_F(Hostile, CtrlCWhilePicturesAreDrawnLosesNothing) {
  for (const std::string signal : {"INT", "TERM"}) {
    fs::create_directories(folder_ / "bin");
    write("bin/gnuplot",
          "#!/bin/sh\nkill -" + signal + " $PPID\nPATH=${PATH#*:}\nexport PATH\nexec gnuplot \"$@\"\n");
    fs::permissions(folder_ / "bin/gnuplot", fs::perms::owner_all);
    const std::string out = "run-" + signal;
    const std::string train =
        "PATH=\"$PWD/bin:$PATH\" likely train moons --epochs 2 --units 4 --quiet --out ";
    const Ran ran = shell(folder_.path().string(), train + out);
    EXPECT_EQ(ran.code, 130) << ran.err;
    EXPECT_TRUE(
        ran.err.ends_with("likely: interrupted before all pictures were drawn\ninterrupted; all is "
                          "learned, draw the pictures with: likely plot " +
                          out + "\n"))
        << ran.err;
    EXPECT_TRUE(contains(ran.out, "test accuracy")) << ran.out;
    const auto report = io::parse_json(read_bytes(folder_ / out / "report.json"));
    EXPECT_EQ(report["stopped"], "finished");
    EXPECT_EQ(run({"eval", out}).code, 0);
    EXPECT_EQ(run({"plot", out, "--quiet"}).code, 0);
    EXPECT_TRUE(fs::exists(folder_ / out / "figures/areas.png"));
    // Of several seeds the others are still to come.
    const Ran seeds = shell(folder_.path().string(), train + out + "-seeds --seeds 1,2");
    EXPECT_EQ(seeds.code, 130) << seeds.err;
    EXPECT_TRUE(seeds.err.ends_with("interrupted; go on with: likely resume " + out + "-seeds\n"))
        << seeds.err;
    EXPECT_EQ(run({"resume", out + "-seeds", "--quiet"}).code, 0);
    EXPECT_TRUE(fs::exists(folder_ / (out + "-seeds") / "report.json"));
  }
}

}  // namespace
}  // namespace likely::testing
