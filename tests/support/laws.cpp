#include "tests/support/laws.hpp"

#include <boost/math/distributions/bernoulli.hpp>
#include <boost/math/distributions/beta.hpp>
#include <boost/math/distributions/cauchy.hpp>
#include <boost/math/distributions/exponential.hpp>
#include <boost/math/distributions/extreme_value.hpp>
#include <boost/math/distributions/gamma.hpp>
#include <boost/math/distributions/inverse_gamma.hpp>
#include <boost/math/distributions/laplace.hpp>
#include <boost/math/distributions/lognormal.hpp>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/poisson.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <boost/math/distributions/uniform.hpp>
#include <boost/math/quadrature/exp_sinh.hpp>
#include <boost/math/quadrature/gauss_kronrod.hpp>
#include <boost/math/quadrature/tanh_sinh.hpp>
#include <boost/math/special_functions/bessel.hpp>
#include <cmath>
#include <limits>
#include <numbers>

#include "likely/core/create.hpp"
#include "likely/likely.hpp"
#include "likely/prob/distributions/truncated_gumbel.hpp"

namespace likely::testing {

namespace {

using Values = const std::vector<double>&;

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kPi = std::numbers::pi;

// Fills in what likely says; make(parameters) builds the distribution.
template <class Make>
void fill_likely(Law& law, Make make) {
  using Distribution = decltype(make(Parameters()));
  law.log_prob = [=](const Parameters& p, const Tensor& x) { return make(p).log_prob(x); };
  law.cdf = [=](const Parameters& p, const Tensor& x) { return make(p).cdf(x); };
  law.sample = [=](const Parameters& p, const Rng& r, const Shape& s) { return make(p).sample(r, s); };
  if constexpr (requires(const Distribution& d, Rng r) { d.rsample(r); }) {
    law.rsample = [=](const Parameters& p, const Rng& r, const Shape& s) { return make(p).rsample(r, s); };
  }
  law.mean = [=](const Parameters& p) { return make(p).mean(); };
  law.variance = [=](const Parameters& p) { return make(p).variance(); };
  law.entropy = [=](const Parameters& p) { return make(p).entropy(); };
}

// Fills in what Boost says; make(values) builds Boost's distribution.
template <class Make>
void fill_boost(Law& law, Make make) {
  law.density = [=](Values v, double x) { return boost::math::pdf(make(v), x); };
  law.distribution = [=](Values v, double x) { return boost::math::cdf(make(v), x); };
  law.quantile = [=](Values v, double p) { return boost::math::quantile(make(v), p); };
}

struct Where {
  std::function<Interval(Values)> support;
  std::function<double(Values)> centre;
};

const Where kLine = {[](Values) { return Interval{-kInf, kInf}; }, [](Values v) { return v[0]; }};
const Where kPositive = {[](Values) { return Interval{0.0, kInf}; }, [](Values) { return 1.0; }};

template <class MakeLikely, class MakeBoost>
Law law(const std::string& name, std::vector<std::vector<double>> settings, std::vector<double> points,
        const Where& where, MakeLikely make_likely, MakeBoost make_boost, bool discrete = false) {
  Law result;
  result.name = name;
  result.settings = std::move(settings);
  result.points = std::move(points);
  result.discrete = discrete;
  result.support = where.support;
  result.centre = where.centre;
  fill_likely(result, make_likely);
  fill_boost(result, make_boost);
  return result;
}

using P = const Parameters&;

Law von_mises() {
  Law result;
  result.name = "VonMises";
  result.settings = {{0.4, 0.7}, {-1.0, 6.0}, {2.0, 150.0}};
  result.points = {-0.9, 0.2, 1.1, 1.9};
  result.discrete = false;
  result.support = [](Values v) { return Interval{v[0] - kPi, v[0] + kPi}; };
  result.centre = [](Values v) { return v[0]; };
  fill_likely(result, [](P p) { return VonMises(p[0], p[1]); });
  result.density = [](Values v, double x) {
    return std::exp(v[1] * std::cos(x - v[0])) / (2.0 * kPi * boost::math::cyl_bessel_i(0, v[1]));
  };
  result.distribution = [density = result.density](Values v, double x) {
    const auto f = [&](double t) { return density(v, t); };
    return boost::math::quadrature::gauss_kronrod<double, 61>::integrate(f, v[0] - kPi, x, 12, 1e-14);
  };
  return result;
}

Law truncated_gumbel() {
  Law result;
  result.name = "TruncatedGumbel";
  result.settings = {{0.3, 0.7, 1.7}, {-1.0, 5.0, 0.8}, {2.0, 0.65, 0.5}};
  result.points = {-1.3, -0.4, 0.1, 0.6};
  result.discrete = false;
  result.support = [](Values v) { return Interval{-kInf, v[1]}; };
  result.centre = [](Values v) { return std::min(v[0], v[1] - 0.5 * v[2]); };
  fill_likely(result, [](P p) { return TruncatedGumbel(p[0], p[1], p[2]); });
  result.distribution = [](Values v, double x) {
    return x >= v[1] ? 1.0 : std::exp(std::exp((v[0] - v[1]) / v[2]) - std::exp((v[0] - x) / v[2]));
  };
  result.density = [distribution = result.distribution](Values v, double x) {
    return x > v[1] ? 0.0 : std::exp((v[0] - x) / v[2]) / v[2] * distribution(v, x);
  };
  result.quantile = [](Values v, double p) {
    return v[0] - v[2] * std::log(std::exp((v[0] - v[1]) / v[2]) - std::log(p));
  };
  return result;
}

std::vector<Law> make_laws() {
  namespace bm = boost::math;
  const std::vector<double> around = {-2.3, -0.4, 0.1, 0.9, 3.7};
  const std::vector<double> above = {0.02, 0.3, 1.0, 2.4, 7.7};
  const std::vector<double> unit = {0.01, 0.2, 0.5, 0.83, 0.999};
  const std::vector<double> counts = {0, 1, 2, 5, 11};
  std::vector<Law> all;
  all.push_back(law(
      "Normal", {{0.3, 1.7}, {-5.0, 0.2}}, around, kLine, [](P p) { return Normal(p[0], p[1]); },
      [](Values v) { return bm::normal(v[0], v[1]); }));
  all.push_back(law(
      "Laplace", {{0.3, 1.7}, {-1.0, 0.4}}, around, kLine, [](P p) { return Laplace(p[0], p[1]); },
      [](Values v) { return bm::laplace(v[0], v[1]); }));
  all.push_back(law(
      "Cauchy", {{0.3, 1.7}, {-1.0, 0.4}}, around, kLine, [](P p) { return Cauchy(p[0], p[1]); },
      [](Values v) { return bm::cauchy(v[0], v[1]); }));
  all.push_back(law(
      "Gumbel", {{0.3, 1.7}, {-1.0, 0.8}}, around, kLine, [](P p) { return Gumbel(p[0], p[1]); },
      [](Values v) { return bm::extreme_value(v[0], v[1]); }));
  all.push_back(truncated_gumbel());
  Law student = law(
      "StudentT", {{3.5, 0.3, 1.7}, {0.8, -1.0, 0.4}, {40.0, 0.0, 1.0}}, around,
      {kLine.support, [](Values v) { return v[1]; }}, [](P p) { return StudentT(p[0], p[1], p[2]); },
      [](Values v) { return bm::students_t(v[0]); });
  student.density = [](Values v, double x) {
    return bm::pdf(bm::students_t(v[0]), (x - v[1]) / v[2]) / v[2];
  };
  student.distribution = [](Values v, double x) { return bm::cdf(bm::students_t(v[0]), (x - v[1]) / v[2]); };
  student.quantile = [](Values v, double p) { return v[1] + v[2] * bm::quantile(bm::students_t(v[0]), p); };
  all.push_back(student);
  all.push_back(law(
      "LogNormal", {{0.3, 0.7}, {-1.0, 1.2}}, above, kPositive, [](P p) { return LogNormal(p[0], p[1]); },
      [](Values v) { return bm::lognormal(v[0], v[1]); }));
  all.push_back(law(
      "Exponential", {{0.3}, {2.5}}, above, kPositive, [](P p) { return Exponential(p[0]); },
      [](Values v) { return bm::exponential(v[0]); }));
  all.push_back(law(
      "Gamma", {{0.3, 1.7}, {1.0, 0.5}, {4.2, 2.0}, {60.0, 20.0}}, above, kPositive,
      [](P p) { return Gamma(p[0], p[1]); },
      [](Values v) { return bm::gamma_distribution<>(v[0], 1.0 / v[1]); }));
  all.push_back(law(
      "InverseGamma", {{3.3, 1.7}, {1.2, 0.5}, {9.0, 20.0}}, above, kPositive,
      [](P p) { return InverseGamma(p[0], p[1]); },
      [](Values v) { return bm::inverse_gamma_distribution<>(v[0], v[1]); }));
  all.push_back(law(
      "Beta", {{0.5, 0.8}, {2.0, 5.0}, {1.0, 1.0}, {30.0, 3.0}}, unit,
      {[](Values) {
         return Interval{0.0, 1.0};
       },
       [](Values) { return 0.5; }},
      [](P p) { return Beta(p[0], p[1]); }, [](Values v) { return bm::beta_distribution<>(v[0], v[1]); }));
  all.push_back(law(
      "Uniform", {{-3.0, 4.0}, {-2.5, 11.0}}, around,
      {[](Values v) {
         return Interval{v[0], v[1]};
       },
       [](Values v) { return 0.5 * (v[0] + v[1]); }},
      [](P p) { return Uniform(p[0], p[1]); }, [](Values v) { return bm::uniform(v[0], v[1]); }));
  all.push_back(von_mises());
  all.push_back(law(
      "Bernoulli", {{0.3}, {-4.0}}, {0, 1},
      {[](Values) {
         return Interval{0.0, 1.0};
       },
       [](Values) { return 0.0; }},
      [](P p) { return Bernoulli(p[0]); },
      [](Values v) { return bm::bernoulli(1.0 / (1.0 + std::exp(-v[0]))); }, true));
  all.push_back(law(
      "Poisson", {{0.3}, {4.0}, {37.5}}, counts,
      {[](Values) {
         return Interval{0.0, 400.0};
       },
       [](Values) { return 0.0; }},
      [](P p) { return Poisson(p[0]); }, [](Values v) { return bm::poisson(v[0]); }, true));
  return all;
}

}  // namespace

const std::vector<Law>& laws() {
  static const std::vector<Law> all = make_laws();
  return all;
}

double total(const Law& law, const std::vector<double>& values, const std::function<double(double)>& f) {
  const Interval support = law.support(values);
  if (law.discrete) {
    double sum = 0.0;
    for (double k = support.low; k <= support.high; k += 1.0) sum += f(k);
    return sum;
  }
  static boost::math::quadrature::tanh_sinh<double> inside;
  static boost::math::quadrature::exp_sinh<double> outward;
  const double centre = law.centre(values);
  // Far out and at the ends densities vanish or have poles that can be integrated.
  const auto finite = [&](double x) {
    const double y = f(x);
    return std::isfinite(y) ? y : 0.0;
  };
  const auto part = [&](double end) {
    if (!std::isinf(end))
      return inside.integrate(finite, std::min(centre, end), std::max(centre, end), 1e-12);
    return outward.integrate([&](double s) { return finite(end > 0 ? centre + s : centre - s); }, 0.0, kInf,
                             1e-12);
  };
  return part(support.low) + part(support.high);
}

Parameters scalars(const std::vector<double>& values) {
  Parameters result;
  for (const double value : values) result.push_back(tensor(value, DType::f64));
  return result;
}

}  // namespace likely::testing
