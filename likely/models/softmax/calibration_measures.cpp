// Hot: the bootstrap passes over all rows a thousand times.
#include "likely/models/softmax/calibration_measures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "likely/core/dtype.hpp"
#include "likely/core/error.hpp"
#include "likely/ops/rng.hpp"
#include "likely/ops/softmax.hpp"

namespace likely::confidence {

namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kMostClasswiseWork = 1e9;

// What the figures need of each row.
struct Row {
  double confidence, nll, brier;
  bool right;
  int bin;
};

struct Rows {
  std::vector<Row> rows;
  std::size_t classes = 0;
  std::vector<double> p;        // (rows, classes)
  std::vector<int> class_bins;  // of each p
  std::vector<std::size_t> labels;
  int bins = 0;
};

struct Figures {
  double accuracy = 0.0, nll = 0.0, brier = 0.0, ece = 0.0, mce = 0.0, classwise = 0.0;
};

int equal_width_bin(double p, int bins) {
  return std::clamp(static_cast<int>(std::ceil(p * bins)) - 1, 0, bins - 1);
}

// The upper ends of bins of equal mass, each once: equal confidences are not told apart.
std::vector<double> upper_ends(std::vector<double> confidences, int bins) {
  std::sort(confidences.begin(), confidences.end());
  const auto n = static_cast<std::int64_t>(confidences.size());
  std::vector<double> ends;
  for (std::int64_t m = 1; m <= bins; ++m) {
    const std::int64_t last = (m * n + bins - 1) / bins - 1;
    const double end = confidences[static_cast<std::size_t>(last)];
    if (ends.empty() || end > ends.back()) ends.push_back(end);
  }
  return ends;
}

Rows rows_of(const Tensor& logits, const Tensor& labels) {
  Rows all;
  all.classes = static_cast<std::size_t>(logits.dim(1));
  const std::vector<double> log_p = log_softmax(logits.to(DType::f64), 1).to_vector<double>();
  all.p.reserve(log_p.size());
  for (const double value : log_p) all.p.push_back(std::exp(value));
  for (const auto label : labels.to_vector<std::int64_t>())
    all.labels.push_back(static_cast<std::size_t>(label));
  for (std::size_t i = 0; i < all.labels.size(); ++i) {
    const double* p = all.p.data() + i * all.classes;
    const auto said = static_cast<std::size_t>(std::max_element(p, p + all.classes) - p);
    double brier = 0.0;
    for (std::size_t k = 0; k < all.classes; ++k) {
      const double away = p[k] - (k == all.labels[i] ? 1.0 : 0.0);
      brier += away * away;
    }
    all.rows.push_back({p[said], -log_p[i * all.classes + all.labels[i]], brier, said == all.labels[i], 0});
  }
  return all;
}

// Puts the rows into their bins, and says where these begin and end.
std::vector<ReliabilityBin> put_into_bins(Rows& all, const MeasureOptions& options) {
  std::vector<ReliabilityBin> bins;
  if (options.kind == Bins::equal_width) {
    for (int m = 0; m < options.bins; ++m)
      bins.push_back({.low = static_cast<double>(m) / options.bins, .high = (m + 1.0) / options.bins});
    for (Row& row : all.rows) row.bin = equal_width_bin(row.confidence, options.bins);
  } else {
    std::vector<double> confidences;
    for (const Row& row : all.rows) confidences.push_back(row.confidence);
    const std::vector<double> ends = upper_ends(confidences, options.bins);
    for (std::size_t m = 0; m < ends.size(); ++m)
      bins.push_back({.low = m == 0 ? 0.0 : ends[m - 1], .high = ends[m]});
    for (Row& row : all.rows)
      row.bin = static_cast<int>(std::lower_bound(ends.begin(), ends.end(), row.confidence) - ends.begin());
  }
  all.bins = static_cast<int>(bins.size());
  std::vector<double> confidence(bins.size(), 0.0), right(bins.size(), 0.0);
  for (const Row& row : all.rows) {
    const auto m = static_cast<std::size_t>(row.bin);
    ++bins[m].rows;
    confidence[m] += row.confidence;
    right[m] += row.right ? 1.0 : 0.0;
  }
  for (std::size_t m = 0; m < bins.size(); ++m) {
    const auto rows = static_cast<double>(bins[m].rows);
    bins[m].confidence = rows > 0.0 ? confidence[m] / rows : kNan;
    bins[m].accuracy = rows > 0.0 ? right[m] / rows : kNan;
  }
  return bins;
}

void prepare_classwise(Rows& all, int bins) {
  for (const double p : all.p) all.class_bins.push_back(equal_width_bin(p, bins));
}

double classwise_of(const Rows& all, const std::vector<double>& weights, int bins) {
  std::vector<double> gaps(all.classes * static_cast<std::size_t>(bins), 0.0);
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (weights[i] == 0.0) continue;
    for (std::size_t k = 0; k < all.classes; ++k) {
      const std::size_t place = i * all.classes + k;
      const double hit = k == all.labels[i] ? 1.0 : 0.0;
      gaps[k * static_cast<std::size_t>(bins) + static_cast<std::size_t>(all.class_bins[place])] +=
          weights[i] * (all.p[place] - hit);
    }
  }
  double sum = 0.0;
  for (const double gap : gaps) sum += std::abs(gap);
  return sum / (static_cast<double>(weights.size()) * static_cast<double>(all.classes));
}

