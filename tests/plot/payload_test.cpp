// Nothing that reaches a script is ever anything but text.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <set>
#include <string>

#include "likely/core/create.hpp"
#include "likely/core/printable.hpp"
#include "likely/plot/figure.hpp"
#include "tests/support/payloads.hpp"
#include "tests/support/temporary_folder.hpp"

namespace likely {
namespace {

namespace fs = std::filesystem;

using likely::testing::payloads;
using likely::testing::read_bytes;
using likely::testing::TemporaryFolder;
using likely::testing::Trap;

bool have_gnuplot() { return std::system("gnuplot --version > /dev/null 2>&1") == 0; }

// Every text that a figure takes.
plot::Figure figure_of(const std::string& text) {
  plot::Figure figure({.title = text, .x_label = text, .y_label = text, .legend = "outside"});
  figure.bars({text, "plain"}, tensor({1.0, 2.0}), {.label = text});
  figure.line(tensor({0.0, 1.0}), tensor({1.0, 2.0}), {.label = text});
  figure.points(tensor({0.0, 1.0}), tensor({1.0, 2.0}), {.label = text});
  figure.band(tensor({0.0, 1.0}), tensor({1.0, 2.0}), tensor({2.0, 3.0}), {.label = text});
  figure.horizontal(1.5, {.label = text}).vertical(0.5, {.label = text});
  return figure;
}
plot::Figure matrix_of(const std::string& text) {
  plot::Figure figure({.title = text});
  figure.image(tensor({{1.0, 2.0}, {3.0, 4.0}}),
               {.values = true, .column_labels = {text, "a"}, .row_labels = {text, "b"}});
  return figure;
}

// What an SVG shows for a text: one line, with what XML reserves written as XML wants it.
std::string as_xml(std::string text) {
  for (char& c : text) {
    if (c == '\n' || c == '\r' || c == '\t') c = ' ';
  }
  std::string xml;
  for (const char c : printable(text)) {
    xml += c == '&' ? "&amp;" : c == '<' ? "&lt;" : std::string(1, c);
  }
  return xml;
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size()))
    ++found;
  return found;
}

TEST(Payload, IsShownAsTypedAndNeverRun) {
  if (!have_gnuplot()) GTEST_SKIP() << "gnuplot is not installed";
  const TemporaryFolder folder;
  const Trap trap;
  // All at once: a panel each.
  std::vector<plot::Figure> panels;
  for (const std::string& text : payloads()) {
    panels.push_back(figure_of(text));
    panels.push_back(matrix_of(text));
  }
  ASSERT_TRUE(plot::save_panels(folder / "all", panels, 8, 1600, 2400));
  EXPECT_FALSE(trap.sprung());
  EXPECT_EQ(folder.list(), "all.gp all.png all.svg");
  const std::string svg = read_bytes(folder / "all.svg");
  // The title, two axes and six in the legend; gnuplot may leave out what finds no room, and cut long ones.
  std::vector<std::string> names;
  for (const std::string& text : payloads()) {
    if (text == " " || text.size() > 1000) continue;
    EXPECT_GE(count(svg, as_xml(text)), 9U) << printable(text);
    names.push_back(text);
  }
  plot::Figure marks;
  marks.bars(names, ones({static_cast<std::int64_t>(names.size())}));
  ASSERT_TRUE(marks.save(folder / "marks", 8000, 300));
  const std::string marked = read_bytes(folder / "marks.svg");
  for (const std::string& text : names) EXPECT_GE(count(marked, as_xml(text)), 1U) << printable(text);
  EXPECT_FALSE(trap.sprung());
}

TEST(Payload, AsTheNameOfAPictureOrFolderIsANameOnly) {
  if (!have_gnuplot()) GTEST_SKIP() << "gnuplot is not installed";
  const Trap trap;
  plot::Figure figure;
  figure.line(tensor({0.0, 1.0}), tensor({1.0, 2.0}));
  for (const std::string name :
       {"|pwned #", "< pwned", "-e", "'; system('pwned') #", "\"; system(\"pwned\") #", "`pwned`", "$(pwned)",
        "\\", "ends in \\", "%s 100 %", "''''", "@pwned 7'7\"7", "体重"}) {
    const TemporaryFolder folder;
    const fs::path path = folder.path() / name / name;
    ASSERT_TRUE(figure.save(path, 100, 80)) << name;
    const std::string svg = read_bytes(path.string() + ".svg");
    EXPECT_TRUE(svg.ends_with("</svg>\n\n")) << name;
    EXPECT_EQ(std::distance(fs::directory_iterator(folder / name), fs::directory_iterator()), 3) << name;
    // So is the script that is kept.
    fs::copy_file(path.string() + ".gp", folder / "kept.gp");
    fs::create_directory(folder / "elsewhere");
    const std::string again = "cd '" + (folder / "elsewhere").string() + "' && gnuplot ../kept.gp 2>&1";
    ASSERT_EQ(std::system(again.c_str()), 0) << name;
    EXPECT_EQ(read_bytes(folder / "elsewhere" / (name + ".svg")), svg) << name;
    EXPECT_FALSE(trap.sprung()) << name;
  }
  for (const std::string name : {"\n!pwned\n", "a\nb", "\x1b[2J", "\xff"}) {
    const TemporaryFolder folder;
    EXPECT_TRUE(figure.save(folder.path() / name / "picture", 100, 80)) << printable(name);
    EXPECT_THROW(figure.save(folder.path() / "figures" / name), Error) << printable(name);
    EXPECT_FALSE(fs::exists(folder / "figures"));
  }
  EXPECT_FALSE(trap.sprung());
}

TEST(Payload, IsNoColourAndNoPlaceOfTheLegend) {
  for (const std::string& text : payloads()) {
    EXPECT_THROW(plot::Figure({.legend = text}), Error) << printable(text.substr(0, 50));
    EXPECT_THROW(plot::Figure().line(tensor({0.0}), tensor({1.0}), {.color = text}), Error)
        << printable(text.substr(0, 50));
    EXPECT_THROW(plot::Figure().horizontal(1.0, {.color = text}), Error) << printable(text.substr(0, 50));
    EXPECT_THROW(plot::Figure().vertical(1.0, {.color = text}), Error) << printable(text.substr(0, 50));
    EXPECT_THROW(plot::Figure().image(zeros({2, 2}), {.palette = text}), Error)
        << printable(text.substr(0, 50));
  }
}

}  // namespace
}  // namespace likely
