// Hot: Newton steps for every subject.
#include "likely/models/choice/engine/ascent.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace likely::choice {

namespace {

// Slopes, by a step of 1, that count as none.
constexpr double kFlat = 1e-9;
// Regions smaller than this lead nowhere.
constexpr double kSmallestRadius = 1e-11;
constexpr double kLargestRadius = 30.0;

std::size_t index(int i) { return static_cast<std::size_t>(i); }

}  // namespace

void symmetric_eigen(std::vector<double>& a, int n, std::vector<double>& values,
                     std::vector<double>& vectors) {
  const auto at = [n](int i, int j) { return index(i) * index(n) + index(j); };
  vectors.assign(index(n) * index(n), 0.0);
  for (int i = 0; i < n; ++i) vectors[at(i, i)] = 1.0;
  for (int sweep = 0; sweep < 60; ++sweep) {
    double off = 0.0;
    double diagonal = 0.0;
    for (int i = 0; i < n; ++i) {
      diagonal += a[at(i, i)] * a[at(i, i)];
      for (int j = 0; j < i; ++j) off += a[at(i, j)] * a[at(i, j)];
    }
    if (off <= 1e-32 * diagonal || off == 0.0) break;
    for (int p = 0; p < n; ++p) {
      for (int q = p + 1; q < n; ++q) {
        const double b = a[at(p, q)];
        if (b == 0.0) continue;
        const double theta = (a[at(q, q)] - a[at(p, p)]) / (2.0 * b);
        const double t = std::copysign(1.0, theta) / (std::fabs(theta) + std::sqrt(1.0 + theta * theta));
        const double c = 1.0 / std::sqrt(1.0 + t * t);
        const double s = t * c;
        for (int k = 0; k < n; ++k) {
          const double x = a[at(k, p)];
          const double y = a[at(k, q)];
          a[at(k, p)] = c * x - s * y;
          a[at(k, q)] = s * x + c * y;
        }
        for (int k = 0; k < n; ++k) {
          const double x = a[at(p, k)];
          const double y = a[at(q, k)];
          a[at(p, k)] = c * x - s * y;
          a[at(q, k)] = s * x + c * y;
        }
        for (int k = 0; k < n; ++k) {
          const double x = vectors[at(k, p)];
          const double y = vectors[at(k, q)];
          vectors[at(k, p)] = c * x - s * y;
          vectors[at(k, q)] = s * x + c * y;
        }
      }
    }
  }
  values.resize(index(n));
  for (int i = 0; i < n; ++i) values[index(i)] = a[at(i, i)];
  // Ascending, by exchanging columns: there are few.
  for (int i = 0; i < n; ++i) {
    const int least = static_cast<int>(std::min_element(values.begin() + i, values.end()) - values.begin());
    if (least == i) continue;
    std::swap(values[index(i)], values[index(least)]);
    for (int k = 0; k < n; ++k) std::swap(vectors[at(k, i)], vectors[at(k, least)]);
  }
}

Ascent::Ascent(const AscentBounds& bounds, int most_iterations)
    : bounds_(bounds), n_(static_cast<int>(bounds.scale.size())), most_(most_iterations) {}

void Ascent::start(std::span<const double> point) {
  trial_.assign(point.begin(), point.end());
  for (int i = 0; i < n_; ++i) {
    trial_[index(i)] = std::clamp(trial_[index(i)], bounds_.lower[index(i)], bounds_.upper[index(i)]);
  }
  point_ = trial_;
  value_ = -std::numeric_limits<double>::infinity();
  radius_ = 1.0;
  started_ = last_ = done_ = converged_ = false;
  iterations_ = 0;
}

bool Ascent::is_held(int i) const {
  const std::size_t k = index(i);
  return (point_[k] <= bounds_.lower[k] && gradient_[k] < 0.0) ||
         (point_[k] >= bounds_.upper[k] && gradient_[k] > 0.0);
}

void Ascent::finish(bool converged) {
  done_ = true;
  converged_ = converged;
}

