#include "likely/optim/plateau.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "likely/core/create.hpp"
#include "likely/optim/check_options.hpp"
#include "likely/tree/misfit.hpp"

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

std::string Plateau::misfit() const {
  struct Known {
    const char* name;
    const Buffer& part;
    DType dtype;
    Values values;
  };
  for (const Known& known :
       {Known{"rate", rate, DType::f64, Values::at_least_0}, Known{"best", best, DType::f64, Values::not_nan},
        Known{"waited", waited, DType::i64, Values::count},
        Known{"cooling", cooling, DType::i64, Values::count}}) {
    std::string wrong = part_misfit(known.name, known.part, {}, known.dtype, known.values);
    if (!wrong.empty()) return wrong;
  }
  return {};
}

double Plateau::observe(double loss) {
  check(options);
  if (const std::string wrong = misfit(); !wrong.empty()) refuse("Plateau", wrong);
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
