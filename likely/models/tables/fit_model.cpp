// Fitting a model to a table: two committees, and how much each of them has to say.
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "likely/core/create.hpp"
#include "likely/core/error.hpp"
#include "likely/data/stratify.hpp"
#include "likely/models/tables/committee.hpp"
#include "likely/models/tables/number_range.hpp"
#include "likely/ops/arithmetic.hpp"
#include "likely/ops/reduce.hpp"
#include "likely/ops/view.hpp"

namespace likely::tables {

namespace {

constexpr std::int64_t kParts = 10;
constexpr int kWeights = 20;  // w is one of 0, 1/20, ..., 1

void check_options(const ModelOptions& options) {
  const auto check = [](const char* name, double value, int low) {
    if (!(value >= low)) refuse("csv", fmt::format("{} must be at least {}, got {}", name, low, value));
  };
  if (options.hidden.empty()) refuse("csv", "at least one hidden layer is needed");
  for (const std::int64_t width : options.hidden) check("hidden", static_cast<double>(width), 1);
  check("members", static_cast<double>(options.members), 0);
  check("epochs", static_cast<double>(options.epochs), 1);
  check("patience", static_cast<double>(options.patience), 0);
  check("batch", static_cast<double>(options.batch), 0);
  check("lr", options.lr, 0);
  if (options.weight_decay.empty()) refuse("csv", "at least one weight_decay is needed");
  for (const double decay : options.weight_decay) check("weight_decay", decay, 0);
}

// Targets that are far from all others, drawn in to these: nothing else would be learned.
Tensor without_far(const Tensor& y) {
  std::vector<double> values = y.to_vector<double>();
  const NumberRange range = usual_range(values);
  for (double& value : values) {
    if (range.is_far(value)) value = range.drawn_in(value);
  }
  return tensor(values);
}

// Where a few rows are far out, most steps tell little of the slope, and the usual decay holds it down: less
// is tried as well.
ModelOptions for_lines(ModelOptions options, const Tensor& z) {
  if (max(abs(z)).item() <= Encoder::kTail) return options;
  const std::vector<double> usual = options.weight_decay;
  for (const double decay : usual) options.weight_decay.push_back(decay / 10.0);
  return options;
}

// With the weight decay that suits the rows that members do not learn from. Nothing, if Ctrl-C came in
// between.
std::optional<Committee> best_committee(const Problem& problem,
                                        const std::vector<std::vector<std::int64_t>>& parts,
                                        const std::vector<std::int64_t>& hidden, const ModelOptions& options,
                                        const Rng& rng, const OnEpoch& on_epoch) {
  std::optional<Committee> best;
  for (const double decay : options.weight_decay) {
    // The same key: they differ in the decay alone.
    std::optional<Committee> one = fit_committee(problem, parts, hidden, decay, options, rng, on_epoch);
    if (!one) return std::nullopt;
    if (!best || one->loss < best->loss) best = std::move(one);
  }
  return best;
}

// Sets the weight of the networks that makes the loss of the mixture smallest.
void blend(FittedModel& fitted, const Problem& problem, const Committee& linear, const Committee& network,
           const std::vector<std::vector<std::int64_t>>& parts) {
  fitted.losses = {
      .linear = linear.loss, .network = network.loss, .blend = std::numeric_limits<double>::infinity()};
  double best = 0.0;
  std::vector<double> mixed(linear.unseen.size());
  for (int step = 0; step <= kWeights; ++step) {
    const double w = static_cast<double>(step) / kWeights;
    for (std::size_t i = 0; i < mixed.size(); ++i)
      mixed[i] = (1.0 - w) * linear.unseen[i] + w * network.unseen[i];
    const double loss = problem.mean_loss(mixed, parts);
    if (loss < fitted.losses.blend) {
      fitted.losses.blend = loss;
      best = w;
    }
  }
  fitted.model.weight = tensor(best, DType::f64);
}

}  // namespace

std::optional<FittedModel> fit_model(const Schema& schema, const Tensor& x, const Tensor& y,
                                     const ModelOptions& options, Rng rng, const OnEpoch& on_epoch) {
  check_options(options);
  const std::int64_t count = x.dim(0);
  if (count < kFewestRows) {
    refuse("csv", "at least " + std::to_string(kFewestRows) + " rows are needed to learn from, there are " +
                      std::to_string(count));
  }
  FittedModel fitted;
  TableModel& model = fitted.model;
  model.schema = schema;
  model.hidden = options.hidden;
  model.encoder = Encoder::fit(schema, x);
  Problem problem{
      .z = model.encoder.apply(schema, x, Reader::linear), .y = y, .classifies = schema.classifies()};
  if (problem.classifies) {
    problem.outputs = static_cast<std::int64_t>(schema.classes.size());
  } else {
    const Tensor near = without_far(y);
    model.target = data::Standardizer::fit(near);
    problem.y = unsqueeze(model.target.apply(near), 1).to(DType::f32);
  }
  auto parts = data::stratified_parts(y, std::min(kParts, count / 2), rng.split());
  const std::int64_t by_size = count <= 5'000 ? 10 : count <= 50'000 ? 3 : 1;
  const std::int64_t members = options.members > 0 ? options.members : by_size;
  parts.resize(std::min(parts.size(), static_cast<std::size_t>(members)));

  std::optional<Committee> linear =
      best_committee(problem, parts, {}, for_lines(options, problem.z), rng.split(), on_epoch);
  if (!linear) return std::nullopt;
  problem.z = model.encoder.apply(schema, x, Reader::network);
  std::optional<Committee> network =
      best_committee(problem, parts, options.hidden, options, rng.split(), on_epoch);
  if (!network) return std::nullopt;
  blend(fitted, problem, *linear, *network, parts);
  model.linear = std::move(linear->ensemble);
  model.network = std::move(network->ensemble);
  return fitted;
}

}  // namespace likely::tables