void Ascent::take(double value, std::span<const double> gradient, std::span<const double> hessian) {
  ++iterations_;
  bool finite = std::isfinite(value);
  for (const double x : gradient) finite = finite && std::isfinite(x);
  for (const double x : hessian) finite = finite && std::isfinite(x);
  const auto accept = [&] {
    point_ = trial_;
    value_ = value;
    gradient_.assign(gradient.begin(), gradient.end());
    hessian_.assign(hessian.begin(), hessian.end());
  };
  if (!started_) {
    started_ = true;
    accept();
    if (!finite) return finish(false);
    return plan();
  }
  if (last_) {
    // Values no longer tell which point is better; slopes do.
    double before = 0.0;
    double after = 0.0;
    for (int i = 0; i < n_; ++i) {
      if (is_held(i)) continue;
      before = std::max(before, std::fabs(gradient_[index(i)] * bounds_.scale[index(i)]));
      after = std::max(after, std::fabs(gradient[index(i)] * bounds_.scale[index(i)]));
    }
    if (finite && after <= before) accept();
    return finish(true);
  }
  double length = 0.0;
  for (int i = 0; i < n_; ++i) {
    const double part = (trial_[index(i)] - point_[index(i)]) / bounds_.scale[index(i)];
    length += part * part;
  }
  length = std::sqrt(length);
  const double ratio = finite ? (value - value_) / predicted_ : -1.0;
  if (ratio > 1e-4) accept();
  if (ratio < 0.25) {
    radius_ = 0.25 * length;
  } else if (ratio > 0.75 && length > 0.8 * radius_) {
    radius_ = std::min(kLargestRadius, 2.5 * radius_);
  }
  if (radius_ < kSmallestRadius || iterations_ >= most_) return finish(at_maximum());
  plan();
}

// Slopes and curvatures of the parameters that are free to move.
bool Ascent::at_maximum() {
  for (int i = 0; i < n_; ++i) {
    if (!is_held(i) &&
        std::fabs(gradient_[index(i)] * bounds_.scale[index(i)]) > 1e-5 * (1.0 + std::fabs(value_))) {
      return false;
    }
  }
  return true;
}

void Ascent::plan() {
  step_.assign(index(n_), 0.0);
  fixed_.assign(index(n_), 0);
  double steepest = 0.0;
  for (int i = 0; i < n_; ++i) {
    if (is_held(i)) {
      fixed_[index(i)] = 1;
    } else {
      steepest = std::max(steepest, std::fabs(gradient_[index(i)] * bounds_.scale[index(i)]));
    }
  }
  // A parameter that would leave its bounds is put on the bound, and the others are asked again.
  for (int round = 0; round <= n_; ++round) {
    if (!solve_free()) break;
  }
  for (int i = 0; i < n_; ++i) {
    const std::size_t k = index(i);
    trial_[k] = std::clamp(point_[k] + step_[k], bounds_.lower[k], bounds_.upper[k]);
    step_[k] = trial_[k] - point_[k];
  }
  predicted_ = predicted_gain();
  if (!(predicted_ > 0.0)) follow_gradient();
  const double tiny = 1e-13 * (1.0 + std::fabs(value_));
  if (!(predicted_ > 0.0)) return finish(true);
  if (predicted_ <= tiny) {
    if (steepest <= kFlat) return finish(true);
    last_ = true;
  }
}

// A step for the parameters that are not fixed, by the quadratic model within the region. True if that made
// one more of them fixed.
bool Ascent::solve_free() {
  free_.clear();
  for (int i = 0; i < n_; ++i) {
    if (fixed_[index(i)] == 0) free_.push_back(i);
  }
  const int m = static_cast<int>(free_.size());
  if (m == 0) return false;
  matrix_.assign(index(m) * index(m), 0.0);
  slope_.assign(index(m), 0.0);
  for (int a = 0; a < m; ++a) {
    const int i = free_[index(a)];
    double g = gradient_[index(i)];
    for (int j = 0; j < n_; ++j) {
      if (fixed_[index(j)] != 0) g += hessian_[index(i) * index(n_) + index(j)] * step_[index(j)];
    }
    slope_[index(a)] = g * bounds_.scale[index(i)];
    for (int b = 0; b < m; ++b) {
      const int j = free_[index(b)];
      matrix_[index(a) * index(m) + index(b)] =
          -hessian_[index(i) * index(n_) + index(j)] * bounds_.scale[index(i)] * bounds_.scale[index(j)];
    }
  }
  symmetric_eigen(matrix_, m, values_, vectors_);
  add_region_step();
  // The first bound on the way.
  int worst = -1;
  double least = 1.0;
  for (int a = 0; a < m; ++a) {
    const std::size_t i = index(free_[index(a)]);
    const double step = free_step_[index(a)] * bounds_.scale[i];
    step_[i] = step;
    const double room = step > 0 ? bounds_.upper[i] - point_[i] : bounds_.lower[i] - point_[i];
    if (step != 0.0 && std::fabs(step) > std::fabs(room)) {
      const double share = room / step;
      if (share < least || worst < 0) {
        least = share;
        worst = free_[index(a)];
      }
    }
  }
  if (worst < 0) return false;
  const std::size_t w = index(worst);
  step_[w] = step_[w] > 0 ? bounds_.upper[w] - point_[w] : bounds_.lower[w] - point_[w];
  fixed_[w] = 1;
  return true;
}

