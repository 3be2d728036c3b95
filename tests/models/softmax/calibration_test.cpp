#include "likely/models/softmax/calibration.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "likely/io/model_file.hpp"
#include "likely/likely.hpp"
#include "tests/support/check_gradients.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/temporary_folder.hpp"

namespace likely::confidence {

namespace {

using testing::expect_refusal;

// Logits of any kind, and labels drawn from softmax(logits / T).
struct Drawn {
  Tensor logits, labels;
};
Drawn drawn_at(double temperature, std::int64_t rows, std::int64_t classes, std::uint64_t seed) {
  Rng rng(seed);
  const Tensor z = rng.normal({rows, classes}, 0.0, 3.0, DType::f64);
  return {z, rng.categorical(z / temperature)};
}

// The mean loss at z / T, by plain loops.
double loss_at(const Drawn& rows, double temperature) {
  const auto z = rows.logits.to_vector<double>();
  const auto y = rows.labels.to_vector<std::int64_t>();
  const auto classes = static_cast<std::size_t>(rows.logits.dim(1));
  double sum = 0.0;
  for (std::size_t i = 0; i < y.size(); ++i) {
    double total = 0.0;
    const double own = z[i * classes + static_cast<std::size_t>(y[i])];
    for (std::size_t k = 0; k < classes; ++k) total += std::exp((z[i * classes + k] - own) / temperature);
    sum += std::log(total);
  }
  return sum / static_cast<double>(y.size());
}

TEST(Temperature, IsTheBestOnAGrid) {
  const Drawn rows = drawn_at(2.0, 300, 4, 1);
  const TemperatureFit fit = fit_temperature(rows.logits, rows.labels);
  EXPECT_EQ(fit.at, TemperatureFit::At::inside);
  double best = 0.0, least = std::numeric_limits<double>::infinity();
  for (double t = 0.5; t < 8.0; t *= 1.0005) {
    const double loss = loss_at(rows, t);
    if (loss < least) {
      least = loss;
      best = t;
    }
  }
  EXPECT_NEAR(fit.scaler.temperature(), best, 5.1e-4 * best);
  EXPECT_LE(fit.nll, least);
  EXPECT_NEAR(fit.nll, loss_at(rows, fit.scaler.temperature()), 1e-12);
  EXPECT_LT(fit.iterations, 15);
}

TEST(Temperature, IsRecoveredWithinItsStandardError) {
  // Each is a draw: the worst of twelve lies within 4 standard errors, and they are spread as widely as they
  // say.
  double squares = 0.0;
  int count = 0;
  for (const double truth : {0.3, 1.0, 2.5}) {
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
      const Drawn rows = drawn_at(truth, 2000, 5, seed);
      const TemperatureFit fit = fit_temperature(rows.logits, rows.labels);
      const double z = (std::log(fit.scaler.temperature()) - std::log(truth)) / fit.standard_error;
      EXPECT_LT(std::abs(z), 4.0) << truth << " seed " << seed;
      squares += z * z;
      ++count;
    }
  }
  EXPECT_GT(squares, 2.2);   // chi-square of 12 degrees: 0.1 %
  EXPECT_LT(squares, 32.9);  // and 99.9 %
  EXPECT_EQ(count, 12);
}

TEST(Temperature, FollowsTheScaleOfTheLogits) {
  const Drawn rows = drawn_at(1.7, 400, 3, 3);
  const double t = fit_temperature(rows.logits, rows.labels).scaler.temperature();
  for (const double factor : {1e-8, 1e6})
    EXPECT_NEAR(fit_temperature(rows.logits * factor, rows.labels).scaler.temperature() / factor, t,
                1e-9 * t);
  // And does not know a shift of a row.
  EXPECT_NEAR(fit_temperature(rows.logits + 50.0, rows.labels).scaler.temperature(), t, 1e-9 * t);
}

// A class of log-probability -1e300, as of a log of 0 that was made finite, has the probability 0 at any
// sensible T: it counts as one of -1e3 does.
TEST(Temperature, ImpossibleClassesDoNotMatter) {
  const Drawn rows = drawn_at(1.7, 60, 3, 4);
  const auto fit_with = [&](double impossible) {
    const Tensor more =
        tensor(std::vector<double>{5.0, 4.0, impossible, 5.0, impossible, impossible}, {2, 3});
    return fit_temperature(concat({rows.logits, more}, 0),
                           concat({rows.labels, tensor(std::vector<std::int64_t>{1, 0}, {2})}, 0));
  };
  const TemperatureFit usual = fit_with(-1e3);
  ASSERT_EQ(usual.at, TemperatureFit::At::inside);
  for (const double impossible :
       {-1e5, -1e20, -1e80, -1e200, -1e300, std::numeric_limits<double>::lowest()}) {
    const TemperatureFit fit = fit_with(impossible);
    EXPECT_EQ(fit.at, TemperatureFit::At::inside) << impossible;
    EXPECT_EQ(fit.note, "") << impossible;
    EXPECT_NEAR(fit.scaler.temperature(), usual.scaler.temperature(), 1e-10) << impossible;
    EXPECT_NEAR(fit.standard_error, usual.standard_error, 1e-10) << impossible;
    EXPECT_NEAR(fit.nll, usual.nll, 1e-12) << impossible;
    EXPECT_LT(fit.iterations, 100) << impossible;
  }
  // And so where every row is right, and where the differences of a row overflow.
  const Tensor y = tensor(std::vector<std::int64_t>{0, 0}, {2});
  const auto right_with = [&](double impossible) {
    return fit_temperature(tensor(std::vector<double>{3.0, 1.0, impossible, 4.0, 1.0, 0.0}, {2, 3}), y);
  };
  for (const double impossible : {-1e80, -1e300, std::numeric_limits<double>::lowest()})
    EXPECT_NEAR(right_with(impossible).scaler.temperature(), right_with(-1e3).scaler.temperature(), 1e-9);
  const Tensor wide = tensor(std::vector<double>{1e308, -1e308, 0.0, 1e308}, {2, 2});
  const TemperatureFit of_wide = fit_temperature(wide, tensor(std::vector<std::int64_t>{0, 1}, {2}));
  EXPECT_TRUE(std::isfinite(of_wide.scaler.temperature()));
  EXPECT_EQ(of_wide.at, TemperatureFit::At::zero);
  // A true class that cannot be: only the largest temperatures keep the loss from infinity.
  const TemperatureFit wrong = fit_temperature(tensor(std::vector<double>{5.0, -1e300, 0.0, 1.0}, {2, 2}),
                                               tensor(std::vector<std::int64_t>{1, 1}, {2}));
  EXPECT_EQ(wrong.at, TemperatureFit::At::infinity);
  EXPECT_NEAR(wrong.nll, std::log(2.0), 1e-3);
}

TEST(Temperature, PerfectSeparationIsSaidAndNotBelieved) {
  const Tensor z = tensor(std::vector<double>{3.0, 0.0, -1.0, 2.0, 0.5, 0.4, -1.0, 0.0, 4.0}, {3, 3});
  const Tensor y = tensor(std::vector<std::int64_t>{0, 0, 2}, {3});
  const TemperatureFit fit = fit_temperature(z, y);
  EXPECT_EQ(fit.at, TemperatureFit::At::zero);
  EXPECT_NEAR(loss_at({z, y}, fit.scaler.temperature()), std::log(5.0 / 4.0), 1e-12);
  EXPECT_NE(fit.note.find("as if of 5 rows one were wrong"), std::string::npos) << fit.note;
  EXPECT_TRUE(std::isnan(fit.standard_error));
  // A tie for the largest: the loss stays at log 2 of that row.
  const Tensor tied = tensor(std::vector<double>{3.0, 3.0, -1.0, 2.0, 0.5, 0.4}, {2, 3});
  const Tensor labels = tensor(std::vector<std::int64_t>{1, 0}, {2});
  const TemperatureFit of_tied = fit_temperature(tied, labels);
  EXPECT_EQ(of_tied.at, TemperatureFit::At::zero);
  EXPECT_NEAR(loss_at({tied, labels}, of_tied.scaler.temperature()),
              std::log(2.0) / 2.0 + std::log(4.0 / 3.0), 1e-12);
}

TEST(Temperature, LogitsThatKnowNothingAreSaid) {
  const Tensor wrong = tensor(std::vector<double>{0.0, 1.0, 1.0, 0.0}, {2, 2});
  const TemperatureFit worse = fit_temperature(wrong, tensor(std::vector<std::int64_t>{0, 1}, {2}));
  EXPECT_EQ(worse.at, TemperatureFit::At::infinity);
  EXPECT_NEAR(worse.nll, std::log(2.0), 1e-3);
  const TemperatureFit same =
      fit_temperature(full({2, 3}, 7.0), tensor(std::vector<std::int64_t>{0, 1}, {2}));
  EXPECT_EQ(same.at, TemperatureFit::At::anywhere);
  EXPECT_EQ(same.scaler.temperature(), 1.0);
  EXPECT_NEAR(same.nll, std::log(3.0), 1e-12);
}

// Where a convex loss without penalties has its minimum, sums of (p - y) and of (p - y) z are 0: by plain
// loops.
struct Slopes {
  std::vector<double> shift, weight;  // (classes), (classes, classes): of output k by input j
};
Slopes slopes_of(const Tensor& scaled, const Drawn& rows) {
  const auto classes = static_cast<std::size_t>(rows.logits.dim(1));
  const auto s = scaled.to_vector<double>(), z = rows.logits.to_vector<double>();
  const auto y = rows.labels.to_vector<std::int64_t>();
  Slopes sum{std::vector<double>(classes, 0.0), std::vector<double>(classes * classes, 0.0)};
  for (std::size_t i = 0; i < y.size(); ++i) {
    double total = 0.0;
    for (std::size_t k = 0; k < classes; ++k) total += std::exp(s[i * classes + k]);
    for (std::size_t k = 0; k < classes; ++k) {
      const double away =
          std::exp(s[i * classes + k]) / total - (y[i] == static_cast<std::int64_t>(k) ? 1.0 : 0.0);
      sum.shift[k] += away / static_cast<double>(y.size());
      for (std::size_t j = 0; j < classes; ++j)
        sum.weight[k * classes + j] += away * z[i * classes + j] / static_cast<double>(y.size());
    }
  }
  return sum;
}

Drawn skewed() {
  Rng rng(5);
  const Tensor z = rng.normal({600, 3}, 0.0, 2.0, DType::f64);
  const Tensor truth = z * tensor({0.5, 1.5, 0.8}) + tensor({0.3, -0.6, 0.2});
  return {z, rng.categorical(truth)};
}

TEST(VectorScaling, IsAtTheMinimum) {
  const Drawn rows = skewed();
  const auto fit = fit_vector(rows.logits, rows.labels, {.scale = 0.0, .off_diagonal = 0.0, .shift = 0.0});
  EXPECT_TRUE(fit.end.converged);
  const Slopes slopes = slopes_of(fit.scaler(rows.logits), rows);
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_NEAR(slopes.shift[k], 0.0, 1e-7);
    EXPECT_NEAR(slopes.weight[k * 3 + k], 0.0, 1e-7);
  }
  EXPECT_LT(fit.nll, fit_temperature(rows.logits, rows.labels).nll);
  EXPECT_TRUE(fit.notes.empty());
  // The truth, within about four standard errors of 600 rows.
  EXPECT_NEAR(fit.scaler.scale.at({1}), 1.5, 0.5);
  EXPECT_NEAR(fit.scaler.shift.at({0}) - fit.scaler.shift.at({1}), 0.9, 0.6);
}

