// How values become probabilities, and what a choice adds to the log-likelihood. Compiled once for each
// instruction set.
#if defined(LIKELY_MODELS_CHOICE_ENGINE_KERNEL_CHOOSE_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef LIKELY_MODELS_CHOICE_ENGINE_KERNEL_CHOOSE_INL_HPP
#undef LIKELY_MODELS_CHOICE_ENGINE_KERNEL_CHOOSE_INL_HPP
#else
#define LIKELY_MODELS_CHOICE_ENGINE_KERNEL_CHOOSE_INL_HPP
#endif

#include "likely/kernels/elementwise/math-inl.hpp"
#include "likely/models/choice/engine/kernel_state-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace likely::choice::HWY_NAMESPACE {

namespace math = likely::kernels::HWY_NAMESPACE;

template <int kOrder>
class Chooser {
 public:
  explicit Chooser(State<kOrder>& state) : s_(state), jets_(state.jets), parts_(state.parts) {}

  // Finds what the options are worth and how likely each is.
  void expect(const TrialLanes& trial) {
    V count = hn::Zero(D());
    const V one = hn::Set(D(), 1.0);
    for (int k = 0; k < parts_.options; ++k) count = hn::Add(count, where(trial.offered(k), one));
    count_ = count;
    switch (parts_.choosing) {
      case Choosing::softmax:
        make_utilities(trial);
        softmax(trial);
        break;
      case Choosing::greedy: find_best(trial); break;
      case Choosing::rule: follow_rule(trial); break;
    }
  }

  // p of an option, noise and lapses included.
  V probability(const TrialLanes& trial, int k) const {
    const V p = p_[k];
    if (parts_.choosing != Choosing::softmax) return hn::MulAdd(slope_[k], noise(k), p);
    if (parts_.lapse < 0) return p;
    const V lapse = s_.theta(parts_.lapse);
    return hn::MulAdd(lapse, hn::Sub(where(trial.offered(k), hn::Div(hn::Set(D(), 1.0), count_)), p), p);
  }

  // After the last trial.
  void finish() {
    if (factors_ > 0) take_logarithm();
  }

  // Adds ln p(choice), in lanes that still have a trial.
  void score(const TrialLanes& trial) {
    if (parts_.choosing != Choosing::softmax) {
      score_linear(trial);
    } else if (parts_.lapse >= 0) {
      jets_.set_zero(local());
      score_softmax(trial, local());
      score_lapse(trial);
    } else {
      score_softmax(trial, s_.total);
    }
  }

 private:
  double* local() { return s_.temporary[0]; }
  double* sum() { return s_.temporary[1]; }

  // beta V + stick [k = previous] + beta_kernel C + bias
  void make_utilities(const TrialLanes& trial) {
    const int active = parts_.learned_from;
    for (int k = 0; k < parts_.options; ++k) {
      double* u = s_.utility[k];
      double* q = option_value(trial, k);
      const V beta = parts_.beta >= 0 ? s_.theta(parts_.beta) : hn::Set(D(), 1.0);
      jets_.for_entries(active, [&](std::size_t e) { jets_.store(u + e, hn::Mul(beta, jets_.load(q + e))); });
      if (parts_.beta >= 0) {
        if constexpr (kOrder >= 1) jets_.store(jets_.first(u, parts_.beta), jets_.load(q));
        if constexpr (kOrder >= 2) {
          for (int i = 0; i < active; ++i) {
            jets_.store(jets_.second(u, i, parts_.beta), jets_.load(jets_.first(q, i)));
          }
        }
      }
      if (parts_.stick >= 0) {
        const V last = where(hn::Eq(s_.previous, hn::Set(D(), k)), hn::Set(D(), 1.0));
        jets_.store(u, hn::MulAdd(s_.theta(parts_.stick), last, jets_.load(u)));
        if constexpr (kOrder >= 1) jets_.store(jets_.first(u, parts_.stick), last);
      }
      if (parts_.bias >= 0 && k > 0) {
        jets_.add(u, s_.theta(parts_.bias + k - 1));
        if constexpr (kOrder >= 1) jets_.store(jets_.first(u, parts_.bias + k - 1), hn::Set(D(), 1.0));
      }
      if (parts_.alpha_kernel >= 0) add_habit(u, s_.kernel[k]);
    }
  }

