// One table of the distributions of one number, with what Boost.Math and closed forms know of each.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "likely/core/tensor.hpp"
#include "likely/ops/rng.hpp"

namespace likely::testing {

using Parameters = std::vector<Tensor>;

struct Interval {
  double low, high;
};

struct Law {
  std::string name;
  std::vector<std::vector<double>> settings;  // values of the parameters to try
  std::vector<double> points;                 // where to look, inside every setting's support
  bool discrete;

  // likely
  std::function<Tensor(const Parameters&, const Tensor&)> log_prob;
  std::function<Tensor(const Parameters&, const Tensor&)> cdf;
  std::function<Tensor(const Parameters&, const Rng&, const Shape&)> sample;
  std::function<Tensor(const Parameters&, const Rng&, const Shape&)> rsample;  // null where there is none
  std::function<Tensor(const Parameters&)> mean, variance, entropy;

  // not likely
  std::function<double(const std::vector<double>&, double)> quantile;  // null where Boost has none
  std::function<Interval(const std::vector<double>&)> support;
  std::function<double(const std::vector<double>&)> centre;  // a point inside, the kink where there is one
  std::function<double(const std::vector<double>&, double)> density;
  std::function<double(const std::vector<double>&, double)> distribution;
};

const std::vector<Law>& laws();

// The integral over the support, or the sum over the whole numbers in it, of f.
double total(const Law& law, const std::vector<double>& values, const std::function<double(double)>& f);

// One f64 scalar for each value.
Parameters scalars(const std::vector<double>& values);

}  // namespace likely::testing