TEST(MatrixScaling, IsAtTheMinimumWithItsPenalties) {
  const Drawn rows = skewed();
  const ScalingOptions options{.scale = 2.0, .off_diagonal = 30.0, .shift = 4.0};
  const auto fit = fit_matrix(rows.logits, rows.labels, options);
  ASSERT_TRUE(fit.end.converged);
  const double t = fit_temperature(rows.logits, rows.labels).scaler.temperature();
  const Drawn divided{rows.logits / t, rows.labels};
  const Slopes slopes = slopes_of(fit.scaler(rows.logits), divided);
  for (std::int64_t k = 0; k < 3; ++k) {
    const auto at = static_cast<std::size_t>(k);
    EXPECT_NEAR(slopes.shift[at] + options.shift * fit.scaler.shift.at({k}) / 600.0, 0.0, 1e-7);
    for (std::int64_t j = 0; j < 3; ++j) {
      const double w = fit.scaler.weight.at({k, j}) * t;
      const double pull = j == k ? options.scale * (w - 1.0) : options.off_diagonal * w;
      EXPECT_NEAR(slopes.weight[at * 3 + static_cast<std::size_t>(j)] + pull / 600.0, 0.0, 1e-7) << k << j;
    }
  }
}

TEST(MatrixScaling, AnEndlessPenaltyLeavesTheTemperature) {
  const Drawn rows = skewed();
  const double t = fit_temperature(rows.logits, rows.labels).scaler.temperature();
  const auto fit = fit_matrix(rows.logits, rows.labels, {.scale = 1e9, .off_diagonal = 1e9, .shift = 1e9});
  for (std::int64_t k = 0; k < 3; ++k) {
    for (std::int64_t j = 0; j < 3; ++j)
      EXPECT_NEAR(fit.scaler.weight.at({k, j}), k == j ? 1.0 / t : 0.0, 1e-6);
  }
}

