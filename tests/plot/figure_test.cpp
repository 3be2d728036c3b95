#include "likely/plot/figure.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <iterator>
#include <set>
#include <sstream>
#include <string>

#include "likely/core/create.hpp"
#include "likely/ops/arithmetic.hpp"
#include "likely/ops/math.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/temporary_folder.hpp"

namespace likely {
namespace {

namespace fs = std::filesystem;

using likely::testing::expect_refusal;
using likely::testing::TemporaryFolder;

std::string text_of(const fs::path& path) { return likely::testing::read_bytes(path); }

plot::Figure waves() {
  plot::Figure figure({.title = "It's 100 % \"quoted\"", .x_label = "x", .y_label = "y_1 and y^2"});
  const Tensor x = linspace(0.0, 6.0, 50);
  figure.band(x, sin(x), cos(x)).line(x, sin(x), {.label = "sine"}).points(x, cos(x), {.label = "cosine"});
  figure.horizontal(0.5, {.dashed = true}).vertical(3.0, {.label = "here"});
  return figure;
}

bool have_gnuplot() { return std::system("gnuplot --version > /dev/null 2>&1") == 0; }

TEST(Figure, DrawsBothKindsOfPictureAndKeepsTheScript) {
  if (!have_gnuplot()) GTEST_SKIP() << "gnuplot is not installed";
  const TemporaryFolder folder;
  ASSERT_TRUE(waves().save(folder.path() / "new" / "waves"));
  const std::string svg = text_of(folder.path() / "new" / "waves.svg");
  EXPECT_NE(svg.find("<svg"), std::string::npos);
  EXPECT_NE(svg.find("sine"), std::string::npos);
  EXPECT_EQ(text_of(folder.path() / "new" / "waves.png").substr(1, 3), "PNG");
  const auto files = std::distance(fs::directory_iterator(folder.path() / "new"), fs::directory_iterator());
  EXPECT_EQ(files, 3) << "nothing temporary is left";

  // The script alone draws the same picture again.
  fs::remove(folder.path() / "new" / "waves.svg");
  const std::string again = "cd '" + (folder.path() / "new").string() + "' && gnuplot waves.gp";
  ASSERT_EQ(std::system(again.c_str()), 0);
  EXPECT_EQ(text_of(folder.path() / "new" / "waves.svg"), svg);
}

TEST(Figure, DrawsImagesBarsAndPanels) {
  if (!have_gnuplot()) GTEST_SKIP() << "gnuplot is not installed";
  const TemporaryFolder folder;
  const Tensor counts = tensor({{9.0, 1.0}, {2.0, 8.0}});
  plot::Figure matrix({.title = "Confusion", .x_label = "predicted", .y_label = "true"});
  matrix.image(counts, {.values = true, .column_labels = {"cat", "dog"}, .row_labels = {"cat", "dog"}});
  plot::Figure bars({.title = "Counts"});
  bars.bars({"a", "b", "c"}, tensor({1.0, 3.0, 2.0}));
  ASSERT_TRUE(plot::save_panels(folder.path() / "both", {matrix, bars, waves()}, 2));
  const std::string svg = text_of(folder.path() / "both.svg");
  for (const char* word : {"Confusion", "Counts", "dog", "cosine"}) {
    EXPECT_NE(svg.find(word), std::string::npos) << word;
  }
}

TEST(Figure, LeavesOutWhatIsNotFinite) {
  plot::Figure figure;
  figure.line(tensor({0.0, 1.0, 2.0}), tensor({1.0, std::nan(""), 3.0}));
  EXPECT_NE(figure.script(0).find("0 1\n1 NaN\n2 3\n"), std::string::npos);
}

TEST(Figure, RefusesWhatDoesNotFit) {
  const TemporaryFolder folder;
  const Tensor three = zeros({3});
  expect_refusal([&] { plot::Figure().line(three, zeros({2})); }, "[Figure::line] x has 3 numbers, y has 2");
  expect_refusal([&] { plot::Figure().points(Tensor(), three); }, "[Figure::points] x is empty");
  expect_refusal([&] { plot::Figure().band(three, three, zeros({4})); },
                 "[Figure::band] x has 3 numbers, high has 4");
  expect_refusal([&] { plot::Figure().image(three); },
                 "[Figure::image] z must have two axes (rows, columns), got (3,)");
  expect_refusal(
      [&] {
        plot::Figure().image(zeros({2, 2}), {.palette = "mauve"});
      },
      "[Figure::image] unknown palette \"mauve\"; there are viridis, gray, diverging, classes");
  expect_refusal([&] { plot::Figure().bars({"a"}, three); },
                 "[Figure::bars] names has 1 numbers, heights has 3");
  expect_refusal([&] { plot::Figure().save(folder.path() / "empty"); },
                 "[Figure::save] the figure is empty: add a line, points, bars or an image first");
  expect_refusal([&] { waves().save(folder.path() / "small", 10, 10); },
                 "[Figure::save] a picture of 10 x 10 is not from 50 to 20000 in both directions");
  expect_refusal([&] { plot::save_panels(folder.path() / "none", {}, 1); },
                 "[save_panels] there are no figures");
  EXPECT_TRUE(fs::is_empty(folder.path()));
}

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

TEST(Figure, TellsManySeriesApart) {
  plot::Figure points;
  plot::Figure lines;
  for (int k = 0; k < 40; ++k) {
    points.points(tensor({0.0, 1.0}), tensor({1.0, 2.0}), {.label = std::to_string(k)});
    lines.line(tensor({0.0, 1.0}), tensor({1.0, 2.0}));
  }
  // No two look the same.
  std::set<std::string> looks;
  for (const std::string& script : {points.script(0), lines.script(0)}) {
    std::istringstream rows(script.substr(script.find("plot ")));
    for (std::string row; std::getline(rows, row);) {
      const std::size_t with = row.find("with");
      looks.insert(row.substr(with, std::min(row.find(" title"), row.find(" notitle")) - with));
    }
  }
  EXPECT_EQ(looks.size(), 80U);
  // So many names would cover the data.
  EXPECT_NE(points.script(0).find("set key outside"), std::string::npos);
  plot::Figure few;
  for (const char* name : {"a", "b", "c"}) few.line(tensor({0.0, 1.0}), tensor({1.0, 2.0}), {.label = name});
  EXPECT_NE(few.script(0).find("set key top right"), std::string::npos);
  // The same turn, the same look.
  plot::Figure chosen;
  chosen.points(tensor({0.0, 1.0}), tensor({1.0, 2.0}), {.turn = 17});
  EXPECT_NE(chosen.script(0).find("pt 5 ps 0.5 lc rgb '#d55e00'"), std::string::npos) << chosen.script(0);
}

TEST(Figure, GivesEveryClassItsOwnGround) {
  plot::Figure figure;
  figure.image(tensor({{0.0, 1.0}, {10.0, 11.0}}), {.palette = "classes"});
  const std::string script = figure.script(0);
  EXPECT_NE(script.find("set palette maxcolors 12 defined (0 '#b3d5e8', "), std::string::npos) << script;
  EXPECT_NE(script.find(", 11 '#cdeab0')\nset cbrange [-0.5:11.5]\n"), std::string::npos) << script;
}

TEST(Figure, TurnsNamesThatWouldRunIntoEachOther) {
  std::vector<std::string> names(14, "a long name");
  plot::Figure matrix;
  matrix.image(zeros({14, 14}) + 1.0, {.column_labels = names, .row_labels = names});
  EXPECT_EQ(count_of(matrix.script(0), "tics rotate by 90 right ("), 1U);
  plot::Figure small;
  small.image(zeros({2, 2}) + 1.0, {.column_labels = {"cat", "dog"}, .row_labels = {"cat", "dog"}});
  EXPECT_EQ(count_of(small.script(0), "rotate by"), 0U);
  plot::Figure bars;
  bars.bars(names, zeros({14}) + 1.0);
  EXPECT_EQ(count_of(bars.script(0), "xtics rotate by 90 right ("), 1U);
}

// In a narrow panel, too, numbers do not run into each other.
TEST(Figure, HasFewMarksAcross) {
  const auto script_of = [](double first, double last, const plot::FigureOptions& options = {}) {
    const Tensor x = tensor({first, last}, DType::f64);
    return plot::Figure(options).line(x, x).script(0);
  };
  EXPECT_EQ(count_of(script_of(0.33, 0.82), "set xtics 0.1\n"), 1U);
  EXPECT_EQ(count_of(script_of(0.0, 160.0), "set xtics 50\n"), 1U);
  EXPECT_EQ(count_of(script_of(-7.0, 7.0), "set xtics 2\n"), 1U);
  EXPECT_EQ(count_of(script_of(0.0, 1.0, {.x_range = std::pair(0.0, 70.0)}), "set xtics 10\n"), 1U);
  EXPECT_EQ(count_of(script_of(-1e308, 1e308), "set xtics 5e+307\n"), 1U);
  for (const std::string& script : {script_of(1.0, 1000.0, {.log_x = true}), script_of(3.0, 3.0),
                                    script_of(1.0, 2.0, {.frame = false})}) {
    EXPECT_EQ(count_of(script, "set xtics 1"), 0U) << script;
    EXPECT_EQ(count_of(script, "set xtics 2"), 0U) << script;
  }
}

TEST(Figure, MarksItsAxesWithEnoughDigits) {
  const auto script_of = [](double first, double last) {
    plot::Figure figure;
    const Tensor x = tensor({first, last}, DType::f64);
    return figure.line(x, x).script(0);
  };
  EXPECT_NE(script_of(0.0, 1.0).find("set format y '%.6g'"), std::string::npos);
  EXPECT_NE(script_of(-1e308, 1e308).find("set format y '%.6g'"), std::string::npos);
  EXPECT_NE(script_of(1e-320, 2e-320).find("set format y '%.6g'"), std::string::npos);
  // Marks such as 1000000000000200.
  const std::string far = script_of(1e15, 1e15 + 1000.0);
  EXPECT_NE(far.find("set format x '%.15g'\nset xtics rotate by 90 right\n"), std::string::npos) << far;
  EXPECT_NE(far.find("set format y '%.15g'"), std::string::npos) << far;
}

}  // namespace
}  // namespace likely
