#include "likely/models/tables/scores.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "likely/core/create.hpp"
#include "likely/core/error.hpp"
#include "likely/data/magnitude.hpp"

namespace likely::tables {

namespace {

double minus_log(double p) { return -std::log(std::max(p, std::numeric_limits<double>::min())); }

double mean_of(const std::vector<double>& values) {
  double sum = 0.0;
  for (const double value : values) sum += value;
  const auto n = static_cast<double>(values.size());
  if (std::isfinite(sum)) return sum / n;
  double mean = 0.0;  // no sum of such numbers is one
  for (const double value : values) mean += value / n;
  return mean;
}

double macro_f1(const std::vector<std::int64_t>& confusion, std::size_t classes) {
  double sum = 0.0;
  double present = 0.0;
  for (std::size_t k = 0; k < classes; ++k) {
    std::int64_t said = 0;
    std::int64_t real = 0;
    for (std::size_t j = 0; j < classes; ++j) {
      said += confusion[j * classes + k];
      real += confusion[k * classes + j];
    }
    if (said + real == 0) continue;
    sum += 2.0 * static_cast<double>(confusion[k * classes + k]) / static_cast<double>(said + real);
    present += 1.0;
  }
  return sum / present;
}

struct Errors {
  double r2, rmse, mae;
};

double largest_of(const std::vector<double>& values) {
  double largest = 0.0;
  for (const double value : values) largest = std::max(largest, std::abs(value));
  return largest;
}

Errors errors_of(const std::vector<double>& said, const std::vector<double>& y) {
  const double unit = data::unit_for_squares(std::max(largest_of(said), largest_of(y)));
  const double center = mean_of(y) * unit;
  double squares = 0.0;
  double total = 0.0;
  double absolute = 0.0;
  for (std::size_t i = 0; i < y.size(); ++i) {
    const double away = y[i] * unit - said[i] * unit;
    const double from_center = y[i] * unit - center;
    squares += away * away;
    total += from_center * from_center;
    absolute += std::abs(away);
  }
  const auto n = static_cast<double>(y.size());
  // Of targets that are all the same, one row among them, no part can be explained.
  double r2 = total > 0.0 ? 1.0 - squares / total : std::numeric_limits<double>::quiet_NaN();
  // Who says the mean explains nothing; what is left over are the last digits of the two sums.
  if (std::abs(r2) < n * std::numeric_limits<double>::epsilon()) r2 = 0.0;
  return {r2, std::sqrt(squares / n) / unit, absolute / n / unit};
}

}  // namespace

ClassScores score_classes(const Tensor& probabilities, const Tensor& labels, const Tensor& train) {
  if (probabilities.rank() != 2 || labels.rank() != 1 || probabilities.dim(0) != labels.dim(0) ||
      labels.size() == 0 || train.size() == 0) {
    refuse("score_classes", "probabilities " + probabilities.shape().string() + " do not fit labels " +
                                labels.shape().string());
  }
  const auto classes = static_cast<std::size_t>(probabilities.dim(1));
  std::vector<double> shares(classes, 0.0);
  for (const auto label : train.to_vector<std::int64_t>()) shares[static_cast<std::size_t>(label)] += 1.0;
  const auto majority =
      static_cast<std::int64_t>(std::max_element(shares.begin(), shares.end()) - shares.begin());
  double weight = 0.0;
  for (double& share : shares) weight += share = std::max(share, 0.5);

  const std::vector<double> p = probabilities.to_vector<double>();
  std::vector<std::int64_t> confusion(classes * classes, 0);
  ClassScores scores;
  std::size_t row = 0;
  for (const auto label : labels.to_vector<std::int64_t>()) {
    const auto first = p.begin() + static_cast<std::ptrdiff_t>(row * classes);
    const auto said = std::max_element(first, first + static_cast<std::ptrdiff_t>(classes)) - first;
    ++confusion[static_cast<std::size_t>(label) * classes + static_cast<std::size_t>(said)];
    scores.accuracy += said == label ? 1.0 : 0.0;
    scores.log_loss += minus_log(first[label]);
    scores.majority_accuracy += label == majority ? 1.0 : 0.0;
    scores.majority_log_loss += minus_log(shares[static_cast<std::size_t>(label)] / weight);
    ++row;
  }
  const auto rows = static_cast<double>(row);
  scores.accuracy /= rows;
  scores.log_loss /= rows;
  scores.majority_accuracy /= rows;
  scores.majority_log_loss /= rows;
  scores.macro_f1 = macro_f1(confusion, classes);
  scores.confusion = tensor(confusion, {probabilities.dim(1), probabilities.dim(1)});
  return scores;
}

NumberScores score_numbers(const Tensor& said, const Tensor& y, const Tensor& train) {
  if (said.rank() != 1 || said.shape() != y.shape() || y.size() == 0 || train.size() == 0) {
    refuse("score_numbers",
           "predictions " + said.shape().string() + " do not fit targets " + y.shape().string());
  }
  const std::vector<double> targets = y.to_vector<double>();
  const Errors model = errors_of(said.to_vector<double>(), targets);
  const Errors plain =
      errors_of(std::vector<double>(targets.size(), mean_of(train.to_vector<double>())), targets);
  return {.r2 = model.r2,
          .rmse = model.rmse,
          .mae = model.mae,
          .mean_r2 = plain.r2,
          .mean_rmse = plain.rmse,
          .mean_mae = plain.mae};
}

std::pair<double, double> interval_of_share(double share, std::int64_t n) {
  constexpr double kZ = 1.959963984540054;  // of 95 %
  const auto count = static_cast<double>(n);
  const double center = (share + kZ * kZ / (2 * count)) / (1 + kZ * kZ / count);
  const double half =
      kZ / (1 + kZ * kZ / count) * std::sqrt(share * (1 - share) / count + kZ * kZ / (4 * count * count));
  return {std::max(0.0, center - half), std::min(1.0, center + half)};
}

}  // namespace likely::tables
