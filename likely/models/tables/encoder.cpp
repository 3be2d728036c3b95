#include "likely/models/tables/encoder.hpp"

#include <cmath>

#include "likely/core/create.hpp"
#include "likely/core/error.hpp"
#include "likely/ops/arithmetic.hpp"
#include "likely/ops/index.hpp"
#include "likely/tree/misfit.hpp"

namespace likely::tables {

namespace {

// One column a number, one a word.
std::size_t expanded_width(const Schema& schema) {
  std::size_t width = 0;
  for (const Column& column : schema.inputs) width += column.holds_words ? column.words.size() : 1;
  return width;
}

// (rows, expanded) f64.
Tensor expand_columns(const Schema& schema, const Tensor& x, const std::vector<double>& fill) {
  const std::size_t width = expanded_width(schema);
  const std::vector<double> values = x.to_vector<double>();
  std::vector<double> expanded(static_cast<std::size_t>(x.dim(0)) * width, 0.0);
  const double* value = values.data();
  for (auto row = expanded.begin(); row != expanded.end(); row += static_cast<std::ptrdiff_t>(width)) {
    std::size_t place = 0;
    for (std::size_t i = 0; i < schema.inputs.size(); ++i) {
      const bool missing = std::isnan(*value);
      if (schema.inputs[i].holds_words) {
        if (!missing) row[static_cast<std::ptrdiff_t>(place) + static_cast<std::ptrdiff_t>(*value)] = 1.0;
        place += schema.inputs[i].words.size();
      } else {
        row[static_cast<std::ptrdiff_t>(place++)] = missing ? fill[i] : *value;
      }
      ++value;
    }
  }
  return tensor(expanded, {x.dim(0), static_cast<std::int64_t>(width)});
}

std::vector<double> means_of_columns(const Tensor& x) {
  std::vector<double> means(static_cast<std::size_t>(x.dim(1)), 0.0);
  std::vector<double> seen(means.size(), 0.0);
  const std::vector<double> values = x.to_vector<double>();
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (std::isnan(values[i])) continue;
    const std::size_t column = i % means.size();
    seen[column] += 1.0;
    const double step = (values[i] - means[column]) / seen[column];
    // The difference of two numbers near the largest may be none.
    means[column] += std::isfinite(step) ? step : values[i] / seen[column] - means[column] / seen[column];
  }
  return means;
}

// The columns that hold more than one value.
std::vector<std::int64_t> changing_columns(const Tensor& x) {
  const std::vector<double> values = x.to_vector<double>();
  const auto width = static_cast<std::size_t>(x.dim(1));
  std::vector<std::int64_t> changing;
  for (std::size_t column = 0; column < width; ++column) {
    for (std::size_t i = column; i < values.size(); i += width) {
      if (values[i] == values[column]) continue;
      changing.push_back(static_cast<std::int64_t>(column));
      break;
    }
  }
  return changing;
}

}  // namespace

Encoder Encoder::fit(const Schema& schema, const Tensor& x) {
  Encoder encoder;
  const std::vector<double> means = means_of_columns(x);
  const Tensor expanded = expand_columns(schema, x, means);
  const std::vector<std::int64_t> changing = changing_columns(expanded);
  if (changing.empty()) refuse("csv", "no input changes from row to row: there is nothing to learn from");
  encoder.fill = tensor(means);
  encoder.used = tensor(changing);
  encoder.scaler = data::Standardizer::fit(index_select(expanded, 1, encoder.used));
  return encoder;
}

std::string Encoder::misfit_for(const Schema& schema, std::int64_t wanted_features) const {
  const auto inputs = static_cast<std::int64_t>(schema.inputs.size());
  std::string wrong = part_misfit("fill", fill, {inputs}, DType::f64, Values::finite);
  if (!wrong.empty()) return wrong;
  wrong = part_misfit("used", used, {wanted_features}, DType::i64);
  if (!wrong.empty()) return wrong;
  std::int64_t before = -1;
  for (const std::int64_t place : used.to_vector<std::int64_t>()) {
    if (place <= before || place >= static_cast<std::int64_t>(expanded_width(schema))) {
      return "used holds " + std::to_string(place) + ", must be growing places below " +
             std::to_string(expanded_width(schema));
    }
    before = place;
  }
  wrong = part_misfit("scaler.mean", scaler.mean, {features()}, DType::f64, Values::finite);
  if (!wrong.empty()) return wrong;
  return part_misfit("scaler.scale", scaler.scale, {features()}, DType::f64, Values::positive);
}

Tensor Encoder::apply(const Schema& schema, const Tensor& x) const {
  const Tensor expanded = expand_columns(schema, x, fill.to_vector<double>());
  return clip(scaler.apply(index_select(expanded, 1, used)), -kFarthest, kFarthest).to(DType::f32);
}

}  // namespace likely::tables
