// What is left of a picture when gnuplot fails, in all the ways in which it can.
#include "likely/plot/gnuplot.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "likely/core/create.hpp"
#include "likely/plot/drawing_errors.hpp"
#include "likely/plot/figure.hpp"
#include "likely/plot/run_program.hpp"
#include "tests/support/check_gradients.hpp"
#include "tests/support/payloads.hpp"
#include "tests/support/temporary_folder.hpp"

namespace likely::plot {
namespace {

namespace fs = std::filesystem;

using testing::expect_refusal;
using testing::ProgramsFirst;
using testing::TemporaryFolder;

Figure one_line() {
  Figure figure;
  figure.line(tensor({0.0, 1.0}), tensor({1.0, 2.0}));
  return figure;
}

TEST(Gnuplot, LeavesTheScriptAloneWhereItFails) {
  const TemporaryFolder folder;
  ProgramsFirst programs;
  programs.add("gnuplot", "echo broken; exit 3");
  expect_refusal([&] { one_line().save(folder / "loss"); },
                 "[Figure::save] gnuplot refused the picture: broken");
  EXPECT_EQ(folder.list(), "loss.gp");
  programs.add("gnuplot", "sleep 1000 & echo somebody is left; exit 1");
  expect_refusal([&] { one_line().save(folder / "loss"); },
                 "[Figure::save] gnuplot refused the picture: somebody is left");
  programs.add("gnuplot", "echo to the other side >&2; kill -9 $$");
  expect_refusal([&] { one_line().save(folder / "loss"); },
                 "[Figure::save] gnuplot refused the picture: to the other side");
  EXPECT_EQ(folder.list(), "loss.gp");
}

TEST(Gnuplot, SaysHowItEndedWhereItSaidNothing) {
  const TemporaryFolder folder;
  ProgramsFirst programs;
  programs.add("gnuplot", "echo; exit 3");
  const auto expect = [&](const std::string& how) {
    EXPECT_THROW(one_line().save(folder / "loss"), GnuplotFailed);
    expect_refusal([&] { one_line().save(folder / "loss"); },
                   "[Figure::save] gnuplot refused the picture: it said nothing and " + how);
  };
  expect("ended with exit code 3");
  programs.add("gnuplot", "kill -9 $$");
  expect("was ended by signal 9 (Killed)");
  programs.add("gnuplot", "exit 137");
  expect("ended with exit code 137");
}

// It is not waited for once nobody wants the picture, and nothing of it goes on.
TEST(Gnuplot, IsEndedWhenAsked) {
  const TemporaryFolder folder;
  ProgramsFirst programs;
  const std::string alive = (folder / "alive").string();
  programs.add("gnuplot", "echo $$ > '" + alive + "'; sleep 1000 & sleep 1000");
  const auto stop = [&] { return fs::exists(alive) && fs::file_size(alive) > 0; };
  const std::vector<Figure> two{one_line(), one_line()};
  EXPECT_THROW(one_line().save(folder / "loss", 300, 200, stop), DrawingStopped);
  const int process = std::stoi(testing::read_bytes(alive));
  EXPECT_EQ(kill(process, 0), -1);
  fs::remove(alive);
  expect_refusal([&] { save_panels(folder / "loss", two, 1, 300, 200, stop); },
                 "[Figure::save] interrupted while gnuplot drew");
  fs::remove(alive);
  EXPECT_EQ(folder.list(), "loss.gp");
}

TEST(RunProgram, TellsAMissingFolderFromAMissingProgram) {
  const TemporaryFolder folder;
  EXPECT_FALSE(run_program({"no-program-has-this-name"}, folder.path(), 60.0).found);
  expect_refusal([&] { run_program({"true"}, folder / "missing", 60.0); },
                 "[Figure::save] cannot work in the folder " + (folder / "missing").string() +
                     ": No such file or directory");
  EXPECT_EQ(run_program({"true"}, folder.path(), 60.0).code, 0);
}

TEST(Gnuplot, KeepsNoPictureThatIsNotWhole) {
  const TemporaryFolder folder;
  ProgramsFirst programs;
  programs.add("gnuplot", "exit 0");
  expect_refusal([&] { one_line().save(folder / "loss"); }, "[Figure::save] gnuplot drew no picture");
  programs.add("gnuplot", ": > loss.svg; : > loss.png");
  expect_refusal([&] { one_line().save(folder / "loss"); },
                 "[Figure::save] gnuplot left a svg picture that is not whole");
  programs.add("gnuplot", "printf '<svg></svg>\\n\\n' > loss.svg; printf '\\211PNG' > loss.png");
  expect_refusal([&] { one_line().save(folder / "loss"); },
                 "[Figure::save] gnuplot left a png picture that is not whole");
  EXPECT_EQ(folder.list(), "loss.gp");
}

TEST(Gnuplot, LeavesAnOldPictureWhereTheNewOneFails) {
  const TemporaryFolder folder;
  testing::write_bytes(folder / "loss.svg", "old");
  ProgramsFirst programs;
  programs.add("gnuplot", "exit 1");
  EXPECT_THROW(one_line().save(folder / "loss"), Error);
  EXPECT_EQ(testing::read_bytes(folder / "loss.svg"), "old");
}

TEST(Gnuplot, IsNotWaitedForForEver) {
  const TemporaryFolder folder;
  ProgramsFirst programs;
  // Once with its output open, once with nothing more to say, both with somebody else to wait for.
  for (const char* script : {"sleep 1000 & sleep 1000", "exec >&- 2>&-; sleep 1000 & sleep 1000"}) {
    programs.add("gnuplot", script);
    expect_refusal([&] { draw(folder / "loss", one_line().script(0), 300, 200, 0.3); },
                   "[Figure::save] gnuplot had not ended after 0.3 s");
  }
  EXPECT_EQ(folder.list(), "loss.gp");
}

TEST(Gnuplot, IsGivenNothingOfOnesOwnSettings) {
  const TemporaryFolder folder;
  ProgramsFirst programs;
  const std::string said = (folder / "said").string();
  programs.add("gnuplot", "echo \"$@\" > '" + said + "'; env | grep -c '^GNU' >> '" + said + "'; exit 1");
  setenv("GNUPLOT_LIB", folder.path().c_str(), 1);
  EXPECT_THROW(one_line().save(folder / "-loss"), Error);
  unsetenv("GNUPLOT_LIB");
  EXPECT_EQ(testing::read_bytes(said), "-d ./draw.gp\n0\n");
}

TEST(Gnuplot, NeedNotBeThere) {
  const TemporaryFolder folder;
  const std::string path = std::getenv("PATH");
  setenv("PATH", folder.path().c_str(), 1);
  EXPECT_FALSE(one_line().save(folder / "loss"));
  setenv("PATH", path.c_str(), 1);
  EXPECT_EQ(folder.list(), "loss.gp");
}

TEST(Gnuplot, RefusesPathsThatAreNone) {
  const TemporaryFolder folder;
  expect_refusal([&] { one_line().save(folder.path() / ""); },
                 "[Figure::save] \"" + folder.path().string() + "/\" does not name a picture");
  expect_refusal([&] { one_line().save(folder / "a\nb"); },
                 "[Figure::save] a picture cannot be called \"a\nb\": the name must be plain text");
  const std::string long_name(300, 'x');
  EXPECT_THROW(one_line().save(folder / long_name), Error);
  EXPECT_THROW(one_line().save(folder.path() / long_name / "loss"), Error);
  EXPECT_TRUE(fs::is_empty(folder.path()));
}

TEST(Figure, DrawsWhatIsFiniteAndRefusesWhereNothingIs) {
  const double inf = INFINITY;
  const Tensor nothing = tensor({inf, std::nan("")});
  expect_refusal([&] { Figure().line(nothing, nothing).script(0); },
                 "[Figure::save] the figure holds no number that is finite");
  const std::string script = one_line().points(nothing, nothing).horizontal(inf).vertical(-inf).script(0);
  EXPECT_EQ(script.find("points"), std::string::npos);
  EXPECT_EQ(script.find("inf"), std::string::npos);
  expect_refusal(
      [&] {
        Figure({.x_range = {{0.0, inf}}});
      },
      "[Figure] x_range needs two different finite numbers, got 0 and inf");
  expect_refusal(
      [&] {
        Figure({.y_range = {{1.0, 1.0}}});
      },
      "[Figure] y_range needs two different finite numbers, got 1 and 1");
  expect_refusal([&] { one_line().line(tensor({0.0}), tensor({0.0}), {.width = inf}); },
                 "[Figure::line] width must be from 0 to 1e6, got inf");
}

TEST(Figure, TellsNumbersFarFromZeroApart) {
  Figure figure;
  figure.line(tensor({1e15, 1e15 + 1.0}, DType::f64), tensor({0.25, 0.5}, DType::f64));
  EXPECT_NE(figure.script(0).find("1000000000000000 0.25\n1000000000000001 0.5\n"), std::string::npos)
      << figure.script(0);
}

TEST(Figure, DrawsNumbersOfAnySize) {
  if (std::system("gnuplot --version > /dev/null 2>&1") != 0) GTEST_SKIP() << "gnuplot is not installed";
  const TemporaryFolder folder;
  for (const double size : {1e-320, 1e-200, 1e160, 1e200, 1e305}) {
    Figure figure;
    figure.line(tensor({-size, size}, DType::f64), tensor({size, 0.5 * size}, DType::f64));
    EXPECT_TRUE(figure.save(folder / "size")) << size;
  }
}

}  // namespace
}  // namespace likely::plot
