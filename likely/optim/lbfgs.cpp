#include "likely/optim/lbfgs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <utility>

#include "likely/core/create.hpp"
#include "likely/optim/check_options.hpp"
#include "likely/optim/line_search.hpp"
#include "likely/optim/step_watch.hpp"
#include "likely/tree/misfit.hpp"

namespace likely::optim {

namespace {

constexpr const char* kName = "Lbfgs";
constexpr int kMostInVain = 50;

void check(const LbfgsOptions& o) {
  detail::check_above_0(kName, "lr", o.lr);
  if (o.history < 1) refuse(kName, fmt::format("history must be >= 1, got {}", o.history));
  if (!(o.sufficient_decrease > 0.0 && o.sufficient_decrease < o.curvature && o.curvature < 1.0)) {
    refuse(kName, fmt::format("needs 0 < sufficient_decrease < curvature < 1, got {} and {}",
                              o.sufficient_decrease, o.curvature));
  }
}

double sum_of_sizes(const std::vector<double>& a) {
  double total = 0.0;
  for (const double value : a) total += std::abs(value);
  return total;
}

// The steps that are remembered, oldest first.
class History {
 public:
  explicit History(int most) : most_(static_cast<std::size_t>(most)) {}

  bool empty() const { return pairs_.empty(); }
  void forget() { pairs_.clear(); }

  void remember(std::vector<double> move, std::vector<double> change) {
    const double along = detail::dot(move, change);
    // Without positive curvature along the move the approximation would lose its positive definiteness.
    if (!(along > 1e-12 * detail::dot(change, change))) return;
    pairs_.push_back({std::move(move), std::move(change), along});
    if (pairs_.size() > most_) pairs_.pop_front();
  }

  // Minus the approximate inverse Hessian times the gradient: the two loops of Nocedal and Wright (2006),
  // algorithm 7.4.
  std::vector<double> direction(const std::vector<double>& gradient) const {
    std::vector<double> q = gradient;
    std::vector<double> taken(pairs_.size());
    for (std::size_t i = pairs_.size(); i-- > 0;) {
      taken[i] = detail::dot(pairs_[i].move, q) / pairs_[i].along;
      q = detail::plus(q, -taken[i], pairs_[i].change);
    }
    if (!pairs_.empty()) {
      const Pair& newest = pairs_.back();
      const double scale = newest.along / detail::dot(newest.change, newest.change);
      for (double& value : q) value *= scale;
    }
    for (std::size_t i = 0; i < pairs_.size(); ++i) {
      q = detail::plus(q, taken[i] - detail::dot(pairs_[i].change, q) / pairs_[i].along, pairs_[i].move);
    }
    for (double& value : q) value = -value;
    return q;
  }

  // Between the optimizer's parts and here.
  void load(const Buffer& moves, const Buffer& changes, std::size_t numbers) {
    if (!moves.defined()) return;
    if (moves.dim(1) != static_cast<std::int64_t>(numbers)) {
      refuse(kName, fmt::format("remembers steps of {} numbers, got a model of {}", moves.dim(1), numbers));
    }
    const std::vector<double> from = moves.to_vector<double>(), by = changes.to_vector<double>();
    for (std::size_t at = 0; at < from.size(); at += numbers) {
      const auto row = [&](const std::vector<double>& all) {
        const auto first = all.begin() + static_cast<std::ptrdiff_t>(at);
        return std::vector<double>(first, first + static_cast<std::ptrdiff_t>(numbers));
      };
      remember(row(from), row(by));
    }
  }
  void save(Buffer& moves, Buffer& changes, std::size_t numbers) const {
    moves = Buffer();
    changes = Buffer();
    if (pairs_.empty()) return;
    std::vector<double> from, by;
    for (const Pair& pair : pairs_) {
      from.insert(from.end(), pair.move.begin(), pair.move.end());
      by.insert(by.end(), pair.change.begin(), pair.change.end());
    }
    const Shape shape{static_cast<std::int64_t>(pairs_.size()), static_cast<std::int64_t>(numbers)};
    moves = tensor(from, shape);
    changes = tensor(by, shape);
  }

 private:
  struct Pair {
    std::vector<double> move, change;
    double along;  // their product
  };
  std::deque<Pair> pairs_;
  std::size_t most_;
};

}  // namespace

Lbfgs::Lbfgs(const LbfgsOptions& chosen) : options(chosen) { check(options); }

std::string Lbfgs::misfit() const {
  if (!moves.defined() && !changes.defined()) return {};
  if (!moves.defined() || moves.rank() != 2 || moves.dim(0) < 1 || moves.dtype() != DType::f64) {
    return fmt::format("moves is {}, must be (remembered, numbers) f64", shape_and_type(moves));
  }
  if (!changes.defined() || !(changes.shape() == moves.shape()) || changes.dtype() != DType::f64) {
    return fmt::format("moves is {}, changes is {}, must be the same", shape_and_type(moves),
                       shape_and_type(changes));
  }
  const std::string wrong = values_misfit("moves", moves, Values::finite);
  return wrong.empty() ? values_misfit("changes", changes, Values::finite) : wrong;
}

Minimum Lbfgs::run(const LossFunction& f, std::vector<double>& point, const MinimizeOptions& until) {
  detail::tell_of_step(this);
  check(options);
  if (const std::string wrong = misfit(); !wrong.empty()) refuse(kName, wrong);
  detail::check_minimize(kName, until);
  History history(options.history);
  history.load(moves, changes, point.size());
  Evaluation here = f(point);
  if (!std::isfinite(here.value)) refuse(kName, fmt::format("the loss is {}", here.value));
  Minimum end{here.value, detail::largest(here.gradient), 0, 1, false};
  double smallest = end.gradient_norm;
  int in_vain = 0;  // steps that neither the loss nor the gradient has become smaller by
  while (end.iterations < until.max_iterations && end.gradient_norm > until.gradient_tolerance &&
         in_vain < kMostInVain) {
    std::vector<double> along = history.direction(here.gradient);
    if (!(detail::dot(along, here.gradient) < 0.0)) {
      // A loss that changed between steps, or rounding: what is remembered no longer fits.
      history.forget();
      along = history.direction(here.gradient);
    }
    const double shorter = history.empty() ? std::min(1.0, 1.0 / sum_of_sizes(here.gradient)) : 1.0;
    LineSearch search = strong_wolfe(f, point, here, along,
                                     {.first_step = options.lr * shorter,
                                      .sufficient_decrease = options.sufficient_decrease,
                                      .curvature = options.curvature});
    end.evaluations += search.evaluations;
    if (search.step == 0.0) {
      if (history.empty()) break;  // the loss has no more digits to fall by
      history.forget();            // or what is remembered points to the wrong side
      continue;
    }
    history.remember(detail::plus(search.point, -1.0, point),
                     detail::plus(search.at.gradient, -1.0, here.gradient));
    const bool falls = search.at.value < here.value - 8.0 * here.rounding * std::abs(here.value);
    point = std::move(search.point);
    here = std::move(search.at);
    ++end.iterations;
    end.loss = here.value;
    end.gradient_norm = detail::largest(here.gradient);
    in_vain = falls || end.gradient_norm < smallest ? 0 : in_vain + 1;
    smallest = std::min(smallest, end.gradient_norm);
  }
  history.save(moves, changes, point.size());
  end.converged = end.gradient_norm <= until.gradient_tolerance;
  return end;
}

}  // namespace likely::optim
