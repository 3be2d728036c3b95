#include "likely/models/softmax/calibration_study.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
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
    return read_scores(folder_ / "scores.csv", {.label = label}).rows;
  }
  Scores take(const std::string& text, const ReadScoresOptions& options = {}) {
    write_bytes(folder_ / "scores.csv", text);
    return read_scores(folder_ / "scores.csv", options);
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
                              "the numbers of every row add up to 1: they were taken for probabilities "
                              "(`scores` says what they are)",
                              "1 probabilities are 0, and were taken for 1e-12"}));
}

// Rounded numbers are what files of probabilities hold: no row may turn all of them into logits.
TEST_F(ScoreFile, RoundedProbabilitiesAndPercentAreTakenForWhatTheyAre) {
  const Scores rounded = take("label,a,b,c\na,.33,.33,.33\nb,.2,.7,.1\nc,.25,.25,.5\n");
  EXPECT_EQ(rounded.taken.numbers, "probabilities");
  EXPECT_EQ(rounded.taken.columns, (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_EQ(rounded.taken.labels, "names");
  EXPECT_NEAR(rounded.rows.logits.at({0, 0}), std::log(1.0 / 3.0), 1e-12);
  EXPECT_EQ(rounded.rows.notes, (std::vector<std::string>{
                                    "the numbers of every row add up to 1 but for 0.01, most in line 2: they "
                                    "were taken for probabilities (`scores` says what they are)"}));
  const Scores percent = take("label,a,b\na,75,25\nb,33.3,66.6\n");
  EXPECT_EQ(percent.taken.numbers, "percent");
  EXPECT_NEAR(percent.rows.logits.at({0, 0}), std::log(0.75), 1e-12);
  EXPECT_EQ(percent.rows.notes.size(), 1U);
  // Said by the user, nothing is guessed and nothing is noted.
  const std::string text = "label,a,b\na,.75,.25\nb,.5,.5\n";
  const Scores logits = take(text, {.scores = ScoreKind::logits});
  EXPECT_EQ(logits.taken.numbers, "logits");
  EXPECT_EQ(logits.rows.logits.at({0, 0}), 0.75);
  EXPECT_TRUE(logits.rows.notes.empty());
  const Scores others = take("label,a,b\na,.9,.6\nb,.1,.3\n", {.scores = ScoreKind::probabilities});
  EXPECT_NEAR(others.rows.logits.at({0, 0}), std::log(0.6), 1e-12);
  EXPECT_TRUE(others.rows.notes.empty());
}

TEST_F(ScoreFile, NumbersOfWhichNobodyCanTellAreRefused) {
  expect_refused("label,a,b\na,.9,.6\nb,.1,.3\n",
                 "all numbers lie between 0 and 1, but those of line 2 do not add up to 1, and may be of one "
                 "class against the rest: say with `scores` whether they are logits or probabilities");
  expect_refused("label,a,b\na,.4,.6\nb,.7,.3\na,75,.25\n",
                 "line 4: its numbers are not between 0 and 1 with a sum of 1, as those of 2 of 3 rows are: "
                 "say with `scores` whether they are logits or probabilities");
  const auto refused = [&](const std::string& text, const std::string& why) {
    testing::expect_refusal([&] { take(text, {.scores = ScoreKind::probabilities}); },
                            (folder_ / "scores.csv").string() + ": " + why);
  };
  refused("label,a,b\na,1,-2\nb,1,2\n", "line 2: -2 is no probability");
  refused("label,a,b\na,1,2\nb,0,0\n", "line 3: all probabilities are 0");
}

TEST_F(ScoreFile, ColumnsThatAreNoClassesAreLeftOutAndSaid) {
  const auto left_out = [](const std::string& which) {
    return "left out, as no column" + which + " (`classes` says which are)";
  };
  const Scores counted = take(
      "id,fold,when,label,a,b,Prediction,probability\n9,1,4,a,2,-1,a,.9\n4,2,5,b,0,3,b,.8\n6,1,6,b,1,7,b,."
      "9\n");
  EXPECT_EQ(counted.taken.columns, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(counted.rows.notes,
            std::vector<std::string>{left_out("s of classes: id, fold, when, Prediction, probability")});
  // What `likely predict` writes, with labels in front.
  const Scores predicted =
      take("species,prediction,probability,p_a,p_b\na,a,.75,.75,.25\nb,b,.5,.5,.5\n", {.label = "species"});
  EXPECT_EQ(predicted.taken.columns, (std::vector<std::string>{"p_a", "p_b"}));
  EXPECT_EQ(predicted.rows.notes.at(0), left_out("s of classes: prediction, probability"));
  // The numbers of the labels' own columns are whole laws: age is no class.
  EXPECT_EQ(take("label,a,b,age\na,.75,.25,31\nb,.5,.5,24\n").taken.columns,
            (std::vector<std::string>{"a", "b"}));
  // A class without rows stays.
  EXPECT_EQ(take("label,a,b,c\na,.75,.125,.125\nb,.5,.25,.25\n").rows.classes.size(), 3U);
  EXPECT_EQ(take("label,a,b,c,d\n0,1,2,3,4\n1,4,3,2,0\n", {.classes = {"c", "a"}}).taken.columns,
            (std::vector<std::string>{"c", "a"}));
  testing::expect_refusal(
      [&] {
        take("label,a,b\na,1,2\n", {.classes = {"a", "x"}});
      },
      (folder_ / "scores.csv").string() +
          ": there is no column for the class \"x\" of `classes`; there are a, b");
  expect_refused("label,p_a,p_b,z_a,z_b\na,1,2,3,4\n",
                 "there are columns with p_ and with z_ in front: say with `classes` which are meant");
}

TEST_F(ScoreFile, LabelsThatAreNumbersAreUnderstoodOrSaid) {
  EXPECT_EQ(read("label,a,b\n1.0,1,2\n0.0,2,3\n").labels.to_vector<std::int64_t>(),
            (std::vector<std::int64_t>{1, 0}));
  const Scores numbered = take("label,z1,z2,z3\n1,4,0,0\n2,0,4,0\n3,0,0,4\n");
  EXPECT_EQ(numbered.rows.labels.to_vector<std::int64_t>(), (std::vector<std::int64_t>{0, 1, 2}));
  EXPECT_EQ(numbered.taken.labels, "numbers in the names");
  const Scores placed = take("label,a,b,c\n1,4,0,0\n2,0,4,0\n");
  EXPECT_EQ(placed.taken.labels, "places, from 0");
  EXPECT_EQ(placed.rows.notes,
            (std::vector<std::string>{"no row has the label 0: the labels were taken for "
                                      "the places of columns, counted from 0, not from 1"}));
  EXPECT_TRUE(take("label,a,b,c\n0,4,0,0\n2,0,4,0\n").rows.notes.empty());
  for (const char* text : {"0,2.5,-1\n1,3,4\n", "a,0.25,0.75\nb,0.5,0.5\n", "0,1,2\n1,3,4\n"})
    expect_refused(text,
                   "line 1: there is no line of names above the rows, such as label,cat,dog: a column of "
                   "labels, and one for each class");
}

TEST_F(ScoreFile, AreRefusedWithTheirLine) {
  expect_refused("label,a,b\na,1,2\nc,1,2\n",
                 "line 3: the label \"c\" is neither the name of a column nor a number from 0 to 1; "
                 "the columns are a, b");
  expect_refused("label,a,b\n0,1,2\n2,1,2\n",
                 "line 3: the label \"2\" is neither the name of a column nor a number from 0 to 1; "
                 "the columns are a, b");
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
    return read_scores(file).rows;
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
  EXPECT_EQ(save({{"labels", y}, {"logits", full({2, 2}, 0.5)}}).notes.size(), 1U);
  EXPECT_TRUE(save({{"labels", y}, {"logits", z}}).notes.empty());
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
  ASSERT_EQ(study.warnings.size(), 3U);
  EXPECT_EQ(study.warnings[2],
            "matrix scaling has 42 numbers to learn from 48 rows: it may make things worse");
}

// What is kept is never worse than what there was.
TEST(CalibrationStudies, KeepWhatThereWasWhereNoScalerIsBetter) {
  Rng rng(6);
  const Tensor z = rng.normal({60, 6}, 0.0, 1.0, DType::f64);
  const runs::HeldOutLogits rows{.of = "test", .logits = z, .labels = rng.categorical(z)};
  const ScalingOptions free{.scale = 0.0, .off_diagonal = 0.0, .shift = 0.0};
  const CalibrationStudy study =
      study_calibration(rows, {.scalers = {"matrix"}, .measure = {.resamples = 0}, .scaling = free});
  ASSERT_GT(study.scalers[0].figures.nll.value, study.before.nll.value);
  EXPECT_FALSE(study.best);
  EXPECT_NE(text_of(study).find("best by NLL: none\n"), std::string::npos);
  const auto json = io::parse_json<io::SortedJson>(json_of(study));
  EXPECT_EQ(json["best"].get<std::string>(), "none");
  EXPECT_NE(json_of(study).find("none of the scalers makes the NLL smaller"), std::string::npos);
  const TemporaryFolder folder;
  write_study(study, folder.path(), {.figures = false});
  const runs::HeldOutLogits back = read_scores(folder / "probabilities.csv").rows;
  EXPECT_TRUE(allclose(softmax(back.logits, 1), softmax(z, 1)));
}

TEST(CalibrationStudies, OneRowHasNoError) {
  const Calibration one = measure_calibration(tensor({{2.0, -1.0}}, DType::f64), tensor({0}, DType::i64));
  for (const Estimate& figure : {one.accuracy, one.nll, one.brier, one.ece, one.classwise_ece})
    EXPECT_TRUE(std::isnan(figure.standard_error) && std::isnan(figure.low));
  EXPECT_EQ(line_of(one).find("+-"), std::string::npos) << line_of(one);
}

// A bin of a few rows must not look like one of thousands.
TEST(CalibrationStudies, TheFigureShowsHowManyRowsABinHas) {
  Calibration figures{.rows = 100};
  figures.bins = {{0.0, 0.5, 4, 0.4, 0.5}, {0.5, 0.75, 25, 0.6, 0.5}, {0.75, 1.0, 71, 0.9, 0.8}};
  const std::string script = reliability_figure({{"before", figures}}).script(0);
  EXPECT_NE(script.find(" ps 0.75 "), std::string::npos) << script;
  EXPECT_NE(script.find(" ps 1.09 "), std::string::npos) << script;
}

TEST(CalibrationStudies, NameClassesWithoutRows) {
  Rng rng(6);
  const Tensor z = rng.normal({60, 3}, 0.0, 1.0, DType::f64);
  const runs::HeldOutLogits rows{
      .of = "test", .logits = z, .labels = rng.randint(0, 2, {60}), .classes = {"cat", "dog", "eel"}};
  const CalibrationStudy study =
      study_calibration(rows, {.scalers = {"temperature"}, .measure = {.resamples = 0}});
  EXPECT_NE(std::find(study.warnings.begin(), study.warnings.end(),
                      "no row has the class eel: nothing is known of its probability"),
            study.warnings.end());
  const CalibrationStudy vector =
      study_calibration(rows, {.scalers = {"vector"}, .measure = {.resamples = 0}});
  ASSERT_FALSE(vector.scalers[0].notes.empty());
  EXPECT_EQ(vector.scalers[0].notes[0],
            "no row has the class eel: the penalty alone keeps its probability above 0");
}

TEST(CalibrationStudies, ColumnsOfTheTextDoNotTouch) {
  Rng rng(2);
  const runs::HeldOutLogits rows{
      .of = "test", .logits = rng.normal({80, 3}, 0.0, 1e5, DType::f64), .labels = rng.randint(0, 3, {80})};
  CalibrationStudy study = study_calibration(rows, {.measure = {.resamples = 20}});
  study.taken = {.numbers = "logits", .columns = {"a", "b", "c"}, .labels = "names"};
  const std::string text = text_of(study);
  const std::size_t line = text.find("before");
  const std::string before = text.substr(line, text.find('\n', line) - line);
  EXPECT_NE(before.find(
                fmt::format("  {:.4f} +- {:.4f}  ", study.before.nll.value, study.before.nll.standard_error)),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("taken for logits: the columns a, b, c; labels are names\n"), std::string::npos);
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
  const runs::HeldOutLogits back = read_scores(folder / "probabilities.csv").rows;
  EXPECT_TRUE(array_equal(back.labels, rows.labels));
  EXPECT_TRUE(allclose(softmax(back.logits, 1), softmax(study.scalers[*study.best].logits, 1)));
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