// (B + mu I) p = slope with mu >= 0 as small as the region allows and B + mu I not negative.
void Ascent::add_region_step() {
  const int m = static_cast<int>(free_.size());
  along_.assign(index(m), 0.0);  // the slope in eigenvectors
  for (int e = 0; e < m; ++e) {
    for (int a = 0; a < m; ++a) {
      along_[index(e)] += vectors_[index(a) * index(m) + index(e)] * slope_[index(a)];
    }
  }
  const auto length = [&](double mu) {
    double sum = 0.0;
    for (int e = 0; e < m; ++e) {
      const double part = along_[index(e)] / (values_[index(e)] + mu);
      sum += part * part;
    }
    return std::sqrt(sum);
  };
  const double least = values_[0];
  const double largest = std::max(std::fabs(values_[0]), std::fabs(values_[index(m - 1)]));
  const double margin = 1e-12 * (1.0 + largest);
  double mu = 0.0;
  double extra = 0.0;  // along the lowest curvature, where the slope has no part in it
  if (least <= margin || length(0.0) > radius_) {
    double low = std::max(0.0, margin - least);
    if (length(low) <= radius_) {
      mu = low;
      if (least < -margin) extra = std::sqrt(std::max(0.0, radius_ * radius_ - length(mu) * length(mu)));
    } else {
      double high = std::max(low * 2.0, 1e-8);
      while (length(high) > radius_) high *= 4.0;
      for (int i = 0; i < 60 && high - low > 1e-10 * high; ++i) {
        mu = 0.5 * (low + high);
        (length(mu) > radius_ ? low : high) = mu;
      }
      mu = high;
    }
  }
  free_step_.assign(index(m), 0.0);
  for (int e = 0; e < m; ++e) {
    double part = along_[index(e)] / (values_[index(e)] + mu);
    if (e == 0 && extra > 0.0) part += std::copysign(extra, along_[0]);
    for (int a = 0; a < m; ++a) free_step_[index(a)] += vectors_[index(a) * index(m) + index(e)] * part;
  }
}

double Ascent::predicted_gain() const {
  double gain = 0.0;
  for (int i = 0; i < n_; ++i) {
    gain += gradient_[index(i)] * step_[index(i)];
    for (int j = 0; j < n_; ++j) {
      gain += 0.5 * step_[index(i)] * step_[index(j)] * hessian_[index(i) * index(n_) + index(j)];
    }
  }
  return gain;
}

// Uphill along the bounds, as far as the quadratic model rises.
void Ascent::follow_gradient() {
  double length = 0.0;
  for (int i = 0; i < n_; ++i) {
    if (!is_held(i)) length = std::max(length, std::fabs(gradient_[index(i)] * bounds_.scale[index(i)]));
  }
  if (length <= kFlat) return;
  for (double reach = radius_; reach > kSmallestRadius; reach *= 0.25) {
    for (int i = 0; i < n_; ++i) {
      const std::size_t k = index(i);
      const double step =
          is_held(i) ? 0.0 : reach / length * gradient_[k] * bounds_.scale[k] * bounds_.scale[k];
      trial_[k] = std::clamp(point_[k] + step, bounds_.lower[k], bounds_.upper[k]);
      step_[k] = trial_[k] - point_[k];
    }
    predicted_ = predicted_gain();
    if (predicted_ > 0.0) return;
  }
}

}  // namespace likely::choice
