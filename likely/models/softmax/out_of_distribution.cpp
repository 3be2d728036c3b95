// Hot: the bootstrap sorts and sweeps all scores hundreds of times.
#include "likely/models/softmax/out_of_distribution.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "likely/core/error.hpp"
#include "likely/ops/arithmetic.hpp"
#include "likely/ops/cast.hpp"
#include "likely/ops/loss.hpp"
#include "likely/ops/math.hpp"
#include "likely/ops/order.hpp"
#include "likely/ops/reduce.hpp"
#include "likely/ops/rng.hpp"
#include "likely/ops/softmax.hpp"
#include "likely/ops/view.hpp"

namespace likely::confidence {

namespace {

void check_logits(const char* operation, const Tensor& logits) {
  if (logits.rank() != 2 || logits.dim(1) < 2 || !is_floating(logits.dtype()))
    refuse(operation,
           "logits must be (rows, classes) with two classes at least, got " + logits.shape().string());
}

std::vector<double> numbers_of(const Tensor& scores, const char* side) {
  if (scores.rank() != 1 || scores.size() == 0)
    refuse("detection",
           fmt::format("{} must be (rows,) with a row at least, got {}", side, scores.shape().string()));
  std::vector<double> numbers = scores.to_vector<double>();
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (!std::isfinite(numbers[i]))
      refuse("detection", fmt::format("row {} {} has the score {}, all must be finite", i, side, numbers[i]));
  }
  return numbers;
}

// How many rows of each side have one and the same score; weights are how often a row was drawn.
struct Step {
  double inside = 0.0, outside = 0.0;
};

// The rows of both sides in order of their scores, largest first, with the place of the step that each
// belongs to.
struct Order {
  std::vector<std::size_t> step_in{}, step_out{};
  std::size_t steps = 0;
};

Order order_of(const std::vector<double>& inside, const std::vector<double>& outside) {
  std::vector<double> all(inside);
  all.insert(all.end(), outside.begin(), outside.end());
  std::sort(all.begin(), all.end(), std::greater<>());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  const auto place = [&](double score) {
    return static_cast<std::size_t>(std::lower_bound(all.begin(), all.end(), score, std::greater<>()) -
                                    all.begin());
  };
  Order order{.steps = all.size()};
  for (const double score : inside) order.step_in.push_back(place(score));
  for (const double score : outside) order.step_out.push_back(place(score));
  return order;
}

// Precision times the gain of recall, over steps in order.
template <class Positive, class Negative>
double average_precision(const std::vector<Step>& steps, bool from_the_end, Positive positive,
                         Negative negative) {
  double hits = 0.0, said = 0.0, total = 0.0, sum = 0.0;
  for (const Step& step : steps) total += positive(step);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const Step& step = from_the_end ? steps[steps.size() - 1 - i] : steps[i];
    hits += positive(step);
    said += positive(step) + negative(step);
    if (said > 0.0) sum += positive(step) / total * (hits / said);
  }
  return sum;
}

struct Rates {
  double auroc, aupr_in, aupr_out, fpr, accuracy;
};

Rates rates_of(const std::vector<Step>& steps) {
  double inside = 0.0, outside = 0.0;
  for (const Step& step : steps) {
    inside += step.inside;
    outside += step.outside;
  }
  Rates rates{.auroc = 0.0, .aupr_in = 0.0, .aupr_out = 0.0, .fpr = 1.0, .accuracy = 0.5};
  double in_above = 0.0, out_above = 0.0;
  bool reached = false;
  for (const Step& step : steps) {
    rates.auroc += step.outside * (in_above + 0.5 * step.inside) / (inside * outside);
    in_above += step.inside;
    out_above += step.outside;
    // Counts are whole: a share of exactly 95 % is reached.
    if (!reached && 20.0 * in_above >= 19.0 * inside) {
      rates.fpr = out_above / outside;
      reached = true;
    }
    rates.accuracy = std::max(rates.accuracy, 0.5 * (in_above / inside + 1.0 - out_above / outside));
  }
  const auto in = [](const Step& step) { return step.inside; };
  const auto out = [](const Step& step) { return step.outside; };
  rates.aupr_in = average_precision(steps, false, in, out);
  rates.aupr_out = average_precision(steps, true, out, in);
  return rates;
}

std::vector<Step> all_steps(const Order& order) {
  std::vector<Step> steps(order.steps);
  for (const std::size_t place : order.step_in) steps[place].inside += 1.0;
  for (const std::size_t place : order.step_out) steps[place].outside += 1.0;
  return steps;
}

// The variance of a mean of these, or 0 of one.
double variance_of_mean(const std::vector<double>& values, const std::vector<std::size_t>& rows) {
  const auto n = static_cast<double>(rows.size());
  if (n < 2.0) return 0.0;
  double center = 0.0, squares = 0.0;
  for (const std::size_t row : rows) center += values[row] / n;
  for (const std::size_t row : rows) squares += (values[row] - center) * (values[row] - center);
  return squares / (n - 1.0) / n;
}

// DeLong, DeLong and Clarke-Pearson: by the share of the other side that each row beats.
double auroc_error(const Order& order, const std::vector<Step>& steps) {
  std::vector<double> beats(order.steps), beaten(order.steps);
  const auto inside = static_cast<double>(order.step_in.size()),
             outside = static_cast<double>(order.step_out.size());
  double in_above = 0.0, out_above = 0.0;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    beats[i] = 1.0 - (out_above + 0.5 * steps[i].outside) / outside;
    beaten[i] = (in_above + 0.5 * steps[i].inside) / inside;
    in_above += steps[i].inside;
    out_above += steps[i].outside;
  }
  return std::sqrt(variance_of_mean(beats, order.step_in) + variance_of_mean(beaten, order.step_out));
}