TEST(VectorScaling, AClassWithoutRowsIsSaidAndKept) {
  Drawn rows = skewed();
  std::vector<std::int64_t> labels = rows.labels.to_vector<std::int64_t>();
  for (auto& label : labels) label = label == 2 ? 0 : label;
  rows.labels = tensor(labels, {600});
  const auto fit = fit_vector(rows.logits, rows.labels);
  ASSERT_EQ(fit.notes.size(), 1U);
  EXPECT_EQ(fit.notes[0], "no row has the class 2: the penalty alone keeps its probability above 0");
  EXPECT_TRUE(fit.end.converged);
  EXPECT_LT(fit.scaler.shift.at({2}), -0.5);
  EXPECT_TRUE(std::isfinite(fit.scaler.shift.at({2})));
}

TEST(Scalers, AreSavedAndLoaded) {
  const testing::TemporaryFolder folder;
  const Drawn rows = skewed();
  const auto fit = fit_matrix(rows.logits, rows.labels);
  io::save(folder.path() / "matrix.safetensors", fit.scaler);
  MatrixScaler back(3);
  io::load(folder.path() / "matrix.safetensors", back);
  EXPECT_TRUE(array_equal(back(rows.logits), fit.scaler(rows.logits)));
  const TemperatureFit warm = fit_temperature(rows.logits, rows.labels);
  io::save(folder.path() / "temperature.safetensors", warm.scaler);
  TemperatureScaler cold;
  io::load(folder.path() / "temperature.safetensors", cold);
  EXPECT_EQ(cold.temperature(), warm.scaler.temperature());
  EXPECT_THROW(io::load(folder.path() / "matrix.safetensors", cold), Error);
}

