#include "likely/data/standardizer.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "likely/core/create.hpp"
#include "likely/ops/arithmetic.hpp"
#include "likely/tree/misfit.hpp"

namespace likely::data {

namespace {

constexpr std::int64_t kPiece = 1024;

// Means and sums of squared deviations that are brought up to date piece by piece (Chan, Golub, LeVeque
// 1983): the plain sum of squares would lose the digits of data far from 0.
class Moments {
 public:
  void add(const Tensor& rows) {
    if (!is_floating(rows.dtype()) && rows.dtype() != DType::i64) {
      refuse("Standardizer", "numbers are needed, got " + std::string(name_of(rows.dtype())));
    }
    if (count_ == 0) {
      shape_ = rows.shape().sub(1, rows.rank());
      dtype_ = is_floating(rows.dtype()) ? rows.dtype() : DType::f32;
      mean_.assign(static_cast<std::size_t>(shape_.size()), 0.0);
      squares_ = mean_;
    }
    const Tensor dense = rows.to(DType::f64).contiguous();
    const double* values = dense.data<double>();
    for (std::int64_t row = 0; row < rows.dim(0); ++row) {
      ++count_;
      for (std::size_t i = 0; i < mean_.size(); ++i) {
        const double value = *values++;
        if (!std::isfinite(value))
          refuse("Standardizer", "row " + std::to_string(count_ - 1) + " has " + std::to_string(value));
        const double away = value - mean_[i];
        mean_[i] += away / static_cast<double>(count_);
        squares_[i] += away * (value - mean_[i]);
      }
    }
  }

  Standardizer result(const StandardizerOptions& options) {
    if (count_ == 0) refuse("Standardizer", "at least one row is needed");
    if (!options.per_feature) pool();
    std::vector<double> scale;
    for (const double squares : squares_) {
      const double deviation = std::sqrt(squares / static_cast<double>(count_));
      scale.push_back(deviation > 0.0 ? deviation : 1.0);
    }
    return {tensor(mean_, shape_).to(dtype_), tensor(scale, shape_).to(dtype_)};
  }

 private:
  // One mean and one sum of squares, the average over the features, for all of them.
  void pool() {
    const auto features = static_cast<double>(mean_.size());
    double mean = 0.0;
    for (const double m : mean_) mean += m / features;
    double squares = 0.0;
    for (std::size_t i = 0; i < mean_.size(); ++i) {
      const double away = mean_[i] - mean;
      squares += (squares_[i] + static_cast<double>(count_) * away * away) / features;
    }
    std::fill(mean_.begin(), mean_.end(), mean);
    std::fill(squares_.begin(), squares_.end(), squares);
  }

  std::int64_t count_ = 0;
  Shape shape_;
  DType dtype_ = DType::f32;
  std::vector<double> mean_;
  std::vector<double> squares_;
};

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

Tensor Standardizer::apply(const Tensor& x) const { return (x - mean) / scale; }
Tensor Standardizer::invert(const Tensor& z) const { return z * scale + mean; }

Dataset Standardizer::apply(const Dataset& dataset) const {
  return dataset.map([fitted = *this](const Batch& batch) { return Batch{fitted.apply(batch.x), batch.y}; });
}

}  // namespace likely::data
