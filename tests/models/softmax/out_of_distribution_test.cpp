#include "likely/models/softmax/out_of_distribution.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "likely/likely.hpp"
#include "tests/support/check_gradients.hpp"
#include "tests/support/refusal.hpp"

namespace likely::confidence {

namespace {

using testing::check_gradients;
using testing::expect_refusal;
using testing::numbers;

TEST(Scores, AreThoseOfPlainLoops) {
  const Tensor z = numbers({6, 4}, 5.0);
  const auto logits = z.to_vector<double>();
  const auto most = max_probability(z).to_vector<double>(), apart = margin(z).to_vector<double>();
  const auto spread = entropy(z).to_vector<double>(), free = energy(z, 2.5).to_vector<double>();
  const auto away = kl_from_uniform(z).to_vector<double>();
  for (std::size_t i = 0; i < 6; ++i) {
    std::vector<double> p;
    double total = 0.0, warm = 0.0;
    for (std::size_t k = 0; k < 4; ++k) {
      total += std::exp(logits[i * 4 + k]);
      warm += std::exp(logits[i * 4 + k] / 2.5);
    }
    double h = 0.0, kl = 0.0;
    for (std::size_t k = 0; k < 4; ++k) {
      p.push_back(std::exp(logits[i * 4 + k]) / total);
      h -= p[k] * std::log(p[k]);
      kl += 0.25 * std::log(0.25 / p[k]);
    }
    std::sort(p.begin(), p.end(), std::greater<>());
    EXPECT_NEAR(most[i], p[0], 1e-12);
    EXPECT_NEAR(apart[i], p[0] - p[1], 1e-12);
    EXPECT_NEAR(spread[i], h, 1e-12);
    EXPECT_NEAR(free[i], -2.5 * std::log(warm), 1e-12);
    EXPECT_NEAR(away[i], kl, 1e-12);
  }
  EXPECT_TRUE(array_equal(familiarity(Score::entropy, z), -entropy(z)));
  EXPECT_TRUE(array_equal(familiarity(Score::energy, z, 3.0), -energy(z, 3.0)));
}

// With two classes all but the energy are functions of the difference of the logits, so they order rows
// alike; and two classes in f32 are sure to all digits from a difference of 17 on.
TEST(Scores, TellSureRowsFromSurerOnes) {
  Rng rng(1);
  const Tensor inside = rng.normal({3000, 2}, 0.0, 15.0), outside = rng.normal({3000, 2}, 0.0, 10.0);
  const auto difference = [](const Tensor& z) {
    return abs(select(z.to(DType::f64), 1, 0) - select(z.to(DType::f64), 1, 1));
  };
  const double by_difference = detection(difference(inside), difference(outside)).auroc.value;
  for (const Score score : {Score::max_probability, Score::margin, Score::entropy})
    EXPECT_NEAR(detection(familiarity(score, inside), familiarity(score, outside)).auroc.value, by_difference,
                1e-6)
        << name_of(score);
  EXPECT_GT(
      std::abs(detection(max_probability(inside), max_probability(outside)).auroc.value - by_difference),
      1e-3);
}

TEST(Scores, OrderRowsOfManyClassesAsTheyAre) {
  const Tensor z = numbers({40, 5}, 4.0);
  EXPECT_TRUE(allclose(familiarity(Score::max_probability, z) + 1.0, max_probability(z)));
  EXPECT_TRUE(allclose(familiarity(Score::margin, z) + 1.0, margin(z)));
}

TEST(Scores, AreRightForLogitsOfAnySize) {
  const Tensor z = tensor(std::vector<double>{1e5, 0.0, -1e5, 1e5, 1e5, 1e5}, {2, 3});
  EXPECT_EQ(max_probability(z).at({0}), 1.0);
  EXPECT_EQ(entropy(z).at({0}), 0.0);
  EXPECT_NEAR(energy(z).at({1}), -1e5 - std::log(3.0), 1e-9);
  EXPECT_NEAR(kl_from_uniform(z).at({0}), 1e5 - std::log(3.0), 1e-9);
  EXPECT_NEAR(kl_from_uniform(z).at({1}), 0.0, 1e-10);
}

TEST(ConfidenceLoss, HasTheGradientOfDifferences) {
  const Tensor labels = tensor(std::vector<std::int64_t>{1, 0, 3}, {3});
  check_gradients("confidence_loss",
                  [&](const std::vector<Tensor>& x) { return confidence_loss(x[0], labels, x[1], 0.7); },
                  {numbers({3, 4}, 2.0, 1), numbers({5, 4}, 3.0, 2)});
}

TEST(ConfidenceLoss, IsTheSumOfItsParts) {
  const Tensor in = numbers({3, 4}, 2.0, 1), out = numbers({5, 4}, 3.0, 2);
  const Tensor labels = tensor(std::vector<std::int64_t>{1, 0, 3}, {3});
  const Tensor p = softmax(out, 1);
  const double kl = mean(sum(0.25 * log(0.25 / p), 1)).item();
  EXPECT_NEAR(confidence_loss(in, labels, out, 0.7).item(),
              softmax_cross_entropy(in, labels).item() + 0.7 * kl, 1e-12);
}

// Everything by its definition, over all pairs and all thresholds.
struct Plain {
  double auroc = 0.0, in = 0.0, out = 0.0, fpr = 1.0, accuracy = 0.5;
};
double share_from(const std::vector<double>& scores, double threshold) {
  double count = 0.0;
  for (const double score : scores) count += score >= threshold ? 1.0 : 0.0;
  return count / static_cast<double>(scores.size());
}
// scikit-learn's average_precision_score: thresholds from the largest, each once.
double average_precision(const std::vector<double>& positive, const std::vector<double>& negative) {
  std::vector<double> thresholds(positive);
  thresholds.insert(thresholds.end(), negative.begin(), negative.end());
  std::sort(thresholds.begin(), thresholds.end(), std::greater<>());
  thresholds.erase(std::unique(thresholds.begin(), thresholds.end()), thresholds.end());
  double sum = 0.0, before = 0.0;
  for (const double t : thresholds) {
    const double recall = share_from(positive, t);
    const double hits = recall * static_cast<double>(positive.size());
    const double said = hits + share_from(negative, t) * static_cast<double>(negative.size());
    sum += (recall - before) * hits / said;
    before = recall;
  }
  return sum;
}
Plain plain_detection(const std::vector<double>& in, const std::vector<double>& out) {
  Plain plain;
  for (const double a : in) {
    for (const double b : out) plain.auroc += a > b ? 1.0 : a == b ? 0.5 : 0.0;
  }
  plain.auroc /= static_cast<double>(in.size() * out.size());
  plain.in = average_precision(in, out);
  std::vector<double> minus_in, minus_out;
  for (const double a : in) minus_in.push_back(-a);
  for (const double b : out) minus_out.push_back(-b);
  plain.out = average_precision(minus_out, minus_in);
  std::vector<double> all(in);
  all.insert(all.end(), out.begin(), out.end());
  double best = -std::numeric_limits<double>::infinity();
  for (const double t : all) {
    if (share_from(in, t) >= 0.95 - 1e-12 && t > best) {
      best = t;
      plain.fpr = share_from(out, t);
    }
    plain.accuracy = std::max(plain.accuracy, 0.5 * (share_from(in, t) + 1.0 - share_from(out, t)));
  }
  return plain;
}

TEST(Detection, IsThatOfItsDefinitions) {
  Rng rng(3);
  for (const bool ties : {false, true}) {
    Tensor in = rng.normal({60}, 1.0, 1.0, DType::f64), out = rng.normal({45}, 0.0, 1.5, DType::f64);
    if (ties) {
      in = round(in * 2.0);
      out = round(out * 2.0);
    }
    const Detection found = detection(in, out, {.resamples = 0});
    const Plain plain = plain_detection(in.to_vector<double>(), out.to_vector<double>());
    EXPECT_NEAR(found.auroc.value, plain.auroc, 1e-12);
    EXPECT_NEAR(found.aupr_in.value, plain.in, 1e-12);
    EXPECT_NEAR(found.aupr_out.value, plain.out, 1e-12);
    EXPECT_NEAR(found.fpr_at_95_tpr.value, plain.fpr, 1e-12);
    EXPECT_NEAR(found.detection_accuracy.value, plain.accuracy, 1e-12);
    EXPECT_LT(found.auroc.value, 1.0);
    // DeLong's error by its definition: the variances of the rows' shares of pairs won.
    double variance = 0.0;
    const auto a = in.to_vector<double>(), b = out.to_vector<double>();
    const auto add = [&](const std::vector<double>& one, const std::vector<double>& other, double sign) {
      const auto m = static_cast<double>(one.size());
      std::vector<double> won;
      double center = 0.0;
      for (const double x : one) {
        double sum = 0.0;
        for (const double y : other) sum += sign * (x - y) > 0 ? 1.0 : x == y ? 0.5 : 0.0;
        won.push_back(sum / static_cast<double>(other.size()));
        center += won.back() / m;
      }
      for (const double w : won) variance += (w - center) * (w - center) / (m - 1.0) / m;
    };
    add(a, b, 1.0);
    add(b, a, -1.0);
    EXPECT_NEAR(found.auroc.standard_error, std::sqrt(variance), 1e-12);
  }
}

TEST(Detection, HasTheCasesThatEverybodyKnows) {
  const Detection apart = detection(tensor({3.0, 4.0}), tensor({1.0, 2.0, 0.0}));
  EXPECT_EQ(apart.auroc.value, 1.0);
  EXPECT_EQ(apart.aupr_in.value, 1.0);
  EXPECT_EQ(apart.aupr_out.value, 1.0);
  EXPECT_EQ(apart.fpr_at_95_tpr.value, 0.0);
  EXPECT_EQ(apart.detection_accuracy.value, 1.0);
  const Detection same = detection(full({4}, 2.0), full({12}, 2.0));
  EXPECT_EQ(same.auroc.value, 0.5);
  EXPECT_EQ(same.aupr_in.value, 0.25);
  EXPECT_EQ(same.aupr_out.value, 0.75);
  EXPECT_EQ(same.fpr_at_95_tpr.value, 1.0);
  EXPECT_EQ(same.detection_accuracy.value, 0.5);
  // 19 of 20 rows inside are 95 %.
  Tensor in = arange(0, 20).to(DType::f64);
  EXPECT_EQ(detection(in, tensor({0.5, 2.0})).fpr_at_95_tpr.value, 0.5);
}

// Two normal laws: AUROC = Phi(d / sqrt 2), the errors of the bootstrap against the spread over 200 draws.
TEST(Detection, ItsErrorsAreThoseOfRepetitions) {
  Rng rng(7);
  std::vector<double> auroc, in, fpr, accuracy;
  for (int i = 0; i < 200; ++i) {
    const Detection one = detection(rng.normal({150}, 1.0, 1.0), rng.normal({100}), {.resamples = 0});
    auroc.push_back(one.auroc.value);
    in.push_back(one.aupr_in.value);
    fpr.push_back(one.fpr_at_95_tpr.value);
    accuracy.push_back(one.detection_accuracy.value);
  }
  const auto spread = [](const std::vector<double>& x) { return std::sqrt(var(tensor(x), {}, 1).item()); };
  Detection mean_error{};
  for (std::uint64_t i = 0; i < 20; ++i) {
    const Detection one =
        detection(rng.normal({150}, 1.0, 1.0), rng.normal({100}), {.resamples = 100, .seed = i});
    mean_error.auroc.standard_error += one.auroc.standard_error / 20;
    mean_error.aupr_in.standard_error += one.aupr_in.standard_error / 20;
    mean_error.fpr_at_95_tpr.standard_error += one.fpr_at_95_tpr.standard_error / 20;
    mean_error.detection_accuracy.standard_error += one.detection_accuracy.standard_error / 20;
  }
  EXPECT_NEAR(mean(tensor(auroc)).item(), 0.5 * std::erfc(-0.5), 4.0 * spread(auroc) / std::sqrt(200.0));
  // A spread over 200 draws is known to 5 %; the bootstrap's own error adds to it.
  EXPECT_NEAR(mean_error.auroc.standard_error, spread(auroc), 0.2 * spread(auroc));
  EXPECT_NEAR(mean_error.aupr_in.standard_error, spread(in), 0.25 * spread(in));
  EXPECT_NEAR(mean_error.fpr_at_95_tpr.standard_error, spread(fpr), 0.3 * spread(fpr));
  EXPECT_NEAR(mean_error.detection_accuracy.standard_error, spread(accuracy), 0.3 * spread(accuracy));
}

TEST(Detection, Refuses) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  expect_refusal([&] { detection(zeros({0}), zeros({2})); },
                 "[detection] inside must be (rows,) with a row at least, got (0,)");
  expect_refusal(
      [&] {
        detection(zeros({2}), tensor({0.0, nan}));
      },
      "[detection] row 1 outside has the score nan, all must be finite");
  expect_refusal([&] { detection(zeros({2}), zeros({2}), {.resamples = 1}); },
                 "[detection] resamples must be 0 or at least 2, got 1");
  expect_refusal([&] { energy(zeros({2, 3}), 0.0); }, "[energy] temperature must be a number above 0, got 0");
  expect_refusal([&] { entropy(zeros({3})); },
                 "[entropy] logits must be (rows, classes) with two classes at least, got (3,)");
  const Tensor y = tensor(std::vector<std::int64_t>{0, 1}, {2});
  expect_refusal(
      [&] {
        confidence_loss(zeros({2, 3}), y, zeros({0, 3}), 1.0);
      },
      "[confidence_loss] 2 rows inside, 0 outside: there must be some of both");
  expect_refusal(
      [&] {
        confidence_loss(zeros({2, 3}), y, zeros({2, 3}), -1.0);
      },
      "[confidence_loss] beta must be a number of at least 0, got -1");
  expect_refusal(
      [&] {
        confidence_loss(zeros({2, 3}), y, zeros({2, 4}), 1.0);
      },
      "[confidence_loss] 3 classes inside, 4 outside");
}

}  // namespace

}  // namespace likely::confidence
