#include "likely/models/tables/encoder.hpp"

#include <cmath>

#include "likely/core/create.hpp"
#include "likely/core/error.hpp"
#include "likely/ops/arithmetic.hpp"
#include "likely/ops/index.hpp"

namespace likely::tables {

namespace {

// One column a number, one a word: (rows, expanded) f64.
Tensor expand_columns(const Schema& schema, const Tensor& x, const std::vector<double>& fill) {
  std::size_t width = 0;
  for (const Column& column : schema.inputs) width += column.holds_words ? column.words.size() : 1;
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
    means[column] += (values[i] - means[column]) / seen[column];
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

Tensor Encoder::apply(const Schema& schema, const Tensor& x) const {
  const Tensor expanded = expand_columns(schema, x, fill.to_vector<double>());
  return clip(scaler.apply(index_select(expanded, 1, used)), -kFarthest, kFarthest).to(DType::f32);
}

}  // namespace likely::tables