TEST(Scalers, GiveUp) {
  const Drawn rows = skewed();
  int asked = 0;
  EXPECT_THROW(fit_matrix(rows.logits, rows.labels, {.cancelled = [&] { return ++asked == 3; }}), Cancelled);
  EXPECT_EQ(asked, 3);
}

TEST(Scalers, Refuse) {
  const Tensor z = zeros({2, 3}), y = tensor(std::vector<std::int64_t>{0, 1}, {2});
  expect_refusal(
      [&] {
        fit_temperature(zeros({2, 1}), y);
      },
      "[fit_temperature] logits must be (rows, classes) with a row and two classes at least, got (2, 1) f32");
  expect_refusal([&] { fit_vector(z, zeros({2})); },
                 "[fit_vector] labels must be (2,) i64, a class for each row, got (2,) f32");
  expect_refusal(
      [&] {
        fit_matrix(z, tensor(std::vector<std::int64_t>{0, 3}, {2}));
      },
      "[fit_matrix] row 1 has the label 3, there are 3 classes");
  Tensor bad =
      tensor(std::vector<double>{0.0, 1.0, 2.0, 3.0, std::numeric_limits<double>::quiet_NaN(), 5.0}, {2, 3});
  expect_refusal([&] { fit_temperature(bad, y); },
                 "[fit_temperature] row 1 has the logit nan, all must be finite");
  expect_refusal([&] { fit_vector(z, y, {.shift = -1.0}); },
                 "[fit_vector] shift must be a number of at least 0, got -1");
}

