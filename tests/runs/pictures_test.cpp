#include "likely/runs/pictures.hpp"

#include <gtest/gtest.h>

#include <sstream>
#include <string>

#include "likely/core/create.hpp"
#include "likely/ops/arithmetic.hpp"
#include "likely/ops/view.hpp"
#include "tests/support/temporary_folder.hpp"

namespace likely::runs {
namespace {

using testing::read_bytes;
using testing::TemporaryFolder;

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// The two ends of the line "all right", as the script has them.
std::string ends_of(const std::string& script) {
  const std::size_t data = script.find("$d0_1 << EOD\n") + 13;
  return script.substr(data, script.find("EOD", data) - data);
}

TEST(Predicted, HasItsDiagonalWhateverTheSize) {
  const TemporaryFolder folder;
  PictureFolder pictures(folder.path());
  for (const double unit : {1e-300, 1.0, 1e300}) {
    const Tensor truth = tensor({0.0, 50.0 * unit, 100.0 * unit}, DType::f64);
    draw_predicted(truth, truth, pictures);
    EXPECT_TRUE(pictures.drawn().warnings.empty());
    const std::string script = read_bytes(folder / "figures/predicted.gp");
    EXPECT_TRUE(contains(script, "$d0_1 using 1:2 with lines")) << unit;
    std::istringstream ends(ends_of(script));
    double x = 0.0, y = 0.0;
    for (const double wanted : {-2.0, 102.0}) {
      std::string first, second;
      ends >> first >> second;
      x = std::stod(first);
      y = std::stod(second);
      EXPECT_NEAR(x / unit, wanted, 1e-5);
      EXPECT_EQ(x, y);
    }
  }
  // Far from 0, where f32 has one number for all of them.
  const Tensor far = tensor({1e15, 1e15 + 50.0, 1e15 + 100.0}, DType::f64);
  draw_predicted(far, far, pictures);
  EXPECT_EQ(ends_of(read_bytes(folder / "figures/predicted.gp")),
            "999999999999998 999999999999998\n1000000000000102 1000000000000102\n");
}

TEST(Predicted, SaysThatItShowsSomeOfManyRows) {
  const TemporaryFolder folder;
  PictureFolder pictures(folder.path());
  draw_predicted(linspace(0.0, 1.0, 1500), linspace(0.0, 1.0, 1500), pictures);
  EXPECT_TRUE(contains(read_bytes(folder / "figures/predicted.gp"), "title \"rows\""));
  draw_predicted(linspace(0.0, 1.0, 1501), linspace(0.0, 1.0, 1501), pictures);
  EXPECT_TRUE(contains(read_bytes(folder / "figures/predicted.gp"), "title \"1500 of 1501 rows\""));
}

TEST(Areas, ShowEveryClass) {
  const TemporaryFolder folder;
  PictureFolder pictures(folder.path());
  // 13 classes, a strip each.
  std::vector<double> x;
  std::vector<std::int64_t> y;
  for (std::int64_t k = 0; k < 13; ++k) {
    for (const double up : {0.0, 13.0}) {
      x.push_back(static_cast<double>(k));
      x.push_back(up);
      y.push_back(k);
    }
  }
  const data::Dataset rows(tensor(x, {26, 2}).to(DType::f32), tensor(y));
  const auto nearest = [](const Tensor& places) {
    const Tensor centres = arange(13, DType::f32);
    const Tensor away = reshape(select(places, 1, 0), {places.dim(0), 1}) - reshape(centres, {1, 13});
    return -(away * away);
  };
  draw_areas(nearest, Objective::Kind::classes, rows, pictures);
  EXPECT_TRUE(pictures.drawn().warnings.empty());
  const std::string script = read_bytes(folder / "figures/areas.gp");
  EXPECT_TRUE(contains(script, "set palette maxcolors 13 "));
  EXPECT_TRUE(contains(script, "lc rgb '#20126b' title \"class 12\"")) << script.substr(script.find("plot "));
}

TEST(Confusion, CutsLongNames) {
  const TemporaryFolder folder;
  PictureFolder pictures(folder.path());
  draw_confusion(tensor({{1.0, 2.0}, {3.0, 4.0}}), {std::string(10'000, 'x'), "b"}, pictures);
  EXPECT_TRUE(pictures.drawn().warnings.empty());
  EXPECT_TRUE(contains(read_bytes(folder / "figures/confusion.gp"), "\"" + std::string(22, 'x') + "..\" 0"));
}

// Thousands of names would be bars of grey.
TEST(Confusion, ShowsTheMostFrequentOfManyClasses) {
  const TemporaryFolder folder;
  PictureFolder pictures(folder.path());
  const auto script_of = [&](std::int64_t classes) {
    std::vector<std::int64_t> counts(static_cast<std::size_t>(classes * classes));
    for (std::int64_t k = 0; k < classes; ++k)
      counts[static_cast<std::size_t>(k * classes + k)] = k % 2 == 0 ? 1 : 3;
    draw_confusion(tensor(counts, {classes, classes}), {"first", "second"}, pictures);
    EXPECT_TRUE(pictures.drawn().warnings.empty());
    return read_bytes(folder / "figures/confusion.gp");
  };
  const std::string forty = script_of(40);
  EXPECT_TRUE(contains(forty, "\"Confusion matrix\""));
  EXPECT_TRUE(contains(forty, "\"38\" 38"));
  const std::string many = script_of(100);
  EXPECT_TRUE(contains(many, "Confusion matrix of the 40 most frequent of 100 classes"));
  EXPECT_TRUE(contains(many, "\"second\" 0"));
  EXPECT_TRUE(contains(many, "\"79\" 39"));
  EXPECT_FALSE(contains(many, "\"first\""));
  EXPECT_FALSE(contains(many, "\"81\""));
}

}  // namespace
}  // namespace likely::runs
