#include "likely/models/tables/encoder.hpp"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "likely/core/create.hpp"
#include "likely/core/error.hpp"
#include "likely/models/tables/number_range.hpp"
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

std::vector<NumberRange> ranges_of_columns(const Schema& schema, const Tensor& x) {
  const std::vector<double> values = x.to_vector<double>();
  const std::size_t width = schema.inputs.size();
  std::vector<NumberRange> ranges(width);
  for (std::size_t column = 0; column < width; ++column) {
    if (schema.inputs[column].holds_words) continue;
    std::vector<double> numbers;
    for (std::size_t i = column; i < values.size(); i += width) numbers.push_back(values[i]);
    ranges[column] = usual_range(numbers);
  }
  return ranges;
}

bool is_drawn_in(const NumberRange& range, double value, Reader reader) {
  return range.is_far(value) || (reader == Reader::network && range.is_outside(value));
}

// Words and what is missing stay as they are.
Tensor draw_in(const Schema& schema, const Tensor& x, const std::vector<NumberRange>& ranges, Reader reader) {
  std::vector<double> values = x.to_vector<double>();
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::size_t column = i % ranges.size();
    if (!schema.inputs[column].holds_words && is_drawn_in(ranges[column], values[i], reader))
      values[i] = ranges[column].drawn_in(values[i]);
  }
  return tensor(values, x.shape());
}

// kTail + log(1 + (|z| - kTail)): as steep as z where it begins.
Tensor shorten_tails(const Tensor& z) {
  std::vector<double> values = z.to_vector<double>();
  for (double& value : values) {
    if (std::abs(value) > Encoder::kTail)
      value = std::copysign(Encoder::kTail + std::log1p(std::abs(value) - Encoder::kTail), value);
  }
  return tensor(values, z.shape());
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

Encoder Encoder::fit(const Schema& schema, const Tensor& rows) {
  Encoder encoder;
  const std::vector<NumberRange> ranges = ranges_of_columns(schema, rows);
  const Tensor x = draw_in(schema, rows, ranges, Reader::linear);
  const std::vector<double> means = means_of_columns(x);
  const Tensor expanded = expand_columns(schema, x, means);
  const std::vector<std::int64_t> changing = changing_columns(expanded);
  if (changing.empty()) refuse("csv", "no input changes from row to row: there is nothing to learn from");
  std::vector<double> low;
  std::vector<double> high;
  for (const NumberRange& range : ranges) {
    low.push_back(range.low);
    high.push_back(range.high);
  }
  encoder.low = tensor(low);
  encoder.high = tensor(high);
  encoder.fill = tensor(means);
  encoder.used = tensor(changing);
  encoder.scaler = data::Standardizer::fit(index_select(expanded, 1, encoder.used));
  return encoder;
}

std::string Encoder::misfit_for(const Schema& schema, std::int64_t wanted_features) const {
  const auto inputs = static_cast<std::int64_t>(schema.inputs.size());
  for (const auto& [name, part] : {std::pair<const char*, const Buffer&>("low", low), {"high", high}}) {
    const std::string misfit = part_misfit(name, part, {inputs}, DType::f64, Values::finite);
    if (!misfit.empty()) return misfit;
  }
  for (std::int64_t i = 0; i < inputs; ++i) {
    if (low.at({i}) > high.at({i}))
      return fmt::format("low holds {}, must be at most {}, which high holds", low.at({i}), high.at({i}));
  }
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

Tensor Encoder::apply(const Schema& schema, const Tensor& x, Reader reader) const {
  std::vector<NumberRange> ranges;
  for (std::int64_t i = 0; i < low.size(); ++i) ranges.push_back({low.at({i}), high.at({i})});
  const Tensor near = draw_in(schema, x, ranges, reader);
  const Tensor expanded = expand_columns(schema, near, fill.to_vector<double>());
  const Tensor z = scaler.apply(index_select(expanded, 1, used));
  return (reader == Reader::network ? shorten_tails(z) : z).to(DType::f32);
}

bool Encoder::draws_in(std::size_t input, double value, Reader reader) const {
  const auto place = static_cast<std::int64_t>(input);
  const NumberRange range{low.at({place}), high.at({place})};
  return range.low < range.high && is_drawn_in(range, value, reader);
}

}  // namespace likely::tables
