// Rescorla-Wagner with two options, which is most of the world's data, without going through memory. Compiled
// once for each instruction set.
#if defined(LIKELY_MODELS_CHOICE_ENGINE_KERNEL_TWO_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef LIKELY_MODELS_CHOICE_ENGINE_KERNEL_TWO_INL_HPP
#undef LIKELY_MODELS_CHOICE_ENGINE_KERNEL_TWO_INL_HPP
#else
#define LIKELY_MODELS_CHOICE_ENGINE_KERNEL_TWO_INL_HPP
#endif

#include "likely/kernels/elementwise/math-inl.hpp"
#include "likely/models/choice/engine/kernel_state-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace likely::choice::HWY_NAMESPACE {

namespace math = likely::kernels::HWY_NAMESPACE;

// Whether a model is no more than that, on these trials.
inline bool is_two_option(const Parts& parts, int parameters, const Group& group) {
  return parameters == 2 && parts.options == 2 && parts.learning == Learning::delta && parts.alpha == 0 &&
         parts.beta == 1 && !parts.fictitious && group.cues.empty() && group.offered.empty();
}

// With s = V_chosen - V_other and z = beta s: l = -ln(1 + e^-z). V by alpha once and twice (d, c) of the cue
// that learns: d = (1 - alpha) d + lambda - V, c = (1 - alpha) c - 2 d.
template <int kOrder>
class TwoOptions {
 public:
  TwoOptions(const Parts& parts, const double* theta)
      : alpha_(hn::LoadU(D(), theta)),
        beta_(hn::LoadU(D(), theta + kLanes)),
        keep_(hn::Sub(hn::Set(D(), 1.0), alpha_)),
        start_(hn::Set(D(), parts.initial_value)) {
    const V zero = hn::Zero(D());
    v0_ = v1_ = start_;
    d0_ = d1_ = c0_ = c1_ = sum_below_ = sum_log_ = zero;
    sum_s_ = sum_d_ = sum_c_ = sum_ss_ = sum_sd_ = sum_dd_ = zero;
    product_ = hn::Set(D(), 1.0);
  }

  void start(Lanes mask) {
    v0_ = hn::IfThenElse(mask, start_, v0_);
    v1_ = hn::IfThenElse(mask, start_, v1_);
    d0_ = hn::IfThenZeroElse(mask, d0_);
    d1_ = hn::IfThenZeroElse(mask, d1_);
    c0_ = hn::IfThenZeroElse(mask, c0_);
    c1_ = hn::IfThenZeroElse(mask, c1_);
  }

  // kEnds: some lanes may have no trial any more.
  template <bool kEnds>
  HWY_INLINE void trial(V choice, V outcome) {
    const V one = hn::Set(D(), 1.0);
    const V zero = hn::Zero(D());
    const Lanes second = hn::Gt(choice, zero);
    const V v = hn::IfThenElse(second, v1_, v0_);
    const V s = hn::Sub(v, hn::IfThenElse(second, v0_, v1_));
    const V z = hn::Mul(beta_, s);
    const V e = math::exp_nonpositive(D(), hn::Neg(hn::Abs(z)));
    V sum = hn::Add(one, e);
    // ln(1 + e^-z) = max(-z, 0) + ln(1 + e^-|z|): the logarithm of a product of many is taken at once.
    V below = hn::Max(hn::Neg(z), zero);
    const V delta = hn::Sub(outcome, v);
    if constexpr (kEnds) {
      const Lanes there = hn::Ge(choice, zero);
      sum = hn::IfThenElse(there, sum, one);
      below = where(there, below);
    }
    product_ = hn::Mul(product_, sum);
    sum_below_ = hn::Add(sum_below_, below);
    if constexpr (kOrder >= 1) {
      const V large = hn::Div(one, hn::Add(one, e));
      const V small = hn::Mul(e, large);
      V w = hn::IfThenElse(hn::Lt(z, zero), large, small);  // 1 - p of the choice
      const V d = hn::IfThenElse(second, d1_, d0_);
      const V ds = hn::Sub(d, hn::IfThenElse(second, d0_, d1_));
      V weight = hn::Mul(large, small);
      if constexpr (kEnds) {
        const Lanes there = hn::Ge(choice, zero);
        w = where(there, w);
        weight = where(there, weight);
      }
      sum_s_ = hn::MulAdd(w, s, sum_s_);
      sum_d_ = hn::MulAdd(w, ds, sum_d_);
      if constexpr (kOrder >= 2) {
        const V c = hn::IfThenElse(second, c1_, c0_);
        const V cs = hn::Sub(c, hn::IfThenElse(second, c0_, c1_));
        const V ws = hn::Mul(weight, s);
        sum_c_ = hn::MulAdd(w, cs, sum_c_);
        sum_ss_ = hn::MulAdd(ws, s, sum_ss_);
        sum_sd_ = hn::MulAdd(ws, ds, sum_sd_);
        sum_dd_ = hn::MulAdd(hn::Mul(weight, ds), ds, sum_dd_);
        const V next = hn::MulAdd(keep_, c, hn::Mul(hn::Set(D(), -2.0), d));
        c1_ = hn::IfThenElse(second, next, c1_);
        c0_ = hn::IfThenElse(second, c0_, next);
      }
      const V next = hn::MulAdd(keep_, d, delta);
      d1_ = hn::IfThenElse(second, next, d1_);
      d0_ = hn::IfThenElse(second, d0_, next);
    }
    const V next = hn::MulAdd(alpha_, delta, v);
    v1_ = hn::IfThenElse(second, next, v1_);
    v0_ = hn::IfThenElse(second, v0_, next);
  }

