// How an outcome changes what is remembered. Compiled once for each instruction set.
#if defined(LIKELY_MODELS_CHOICE_ENGINE_KERNEL_LEARN_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef LIKELY_MODELS_CHOICE_ENGINE_KERNEL_LEARN_INL_HPP
#undef LIKELY_MODELS_CHOICE_ENGINE_KERNEL_LEARN_INL_HPP
#else
#define LIKELY_MODELS_CHOICE_ENGINE_KERNEL_LEARN_INL_HPP
#endif

#include "likely/models/choice/engine/kernel_state-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace likely::choice::HWY_NAMESPACE {

template <int kOrder>
class OutcomeUpdate {
 public:
  explicit OutcomeUpdate(State<kOrder>& state)
      : s_(state), jets_(state.jets), parts_(state.parts), active_(state.parts.learned_from) {}

  void operator()(const TrialLanes& trial) {
    switch (parts_.learning) {
      case Learning::none:
      case Learning::stay_shift: break;
      default: learn_values(trial);
    }
    if (parts_.alpha_kernel >= 0) learn_habit(trial);
    s_.wins = where(hn::Gt(trial.outcome, hn::Zero(D())), hn::Set(D(), 1.0));
    s_.previous = trial.choice;
  }

 private:
  // Temporaries of the state, by what they hold here.
  double* lambda() { return s_.temporary[0]; }
  double* delta() { return s_.temporary[1]; }
  double* step() { return s_.temporary[2]; }
  double* gain() { return s_.temporary[3]; }
  double* inverse() { return s_.temporary[4]; }
  double* difference() { return s_.temporary[5]; }

  void learn_values(const TrialLanes& trial) {
    read_outcome(trial);
    Lanes learns[kMostCues];
    for (int j = 0; j < parts_.cues; ++j) learns[j] = trial.learns(j);
    jets_.for_entries(active_, [&](std::size_t e) {
      V gap = jets_.load(lambda() + e);
      for (int j = 0; j < parts_.cues; ++j) gap = hn::Sub(gap, where(learns[j], jets_.load(s_.value[j] + e)));
      jets_.store(delta() + e, gap);
    });
    s_.error = jets_.load(delta());
    if (parts_.learning == Learning::kalman) {
      for (int j = 0; j < parts_.cues; ++j) total_variance(j, learns[j], j == 0);
      jets_.reciprocal(inverse(), difference(), active_);
    }
    learn_cues([&](int j) { return learns[j]; });
    if (parts_.fictitious) {
      for (int k = 0; k < parts_.options; ++k) learn_fictitious(trial, k);
    }
    if (parts_.decay >= 0) {
      for (int j = 0; j < parts_.cues; ++j) forget(trial, j);
    }
    if (parts_.learning == Learning::kalman) {
      for (int j = 0; j < parts_.cues; ++j) {
        jets_.add(s_.extra[j], s_.theta(parts_.drift));
        if constexpr (kOrder >= 1) jets_.add(jets_.first(s_.extra[j], parts_.drift), hn::Set(D(), 1.0));
      }
    }
  }

  void read_outcome(const TrialLanes& trial) {
    const Lanes all = hn::FirstN(D(), hn::Lanes(D()));
    if (parts_.rho >= 0) {
      jets_.set_constant(lambda(), hn::Mul(s_.theta(parts_.rho), trial.outcome), all, active_);
      if constexpr (kOrder >= 1) jets_.store(jets_.first(lambda(), parts_.rho), trial.outcome);
    } else if (parts_.rho_gain >= 0) {
      const V gained = trial.gain();
      const V lost = trial.loss();
      jets_.set_constant(
          lambda(), hn::MulAdd(s_.theta(parts_.rho_gain), gained, hn::Mul(s_.theta(parts_.rho_loss), lost)),
          all, active_);
      if constexpr (kOrder >= 1) {
        jets_.store(jets_.first(lambda(), parts_.rho_gain), gained);
        jets_.store(jets_.first(lambda(), parts_.rho_loss), lost);
      }
    } else {
      jets_.set_constant(lambda(), trial.outcome, all, active_);
    }
  }

  // to = factor a.
  void set_product(double* to, const double* a, double scale) {
    const V factor = hn::Set(D(), scale);
    jets_.for_entries(active_,
                      [&](std::size_t e) { jets_.store(to + e, hn::Mul(factor, jets_.load(a + e))); });
  }
  void subtract_where(double* to, const double* a, Lanes mask) {
    jets_.for_entries(active_, [&](std::size_t e) {
      jets_.store(to + e, hn::Sub(jets_.load(to + e), where(mask, jets_.load(a + e))));
    });
  }

  // 1 + the variances of the cues that learn, in difference().
  void total_variance(int j, Lanes mask, bool first) {
    if (first) {
      jets_.set_constant(difference(), hn::Set(D(), 1.0), hn::FirstN(D(), hn::Lanes(D())), active_);
    }
    jets_.add_where(difference(), s_.extra[j], mask, active_);
  }

  // The cues of the mask learn from delta().
  template <class Mask>
  void learn_cues(const Mask& mask) {
    if (parts_.learning == Learning::delta || parts_.learning == Learning::dual) {
      make_shared_step();
      for (int j = 0; j < parts_.cues; ++j) jets_.add_where(s_.value[j], step(), mask(j), active_);
      return;
    }
    for (int j = 0; j < parts_.cues; ++j) learn_cue(j, mask(j));
  }