  double* option_value(const TrialLanes& trial, int k) {
    if (parts_.learning == Learning::none) {
      jets_.store(sum(), hn::Zero(D()));
      return sum();
    }
    if (trial.own_cues()) return s_.value[k];
    const int active = parts_.learned_from;
    jets_.for_entries(active, [&](std::size_t e) { jets_.store(sum() + e, hn::Zero(D())); });
    for (int j = 0; j < parts_.cues; ++j) jets_.add_where(sum(), s_.value[j], trial.has_cue(k, j), active);
    return sum();
  }

  void add_habit(double* u, const Single& c) {
    const V beta = s_.theta(parts_.beta_kernel);
    jets_.store(u, hn::MulAdd(beta, c.value, jets_.load(u)));
    if constexpr (kOrder >= 1) {
      jets_.store(jets_.first(u, parts_.alpha_kernel), hn::Mul(beta, c.first));
      jets_.store(jets_.first(u, parts_.beta_kernel), c.value);
    }
    if constexpr (kOrder >= 2) {
      jets_.store(jets_.second(u, parts_.alpha_kernel, parts_.alpha_kernel), hn::Mul(beta, c.second));
      jets_.store(jets_.second(u, parts_.alpha_kernel, parts_.beta_kernel), c.first);
    }
  }

  void softmax(const TrialLanes& trial) {
    if (parts_.options == 2 && trial.all_offered()) {
      softmax_of_two();
    } else {
      softmax_of_many(trial);
    }
  }

  void softmax_of_two() {
    const V one = hn::Set(D(), 1.0);
    const V first = jets_.load(s_.utility[0]);
    const V second = jets_.load(s_.utility[1]);
    const V e = math::exp_nonpositive(D(), hn::Neg(hn::Abs(hn::Sub(first, second))));
    top_ = hn::Max(first, second);
    total_ = hn::Add(one, e);
    const V large = hn::Div(one, total_);
    const V small = hn::Mul(e, large);
    const Lanes first_wins = hn::Ge(first, second);
    p_[0] = hn::IfThenElse(first_wins, large, small);
    p_[1] = hn::IfThenElse(first_wins, small, large);
  }

  void softmax_of_many(const TrialLanes& trial) {
    const V lowest = hn::Set(D(), -1e308);
    V top = lowest;
    for (int k = 0; k < parts_.options; ++k) {
      top = hn::Max(top, hn::IfThenElse(trial.offered(k), jets_.load(s_.utility[k]), lowest));
    }
    V total = hn::Zero(D());
    for (int k = 0; k < parts_.options; ++k) {
      const V e = math::exp_nonpositive(D(), hn::Min(hn::Zero(D()), hn::Sub(jets_.load(s_.utility[k]), top)));
      p_[k] = where(trial.offered(k), e);
      total = hn::Add(total, p_[k]);
    }
    const V inverse = hn::Div(hn::Set(D(), 1.0), total);
    for (int k = 0; k < parts_.options; ++k) p_[k] = hn::Mul(p_[k], inverse);
    top_ = top;
    total_ = total;
  }

  // ln p = u - top - ln total: the logarithm of a product of many totals is taken at once. Each is at most
  // the number of options, so that so many make a finite product.
  void add_log_probability(Lanes there, V chosen) {
    constexpr int kMostFactors = 128;
    jets_.add(s_.total, where(there, hn::Sub(chosen, top_)));
    product_ = hn::Mul(product_, hn::IfThenElse(there, total_, hn::Set(D(), 1.0)));
    if (++factors_ == kMostFactors) take_logarithm();
  }
  void take_logarithm() {
    jets_.store(s_.total, hn::Sub(jets_.load(s_.total), math::log(D(), product_)));
    product_ = hn::Set(D(), 1.0);
    factors_ = 0;
  }

