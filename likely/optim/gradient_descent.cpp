#include "likely/optim/gradient_descent.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "likely/core/create.hpp"
#include "likely/optim/check_options.hpp"
#include "likely/optim/line_search.hpp"
#include "likely/optim/step_watch.hpp"
#include "likely/tree/misfit.hpp"

namespace likely::optim {

namespace {

constexpr const char* kName = "GradientDescent";

void check(const GradientDescentOptions& o) {
  detail::check_above_0(kName, "lr", o.lr);
  detail::check_above_0(kName, "shrink", o.shrink);
  detail::check_below_1(kName, "shrink", o.shrink);
  detail::check_above_0(kName, "sufficient_decrease", o.sufficient_decrease);
  detail::check_below_1(kName, "sufficient_decrease", o.sufficient_decrease);
}

}  // namespace

GradientDescent::GradientDescent(const GradientDescentOptions& chosen) : options(chosen) { check(options); }

std::string GradientDescent::misfit() const {
  return rate.defined() ? part_misfit("rate", rate, {}, DType::f64, Values::positive) : "";
}

std::string GradientDescent::missing_state(const std::vector<bool>& learned) const {
  const bool any = std::find(learned.begin(), learned.end(), true) != learned.end();
  return any ? part_misfit("rate", rate, {}, DType::f64, Values::positive) : "";
}

Minimum GradientDescent::run(const LossFunction& f, std::vector<double>& point,
                             const MinimizeOptions& until) {
  detail::tell_of_step(this);
  check(options);
  if (const std::string wrong = misfit(); !wrong.empty()) refuse(kName, wrong);
  detail::check_minimize(kName, until);
  Evaluation here = f(point);
  if (!std::isfinite(here.value)) refuse(kName, fmt::format("the loss is {}", here.value));
  Minimum end{here.value, detail::largest(here.gradient), 0, 1, false};
  double trial = rate.defined() ? rate.item() : options.lr;
  while (end.iterations < until.max_iterations && end.gradient_norm > until.gradient_tolerance) {
    const std::vector<double> downhill = detail::plus(std::vector<double>(point.size()), -1.0, here.gradient);
    LineSearch search = backtracking(
        f, point, here, downhill,
        {.first_step = trial, .shrink = options.shrink, .sufficient_decrease = options.sufficient_decrease});
    end.evaluations += search.evaluations;
    if (search.step == 0.0) break;  // the loss has no more digits to fall by
    point = std::move(search.point);
    here = std::move(search.at);
    trial = search.step / options.shrink;
    ++end.iterations;
    end.loss = here.value;
    end.gradient_norm = detail::largest(here.gradient);
    if (!search.found) break;
  }
  rate = full({}, trial, DType::f64);
  end.converged = end.gradient_norm <= until.gradient_tolerance;
  return end;
}

}  // namespace likely::optim