  // alpha delta, the same for all cues.
  void make_shared_step() {
    if (parts_.learning == Learning::delta) {
      jets_.multiply_parameter(step(), delta(), parts_.alpha, s_.theta(parts_.alpha), active_);
      return;
    }
    const Lanes up = hn::Gt(jets_.load(delta()), hn::Zero(D()));
    const V theta = hn::IfThenElse(up, s_.theta(parts_.alpha), s_.theta(parts_.alpha + 1));
    jets_.for_entries(
        active_, [&](std::size_t e) { jets_.store(step() + e, hn::Mul(theta, jets_.load(delta() + e))); });
    jets_.add_parameter_terms(step(), delta(), parts_.alpha, up, active_);
    jets_.add_parameter_terms(step(), delta(), parts_.alpha + 1, hn::Not(up), active_);
  }

  void learn_cue(int j, Lanes mask) {
    switch (parts_.learning) {
      case Learning::per_cue:
        jets_.multiply_parameter(step(), delta(), parts_.alpha + j, s_.theta(parts_.alpha + j), active_);
        jets_.add_where(s_.value[j], step(), mask, active_);
        break;
      case Learning::pearce_hall: learn_by_surprise(j, mask); break;
      default: learn_by_variance(j, mask);
    }
  }

  void learn_by_surprise(int j, Lanes mask) {
    jets_.multiply_parameter(gain(), s_.extra[j], parts_.kappa, s_.theta(parts_.kappa), active_);
    jets_.multiply(step(), gain(), delta(), active_);
    jets_.add_where(s_.value[j], step(), mask, active_);
    // |delta| - A, with the derivative that holds on this side of 0.
    const V sign = hn::CopySign(hn::Set(D(), 1.0), jets_.load(delta()));
    jets_.for_entries(active_, [&](std::size_t e) {
      jets_.store(difference() + e, hn::MulSub(sign, jets_.load(delta() + e), jets_.load(s_.extra[j] + e)));
    });
    jets_.multiply_parameter(step(), difference(), parts_.eta, s_.theta(parts_.eta), active_);
    jets_.add_where(s_.extra[j], step(), mask, active_);
  }

  // With 1 / (1 + total variance) in inverse().
  void learn_by_variance(int j, Lanes mask) {
    jets_.multiply(gain(), s_.extra[j], inverse(), active_);
    jets_.multiply(step(), gain(), delta(), active_);
    jets_.add_where(s_.value[j], step(), mask, active_);
    jets_.multiply(step(), gain(), s_.extra[j], active_);
    subtract_where(s_.extra[j], step(), mask);
  }

  static Lanes not_chosen(const TrialLanes& trial, int k) {
    return hn::AndNot(trial.chosen(k), hn::And(trial.offered(k), trial.there()));
  }

  void learn_fictitious(const TrialLanes& trial, int k) {
    const Lanes mask = not_chosen(trial, k);
    set_product(delta(), lambda(), -1.0);
    subtract_where(delta(), s_.value[k], hn::FirstN(D(), hn::Lanes(D())));
    if (parts_.alpha_fictitious >= 0) {
      jets_.multiply_parameter(step(), delta(), parts_.alpha_fictitious, s_.theta(parts_.alpha_fictitious),
                               active_);
      jets_.add_where(s_.value[k], step(), mask, active_);
      return;
    }
    if (parts_.learning == Learning::delta || parts_.learning == Learning::dual) {
      make_shared_step();
      jets_.add_where(s_.value[k], step(), mask, active_);
      return;
    }
    if (parts_.learning == Learning::kalman) {
      total_variance(k, hn::FirstN(D(), hn::Lanes(D())), true);
      jets_.reciprocal(inverse(), difference(), active_);
    }
    learn_cue(k, mask);
  }

  void forget(const TrialLanes& trial, int j) {
    Lanes kept = hn::Not(trial.learns(j));
    if (parts_.fictitious) kept = hn::AndNot(not_chosen(trial, j), kept);
    const V start = parts_.v0 >= 0 ? s_.theta(parts_.v0) : hn::Set(D(), parts_.initial_value);
    set_product(difference(), s_.value[j], -1.0);
    jets_.add(difference(), start);
    if constexpr (kOrder >= 1) {
      if (parts_.v0 >= 0) jets_.add(jets_.first(difference(), parts_.v0), hn::Set(D(), 1.0));
    }
    jets_.multiply_parameter(step(), difference(), parts_.decay, s_.theta(parts_.decay), active_);
    jets_.add_where(s_.value[j], step(), kept, active_);
  }

  void learn_habit(const TrialLanes& trial) {
    const V alpha = s_.theta(parts_.alpha_kernel);
    const V keep = hn::Sub(hn::Set(D(), 1.0), alpha);
    for (int k = 0; k < parts_.options; ++k) {
      Single& c = s_.kernel[k];
      const V gap = hn::Sub(where(trial.chosen(k), hn::Set(D(), 1.0)), c.value);
      c.second = hn::MulAdd(keep, c.second, hn::Mul(hn::Set(D(), -2.0), c.first));
      c.first = hn::MulAdd(keep, c.first, gap);
      c.value = hn::MulAdd(alpha, gap, c.value);
    }
  }

  State<kOrder>& s_;
  const Jets<kOrder>& jets_;
  const Parts& parts_;
  int active_;
};

}  // namespace likely::choice::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