  // With r_k = [k chosen] - p_k:  l' = sum r u',  l'' = sum r u'' - (sum p u' u' - sum p u' sum p u').
  void score_softmax(const TrialLanes& trial, double* to) {
    const Lanes there = trial.there();
    V chosen = hn::Zero(D());
    V likely = hn::Set(D(), 1.0);
    V r[kMostOptions];
    V p[kMostOptions];
    for (int k = 0; k < parts_.options; ++k) {
      const Lanes mask = trial.chosen(k);
      chosen = hn::IfThenElse(mask, jets_.load(s_.utility[k]), chosen);
      likely = hn::IfThenElse(mask, p_[k], likely);
      p[k] = where(there, p_[k]);
      r[k] = hn::Sub(where(mask, hn::Set(D(), 1.0)), p[k]);
    }
    if (to == s_.total) {
      add_log_probability(there, chosen);
    } else {
      jets_.store(to, likely);  // what follows needs p, not its logarithm
    }
    if constexpr (kOrder >= 1) {
      jets_.for_derivatives(s_.parameters, [&](std::size_t e) {
        V slope = hn::Mul(r[0], jets_.load(s_.utility[0] + e));
        for (int k = 1; k < parts_.options; ++k) {
          slope = hn::MulAdd(r[k], jets_.load(s_.utility[k] + e), slope);
        }
        jets_.add(to + e, slope);
      });
    }
    if constexpr (kOrder >= 2) {
      for (int i = 0; i < s_.parameters; ++i) {
        V expected = hn::Zero(D());
        for (int k = 0; k < parts_.options; ++k) {
          expected = hn::MulAdd(p[k], jets_.load(jets_.first(s_.utility[k], i)), expected);
        }
        jets_.store(jets_.first(sum(), i), expected);
      }
      for (int j = 0; j < s_.parameters; ++j) {
        V weighted[kMostOptions];
        for (int k = 0; k < parts_.options; ++k) {
          weighted[k] = hn::Mul(p[k], jets_.load(jets_.first(s_.utility[k], j)));
        }
        for (int i = 0; i <= j; ++i) {
          V curve = hn::Mul(jets_.load(jets_.first(sum(), i)), jets_.load(jets_.first(sum(), j)));
          for (int k = 0; k < parts_.options; ++k) {
            curve = hn::NegMulAdd(weighted[k], jets_.load(jets_.first(s_.utility[k], i)), curve);
          }
          jets_.add(jets_.second(to, i, j), curve);
        }
      }
    }
  }

  // From p and the derivatives of l = ln p to ln((1 - x) p + x / n) for the lapse x. With P the new
  // probability: by l: w = (1 - x) p / P, w (1 - w); by x: d = (1 / n - p) / P, -d^2; by both: -p / P - w d.
  void score_lapse(const TrialLanes& trial) {
    const Lanes there = trial.there();
    const V one = hn::Set(D(), 1.0);
    const V x = s_.theta(parts_.lapse);
    const V p = jets_.load(local());
    const V mixed = hn::MulAdd(x, hn::Sub(hn::Div(one, count_), p), p);
    jets_.add(s_.total, where(there, math::log(D(), mixed)));
    if constexpr (kOrder >= 1) {
      const V inverse = hn::Div(one, mixed);
      const V w = where(there, hn::Mul(hn::Mul(hn::Sub(one, x), p), inverse));
      const V d = where(there, hn::Mul(hn::Sub(hn::Div(one, count_), p), inverse));
      jets_.for_derivatives(s_.parameters, [&](std::size_t e) {
        jets_.add(s_.total + e, hn::Mul(w, jets_.load(local() + e)));
      });
      jets_.add(jets_.first(s_.total, parts_.lapse), d);
      if constexpr (kOrder >= 2) {
        const V curve = hn::Mul(w, hn::Sub(one, w));
        const V mixed_curve = where(there, hn::Neg(hn::MulAdd(w, d, hn::Mul(p, inverse))));
        for (int j = 0; j < s_.parameters; ++j) {
          const V slope = jets_.load(jets_.first(local(), j));
          for (int i = 0; i <= j; ++i) {
            jets_.add(jets_.second(s_.total, i, j),
                      hn::Mul(curve, hn::Mul(slope, jets_.load(jets_.first(local(), i)))));
          }
          jets_.add(jets_.second(s_.total, parts_.lapse, j), hn::Mul(mixed_curve, slope));
        }
        jets_.add(jets_.second(s_.total, parts_.lapse, parts_.lapse), hn::Neg(hn::Mul(d, d)));
      }
    }
  }

  // Probabilities that are a_k + b_k x in a parameter x: a in p_, b in slope_, which parameter in from_win_.
  V noise(int) const {
    if (parts_.epsilon >= 0) return s_.theta(parts_.epsilon);
    return hn::IfThenElse(hn::Gt(s_.wins, hn::Zero(D())), s_.theta(parts_.win_stay),
                          s_.theta(parts_.lose_shift));
  }