// Everything again, row by row.
TEST(Measures, AreThoseOfPlainLoops) {
  const Drawn rows = drawn_at(2.0, 257, 4, 9);
  for (const Bins kind : {Bins::equal_width, Bins::equal_mass}) {
    const Calibration found =
        measure_calibration(rows.logits, rows.labels, {.bins = 7, .kind = kind, .resamples = 0});
    const auto p = softmax(rows.logits, 1).to_vector<double>();
    const auto y = rows.labels.to_vector<std::int64_t>();
    std::vector<std::pair<double, double>> all;  // confidence and whether it is right
    double nll = 0.0, brier = 0.0, right = 0.0;
    std::vector<std::vector<std::pair<double, double>>> by_class(4);
    for (std::size_t i = 0; i < 257; ++i) {
      std::size_t said = 0;
      for (std::size_t k = 0; k < 4; ++k) {
        const double truth = y[i] == static_cast<std::int64_t>(k) ? 1.0 : 0.0;
        if (p[i * 4 + k] > p[i * 4 + said]) said = k;
        brier += (p[i * 4 + k] - truth) * (p[i * 4 + k] - truth) / 257;
        by_class[k].emplace_back(p[i * 4 + k], truth);
      }
      const double hit = y[i] == static_cast<std::int64_t>(said) ? 1.0 : 0.0;
      all.emplace_back(p[i * 4 + said], hit);
      nll -= std::log(p[i * 4 + static_cast<std::size_t>(y[i])]) / 257;
      right += hit / 257;
    }
    EXPECT_NEAR(found.nll.value, nll, 1e-12);
    EXPECT_NEAR(found.brier.value, brier, 1e-12);
    EXPECT_NEAR(found.accuracy.value, right, 1e-12);
    std::sort(all.begin(), all.end());
    double ece = 0.0, mce = 0.0;
    for (std::size_t m = 0; m < 7; ++m) {
      double confidence = 0.0, hits = 0.0, n = 0.0;
      for (std::size_t i = 0; i < 257; ++i) {
        const bool inside = kind == Bins::equal_width
                                ? all[i].first > static_cast<double>(m) / 7 && all[i].first <= (m + 1.0) / 7
                                : i >= (m * 257 + 6) / 7 && i < ((m + 1) * 257 + 6) / 7;
        if (!inside) continue;
        confidence += all[i].first;
        hits += all[i].second;
        n += 1.0;
      }
      if (n == 0.0) continue;
      ece += std::abs(hits - confidence) / 257;
      mce = std::max(mce, std::abs(hits - confidence) / n);
    }
    EXPECT_NEAR(found.ece.value, ece, 1e-12);
    EXPECT_NEAR(found.mce.value, mce, 1e-12);
    double classwise = 0.0;
    for (const auto& rows_of_class : by_class) {
      for (int m = 0; m < 7; ++m) {
        double gap = 0.0;
        for (const auto& [q, truth] : rows_of_class) {
          if (q > m / 7.0 && q <= (m + 1) / 7.0) gap += q - truth;
        }
        classwise += std::abs(gap) / 257 / 4;
      }
    }
    EXPECT_NEAR(found.classwise_ece.value, classwise, 1e-12);
    EXPECT_TRUE(std::isnan(found.ece.standard_error));
  }
}

// Two classes, all rows as sure as each other: closed forms of figures and of their errors.
TEST(Measures, OneConfidenceHasClosedForms) {
  std::vector<std::int64_t> labels(400, 0);
  for (std::size_t i = 0; i < 100; ++i) labels[i] = 1;
  const Tensor z = stack({full({400}, std::log(9.0), DType::f64), zeros({400}, DType::f64)}, 1);
  const Calibration found =
      measure_calibration(z, tensor(labels, {400}), {.kind = Bins::equal_mass, .resamples = 2000});
  EXPECT_EQ(found.bins.size(), 1U) << "equal confidences lie in one bin";
  EXPECT_NEAR(found.accuracy.value, 0.75, 1e-12);
  EXPECT_NEAR(found.ece.value, 0.15, 1e-12);
  EXPECT_NEAR(found.mce.value, 0.15, 1e-12);
  EXPECT_NEAR(found.nll.value, -0.75 * std::log(0.9) - 0.25 * std::log(0.1), 1e-12);
  EXPECT_NEAR(found.brier.value, 0.75 * 0.02 + 0.25 * 1.62, 1e-12);
  // sqrt(3/4 1/4 / 400), and times the difference that a row makes; 2000 resamples know it to 1.6 %.
  const double error = std::sqrt(0.75 * 0.25 / 400);
  EXPECT_NEAR(found.accuracy.standard_error, error, 0.08 * error);
  EXPECT_NEAR(found.ece.standard_error, error, 0.08 * error);
  EXPECT_NEAR(found.nll.standard_error, error * std::log(9.0), 0.08 * error * std::log(9.0));
  EXPECT_NEAR(found.accuracy.low, 0.75 - 1.96 * error, 0.2 * error);
  EXPECT_NEAR(found.accuracy.high, 0.75 + 1.96 * error, 0.2 * error);
}

