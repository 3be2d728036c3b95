#include "likely/plot/figure.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <iterator>
#include <string>

#include "likely/core/create.hpp"
#include "likely/ops/math.hpp"
#include "tests/support/temporary_folder.hpp"

namespace likely {
namespace {

namespace fs = std::filesystem;

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

void expect_refusal(const std::function<void()>& call, const std::string& message) {
  try {
    call();
    ADD_FAILURE() << "accepted; expected: " << message;
  } catch (const Error& error) {
    EXPECT_EQ(error.what(), message);
  }
}

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

}  // namespace
}  // namespace likely