  void find_best(const TrialLanes& trial) {
    const V lowest = hn::Set(D(), -1e308);
    V top = lowest;
    V worth[kMostOptions];
    for (int k = 0; k < parts_.options; ++k) {
      worth[k] = hn::IfThenElse(trial.offered(k), jets_.load(option_value(trial, k)), lowest);
      top = hn::Max(top, worth[k]);
    }
    V ties = hn::Zero(D());
    const V one = hn::Set(D(), 1.0);
    for (int k = 0; k < parts_.options; ++k) ties = hn::Add(ties, where(hn::Eq(worth[k], top), one));
    for (int k = 0; k < parts_.options; ++k) {
      set_noisy(trial, k, where(hn::Eq(worth[k], top), hn::Div(one, ties)));
    }
  }

  // (1 - epsilon) p + epsilon / n.
  void set_noisy(const TrialLanes& trial, int k, V p) {
    p_[k] = p;
    slope_[k] = hn::Sub(where(trial.offered(k), hn::Div(hn::Set(D(), 1.0), count_)), p);
  }

  // After a win the same option again, after a loss any other; without a choice before, or where it is not
  // offered again, all alike.
  void follow_rule(const TrialLanes& trial) {
    const V one = hn::Set(D(), 1.0);
    Lanes again = hn::Lt(one, hn::Zero(D()));
    for (int k = 0; k < parts_.options; ++k) {
      again = hn::Or(again, hn::And(trial.offered(k), hn::Eq(s_.previous, hn::Set(D(), k))));
    }
    again = hn::And(again, hn::Gt(count_, one));
    const Lanes won = hn::Gt(s_.wins, hn::Zero(D()));
    const V others = hn::Div(one, hn::Max(one, hn::Sub(count_, one)));
    for (int k = 0; k < parts_.options; ++k) {
      const V even = where(trial.offered(k), hn::Div(one, count_));
      const Lanes same = hn::Eq(s_.previous, hn::Set(D(), k));
      const V shift = hn::IfThenZeroElse(same, where(trial.offered(k), others));
      const V stay = where(same, one);
      if (parts_.epsilon >= 0) {
        set_noisy(trial, k, hn::IfThenElse(again, hn::IfThenElse(won, stay, shift), even));
      } else {
        // Won: stay x + shift (1 - x); lost: stay (1 - x) + shift x.
        p_[k] = hn::IfThenElse(again, hn::IfThenElse(won, shift, stay), even);
        slope_[k] = where(again, hn::IfThenElse(won, hn::Sub(stay, shift), hn::Sub(shift, stay)));
      }
    }
  }

  void score_linear(const TrialLanes& trial) {
    const Lanes there = trial.there();
    V p = hn::Set(D(), 1.0);
    V slope = hn::Zero(D());
    for (int k = 0; k < parts_.options; ++k) {
      const Lanes mask = trial.chosen(k);
      p = hn::IfThenElse(mask, hn::MulAdd(slope_[k], noise(k), p_[k]), p);
      slope = hn::IfThenElse(mask, slope_[k], slope);
    }
    jets_.add(s_.total, where(there, math::log(D(), p)));
    if constexpr (kOrder >= 1) {
      const V d = where(there, hn::Div(slope, p));
      if (parts_.epsilon >= 0) {
        add_linear(parts_.epsilon, d);
      } else {
        const Lanes won = hn::Gt(s_.wins, hn::Zero(D()));
        add_linear(parts_.win_stay, where(won, d));
        add_linear(parts_.lose_shift, hn::IfThenZeroElse(won, d));
      }
    }
  }
  void add_linear(int parameter, V d) {
    jets_.add(jets_.first(s_.total, parameter), d);
    if constexpr (kOrder >= 2)
      jets_.add(jets_.second(s_.total, parameter, parameter), hn::Neg(hn::Mul(d, d)));
  }

  State<kOrder>& s_;
  const Jets<kOrder>& jets_;
  const Parts& parts_;
  V p_[kMostOptions];
  V slope_[kMostOptions];
  V count_, top_, total_;
  V product_ = hn::Set(D(), 1.0);
  int factors_ = 0;
};

}  // namespace likely::choice::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
