#include "likely/data/mnist1d.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "likely/core/create.hpp"
#include "likely/ops/arithmetic.hpp"
#include "likely/ops/reduce.hpp"

namespace likely::data {

namespace {

constexpr std::size_t kClasses = 10;
constexpr std::size_t kTemplateLength = 12;
using Curve = std::vector<double>;

// The shapes of the digits 0 to 9 as their heights at twelve places.
constexpr std::array<std::array<double, kTemplateLength>, kClasses> kHeights{{
    {5, 6, 6.5, 6.75, 7, 7, 7, 7, 6.75, 6.5, 6, 5},
    {5, 3, 3, 3.4, 3.8, 4.2, 4.6, 5, 5.4, 5.8, 5, 5},
    {5, 6, 6.5, 6.5, 6, 5.25, 4.75, 4, 3.5, 3.5, 4, 5},
    {5, 6, 6.5, 6.5, 6, 5, 5, 6, 6.5, 6.5, 6, 5},
    {5, 4.4, 3.8, 3.2, 2.6, 2.6, 5, 5, 5, 5, 5, 5},
    {5, 3, 3, 3, 3, 5, 6, 6.5, 6.5, 6, 4.5, 5},
    {5, 4, 3.5, 3.25, 3, 3, 3, 3, 3.25, 3.5, 4, 5},
    {5, 7, 7, 6.6, 6.2, 5.8, 5.4, 5, 4.6, 4.2, 5, 5},
    {5, 4, 3.5, 3.5, 4, 5, 5, 4, 3.5, 3.5, 4, 5},
    {5, 4, 3.5, 3.5, 4, 5, 5, 5, 5, 4.7, 4.3, 5},
}};

// Standard deviation 1/6, starting at 0.
Curve make_template(std::size_t digit) {
  const auto& heights = kHeights[digit];
  double mean = 0.0;
  for (const double height : heights) mean += height / kTemplateLength;
  double variance = 0.0;
  for (const double height : heights) variance += (height - mean) * (height - mean) / kTemplateLength;
  Curve curve;
  for (const double height : heights) curve.push_back((height - heights[0]) / std::sqrt(variance) / 6.0);
  return curve;
}

// Linear interpolation at `count` evenly spaced places from the first to the last.
Curve resample(const Curve& curve, std::size_t count) {
  Curve result(count);
  for (std::size_t i = 0; i < count; ++i) {
    const double place =
        static_cast<double>(i) * static_cast<double>(curve.size() - 1) / static_cast<double>(count - 1);
    const auto left = std::min(static_cast<std::size_t>(place), curve.size() - 2);
    const double share = place - static_cast<double>(left);
    result[i] = (1.0 - share) * curve[left] + share * curve[left + 1];
  }
  return result;
}

// A Gaussian filter cut off at 4 standard deviations; beyond its ends the curve goes on as in a mirror.
Curve smooth(const Curve& curve, double stddev) {
  const std::int64_t radius = std::lround(4.0 * stddev);
  const auto size = static_cast<std::int64_t>(curve.size());
  const auto mirrored = [&](std::int64_t place) {
    place = ((place % (2 * size)) + 2 * size) % (2 * size);
    return curve[static_cast<std::size_t>(place < size ? place : 2 * size - 1 - place)];
  };
  Curve weights;
  double total = 0.0;
  for (std::int64_t j = -radius; j <= radius; ++j) {
    weights.push_back(stddev == 0.0 ? 1.0 : std::exp(-0.5 * static_cast<double>(j * j) / (stddev * stddev)));
    total += weights.back();
  }
  Curve result(curve.size());
  for (std::int64_t i = 0; i < size; ++i) {
    double sum = 0.0;
    for (std::int64_t j = -radius; j <= radius; ++j) {
      sum += weights[static_cast<std::size_t>(j + radius)] * mirrored(i + j);
    }
    result[static_cast<std::size_t>(i)] = sum / total;
  }
  return result;
}

// The random numbers of one sample.
struct Draws {
  double padding, scale, translation, shear;  // on [0, 1)
  const double* correlated;                   // standard normal, one a place
  const double* iid;
};

Curve make_sample(const Curve& base, const Draws& draws, const Mnist1dOptions& o) {
  // Zeros of the template are no padding: a tiny number tells them apart.
  constexpr double kNotZero = 1e-8;
  const auto choices = static_cast<double>(o.most_padding - o.least_padding + 1);
  const std::int64_t padding = o.least_padding + static_cast<std::int64_t>(draws.padding * choices);
  Curve padded;
  for (const double value : base) padded.push_back(value + kNotZero);
  padded.resize(padded.size() + static_cast<std::size_t>(padding), 0.0);
  Curve curve = resample(padded, kTemplateLength + static_cast<std::size_t>(o.most_padding));

  const double scale = 1.0 + o.scale * (draws.scale - 0.5);
  for (double& value : curve) value *= scale;
  const auto shift =
      static_cast<std::size_t>(draws.translation * static_cast<double>(o.translation)) % curve.size();
  std::rotate(curve.begin(), curve.end() - static_cast<std::ptrdiff_t>(shift), curve.end());

  Curve noise(draws.correlated, draws.correlated + curve.size());
  for (double& value : noise) value *= o.correlated_noise;
  noise = smooth(noise, o.filter);
  const double slope = o.shear * (draws.shear - 0.5);
  for (std::size_t i = 0; i < curve.size(); ++i) {
    if (curve[i] == 0.0) curve[i] = noise[i];
    const double place = static_cast<double>(i) / static_cast<double>(curve.size() - 1) - 0.5;
    curve[i] += o.iid_noise * draws.iid[i] - slope * place;
  }
  return resample(curve, static_cast<std::size_t>(o.length));
}

void check(const Mnist1dOptions& o) {
  const auto need = [](bool holds, const char* what, double value) {
    if (!holds) refuse("mnist1d", std::string(what) + ", got " + std::to_string(value));
  };
  need(o.samples >= static_cast<std::int64_t>(kClasses), "at least 10 samples are needed",
       static_cast<double>(o.samples));
  need(o.train >= 0.0 && o.train <= 1.0, "train must be from 0 to 1", o.train);
  need(o.least_padding >= 0, "least_padding must not be negative", static_cast<double>(o.least_padding));
  need(o.most_padding >= o.least_padding, "most_padding must not be below least_padding",
       static_cast<double>(o.most_padding));
  need(o.translation >= 1, "translation must be at least 1", static_cast<double>(o.translation));
  need(o.correlated_noise >= 0.0, "correlated_noise must not be negative", o.correlated_noise);
  need(o.filter >= 0.0 && o.filter <= 1000.0, "filter must be from 0 to 1000", o.filter);
  need(o.iid_noise >= 0.0, "iid_noise must not be negative", o.iid_noise);
  need(o.length >= 2, "length must be at least 2", static_cast<double>(o.length));
}

}  // namespace

Tensor mnist1d_templates() {
  std::vector<double> all;
  for (std::size_t digit = 0; digit < kClasses; ++digit) {
    for (const double value : make_template(digit)) all.push_back(value);
  }
  return tensor(all, {kClasses, kTemplateLength});
}

Mnist1d mnist1d(Rng rng, const Mnist1dOptions& options) {
  check(options);
  const std::int64_t each = options.samples / static_cast<std::int64_t>(kClasses);
  const std::int64_t rows = each * static_cast<std::int64_t>(kClasses);
  const std::int64_t places = static_cast<std::int64_t>(kTemplateLength) + options.most_padding;
  const Tensor choices = rng.uniform({rows, 4}, 0.0, 1.0, DType::f64);
  const Tensor correlated = rng.normal({rows, places}, 0.0, 1.0, DType::f64);
  const Tensor iid = rng.normal({rows, places}, 0.0, 1.0, DType::f64);

  std::vector<double> curves;
  std::vector<std::int64_t> labels;
  for (std::int64_t row = 0; row < rows; ++row) {
    const auto digit = static_cast<std::size_t>(row / each);
    const double* c = choices.data<double>() + 4 * row;
    const Draws draws{
        c[0], c[1], c[2], c[3], correlated.data<double>() + places * row, iid.data<double>() + places * row};
    const Curve curve = make_sample(make_template(digit), draws, options);
    curves.insert(curves.end(), curve.begin(), curve.end());
    labels.push_back(static_cast<std::int64_t>(digit));
  }
  const Tensor x = tensor(curves, {rows, options.length});
  const Tensor centred = x - mean(x);
  const Tensor standard = centred / std::sqrt(mean(square(centred)).item());
  const Dataset all = Dataset(standard.to(DType::f32), tensor(labels)).shuffle(rng.split());
  const std::int64_t train = static_cast<std::int64_t>(static_cast<double>(rows) * options.train);
  // Gathered, so that later epochs find the rows in order.
  const Batch first = all.range(0, train);
  const Batch rest = all.range(train, rows - train);
  return {{first.x, first.y}, {rest.x, rest.y}};
}

}  // namespace likely::data