double spread_of(const std::vector<double>& values) {
  if (values.size() < 2) return std::numeric_limits<double>::quiet_NaN();
  const auto n = static_cast<double>(values.size());
  const double center = std::accumulate(values.begin(), values.end(), 0.0) / n;
  double squares = 0.0;
  for (const double value : values) squares += (value - center) * (value - center);
  return std::sqrt(squares / (n - 1.0));
}

void draw(const std::vector<std::size_t>& places, Rng rng, double Step::*side, std::vector<Step>& steps) {
  const auto rows = static_cast<std::int64_t>(places.size());
  const Tensor drawn = rng.randint(0, rows, {rows});
  const auto* which = drawn.data<std::int64_t>();
  for (std::int64_t i = 0; i < rows; ++i) steps[places[static_cast<std::size_t>(which[i])]].*side += 1.0;
}

}  // namespace

Tensor max_probability(const Tensor& logits) {
  check_logits("max_probability", logits);
  return max(softmax(logits, 1), 1);
}

Tensor margin(const Tensor& logits) {
  check_logits("margin", logits);
  const Tensor two = topk(softmax(logits, 1), 2, 1).values;
  return select(two, 1, 0) - select(two, 1, 1);
}

Tensor entropy(const Tensor& logits) {
  check_logits("entropy", logits);
  const Tensor log_p = log_softmax(logits, 1);
  return -sum(exp(log_p) * log_p, 1);
}

Tensor energy(const Tensor& logits, double temperature) {
  check_logits("energy", logits);
  if (!(temperature > 0.0) || !std::isfinite(temperature))
    refuse("energy", fmt::format("temperature must be a number above 0, got {}", temperature));
  return logsumexp(logits / temperature, 1) * -temperature;
}

std::string name_of(Score score) {
  switch (score) {
    case Score::max_probability: return "max probability";
    case Score::energy: return "energy";
    case Score::entropy: return "entropy";
    case Score::margin: break;
  }
  return "margin";
}

const std::vector<Score>& all_scores() {
  static const std::vector<Score> all{Score::max_probability, Score::energy, Score::entropy, Score::margin};
  return all;
}

Tensor familiarity(Score score, const Tensor& logits, double temperature) {
  check_logits("familiarity", logits);
  const Tensor z = logits.to(DType::f64);
  if (score == Score::energy) return -energy(z, temperature);
  if (score == Score::entropy) return -entropy(z);
  // Of each row the classes but the most probable, in units of that one.
  const Tensor ordered = sort(z, 1, true);
  const Tensor others = exp(slice(ordered, 1, {1, std::nullopt}) - slice(ordered, 1, {0, 1}));
  const Tensor rest = sum(others, 1);
  const Tensor short_of = score == Score::margin ? rest + select(others, 1, 0) : rest;
  return -short_of / (1.0 + rest);
}

Detection detection(const Tensor& inside, const Tensor& outside, const DetectionOptions& options) {
  if (options.resamples < 0 || options.resamples == 1)
    refuse("detection", fmt::format("resamples must be 0 or at least 2, got {}", options.resamples));
  const Order order = order_of(numbers_of(inside, "inside"), numbers_of(outside, "outside"));
  const std::vector<Step> steps = all_steps(order);
  const Rates rates = rates_of(steps);
  std::vector<double> in, out, fpr, accuracy;
  const Rng rng(options.seed);
  for (int resample = 0; resample < options.resamples; ++resample) {
    Rng key = rng.fold_in(static_cast<std::uint64_t>(resample));
    std::vector<Step> drawn(order.steps);
    draw(order.step_in, key.split(), &Step::inside, drawn);
    draw(order.step_out, key.split(), &Step::outside, drawn);
    const Rates one = rates_of(drawn);
    in.push_back(one.aupr_in);
    out.push_back(one.aupr_out);
    fpr.push_back(one.fpr);
    accuracy.push_back(one.accuracy);
  }
  return {.auroc = {rates.auroc, auroc_error(order, steps)},
          .aupr_in = {rates.aupr_in, spread_of(in)},
          .aupr_out = {rates.aupr_out, spread_of(out)},
          .fpr_at_95_tpr = {rates.fpr, spread_of(fpr)},
          .detection_accuracy = {rates.accuracy, spread_of(accuracy)}};
}

Tensor kl_from_uniform(const Tensor& logits) {
  check_logits("kl_from_uniform", logits);
  return logsumexp(logits, 1) - mean(logits, 1) - std::log(static_cast<double>(logits.dim(1)));
}

Tensor confidence_loss(const Tensor& inside, const Tensor& labels, const Tensor& outside, double beta) {
  check_logits("confidence_loss", inside);
  check_logits("confidence_loss", outside);
  if (inside.dim(0) == 0 || outside.dim(0) == 0)
    refuse("confidence_loss", fmt::format("{} rows inside, {} outside: there must be some of both",
                                          inside.dim(0), outside.dim(0)));
  if (!(beta >= 0.0) || !std::isfinite(beta))
    refuse("confidence_loss", fmt::format("beta must be a number of at least 0, got {}", beta));
  if (inside.dim(1) != outside.dim(1))
    refuse("confidence_loss", fmt::format("{} classes inside, {} outside", inside.dim(1), outside.dim(1)));
  return softmax_cross_entropy(inside, labels) + beta * mean(kl_from_uniform(outside));
}

}  // namespace likely::confidence
