// The recipes of chapters 8, 10 and 11, run as small as they go.
#include <gtest/gtest.h>

#include <fstream>

#include "likely/core/error.hpp"
#include "likely/models/recipes.hpp"
#include "likely/runs/runs.hpp"
#include "tests/support/check_gradients.hpp"
#include "tests/support/hostile_tensors.hpp"
#include "tests/support/shared_data.hpp"
#include "tests/support/temporary_folder.hpp"

namespace likely::models {
namespace {

using namespace runs;
using testing::expect_refusal;
using testing::read_bytes;
using testing::TemporaryFolder;

Run small_run(const std::string& name, const std::filesystem::path& out,
              const std::vector<std::string>& settings) {
  runs::Run run = default_run(find_recipe(recipes(), name));
  for (const std::string& setting : settings) run.settings.set(setting);
  run.out = out;
  return run;
}

double figure(const RunReport& report, const std::string& name) {
  for (const Measured& each : report.figures()) {
    if (each.name == name) return each.value;
  }
  ADD_FAILURE() << "no figure " << name;
  return 0.0;
}

TEST(VisionRecipes, OfMnist1dTrainAndDraw) {
  const TemporaryFolder folder;
  const std::vector<std::pair<std::string, std::vector<std::string>>> all{
      {"mnist1d-logistic", {"epochs=3"}},
      {"mnist1d-mlp", {"epochs=3", "width=20", "dropout=0"}},
      {"mnist1d-cnn", {"epochs=3", "channels=6", "dropout=0"}},
      {"mnist1d-resnet", {"epochs=2", "channels=4", "blocks=1"}}};
  for (const auto& [name, settings] : all) {
    SCOPED_TRACE(name);
    const RunReport report =
        train_recipe(find_recipe(recipes(), name), small_run(name, folder / name, settings));
    EXPECT_GT(figure(report, "test accuracy"), 0.15);
    EXPECT_TRUE(std::filesystem::exists(folder / name / "figures/filters.gp"));
    EXPECT_TRUE(std::filesystem::exists(folder / name / "figures/activations.gp"));
    EXPECT_TRUE(std::filesystem::exists(folder / name / "figures/confusion.gp"));
    EXPECT_EQ(figure(evaluate_run(recipes(), folder / name), "test accuracy"),
              figure(report, "test accuracy"));
  }
}

// Multinomial logistic regression has one optimum: what is reached does not depend on how.
TEST(VisionRecipes, LogisticRegressionReachesWhatIsPublished) {
  LIKELY_SHARED_DATA(curves, "mnist1d");
  const TemporaryFolder folder;
  runs::Run run = small_run("mnist1d-logistic", folder / "run", {});
  run.data = curves;
  EXPECT_NEAR(figure(train_recipe(find_recipe(recipes(), "mnist1d-logistic"), run), "test accuracy"), 0.32,
              0.015);
}

// A network with running statistics, in whose file each tensor in turn is wrong.
TEST(VisionRecipes, RefuseModelsThatDoNotFit) {
  const TemporaryFolder folder;
  const std::string name = "mnist1d-resnet";
  train_recipe(find_recipe(recipes(), name),
               small_run(name, folder / "run", {"epochs=1", "batch=500", "channels=2", "blocks=1"}));
  const std::filesystem::path model = folder / "run/model.safetensors", rows = folder / "rows.csv";
  std::string row = "0.5";
  for (int i = 1; i < 40; ++i) row += ",0.5";
  testing::write_bytes(rows, row + "\n" + row + "\n");
  const auto read = [&] { predict_run(recipes(), folder / "run", rows); };
  read();
  const io::NamedTensors valid = io::load_safetensors(model);
  testing::expect_all_refused(
      testing::hostile_tensors(valid), model, read, [](const testing::HostileFile& hostile) {
        // Floating numbers take the model's type; statistics may overflow in good faith.
        return (hostile.change == "other type" && !hostile.name.ends_with("num_batches_tracked")) ||
               (hostile.change == "infinite" && hostile.name.find("running_") != std::string::npos);
      });
  for (const std::string key : {"input", "outputs"}) {
    for (const char* text :
         {"", "x", "40x", "x40", "-40", "41", "4000000000x4000000000", "1x1x1x1x1x1x1x1x1"}) {
      if (key == "input" && *text == '\0') continue;  // a row of one number
      io::NamedTensors file = valid;
      file.metadata[key] = text;
      testing::write_plain_safetensors(model, file);
      EXPECT_THROW(read(), Error) << key << " " << text;
    }
  }
  testing::write_plain_safetensors(model, valid);
  read();
  // Settings that were changed are not those the model was made with, and neither is a changed byte.
  std::string recipe = read_bytes(folder / "run/recipe.json");
  recipe.replace(recipe.find("\"blocks\": \"1\""), 13, "\"blocks\": \"2\"");
  testing::write_bytes(folder / "run/recipe.json", recipe);
  expect_refusal(read, (folder / "run/recipe.json").string() +
                           ": the file was changed after it was written (its checksum does not fit; without "
                           "the key \"checksum\" it is taken as it is)");
}

TEST(VisionRecipes, OfMnistNeedItsFiles) {
  const TemporaryFolder folder;
  for (const char* name : {"mnist-mlp", "mnist-cnn", "mnist-resnet"}) {
    runs::Run run = small_run(name, folder / "run", {});
    expect_refusal(
        [&] { train_recipe(find_recipe(recipes(), name), run); },
        std::string(name) +
            " needs `data`: folder with MNIST's four IDX files (train-images-idx3-ubyte and so on, "
            "plain or .gz)");
    run.data = folder / "none";
    expect_refusal([&] { train_recipe(find_recipe(recipes(), name), run); },
                   "`data = " + (folder / "none").string() + "`: there is no such file or folder");
    std::filesystem::create_directories(folder / "empty");
    run.data = folder / "empty";
    expect_refusal([&] { train_recipe(find_recipe(recipes(), name), run); },
                   "[load_idx] cannot open " + (folder / "empty/train-images-idx3-ubyte.gz").string() +
                       ": No such file or directory");
    EXPECT_FALSE(std::filesystem::exists(folder / "run"));
  }
}

// IDX files of a few digits: bright in the upper or in the lower half.
void write_digits(const std::filesystem::path& folder, const std::string& part, int count) {
  const auto big_endian = [](std::ofstream& to, int value) {
    for (const int shift : {24, 16, 8, 0}) to.put(static_cast<char>(value >> shift));
  };
  std::ofstream images(folder / (part + "-images-idx3-ubyte"), std::ios::binary);
  std::ofstream labels(folder / (part + "-labels-idx1-ubyte"), std::ios::binary);
  for (const int word : {0x803, count, 28, 28}) big_endian(images, word);
  for (const int word : {0x801, count}) big_endian(labels, word);
  for (int n = 0; n < count; ++n) {
    labels.put(static_cast<char>(n % 2));
    for (int i = 0; i < 784; ++i)
      images.put(static_cast<char>((i < 392) == (n % 2 == 0) ? 200 : 7 * (i % 9)));
  }
}

TEST(VisionRecipes, OfMnistTrainOnIdxFiles) {
  const TemporaryFolder folder;
  std::filesystem::create_directories(folder / "digits");
  write_digits(folder / "digits", "train", 100);
  write_digits(folder / "digits", "t10k", 20);
  const std::vector<std::pair<std::string, std::vector<std::string>>> all{
      {"mnist-mlp", {"epochs=4", "batch=20", "width=16", "dropout=0", "lr=0.01"}},
      {"mnist-cnn", {"epochs=1", "batch=20"}},
      {"mnist-resnet", {"epochs=4", "batch=20", "channels=2", "blocks=1"}}};
  for (const auto& [name, settings] : all) {
    SCOPED_TRACE(name);
    runs::Run run = small_run(name, folder / name, settings);
    run.data = folder / "digits";
    EXPECT_GT(figure(train_recipe(find_recipe(recipes(), name), run), "test accuracy"), 0.9);
    EXPECT_TRUE(std::filesystem::exists(folder / name / "figures/activations.gp"));
  }
}

TEST(VisionRecipes, DoubleDescentKeepsItsTableAndGoesOn) {
  const TemporaryFolder folder;
  const Recipe& recipe = find_recipe(recipes(), "double-descent");
  const runs::Run run = small_run("double-descent", folder / "run", {"epochs=2", "widths=4,16,8"});
  const RunReport report = train_recipe(recipe, run);
  EXPECT_GT(figure(report, "test error at width 16"), 0.3);
  EXPECT_LT(figure(report, "test error at width 16"), 0.9);
  const std::string table = read_bytes(folder / "run/widths.csv");
  EXPECT_EQ(table.substr(0, table.find('\n')), "width,parameters,train_error,test_error");
  EXPECT_NE(table.find("\n16,1098,"), std::string::npos);  // (40 + 1) 16 + (16 + 1) 16 + (16 + 1) 10
  EXPECT_TRUE(std::filesystem::exists(folder / "run/figures/double-descent.gp"));
  // Nothing is left to train: the same table.
  resume_run(recipes(), folder / "run");
  EXPECT_EQ(read_bytes(folder / "run/widths.csv"), table);
}

TEST(VisionRecipes, DoubleDescentRefusesOtherWidths) {
  const TemporaryFolder folder;
  for (const std::string widths : {"", "4,", "4;8", "0", "x"}) {
    const runs::Run run = small_run("double-descent", folder / "run", {"widths=" + widths});
    expect_refusal([&] { train_recipe(find_recipe(recipes(), "double-descent"), run); },
                   "widths must be whole numbers >= 1 with commas between them, got \"" + widths + "\"");
  }
}

TEST(VisionRecipes, ShatteredGradientsMeasureAndDraw) {
  const TemporaryFolder folder;
  const runs::Run run =
      small_run("shattered-gradients", folder / "run", {"layers=6", "width=30", "networks=3"});
  const RunReport report = train_recipe(find_recipe(recipes(), "shattered-gradients"), run);
  EXPECT_GT(figure(report, "autocorrelation at 0.2, 1 layer"), 0.5);
  EXPECT_LT(figure(report, "autocorrelation at 0.2, 6 layers"), 0.9);
  EXPECT_TRUE(std::filesystem::exists(folder / "run/figures/gradients.gp"));
  EXPECT_TRUE(std::filesystem::exists(folder / "run/figures/autocorrelation.gp"));
  expect_refusal(
      [&] { evaluate_run(recipes(), folder / "run"); },
      "shattered-gradients is an experiment: there is nothing to evaluate; its figures are in report.json");
}

}  // namespace
}  // namespace likely::models
