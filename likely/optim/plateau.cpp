#include "likely/optim/plateau.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "likely/core/create.hpp"
#include "likely/optim/check_options.hpp"

namespace likely::optim {

namespace {

void check(const PlateauOptions& o) {
  detail::check_at_least_0("Plateau", "lr", o.lr);
  detail::check_below_1("Plateau", "factor", o.factor);
  detail::check_at_least_0("Plateau", "threshold", o.threshold);
  detail::check_at_least_0("Plateau", "last", o.last);
  if (o.patience < 0) refuse("Plateau", fmt::format("patience must be >= 0, got {}", o.patience));
  if (o.cooldown < 0) refuse("Plateau", fmt::format("cooldown must be >= 0, got {}", o.cooldown));
}

}  // namespace

Plateau::Plateau(const PlateauOptions& chosen)
    : options(chosen),
      rate(full({}, chosen.lr, DType::f64)),
      best(full({}, std::numeric_limits<double>::infinity(), DType::f64)),
      waited(zeros({}, DType::i64)),
      cooling(zeros({}, DType::i64)) {
  check(options);
}

double Plateau::observe(double loss) {
  check(options);
  double now = rate.item();
  const double least = best.item();
  auto in_a_row = static_cast<std::int64_t>(waited.item());
  auto uncounted = static_cast<std::int64_t>(cooling.item());
  const bool better = std::isinf(least) ? loss < least : loss < least - options.threshold * std::abs(least);
  if (better) best = full({}, loss, DType::f64);
  in_a_row = better ? 0 : in_a_row + 1;
  if (uncounted > 0) {
    --uncounted;
    in_a_row = 0;
  }
  if (in_a_row > options.patience) {
    now = std::max(options.last, now * options.factor);
    uncounted = options.cooldown;
    in_a_row = 0;
  }
  rate = full({}, now, DType::f64);
  waited = full({}, static_cast<double>(in_a_row), DType::i64);
  cooling = full({}, static_cast<double>(uncounted), DType::i64);
  return now;
}

}  // namespace likely::optim
