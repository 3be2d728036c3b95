#include "likely/models/softmax/relaxation_figure.hpp"

#include <fmt/format.h>

#include <cmath>
#include <functional>

#include "likely/autodiff/gradient.hpp"
#include "likely/core/create.hpp"
#include "likely/core/error.hpp"
#include "likely/ops/arithmetic.hpp"
#include "likely/ops/index.hpp"
#include "likely/ops/reduce.hpp"
#include "likely/ops/softmax.hpp"
#include "likely/ops/view.hpp"
#include "likely/prob/distributions/categorical.hpp"
#include "likely/prob/distributions/concrete.hpp"

namespace likely::estimators {

namespace {

void check_problem(const RelaxationProblem& problem) {
  if (problem.logits.empty() || problem.values.size() != problem.logits.size()) {
    refuse("relaxation_table", fmt::format("there must be a value for each logit, got {} and {}",
                                           problem.values.size(), problem.logits.size()));
  }
  if (problem.samples < 2) {
    refuse("relaxation_table", fmt::format("samples must be >= 2, got {}", problem.samples));
  }
}

// Of gradients of single samples, (samples, logits).
GradientQuality quality_of(const Tensor& each, const Tensor& exact) {
  const auto samples = static_cast<double>(each.shape()[0]);
  const double variance = sum(var(each, 0, false, 1.0)).item();
  return {norm(mean(each, 0) - exact).item(), std::sqrt(variance / samples), variance};
}

}  // namespace

RelaxationTable relaxation_table(Rng rng, const RelaxationProblem& problem) {
  check_problem(problem);
  const Tensor logits = tensor(problem.logits), values = tensor(problem.values);
  const auto classes = static_cast<std::int64_t>(problem.logits.size());
  const auto f = [&](const Tensor& v) { return square(sum(v * values, -1) - problem.target); };

  const Tensor exact =
      grad(logits, [&](const Tensor& a) { return sum(softmax(a) * f(eye(classes, DType::f64))); });
  RelaxationTable table;
  table.exact = exact.to_vector<double>();

  // Logits of their own for every sample: the gradient of a sum is then that of each.
  const Tensor own = expand(logits, {problem.samples, classes}).contiguous();
  const Rng noise = rng.split();
  const Tensor drawn = Categorical(own).sample(rng.split());
  const Tensor rewards = f(one_hot(drawn, classes, DType::f64));
  table.score = quality_of(
      grad(own, [&](const Tensor& a) { return sum(Categorical(a).log_prob(drawn) * rewards); }), exact);
  for (const double temperature : problem.temperatures) {
    const auto through = [&](const auto& sample) {
      return quality_of(grad(own, [&](const Tensor& a) { return sum(f(sample(Concrete(temperature, a)))); }),
                        exact);
    };
    table.rows.push_back({temperature, through([&](const Concrete& law) { return law.rsample(noise); }),
                          through([&](const Concrete& law) { return law.straight_through(noise); })});
  }
  return table;
}

plot::Figure relaxation_figure(const RelaxationTable& table) {
  std::vector<double> temperature, bias, variance, straight_bias, straight_variance;
  for (const RelaxationRow& row : table.rows) {
    temperature.push_back(row.temperature);
    bias.push_back(row.relaxed.bias);
    variance.push_back(row.relaxed.variance);
    straight_bias.push_back(row.straight_through.bias);
    straight_variance.push_back(row.straight_through.variance);
  }
  plot::Figure figure({.title = "Gradients through relaxed samples",
                       .x_label = "temperature",
                       .y_label = "bias and variance",
                       .log_x = true,
                       .log_y = true,
                       .legend = "bottom left"});
  const Tensor x = tensor(temperature);
  figure.line(x, tensor(bias), {.label = "bias, Gumbel-softmax", .turn = 0});
  figure.line(x, tensor(straight_bias), {.label = "bias, straight-through", .turn = 1});
  figure.line(x, tensor(variance), {.label = "variance, Gumbel-softmax", .turn = 0, .dashed = true});
  figure.line(x, tensor(straight_variance),
              {.label = "variance, straight-through", .turn = 1, .dashed = true});
  figure.horizontal(table.score.variance, {.label = "variance, REINFORCE", .turn = 2, .dashed = true});
  return figure;
}

plot::Figure relaxation_figure(Rng rng) { return relaxation_figure(relaxation_table(rng)); }

}  // namespace likely::estimators
