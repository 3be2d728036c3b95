// What a supervised recipe does with the model that it has trained.
#include "likely/runs/supervised.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "likely/core/memory.hpp"
#include "likely/io/safetensors.hpp"
#include "likely/nn/linear.hpp"
#include "likely/ops/arithmetic.hpp"
#include "likely/ops/reduce.hpp"
#include "likely/ops/view.hpp"
#include "likely/runs/runs.hpp"
#include "likely/train/history.hpp"
#include "tests/support/check_gradients.hpp"
#include "tests/support/temporary_folder.hpp"

namespace likely::runs {
namespace {

using testing::TemporaryFolder;

// y = 2 x; counts the models that are made, which is done once for a training and once to load.
Recipe counting(int& made) {
  return supervised<nn::Linear>(
      {.name = "counting",
       .chapter = "2",
       .summary = "a line",
       .data = "generated",
       .settings = fit_settings({.epochs = 2, .batch = 10, .lr = 0.1})},
      {.data = [](const Run&, Rng rng) -> Splits {
         const Tensor x = rng.normal({20, 1});
         return {.train = data::Dataset(x, squeeze(x, 1) * 2.0),
                 .test = data::Dataset(x, squeeze(x, 1) * 2.0)};
       },
       .model =
           [&made](const Run&, const Sizes&, Rng rng) {
             ++made;
             return nn::Linear(1, 1, rng.split());
           },
       .objective = regression(),
       .pictures =
           [](const Run& run, const nn::Linear& line, const Splits&, Album&) {
             nn::Linear kept(1, 1, Rng(1));
             io::load(detail::model_file(run), kept);
             EXPECT_TRUE(array_equal(kept.weight, line.weight));
           },
       .remarks = [](const Run&, const nn::Linear& line,
                     const Splits&) { return fmt::format("slope {:.6f}\n", line.weight.item()); }});
}

TEST(Supervised, HandsOnWhatItHasTrained) {
  const TemporaryFolder folder;
  int made = 0;
  const Catalogue catalogue{counting(made)};
  runs::Run run = default_run(catalogue[0]);
  run.out = folder / "run";
  const RunReport trained = train_recipe(catalogue[0], run);
  EXPECT_EQ(made, 1);
  // What is loaded later is the same, bit for bit, and loaded once.
  made = 0;
  const RunReport again = evaluate_run(catalogue, folder / "run");
  EXPECT_EQ(made, 1);
  EXPECT_EQ(again.seeds[0].report.text, trained.seeds[0].report.text);
  ASSERT_EQ(again.figures().size(), trained.figures().size());
  for (std::size_t i = 0; i < again.figures().size(); ++i)
    EXPECT_EQ(again.figures()[i].value, trained.figures()[i].value) << again.figures()[i].name;
  made = 0;
  EXPECT_EQ(plot_run(catalogue, folder / "run").pictures(), trained.pictures());
  EXPECT_EQ(made, 1);
}

// As many inputs and outputs as the rows, or the file, have.
Recipe any_line() {
  return supervised<nn::Linear>(
      {.name = "any-line",
       .chapter = "2",
       .summary = "a line",
       .data = "generated",
       .settings = fit_settings({.epochs = 2, .batch = 10, .lr = 0.1})},
      {.data = [](const Run&, Rng rng) -> Splits {
         const Tensor x = rng.normal({20, 3});
         return {.train = data::Dataset(x, sum(x, 1))};
       },
       .model = [](const Run&, const Sizes& sizes,
                   Rng rng) { return nn::Linear(sizes.input.size(), sizes.outputs, rng.split()); },
       .objective = regression()});
}

// A model is made before the file is read into it. One that the file announces and cannot fill is not.
TEST(Supervised, MakesNoModelThatItsFileCannotFill) {
  const TemporaryFolder folder;
  const Catalogue catalogue{any_line()};
  runs::Run run = default_run(catalogue[0]);
  run.out = folder / "run";
  train_recipe(catalogue[0], run);
  const std::filesystem::path file = folder / "run/model.safetensors";
  const io::NamedTensors good = io::load_safetensors(file);
  testing::write_bytes(folder / "rows.csv", "1,2,3\n");
  EXPECT_EQ(predict_run(catalogue, folder / "run", folder / "rows.csv").columns[0].values.size(), 1);
  for (const auto& [key, value] : std::vector<std::pair<std::string, std::string>>{{"outputs", "250000000"},
                                                                                   {"outputs", "999999999"},
                                                                                   {"input", "900000000"},
                                                                                   {"outputs", "1000000"}}) {
    io::NamedTensors hostile = good;
    hostile.metadata[key] = value;
    io::save_safetensors(file, hostile);
    const std::int64_t before = memory_report().in_use;
    reset_peak_memory();
    for (int which = 0; which < 3; ++which) {
      if (which == 1 && key == "input") continue;  // which refuses the rows
      testing::expect_refusal(
          [&] {
            if (which == 0) evaluate_run(catalogue, folder / "run");
            if (which == 1) predict_run(catalogue, folder / "run", folder / "rows.csv");
            if (which == 2) plot_run(catalogue, folder / "run");
          },
          file.string() + ": the model that recipe.json and this file announce is larger than the file");
    }
    EXPECT_LT(memory_report().peak - before, 200'000) << key << " = " << value;
  }
}

// The curves of a training that went on are those of all its epochs.
TEST(Supervised, DrawsTheWholeHistory) {
  const TemporaryFolder folder;
  int made = 0;
  const Catalogue catalogue{counting(made)};
  runs::Run run = default_run(catalogue[0]);
  run.out = folder / "whole";
  run.settings.set("epochs", "4");
  train_recipe(catalogue[0], run);
  run.out = folder / "parts";
  run.settings.set("epochs", "2");
  train_recipe(catalogue[0], run);
  resume_run(catalogue, folder / "parts", {"epochs=4"});
  const auto history = train::read_history(folder / "parts");
  ASSERT_EQ(history.size(), 4U);
  EXPECT_EQ(testing::read_bytes(folder / "parts/figures/loss.gp"),
            testing::read_bytes(folder / "whole/figures/loss.gp"));
}

}  // namespace
}  // namespace likely::runs
