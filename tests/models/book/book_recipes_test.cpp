// The recipes of chapters 2 to 6 with their defaults, held to what their data allow.
#include <gtest/gtest.h>

#include <cmath>

#include "likely/models/recipes.hpp"
#include "likely/runs/runs.hpp"
#include "tests/support/check_gradients.hpp"
#include "tests/support/temporary_folder.hpp"

namespace likely::models {
namespace {

using namespace runs;
using testing::expect_refusal;
using testing::TemporaryFolder;
using testing::write_bytes;

struct Bar {
  std::string recipe, figure;
  double low, high;
};

// The noise of the data is the least RMSE there is: 0.14 (line), 0.05 (pieces), 0.1 (Gabor).
class BookRecipes : public ::testing::TestWithParam<Bar> {};

TEST_P(BookRecipes, ReachWhatTheDataAllow) {
  const TemporaryFolder folder;
  const Recipe& recipe = find_recipe(recipes(), GetParam().recipe);
  runs::Run run = default_run(recipe);
  run.out = folder / "run";
  run.seed = 3;
  const RunReport report = train_recipe(recipe, run);
  bool found = false;
  for (const Measured& figure : report.figures()) {
    if (figure.name != GetParam().figure) continue;
    found = true;
    EXPECT_GE(figure.value, GetParam().low);
    EXPECT_LE(figure.value, GetParam().high);
  }
  EXPECT_TRUE(found);
}

INSTANTIATE_TEST_SUITE_P(All, BookRecipes,
                         ::testing::Values(Bar{"linear-regression", "test RMSE", 0.13, 0.15},
                                           Bar{"shallow-regression", "test RMSE", 0.045, 0.065},
                                           Bar{"deep-regression", "test RMSE", 0.09, 0.12},
                                           Bar{"gabor", "test RMSE", 0.09, 0.115},
                                           Bar{"shallow-normal", "test within 2 sd", 0.92, 0.98},
                                           Bar{"shallow-binary", "test accuracy", 0.78, 0.86},
                                           Bar{"logistic-regression", "test accuracy", 0.8, 0.87},
                                           Bar{"moons", "test accuracy", 0.97, 1.0},
                                           Bar{"spirals", "test accuracy", 0.97, 1.0}),
                         [](const ::testing::TestParamInfo<Bar>& bar) {
                           std::string name = bar.param.recipe;
                           std::erase(name, '-');
                           return name;
                         });

// The line through points without noise, and a user's own columns.
TEST(BookRecipesOnFiles, LearnTheLineOfAFile) {
  const TemporaryFolder folder;
  std::string rows = "x,y\n";
  for (int i = 0; i < 50; ++i)
    rows += std::to_string(i / 25.0) + "," + std::to_string(1.5 - 0.5 * i / 25.0) + "\n";
  write_bytes(folder / "line.csv", rows);
  const Recipe& recipe = find_recipe(recipes(), "linear-regression");
  runs::Run run = default_run(recipe);
  run.out = folder / "run";
  run.data = folder / "line.csv";
  const RunReport report = train_recipe(recipe, run);
  EXPECT_LT(report.figures()[0].value, 1e-3);
  write_bytes(folder / "new.csv", "x\n0\n2\n");
  const Predictions said = predict_run(recipes(), folder / "run", folder / "new.csv").columns;
  EXPECT_NEAR(said[0].values.at({0}), 1.5, 2e-3);
  EXPECT_NEAR(said[0].values.at({1}), 0.5, 2e-3);
}

TEST(BookRecipesOnFiles, RefuseWhatDoesNotFit) {
  const TemporaryFolder folder;
  const auto train_on = [&](const std::string& recipe, const std::string& text) {
    write_bytes(folder / "rows.csv", text);
    runs::Run run = default_run(find_recipe(recipes(), recipe));
    run.out = folder / "run";
    run.data = folder / "rows.csv";
    train_recipe(find_recipe(recipes(), recipe), run);
  };
  const std::string file = (folder / "rows.csv").string();
  const std::string three = "1,2,0\n1,2,1\n3,4,1\n1,3,1\n5,4,2\n5,6,0\n";
  expect_refusal([&] { train_on("gabor", three); }, file + ": 2 columns before the last, 1 is needed");
  expect_refusal([&] { train_on("shallow-binary", three); }, file + ": the classes must be 0 and 1");
  expect_refusal([&] { train_on("moons", "1,2,0.5\n1,2,1\n"); },
                 file + ": the last column must hold classes: whole numbers from 0 on, or names");
  expect_refusal([&] { train_on("moons", "1,2,0\n1,2,1\n"); },
                 file + ": 2 rows are too few, at least 5 are needed");
  expect_refusal([&] { train_on("moons", "a,b,c\n1,2,0\n1,2\n"); },
                 "[read_csv] " + file + ", line 3: 2 fields, 3 columns are expected");
  EXPECT_EQ(folder.list(), "rows.csv");
}

}  // namespace
}  // namespace likely::models
