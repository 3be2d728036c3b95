#include "likely/ops/normalize.hpp"

#include <cmath>

#include "likely/core/create.hpp"
#include "tests/properties/elementwise.hpp"
#include "tests/properties/families.hpp"

namespace likely::testing {

namespace {

using plain::Array;
using plain::Extents;
using plain::Number;
using plain::Numbers;
using plain::Real;

constexpr Real kEpsilon = 0.01L;

// (x - mean) / sqrt(variance + epsilon) of all these elements, in place; or without the mean.
void normalize(Array& x, const std::vector<std::int64_t>& places, bool centre) {
  if (places.empty()) return;
  Numbers elements;
  for (const std::int64_t i : places) elements.push_back(x[i]);
  const Number middle = centre ? plain::mean(elements) : Number(0);
  Numbers squares;
  for (Number& element : elements) {
    if (centre) element = element - middle;
    squares.push_back(element * element);
  }
  const Number scale = sqrt(plain::mean(squares) + Number(kEpsilon));
  for (std::size_t i = 0; i < places.size(); ++i) x[places[i]] = elements[i] / scale;
}

// Elements that share a group: group(channel, example) of (batch, channels, space).
Array normalized(const Array& x, std::int64_t groups,
                 const std::function<std::int64_t(std::int64_t, std::int64_t)>& group, bool centre) {
  const std::int64_t batch = x.shape[0], channels = x.shape[1];
  const std::int64_t space = plain::product(Extents(x.shape.begin() + 2, x.shape.end()));
  std::vector<std::vector<std::int64_t>> members(static_cast<std::size_t>(groups));
  for (std::int64_t i = 0; i < batch * channels * space; ++i) {
    members[static_cast<std::size_t>(group(i / space % channels, i / space / channels))].push_back(i);
  }
  Array y = x;
  for (const auto& places : members) normalize(y, places, centre);
  return y;
}

// With a weight and a bias for each channel.
Array with_channels(Array y, const Array* weight, const Array* bias) {
  const std::int64_t channels = y.shape[1];
  const std::int64_t space = plain::product(Extents(y.shape.begin() + 2, y.shape.end()));
  for (std::int64_t i = 0; i < y.size(); ++i) {
    if (weight != nullptr) y[i] = y[i] * (*weight)[i / space % channels];
    if (bias != nullptr) y[i] = y[i] + (*bias)[i / space % channels];
  }
  return y;
}

Array scaled(const Array& y, const Array& weight) {
  return plain::map([](const Number& a, const Number& b) { return a * b; }, y, weight);
}
Array shifted(const Array& y, const Array& bias) {
  return plain::map([](const Number& a, const Number& b) { return a + b; }, y, bias);
}

// Each example of the leading axes over the last ones.
Array over_last(const Array& x, std::size_t axes, bool centre) {
  const auto last = static_cast<std::ptrdiff_t>(axes);
  const std::int64_t length = plain::product(Extents(x.shape.end() - last, x.shape.end()));
  const std::int64_t rows = plain::product(Extents(x.shape.begin(), x.shape.end() - last));
  Array y = plain::reshaped(x, {rows, length});
  y = normalized(
      y, rows, [](std::int64_t, std::int64_t row) { return row; }, centre);
  return plain::reshaped(y, x.shape);
}

Op norm_op(const std::string& name, const std::string& declared, std::vector<Input> inputs,
           std::vector<std::string> sizes, std::function<Tensor(const Tensors&)> call,
           std::function<Array(const Arrays&)> loop) {
  return {.name = name,
          .declares = {declared},
          .inputs = std::move(inputs),
          .sizes = std::move(sizes),
          .call = std::move(call),
          .loop = std::move(loop),
          .slack = 16,
          .gradient_slack = 64};
}

void add_row_norms(Ops& ops) {
  // Features beside and beyond a vector, beyond what is summed at once; many rows.
  const std::vector<std::string> sizes = {"a=3 b=5 c=7", "a=2 b=3 c=65", "a=2 b=2 c=301", "a=17 b=5 c=3"};
  const std::string layer = "layer_norm(Tensor, int, Tensor, Tensor, number)";
  const std::string rms = "rms_norm(Tensor, int, Tensor, number)";
  const double epsilon = static_cast<double>(kEpsilon);
  ops.push_back(norm_op(
      "layer_norm", layer, {{.axes = "abc"}, {.axes = "c"}, {.axes = "c"}}, sizes,
      [=](const Tensors& t) { return layer_norm(t[0], 1, t[1], t[2], epsilon); },
      [](const Arrays& t) { return shifted(scaled(over_last(t[0], 1, true), t[1]), t[2]); }));
  ops.push_back(norm_op(
      "layer_norm over two axes", layer, {{.axes = "abc"}, {.axes = "bc"}, {.axes = "bc"}}, sizes,
      [=](const Tensors& t) { return layer_norm(t[0], 2, t[1], t[2], epsilon); },
      [](const Arrays& t) { return shifted(scaled(over_last(t[0], 2, true), t[1]), t[2]); }));
  ops.push_back(norm_op(
      "layer_norm without parameters", layer, {{.axes = "abc"}}, sizes,
      [=](const Tensors& t) { return layer_norm(t[0], 1, {}, {}, epsilon); },
      [](const Arrays& t) { return over_last(t[0], 1, true); }));
  ops.push_back(norm_op(
      "rms_norm", rms, {{.axes = "abc"}, {.axes = "c"}}, sizes,
      [=](const Tensors& t) { return rms_norm(t[0], 1, t[1], epsilon); },
      [](const Arrays& t) { return scaled(over_last(t[0], 1, false), t[1]); }));
  ops.push_back(norm_op(
      "rms_norm without a weight", rms, {{.axes = "abc"}}, sizes,
      [=](const Tensors& t) { return rms_norm(t[0], 2, {}, epsilon); },
      [](const Arrays& t) { return over_last(t[0], 2, false); }));
}

void add_group_norms(Ops& ops) {
  const std::string declared = "group_norm(Tensor, int64_t, Tensor, Tensor, number)";
  const double epsilon = static_cast<double>(kEpsilon);
  for (const bool parameters : {true, false}) {
    std::vector<Input> inputs = {{.axes = "n6hw"}};
    if (parameters) inputs.insert(inputs.end(), {{.axes = "6"}, {.axes = "6"}});
    ops.push_back(norm_op(
        std::string("group_norm") + (parameters ? "" : " without parameters"), declared, inputs,
        {"n=3 h=3 w=5", "n=2 h=9 w=17", "n=17 h=1 w=2"},
        [=](const Tensors& t) {
          return parameters ? group_norm(t[0], 3, t[1], t[2], epsilon) : group_norm(t[0], 3, {}, {}, epsilon);
        },
        [=](const Arrays& t) {
          const Array y = normalized(
              t[0], 3 * t[0].shape[0],
              [](std::int64_t channel, std::int64_t example) { return example * 3 + channel / 2; }, true);
          return with_channels(y, parameters ? &t[1] : nullptr, parameters ? &t[2] : nullptr);
        }));
  }
}

Array batch_normalized(const Arrays& t) {
  const std::int64_t each = t[0].shape[0] * plain::product(Extents(t[0].shape.begin() + 2, t[0].shape.end()));
  if (each <= 1) throw plain::Refused();
  return normalized(
      t[0], t[0].shape[1], [](std::int64_t channel, std::int64_t) { return channel; }, true);
}

void add_batch_norms(Ops& ops) {
  const std::string declared =
      "batch_norm(Tensor, Tensor, Tensor, ChannelStatistics, bool, BatchNormOptions)";
  const BatchNormOptions options{.epsilon = static_cast<double>(kEpsilon)};
  // Planes of one element, short and long ones; many channels.
  const std::vector<std::string> sizes = {"n=3 c=5 h=3 w=4", "n=67 c=3 h=1 w=1", "n=2 c=3 h=17 w=19",
                                          "n=5 c=65 h=1 w=3"};
  const std::vector<Input> inputs = {{.axes = "nchw"}, {.axes = "c"}, {.axes = "c"}};
  ops.push_back(norm_op(
      "batch_norm in training", declared, inputs, sizes,
      [=](const Tensors& t) { return batch_norm(t[0], t[1], t[2], {}, true, options).y; },
      [](const Arrays& t) { return with_channels(batch_normalized(t), &t[1], &t[2]); }));
  std::vector<Input> residual = inputs;
  residual.push_back({.axes = "nchw"});
  ops.push_back(norm_op(
      "batch_norm in training, residual and relu", declared, residual, sizes,
      [=](const Tensors& t) {
        BatchNormOptions more = options;
        more.relu = true;
        more.residual = t[3];
        return batch_norm(t[0], t[1], t[2], {}, true, more).y;
      },
      [](const Arrays& t) {
        const Array y = shifted(with_channels(batch_normalized(t), &t[1], &t[2]), t[3]);
        return plain::map([](const Number& v) { return v.value > 0 ? v : Number(0); }, y);
      }));
  std::vector<Input> fixed = inputs;
  fixed.push_back(constant_input("c", -1.0, 1.0));
  fixed.push_back(constant_input("c", 0.5, 2.0));
  ops.push_back(norm_op(
      "batch_norm with running statistics", declared, fixed, sizes,
      [=](const Tensors& t) {
        ChannelStatistics running;
        running.mean = t[3];
        running.variance = t[4];
        return batch_norm(t[0], t[1], t[2], running, false, options).y;
      },
      [](const Arrays& t) {
        Array y = t[0];
        const std::int64_t space = y.shape[2] * y.shape[3];
        for (std::int64_t i = 0; i < y.size(); ++i) {
          const std::int64_t channel = i / space % y.shape[1];
          y[i] = (y[i] - t[3][channel]) / sqrt(t[4][channel] + Number(kEpsilon));
        }
        return with_channels(y, &t[1], &t[2]);
      }));
  // What is remembered: (1 - momentum) 0 + momentum mean, and so for the variance n / (n - 1).
  for (const bool variance : {false, true}) {
    Op op = norm_op(
        std::string("batch_norm, running ") + (variance ? "variance" : "mean"), declared, inputs, sizes,
        [=](const Tensors& t) {
          const ChannelStatistics start = ChannelStatistics::standard(t[0].dim(1), t[0].dtype());
          const ChannelStatistics after =
              batch_norm(t[0], t[1], t[2], start, true, {.momentum = 0.25}).running;
          return variance ? Tensor(after.variance) : Tensor(after.mean);
        },
        [=](const Arrays& t) {
          const std::int64_t space = t[0].shape[2] * t[0].shape[3];
          const std::int64_t each = t[0].shape[0] * space;
          if (each <= 1) throw plain::Refused();
          Array y(Extents{t[0].shape[1]});
          for (std::int64_t channel = 0; channel < y.size(); ++channel) {
            Numbers elements, squares;
            for (std::int64_t i = 0; i < t[0].size(); ++i) {
              if (i / space % y.size() == channel) elements.push_back(t[0][i]);
            }
            const Number middle = plain::mean(elements);
            for (const Number& element : elements) squares.push_back((element - middle) * (element - middle));
            y[channel] = variance ? Number(0.75L) + Number(0.25L) * plain::sum(squares) /
                                                        Number(static_cast<Real>(each - 1))
                                  : Number(0.25L) * middle;
          }
          return y;
        });
    op.declares.emplace_back("ChannelStatistics::standard(int64_t, DType)");
    op.gradient = false;
    ops.push_back(op);
  }
}

}  // namespace

Ops normalization_ops() {
  Ops ops;
  add_row_norms(ops);
  add_group_norms(ops);
  add_batch_norms(ops);
  return ops;
}

INSTANTIATE_TEST_SUITE_P(Normalization, OpProperties, ::testing::ValuesIn(normalization_ops()), name_of_op);

}  // namespace likely::testing
