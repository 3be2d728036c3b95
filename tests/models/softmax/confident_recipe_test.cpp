// What the recipes of confident classifiers do with the pair that they have trained.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "likely/core/memory.hpp"
#include "likely/io/safetensors.hpp"
#include "likely/models/recipes.hpp"
#include "likely/runs/runs.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/temporary_folder.hpp"

namespace likely::confidence {

namespace {

using testing::TemporaryFolder;

std::filesystem::path trained_in(const TemporaryFolder& folder) {
  runs::Run run = runs::default_run(runs::find_recipe(models::recipes(), "confident"));
  for (const char* setting : {"rows=100", "epochs=2", "width=64", "player_width=8"})
    run.settings.set(setting);
  run.out = folder / "run";
  runs::train_recipe(runs::find_recipe(models::recipes(), "confident"), run);
  return run.out;
}

void replace_in(const std::filesystem::path& file, const std::string& what, const std::string& by) {
  std::string text = testing::read_bytes(file);
  const std::size_t at = text.find(what);
  ASSERT_NE(at, std::string::npos) << text;
  testing::write_bytes(file, text.replace(at, what.size(), by));
}

TEST(ConfidentRecipe, MakesNoPairThatItsFileCannotFill) {
  const TemporaryFolder folder;
  const std::filesystem::path run = trained_in(folder), model = run / "model.safetensors";
  const std::string recipe = testing::read_bytes(run / "recipe.json");
  const io::NamedTensors good = io::load_safetensors(model);
  EXPECT_EQ(good.metadata.at("input"), "2");
  EXPECT_EQ(good.metadata.at("outputs"), "2");
  EXPECT_EQ(good.metadata.at("seed"), "1");
  testing::write_bytes(folder / "rows.csv", "1,2\n");
  for (const std::string hostile : {"width", "player_width", "outputs"}) {
    if (hostile == "outputs") {
      io::NamedTensors many = good;
      many.metadata["outputs"] = "250000000";
      io::save_safetensors(model, many);
    } else {
      testing::write_bytes(run / "recipe.json",
                           "{" + recipe.substr(recipe.find("\n  \"likely\"")));  // no checksum
      replace_in(run / "recipe.json", fmt::format("\"{}\": \"{}\"", hostile, hostile == "width" ? 64 : 8),
                 fmt::format("\"{}\": \"10000\"", hostile));
    }
    for (int which = 0; which < 3; ++which) {
      const std::int64_t before = memory_report().in_use;
      reset_peak_memory();
      testing::expect_refusal(
          [&] {
            if (which == 0) runs::evaluate_run(models::recipes(), run);
            if (which == 1) runs::predict_run(models::recipes(), run, folder / "rows.csv");
            if (which == 2) runs::plot_run(models::recipes(), run);
          },
          model.string() + ": the model that recipe.json and this file announce is larger than the file");
      EXPECT_LT(memory_report().peak - before, 5'000'000) << hostile;
    }
    testing::write_bytes(run / "recipe.json", recipe);
  }
  io::save_safetensors(model, good);
  EXPECT_NO_THROW(runs::evaluate_run(models::recipes(), run));
}

TEST(ConfidentRecipe, PredictsManyRowsAsFew) {
  const TemporaryFolder folder;
  const std::filesystem::path run = trained_in(folder);
  const auto predict = [&](int first, int last) {
    std::string rows;
    for (int i = first; i < last; ++i)
      rows += fmt::format("{},{}\n", i % 71 * 0.07 - 2.5, i % 53 * 0.1 - 2.6);
    testing::write_bytes(folder / "rows.csv", rows);
    return runs::predict_run(models::recipes(), run, folder / "rows.csv").columns;
  };
  constexpr int kMany = 700, kFew = 30;
  const runs::Predictions many = predict(0, kMany);
  ASSERT_EQ(many[0].values.size(), kMany);
  for (const int first : {0, 240, 500, kMany - kFew}) {
    const runs::Predictions few = predict(first, first + kFew);
    ASSERT_EQ(few.size(), many.size());
    for (std::size_t column = 0; column < few.size(); ++column) {
      const auto all = many[column].values.to_vector<double>(), some = few[column].values.to_vector<double>();
      for (std::size_t i = 0; i < kFew; ++i)
        EXPECT_NEAR(some[i], all[i + static_cast<std::size_t>(first)], 1e-6)
            << many[column].name << first + i;
    }
  }
}

// However many rows there are, the model sees 256 at a time.
TEST(ConfidentRecipe, TakesNoMoreMemoryForManyRows) {
  const TemporaryFolder folder;
  const std::filesystem::path run = trained_in(folder);
  const auto peak_of = [&](int count) {
    std::string rows;
    for (int i = 0; i < count; ++i) rows += "0.5,-0.5\n";
    testing::write_bytes(folder / "rows.csv", rows);
    const std::int64_t before = memory_report().in_use;
    reset_peak_memory();
    runs::predict_run(models::recipes(), run, folder / "rows.csv");
    return memory_report().peak - before;
  };
  // A row of two numbers becomes two logits and four columns; hidden units would be 64 numbers a layer.
  EXPECT_LT(peak_of(20'000), peak_of(256) + 20'000 * 4 * 20);
}

}  // namespace

}  // namespace likely::confidence