  // To be called before the product overflows: it at most doubles with each trial.
  void take_logarithm() {
    sum_log_ = hn::Add(sum_log_, math::log(D(), product_));
    product_ = hn::Set(D(), 1.0);
  }

  void store(const GroupResult& result, std::size_t lane) {
    take_logarithm();
    hn::StoreU(hn::Neg(hn::Add(sum_below_, sum_log_)), D(), result.log_likelihood + lane);
    if constexpr (kOrder >= 1) {
      hn::StoreU(hn::Mul(beta_, sum_d_), D(), result.gradient + lane);
      hn::StoreU(sum_s_, D(), result.gradient + kLanes + lane);
    }
    if constexpr (kOrder >= 2) {
      const V square = hn::Mul(beta_, beta_);
      hn::StoreU(hn::MulSub(beta_, sum_c_, hn::Mul(square, sum_dd_)), D(), result.hessian + lane);
      hn::StoreU(hn::NegMulAdd(beta_, sum_sd_, sum_d_), D(), result.hessian + kLanes + lane);
      hn::StoreU(hn::Neg(sum_ss_), D(), result.hessian + 2 * kLanes + lane);
    }
  }

 private:
  V alpha_, beta_, keep_, start_;
  V v0_, v1_, d0_, d1_, c0_, c1_;
  V product_, sum_below_, sum_log_;
  V sum_s_, sum_d_, sum_c_, sum_ss_, sum_sd_, sum_dd_;
};

template <int kOrder>
void evaluate_two_options(const Parts& parts, const Group& group, std::int64_t trials, const double* theta,
                          const GroupResult& result, std::size_t lane) {
  // A product of so many numbers up to 2 is finite.
  constexpr std::int64_t kPiece = 512;
  const hn::Rebind<std::int32_t, D> integers;
  TwoOptions<kOrder> work(parts, theta + lane);
  const auto read = [&](std::int64_t t) {
    return hn::PromoteTo(D(), hn::LoadU(integers, group.choice.data() + t * kLanes + lane));
  };
  for (std::int64_t from = 0; from < trials; from += kPiece) {
    const std::int64_t to = from + kPiece < trials ? from + kPiece : trials;
    if (group.starts.empty() && to <= group.shortest) {
      for (std::int64_t t = from; t < to; ++t) {
        work.template trial<false>(read(t), hn::LoadU(D(), group.outcome.data() + t * kLanes + lane));
      }
    } else {
      for (std::int64_t t = from; t < to; ++t) {
        if (!group.starts.empty() && group.starts[static_cast<std::size_t>(t)] != 0) {
          work.start(lanes_of(group.starts[static_cast<std::size_t>(t)], lane));
        }
        work.template trial<true>(read(t), hn::LoadU(D(), group.outcome.data() + t * kLanes + lane));
      }
    }
    work.take_logarithm();
  }
  work.store(result, lane);
}

}  // namespace likely::choice::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
