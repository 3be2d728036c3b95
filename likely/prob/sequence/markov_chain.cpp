#include "likely/prob/sequence/markov_chain.hpp"

#include <fmt/format.h>

#include <cmath>

#include "likely/autodiff/custom.hpp"
#include "likely/core/create.hpp"
#include "likely/core/error.hpp"
#include "likely/ops/index.hpp"
#include "likely/ops/join.hpp"
#include "likely/ops/math.hpp"
#include "likely/ops/view.hpp"
#include "likely/tree/misfit.hpp"

namespace likely {

namespace {

constexpr const char* kChain = "MarkovChain";

void check_row(const double* p, std::int64_t n, const std::string& name) {
  double total = 0.0;
  for (std::int64_t i = 0; i < n; ++i) {
    if (!(p[i] >= 0.0)) refuse(kChain, fmt::format("{} has the probability {} at {}", name, p[i], i));
    total += p[i];
  }
  if (!(std::abs(total - 1.0) <= 1e-6))
    refuse(kChain, fmt::format("{} adds up to {}, not to 1", name, total));
}

}  // namespace

MarkovChain::MarkovChain(const Tensor& initial, const Tensor& transition, std::int64_t end_state)
    : end_state_(end_state) {
  const Tensor first = stop_gradient(initial).to(DType::f64).contiguous();
  const Tensor rows = stop_gradient(transition).to(DType::f64).contiguous();
  if (first.rank() != 1 || first.size() < 1 || rows.shape() != Shape{first.size(), first.size()})
    refuse(kChain, fmt::format("needs initial (V,) and transition (V, V), got {} and {}",
                               first.shape().string(), rows.shape().string()));
  const std::int64_t n = first.size();
  if (end_state < -1 || end_state >= n)
    refuse(kChain, fmt::format("the end state must be in [0, {}) or -1, got {}", n, end_state));
  check_row(first.data<double>(), n, "initial");
  for (std::int64_t row = 0; row < n; ++row) {
    if (row != end_state)
      check_row(rows.data<double>() + row * n, n, fmt::format("row {} of transition", row));
  }
  log_rows = log(concat({rows, unsqueeze(first, 0)}, 0));
}

Tensor MarkovChain::initial() const { return exp(log_rows[states()]); }
Tensor MarkovChain::transition() const { return exp(slice(log_rows, 0, {0, states()})); }

std::string MarkovChain::misfit() const {
  if (!log_rows.defined() || log_rows.rank() != 2 || log_rows.dim(0) != log_rows.dim(1) + 1)
    return "log_rows is " + shape_and_type(log_rows) + ", must be (V + 1, V) f64";
  return part_misfit("log_rows", log_rows, log_rows.shape(), DType::f64, Values::not_nan);
}

SequenceStep<NoStates> MarkovChain::step(NoStates states, const Tensor& tokens) const {
  return {index_select(log_rows, 0, tokens), states};
}

}  // namespace likely
