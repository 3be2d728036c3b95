#include "likely/data/standardizer.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <type_traits>
#include <vector>

#include "likely/core/create.hpp"
#include "likely/core/dispatch.hpp"
#include "likely/data/magnitude.hpp"
#include "likely/ops/arithmetic.hpp"
#include "likely/tree/misfit.hpp"

namespace likely::data {

namespace {

constexpr std::int64_t kPiece = 1024;

// Relative to the mean, deviations below this are known to a few digits at best.
constexpr double kClose = 1e-11;

// Mean and sum of squared deviations of one feature, brought up to date number by number (Chan, Golub,
// LeVeque 1983): the plain sum of squares would lose the digits of data far from 0. Kept in a unit of its
// own, so that squares of numbers like 1e160 or 1e-200 are numbers, and once more relative to the first
// number, for data that are so far from 0 that the mean itself is not known well enough.
class Feature {
 public:
  void add(double value, double count) {
    if (std::fabs(value) > peak_) grow(std::fabs(value));
    const double x = value * unit_;
    if (count == 1.0) first_ = x;
    update(x, count, mean_, squares_);
    update(x - first_, count, shifted_mean_, shifted_squares_);
  }

  double peak() const { return peak_; }
  double unit() const { return unit_; }
  double mean() const { return mean_; }
  double squares() const { return squares_; }
  // Changes to the unit of numbers up to this.
  void grow(double peak) {
    peak_ = peak;
    const double unit = unit_for_squares(peak);
    if (unit == unit_) return;
    const double factor = unit / unit_;
    for (double* x : {&first_, &mean_, &shifted_mean_}) *x *= factor;
    for (double* x : {&squares_, &shifted_squares_}) *x = *x * factor * factor;
    unit_ = unit;
  }
  // Takes what is known about the number relative to the first one where that is better.
  void settle(double count) {
    const double deviation = std::sqrt(squares_ / count);
    if (deviation > kClose * std::fabs(mean_) || shifted_squares_ == 0.0) return;
    mean_ = first_ + shifted_mean_;
    squares_ = shifted_squares_;
  }

 private:
  static void update(double x, double count, double& mean, double& squares) {
    const double away = x - mean;
    mean += away / count;
    squares += away * (x - mean);
  }

  double unit_ = 1.0, peak_ = 0.0;
  double first_ = 0.0;
  double mean_ = 0.0, squares_ = 0.0;
  double shifted_mean_ = 0.0, shifted_squares_ = 0.0;
};

class Moments {
 public:
  void add(const Tensor& rows) {
    if (!is_floating(rows.dtype()) && rows.dtype() != DType::i64) {
      refuse("Standardizer", "numbers are needed, got " + std::string(name_of(rows.dtype())));
    }
    if (count_ == 0) {
      shape_ = rows.shape().sub(1, rows.rank());
      dtype_ = is_floating(rows.dtype()) ? rows.dtype() : DType::f32;
      features_.resize(static_cast<std::size_t>(shape_.size()));
    }
    const Tensor dense = rows.to(DType::f64).contiguous();
    const double* values = dense.data<double>();
    for (std::int64_t row = 0; row < rows.dim(0); ++row) {
      ++count_;
      for (Feature& feature : features_) {
        const double value = *values++;
        if (!std::isfinite(value))
          refuse("Standardizer", "row " + std::to_string(count_ - 1) + " has " + std::to_string(value));
        feature.add(value, static_cast<double>(count_));
      }
    }
  }

  Standardizer result(const StandardizerOptions& options) {
    if (count_ == 0) refuse("Standardizer", "at least one row is needed");
    std::vector<double> means;
    std::vector<double> scales;
    const auto keep = [&](double mean, double squares, double unit) {
      const double deviation = std::sqrt(squares / static_cast<double>(count_));
      means.push_back(mean / unit);
      scales.push_back(deviation > 0.0 ? std::max(deviation / unit, smallest_scale()) : 1.0);
    };
    if (options.per_feature) {
      for (Feature& feature : features_) {
        feature.settle(static_cast<double>(count_));
        keep(feature.mean(), feature.squares(), feature.unit());
      }
    } else {
      pool(keep);
    }
    return {tensor(means, shape_).to(dtype_), tensor(scales, shape_).to(dtype_)};
  }

 private:
  // One mean and one sum of squares, the average over the features, for all of them.
  template <class Keep>
  void pool(const Keep& keep) {
    const auto features = static_cast<double>(features_.size());
    double peak = 0.0;
    for (const Feature& feature : features_) peak = std::max(peak, feature.peak());
    for (Feature& feature : features_) feature.grow(peak);
    double mean = 0.0;
    for (const Feature& feature : features_) mean += feature.mean() / features;
    double squares = 0.0;
    for (const Feature& feature : features_) {
      const double away = feature.mean() - mean;
      squares += (feature.squares() + static_cast<double>(count_) * away * away) / features;
    }
    for (std::size_t i = 0; i < features_.size(); ++i) keep(mean, squares, unit_for_squares(peak));
  }

  // Nothing is to be divided by 0.
  double smallest_scale() const { return detail::limits_of("Standardizer", dtype_).least; }

  std::int64_t count_ = 0;
  Shape shape_;
  DType dtype_ = DType::f32;
  std::vector<Feature> features_;
};

// A power of two by which the largest numbers can be multiplied so that their differences are numbers, too.
double unit_for_differences(const Tensor& mean, const Tensor& scale) {
  const double far = detail::with_type(
      "Standardizer", mean.dtype(), []<class T>(T) { return std::is_same_v<T, float> ? 0x1p120 : 0x1p1000; });
  for (const Tensor& part : {mean, scale}) {
    for (const double value : part.to_vector<double>()) {
      if (std::fabs(value) > far) return 0.125;
    }
  }
  return 1.0;
}

}  // namespace

Standardizer Standardizer::fit(const Dataset& train, const StandardizerOptions& options) {
  Moments moments;
  for (std::int64_t first = 0; first < train.size(); first += kPiece) {
    moments.add(train.range(first, std::min(kPiece, train.size() - first)).x);
  }
  return moments.result(options);
}

Standardizer Standardizer::fit(const Tensor& rows, const StandardizerOptions& options) {
  return fit(Dataset(rows), options);
}

std::string Standardizer::misfit() const {
  if (!mean.defined() && !scale.defined()) return {};
  if (!mean.defined() || !is_floating(mean.dtype()))
    return "mean is " + shape_and_type(mean) + ", must be floating numbers";
  std::string wrong = values_misfit("mean", mean, Values::finite);
  if (!wrong.empty()) return wrong;
  return part_misfit("scale", scale, mean.shape(), mean.dtype(), Values::positive);
}

Tensor Standardizer::apply(const Tensor& x) const {
  const double unit = unit_for_differences(mean, scale);
  if (unit == 1.0) return (x - mean) / scale;
  return (x * unit - mean * unit) / (scale * unit);
}
Tensor Standardizer::invert(const Tensor& z) const {
  const double unit = unit_for_differences(mean, scale);
  if (unit == 1.0) return z * scale + mean;
  return (z * (scale * unit) + mean * unit) / unit;
}

Dataset Standardizer::apply(const Dataset& dataset) const {
  return dataset.map([fitted = *this](const Batch& batch) { return Batch{fitted.apply(batch.x), batch.y}; });
}

}  // namespace likely::data
