// Hot: every subject.
#include "likely/models/choice/engine/subject_fit.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <limits>
#include <numbers>

namespace likely::choice {

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
// A step of this curvature or less changes the function by a ten-thousandth when it is as long as its scale.
constexpr double kFlatCurvature = 2e-4;

std::size_t index(int i) { return static_cast<std::size_t>(i); }

// The curvature of the free parameters: which of them are flat, the covariance of the others, and ln det of
// all.
class Curvature {
 public:
  Curvature(const ClimbTarget& target, const Summit& summit) : n_(target.model->size()), summit_(summit) {
    const std::vector<double>& scale = target.bounds.scale;
    flat.assign(index(n_), 0);
    covariance.assign(index(n_) * index(n_), kNaN);
    std::vector<int> free;
    for (int i = 0; i < n_; ++i) {
      if (summit.held[index(i)] == 0) free.push_back(i);
    }
    const int m = static_cast<int>(free.size());
    std::vector<double> matrix(index(m) * index(m));
    for (int a = 0; a < m; ++a) {
      for (int b = 0; b < m; ++b) {
        matrix[index(a) * index(m) + index(b)] = -hessian(free[index(a)], free[index(b)]) *
                                                 scale[index(free[index(a)])] * scale[index(free[index(b)])];
      }
    }
    std::vector<double> values;
    std::vector<double> vectors;
    symmetric_eigen(matrix, m, values, vectors);
    log_determinant = 0.0;
    for (int e = 0; e < m; ++e) {
      log_determinant += values[index(e)] > 0.0 ? std::log(values[index(e)]) : kNaN;
      if (values[index(e)] > kFlatCurvature) continue;
      for (int a = 0; a < m; ++a) {
        const double part = vectors[index(a) * index(m) + index(e)];
        if (part * part > 0.05) flat[index(free[index(a)])] = 1;
      }
    }
    for (const int i : free) log_determinant -= 2.0 * std::log(scale[index(i)]);
    for (int a = 0; a < m; ++a) {
      for (int b = 0; b < m; ++b) {
        const int i = free[index(a)];
        const int j = free[index(b)];
        if (flat[index(i)] != 0 || flat[index(j)] != 0) continue;
        double sum = 0.0;
        for (int e = 0; e < m; ++e) {
          if (values[index(e)] <= kFlatCurvature) continue;
          sum += vectors[index(a) * index(m) + index(e)] * vectors[index(b) * index(m) + index(e)] /
                 values[index(e)];
        }
        covariance[index(i) * index(n_) + index(j)] = sum * scale[index(i)] * scale[index(j)];
      }
    }
  }

  std::vector<char> flat;
  std::vector<double> covariance;
  double log_determinant = 0.0;

 private:
  double hessian(int i, int j) const { return summit_.hessian[index(i) * index(n_) + index(j)]; }

  int n_;
  const Summit& summit_;
};

void describe_parameters(const ClimbTarget& target, const Summit& summit, double z, SubjectFit& fit) {
  const Model& model = *target.model;
  const Curvature curvature(target, summit);
  fit.covariance = curvature.covariance;
  if (target.is_posterior) fit.log_det_hessian = curvature.log_determinant;
  std::vector<std::string> flat;
  for (int i = 0; i < model.size(); ++i) {
    const Parameter& p = model.parameters[index(i)];
    const double at = summit.point[index(i)];
    const double x = target.is_posterior ? p.natural(at) : at;
    double u = at;
    if (!target.is_posterior) {
      u = x <= p.lower   ? -std::numeric_limits<double>::infinity()
          : x >= p.upper ? std::numeric_limits<double>::infinity()
                         : p.unconstrained(x);
    }
    fit.estimate.push_back(x);
    fit.unconstrained.push_back(u);
    Standing standing = Standing::inside;
    if (summit.held[index(i)] != 0) {
      const bool low = at <= target.bounds.lower[index(i)];
      standing = low ? Standing::at_lower : Standing::at_upper;
      fit.warnings.push_back(fmt::format("{} is at its {} bound {}", p.name, low ? "lower" : "upper", x));
    } else if (curvature.flat[index(i)] != 0) {
      standing = Standing::flat;
      flat.push_back(p.name);
    }
    fit.standing.push_back(standing);
    const double variance = curvature.covariance[index(i) * index(model.size()) + index(i)];
    const double slope = std::isfinite(u) ? p.slopes(u).first : kNaN;
    const double error = std::sqrt(variance);
    const double error_u = target.is_posterior ? error : error / slope;
    fit.standard_error.push_back(target.is_posterior ? error * slope : error);
    fit.interval_lower.push_back(std::isfinite(error_u) ? p.natural(u - z * error_u) : kNaN);
    fit.interval_upper.push_back(std::isfinite(error_u) ? p.natural(u + z * error_u) : kNaN);
  }
  if (!flat.empty()) {
    fit.warnings.push_back(fmt::format("{} {} hardly determined by these trials", fmt::join(flat, ", "),
                                       flat.size() == 1 ? "is" : "are"));
  }
}

}  // namespace

SubjectFit describe_subject(const ClimbTarget& target, const Summit& summit, double z) {
  SubjectFit fit;
  const double n = target.model->size();
  fit.log_likelihood = summit.log_likelihood;
  fit.converged = summit.converged;
  fit.iterations = summit.iterations;
  fit.climbs = summit.climbs;
  fit.climbs_agreeing = summit.agreeing;
  fit.log_joint = fit.log_det_hessian = fit.log_evidence = kNaN;
  if (target.model->size() > 0 && summit.point.empty()) {
    fit.warnings.emplace_back("the likelihood is not finite anywhere that was looked at");
    for (auto* list :
         {&fit.estimate, &fit.unconstrained, &fit.standard_error, &fit.interval_lower, &fit.interval_upper}) {
      list->assign(index(target.model->size()), kNaN);
    }
    fit.standing.assign(index(target.model->size()), Standing::flat);
    fit.covariance.assign(index(target.model->size()) * index(target.model->size()), kNaN);
    fit.log_likelihood = kNaN;
    return fit;
  }
  if (target.is_posterior) fit.log_det_hessian = 0.0;
  describe_parameters(target, summit, z, fit);
  if (target.is_posterior) {
    fit.log_joint = summit.value;
    fit.log_evidence = fit.log_joint + 0.5 * n * std::log(2.0 * std::numbers::pi) - 0.5 * fit.log_det_hessian;
  }
  if (!fit.converged) {
    fit.warnings.push_back(
        fmt::format("the search stopped after {} steps before it arrived", fit.iterations));
  }
  return fit;
}

}  // namespace likely::choice
