#include "likely/models/softmax/calibration_study.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "likely/io/json.hpp"
#include "likely/io/npy.hpp"
#include "likely/likely.hpp"
#include "likely/models/softmax/score_file.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/temporary_folder.hpp"

namespace likely::confidence {

namespace {

using testing::TemporaryFolder;
using testing::write_bytes;

class ScoreFile : public ::testing::Test {
 protected:
  runs::HeldOutLogits read(const std::string& text, const std::string& label = "") {
    write_bytes(folder_ / "scores.csv", text);
    return read_scores(folder_ / "scores.csv", {.label = label});
  }
  void expect_refused(const std::string& text, const std::string& why) {
    testing::expect_refusal([&] { read(text); }, (folder_ / "scores.csv").string() + ": " + why);
  }
  TemporaryFolder folder_;
};

TEST_F(ScoreFile, HaveLabelsByNameOrByPlace) {
  const auto named = read("cat,label,dog\n2.5,cat,-1\n0,dog,1e2\n");
  EXPECT_EQ(named.classes, (std::vector<std::string>{"cat", "dog"}));
  EXPECT_EQ(named.labels.to_vector<std::int64_t>(), (std::vector<std::int64_t>{0, 1}));
  EXPECT_EQ(named.logits.to_vector<double>(), (std::vector<double>{2.5, -1.0, 0.0, 100.0}));
  EXPECT_TRUE(named.notes.empty());
  const auto placed = read("y;p_cat;p_dog\n1;2,5;-1\n0;0;3\n");
  EXPECT_EQ(placed.labels.to_vector<std::int64_t>(), (std::vector<std::int64_t>{1, 0}));
  // Names that are numbers are names: "5" and "7" are no places.
  const auto digits = read("label,5,7\n7,0.5,2\n5,0.5,3\n");
  EXPECT_EQ(digits.labels.to_vector<std::int64_t>(), (std::vector<std::int64_t>{1, 0}));
  EXPECT_EQ(read("kind,a,b\na,1,2\n", "kind").labels.size(), 1);
}

TEST_F(ScoreFile, ProbabilitiesAreSaid) {
  const auto scores = read("label,a,b\na,0.75,0.25\nb,1,0\n");
  EXPECT_NEAR(scores.logits.at({0, 0}), std::log(0.75), 1e-15);
  EXPECT_NEAR(scores.logits.at({1, 1}), std::log(1e-12), 1e-12);
  EXPECT_EQ(scores.notes, (std::vector<std::string>{
                              "1 probabilities are 0, and were taken for 1e-12",
                              "the numbers of every row add up to 1: they were taken for probabilities"}));
}

TEST_F(ScoreFile, AreRefusedWithTheirLine) {
  expect_refused("label,a,b\na,1,2\nc,1,2\n",
                 "line 3: the label \"c\" is neither the name of a column nor a number from 0 to 1");
  expect_refused("label,a,b\n0,1,2\n2,1,2\n",
                 "line 3: the label \"2\" is neither the name of a column nor a number from 0 to 1");
  expect_refused("label,a,b\na,1,2\nb,1,x\nb,1,1\n", "line 3: \"x\" in column \"b\" is no number");
  expect_refused("label,a,b\na,1,2\nb,1,inf\n", "line 3: the number in column \"b\" is not finite");
  expect_refused("label,a\na,1\na,2\n",
                 "a column is needed for each of two classes at least, besides the labels");
  expect_refused("kind,a,b\na,1,2\n",
                 "no column is called label, class, target, true or y; say which holds the true class with "
                 "`label`: there are "
                 "kind, a, b");
  expect_refused("label,a,p_a\na,1,2\n", "two columns are for the class \"a\"");
  expect_refused("label,a,b\n0.5,1,2\n", "column \"label\" holds numbers that are not whole, no classes");
  testing::expect_refusal(
      [&] { read("label,a,b\na,1,2\n", "lable"); },
      (folder_ / "scores.csv").string() + ": there is no column \"lable\"; there are label, a, b");
  testing::expect_refusal([&] { read_scores(folder_ / "none.csv"); },
                          (folder_ / "none.csv").string() + ": there is no such file");
}

TEST_F(ScoreFile, ArraysAreReadAndRefused) {
  const auto file = folder_ / "scores.npz";
  const Tensor y = tensor(std::vector<std::int64_t>{0, 1}, {2});
  const auto save = [&](const std::map<std::string, Tensor>& arrays) {
    io::NamedTensors named;
    for (const auto& [name, tensor] : arrays) named.tensors.emplace_back(name, tensor);
    io::save_npz(file, named);
    return read_scores(file);
  };
  const Tensor z = tensor(std::vector<double>{0.5, 2.0, 1.0, -1.0}, {2, 2});
  EXPECT_TRUE(array_equal(save({{"labels", y}, {"logits", z}}).logits, z));
  EXPECT_NEAR(save({{"labels", y}, {"probabilities", full({2, 2}, 0.5)}}).logits.at({0, 0}), std::log(0.5),
              1e-7);
  const auto refused = [&](const std::map<std::string, Tensor>& arrays, const std::string& why) {
    testing::expect_refusal([&] { save(arrays); }, file.string() + ": " + why);
  };
  refused({{"labels", y}}, "the arrays labels and logits are needed, or labels and probabilities");
  refused({{"labels", y}, {"probabilities", z}}, "the probabilities of row 0 do not add up to 1");
  refused({{"labels", y + 1}, {"logits", z}}, "row 1 has the label 2, there are 2 classes");
  refused({{"labels", zeros({2})}, {"logits", z}}, "labels must be (2,) whole numbers, is (2,) f32");
  refused({{"labels", y}, {"logits", zeros({2})}},
          "logits must be (rows, classes) with two classes at least, is (2,) f32");
}

// Logits three times too large.
runs::HeldOutLogits too_sure(std::int64_t rows) {
  Rng rng(4);
  const Tensor z = rng.normal({rows, 4}, 0.0, 1.5, DType::f64);
  const Tensor labels = rng.categorical(z);
  return {.of = "test", .logits = z * 3.0, .labels = labels};
}

TEST(CalibrationStudies, MendWhatIsTooSure) {
  const CalibrationStudy study = study_calibration(too_sure(1500), {.measure = {.resamples = 50}});
  ASSERT_EQ(study.scalers.size(), 3U);
  for (const ScalerStudy& scaler : study.scalers) {
    EXPECT_LT(scaler.figures.ece.value, 0.05);
    EXPECT_GT(study.before.ece.value, 0.15);
    EXPECT_LT(scaler.figures.nll.value, study.before.nll.value - 0.2);
  }
  EXPECT_NEAR(study.scalers[0].temperature, 3.0, 4.0 * study.scalers[0].temperature_error);
  EXPECT_TRUE(study.warnings.empty());
  const auto json = io::parse_json<io::SortedJson>(json_of(study));
  EXPECT_EQ(json["scalers"]["temperature"]["temperature"].get<double>(), study.scalers[0].temperature);
  EXPECT_NE(text_of(study).find("temperature: "), std::string::npos);
}

// A row is judged by scalers that have not seen it: where labels are noise, a matrix that had would look
// good.
TEST(CalibrationStudies, JudgeRowsByOthers) {
  Rng rng(6);
  const Tensor z = rng.normal({60, 6}, 0.0, 1.0, DType::f64);
  const runs::HeldOutLogits rows{.of = "test", .logits = z, .labels = rng.randint(0, 6, {60})};
  const ScalingOptions free{.scale = 0.0, .off_diagonal = 0.0, .shift = 0.0};
  const CalibrationStudy study =
      study_calibration(rows, {.scalers = {"matrix"}, .measure = {.resamples = 0}, .scaling = free});
  EXPECT_LT(fit_matrix(z, rows.labels, free).nll, std::log(6.0) - 0.1);
  EXPECT_GT(study.scalers[0].figures.nll.value, std::log(6.0)) << "as good as nothing at best";
  ASSERT_EQ(study.warnings.size(), 2U);
  EXPECT_EQ(study.warnings[1],
            "matrix scaling has 42 numbers to learn from 48 rows: it may make things worse");
}

TEST(CalibrationStudies, AreWrittenAndReadBack) {
  const TemporaryFolder folder;
  const runs::HeldOutLogits rows = too_sure(200);
  const CalibrationStudy study = study_calibration(rows, {.measure = {.resamples = 0}});
  write_study(study, folder.path(), {.figures = false});
  TemperatureScaler warm;
  io::load(folder / "temperature.safetensors", warm);
  EXPECT_EQ(warm.temperature(), study.scalers[0].temperature);
  VectorScaler vector(4);
  io::load(folder / "vector.safetensors", vector);
  MatrixScaler matrix(4);
  io::load(folder / "matrix.safetensors", matrix);
  EXPECT_TRUE(array_equal(matrix(rows.logits), (*study.matrix)(rows.logits)));
  const runs::HeldOutLogits back = read_scores(folder / "probabilities.csv");
  EXPECT_TRUE(array_equal(back.labels, rows.labels));
  EXPECT_TRUE(allclose(softmax(back.logits, 1), softmax(study.scalers[study.best].logits, 1)));
}

TEST(CalibrationStudies, Refuse) {
  const runs::HeldOutLogits rows = too_sure(10);
  testing::expect_refusal(
      [&] { study_calibration(rows, {.scalers = {"heat"}}); },
      "[calibrate] there is no scaler \"heat\"; there are temperature, vector and matrix");
  testing::expect_refusal(
      [&] {
        study_calibration(rows, {.scalers = {"vector", "vector"}});
      },
      "[calibrate] scaler \"vector\" is there twice");
  testing::expect_refusal([&] { study_calibration(rows, {.folds = 11}); },
                          "[calibrate] folds must be from 2 to the 10 rows, got 11");
  EXPECT_THROW(study_calibration(rows, {.measure = {.cancelled = [] { return true; }}}), Cancelled);
}

TEST(CalibrationStudy, GivesFiguresOfWhichLowerIsBetter) {
  // Right with .8, wrong with .7: errors of .2 and .7, squares 2 x .04 and 2 x .49.
  const Tensor logits = log(tensor({{0.8, 0.2}, {0.7, 0.3}}));
  const Tensor labels = tensor({0, 1}).to(DType::i64);
  const std::vector<runs::Measured> figures =
      figures_of(measure_calibration(logits, labels, {.resamples = 0}), "test");
  const std::vector<std::pair<std::string, double>> expected{
      {"test ECE", 0.45}, {"test NLL", -(std::log(0.8) + std::log(0.3)) / 2.0}, {"test Brier", 0.53}};
  ASSERT_EQ(figures.size(), expected.size());
  for (std::size_t i = 0; i < figures.size(); ++i) {
    EXPECT_EQ(figures[i].name, expected[i].first);
    EXPECT_NEAR(figures[i].value, expected[i].second, 1e-6);
    EXPECT_EQ(figures[i].better, runs::Better::lower);
    EXPECT_FALSE(figures[i].percent);
  }
}

}  // namespace

}  // namespace likely::confidence