// 100 rows, one of them wrong: the number of wrong rows of a resample is Poisson to 1 %, 0 to 3 in the middle
// 95 %. The ends of the interval are 2 accuracy - quantile: 1.98 - 1 and 1.98 - 0.97, cut at 1; those of the
// percentiles would be 0.97 and 1.
TEST(Measures, IntervalsAreTurnedOverWhereResamplesAreSkewed) {
  std::vector<std::int64_t> labels(100, 0);
  labels[17] = 1;
  const Tensor z = stack({full({100}, std::log(9.0), DType::f64), zeros({100}, DType::f64)}, 1);
  const Calibration found = measure_calibration(z, tensor(labels, {100}), {.resamples = 4000});
  EXPECT_NEAR(found.accuracy.low, 0.98, 1e-12);
  EXPECT_EQ(found.accuracy.high, 1.0);
  // A wrong row costs log 9 more than a right one: 2 nll - quantile, from 3 and from 0 wrong rows.
  const double right = -std::log(0.9);
  EXPECT_NEAR(found.nll.value, right + 0.01 * std::log(9.0), 1e-12);
  EXPECT_NEAR(found.nll.low, right - 0.01 * std::log(9.0), 1e-12);
  EXPECT_NEAR(found.nll.high, right + 0.02 * std::log(9.0), 1e-12);
}

TEST(Measures, TheEndsOfBinsBelongToTheLowerOne) {
  // Confidences 1/2 and 1 in two bins: (0, 1/2] and (1/2, 1].
  const Tensor z = tensor(std::vector<double>{0.0, 0.0, 800.0, 0.0}, {2, 2});
  const Calibration found =
      measure_calibration(z, tensor(std::vector<std::int64_t>{1, 0}, {2}), {.bins = 2, .resamples = 0});
  EXPECT_EQ(found.bins[0].rows, 1);
  EXPECT_EQ(found.bins[1].rows, 1);
  EXPECT_EQ(found.accuracy.value, 0.5) << "of equal probabilities the first is said";
  EXPECT_EQ(found.ece.value, 0.25);
  EXPECT_EQ(found.mce.value, 0.5);
}

TEST(Measures, AreTheSameForAnyNumberOfThreads) {
  const Drawn rows = drawn_at(1.0, 200, 3, 2);
  const Calibration one = measure_calibration(rows.logits, rows.labels, {.resamples = 50});
  set_threads(3);
  const Calibration three = measure_calibration(rows.logits, rows.labels, {.resamples = 50});
  set_threads(2);
  EXPECT_EQ(one.ece.standard_error, three.ece.standard_error);
  EXPECT_EQ(one.nll.high, three.nll.high);
  EXPECT_NE(measure_calibration(rows.logits, rows.labels, {.resamples = 50, .seed = 2}).ece.standard_error,
            one.ece.standard_error);
}

TEST(Measures, RefuseAndGiveUp) {
  const Tensor z = zeros({2, 3}), y = tensor(std::vector<std::int64_t>{0, 1}, {2});
  expect_refusal([&] { measure_calibration(z, y, {.bins = 0}); },
                 "[measure_calibration] bins must be at least 1, got 0");
  expect_refusal([&] { measure_calibration(z, y, {.resamples = 1}); },
                 "[measure_calibration] resamples must be 0 or at least 2, got 1");
  expect_refusal(
      [&] {
        measure_calibration(z, tensor(std::vector<std::int64_t>{0, -1}, {2}));
      },
      "[measure_calibration] row 1 has the label -1, there are 3 classes");
  EXPECT_THROW(measure_calibration(z, y, {.cancelled = [] { return true; }}), Cancelled);
}

}  // namespace

}  // namespace likely::confidence