// With each row counted as often as its weight says; the weights add up to the number of rows.
Figures figures_of(const Rows& all, const std::vector<double>& weights) {
  struct Bin {
    double rows = 0.0, gap = 0.0;
  };
  std::vector<Bin> bins(static_cast<std::size_t>(all.bins));
  Figures sum;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const Row& row = all.rows[i];
    const double weight = weights[i];
    sum.accuracy += row.right ? weight : 0.0;
    sum.nll += weight * row.nll;
    sum.brier += weight * row.brier;
    Bin& bin = bins[static_cast<std::size_t>(row.bin)];
    bin.rows += weight;
    bin.gap += weight * ((row.right ? 1.0 : 0.0) - row.confidence);
  }
  const auto n = static_cast<double>(weights.size());
  sum.accuracy /= n;
  sum.nll /= n;
  sum.brier /= n;
  for (const Bin& bin : bins) {
    if (bin.rows == 0.0) continue;
    sum.ece += std::abs(bin.gap) / n;
    sum.mce = std::max(sum.mce, std::abs(bin.gap) / bin.rows);
  }
  return sum;
}

Estimate estimate_of(double value, std::vector<double> drawn, double most) {
  if (drawn.empty()) return {value, kNan, kNan, kNan};
  const auto n = static_cast<double>(drawn.size());
  double center = 0.0, squares = 0.0;
  for (const double x : drawn) center += x / n;
  for (const double x : drawn) squares += (x - center) * (x - center);
  std::sort(drawn.begin(), drawn.end());
  const auto quantile = [&](double share) {
    return drawn[static_cast<std::size_t>(std::lround(share * (n - 1.0)))];
  };
  return {value, std::sqrt(squares / (n - 1.0)), std::clamp(2.0 * value - quantile(0.975), 0.0, most),
          std::clamp(2.0 * value - quantile(0.025), 0.0, most)};
}

}  // namespace

void check_scores(std::string_view operation, const Tensor& logits, const Tensor& labels) {
  if (logits.rank() != 2 || logits.dim(0) < 1 || logits.dim(1) < 2 || !is_floating(logits.dtype()))
    refuse(operation,
           fmt::format("logits must be (rows, classes) with a row and two classes at least, got {} {}",
                       logits.shape().string(), name_of(logits.dtype())));
  if (labels.dtype() != DType::i64 || labels.rank() != 1 || labels.dim(0) != logits.dim(0))
    refuse(operation, fmt::format("labels must be ({},) i64, a class for each row, got {} {}", logits.dim(0),
                                  labels.shape().string(), name_of(labels.dtype())));
  const std::vector<double> values = logits.to_vector<double>();
  const auto bad = std::find_if_not(values.begin(), values.end(), [](double z) { return std::isfinite(z); });
  if (bad != values.end())
    refuse(operation, fmt::format("row {} has the logit {}, all must be finite",
                                  (bad - values.begin()) / logits.dim(1), *bad));
  const std::vector<std::int64_t> classes = labels.to_vector<std::int64_t>();
  for (std::size_t i = 0; i < classes.size(); ++i) {
    if (classes[i] < 0 || classes[i] >= logits.dim(1))
      refuse(operation,
             fmt::format("row {} has the label {}, there are {} classes", i, classes[i], logits.dim(1)));
  }
}

Calibration measure_calibration(const Tensor& logits, const Tensor& labels, const MeasureOptions& options) {
  check_scores("measure_calibration", logits, labels);
  if (options.bins < 1)
    refuse("measure_calibration", fmt::format("bins must be at least 1, got {}", options.bins));
  if (options.resamples < 0 || options.resamples == 1)
    refuse("measure_calibration",
           fmt::format("resamples must be 0 or at least 2, got {}", options.resamples));
  Rows all = rows_of(logits, labels);
  Calibration result{.rows = logits.dim(0), .classes = logits.dim(1)};
  result.bins = put_into_bins(all, options);
  prepare_classwise(all, options.bins);
  const std::size_t n = all.rows.size();
  const std::vector<double> once(n, 1.0);
  const Figures figures = figures_of(all, once);
  const double classwise = classwise_of(all, once, options.bins);
  const bool few =
      static_cast<double>(n) * static_cast<double>(all.classes) * options.resamples <= kMostClasswiseWork;
  std::vector<double> accuracy, nll, brier, ece, mce, classwise_drawn;
  const Rng rng(options.seed);
  std::vector<double> weights(n);
  // One row is drawn again and again: that says nothing.
  const int resamples = n == 1 ? 0 : options.resamples;
  for (int resample = 0; resample < resamples; ++resample) {
    give_up_if(options.cancelled);
    std::fill(weights.begin(), weights.end(), 0.0);
    const Tensor drawn =
        rng.fold_in(static_cast<std::uint64_t>(resample)).randint(0, logits.dim(0), {logits.dim(0)});
    const auto* which = drawn.data<std::int64_t>();
    for (std::size_t i = 0; i < n; ++i) weights[static_cast<std::size_t>(which[i])] += 1.0;
    const Figures one = figures_of(all, weights);
    accuracy.push_back(one.accuracy);
    nll.push_back(one.nll);
    brier.push_back(one.brier);
    ece.push_back(one.ece);
    mce.push_back(one.mce);
    if (few) classwise_drawn.push_back(classwise_of(all, weights, options.bins));
  }
  result.accuracy = estimate_of(figures.accuracy, accuracy, 1.0);
  result.nll = estimate_of(figures.nll, nll, std::numeric_limits<double>::infinity());
  result.brier = estimate_of(figures.brier, brier, 2.0);
  result.ece = estimate_of(figures.ece, ece, 1.0);
  result.mce = estimate_of(figures.mce, mce, 1.0);
  result.classwise_ece = estimate_of(classwise, classwise_drawn, 1.0);
  return result;
}

}  // namespace likely::confidence
