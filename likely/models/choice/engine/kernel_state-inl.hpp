// What subjects remember from trial to trial, as jets, and the trial that is read. Compiled once for each
// instruction set.
#if defined(LIKELY_MODELS_CHOICE_ENGINE_KERNEL_STATE_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef LIKELY_MODELS_CHOICE_ENGINE_KERNEL_STATE_INL_HPP
#undef LIKELY_MODELS_CHOICE_ENGINE_KERNEL_STATE_INL_HPP
#else
#define LIKELY_MODELS_CHOICE_ENGINE_KERNEL_STATE_INL_HPP
#endif

#include "likely/models/choice/engine/kernel_jets-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace likely::choice::HWY_NAMESPACE {

// One trial of the lanes from `lane` on.
class TrialLanes {
 public:
  TrialLanes(const Parts& parts, const Group& group, std::int64_t trial, std::size_t lane)
      : options_(parts.options), group_(group), trial_(static_cast<std::size_t>(trial)), lane_(lane) {
    const std::size_t at = trial_ * kLanes + lane_;
    const hn::Rebind<std::int32_t, D> integers;
    choice = hn::PromoteTo(D(), hn::LoadU(integers, group.choice.data() + at));
    outcome = hn::LoadU(D(), group.outcome.data() + at);
  }

  V choice, outcome;

  V gain() const { return hn::LoadU(D(), group_.gain.data() + trial_ * kLanes + lane_); }
  V loss() const { return hn::LoadU(D(), group_.loss.data() + trial_ * kLanes + lane_); }
  // Which lanes still have a trial.
  Lanes there() const { return hn::Ge(choice, hn::Zero(D())); }
  Lanes chosen(int option) const { return hn::Eq(choice, hn::Set(D(), option)); }
  bool all_offered() const { return group_.offered.empty(); }
  Lanes offered(int option) const {
    if (all_offered()) return hn::FirstN(D(), hn::Lanes(D()));
    return bit(group_.offered.data() + trial_ * kLanes + lane_, option);
  }
  bool own_cues() const { return group_.cues.empty(); }
  Lanes has_cue(int option, int cue) const {
    const auto place = trial_ * static_cast<std::size_t>(options_) + static_cast<std::size_t>(option);
    return bit(group_.cues.data() + place * kLanes + lane_, cue);
  }
  Lanes learns(int cue) const {
    if (own_cues()) return chosen(cue);
    return bit(group_.learned.data() + trial_ * kLanes + lane_, cue);
  }

 private:
  static Lanes bit(const std::int64_t* numbers, int which) {
    const hn::RebindToSigned<D> integers;
    const auto one = hn::Set(integers, std::int64_t{1} << which);
    return hn::RebindMask(D(), hn::TestBit(hn::LoadU(integers, numbers), one));
  }

  int options_;
  const Group& group_;
  std::size_t trial_, lane_;
};

// The lanes whose bit is set, from `lane` on.
HWY_INLINE Lanes lanes_of(std::uint8_t bits, std::size_t lane) {
  const hn::RebindToSigned<D> integers;
  const auto powers =
      hn::Shl(hn::Set(integers, std::int64_t{1}), hn::Iota(integers, static_cast<std::int64_t>(lane)));
  return hn::RebindMask(D(), hn::TestBit(hn::Set(integers, std::int64_t{bits}), powers));
}

// A number and its derivatives by one parameter alone.
struct Single {
  V value, first, second;
};

template <int kOrder>
struct State {
  static constexpr int kTemporaries = 6;

  State(const Parts& the_parts, int the_parameters, const double* the_theta, double* memory)
      : parts(the_parts), parameters(the_parameters), jets(the_parameters), theta_(the_theta) {
    const auto take = [&] {
      double* jet = memory;
      jets.set_zero(jet);
      memory += jets.size();
      return jet;
    };
    for (int j = 0; j < parts.cues; ++j) value[j] = take();
    for (int k = 0; k < parts.options; ++k) utility[k] = take();
    for (double*& jet : temporary) jet = take();
    if (parts.learning == Learning::pearce_hall || parts.learning == Learning::kalman) {
      for (int j = 0; j < parts.cues; ++j) extra[j] = take();
    }
    total = take();
    previous = error = wins = hn::Zero(D());
    for (int k = 0; k < parts.options; ++k) kernel[k] = {previous, previous, previous};
    start(hn::FirstN(D(), hn::Lanes(D())));
  }

  // In doubles.
  static std::size_t memory(const Parts& parts, int parameters) {
    const int jets = 2 * parts.cues + parts.options + kTemporaries + 1;
    return static_cast<std::size_t>(jets) * Jets<kOrder>(parameters).size();
  }

  V theta(int parameter) const {
    return hn::LoadU(D(), theta_ + static_cast<std::size_t>(parameter) * kLanes);
  }

  // A block begins in these lanes.
  void start(Lanes mask) {
    const int active = parts.learned_from;
    for (int j = 0; j < parts.cues; ++j) {
      if (parts.v0 >= 0) {
        jets.set_parameter(value[j], parts.v0, theta(parts.v0), mask, active);
      } else {
        jets.set_constant(value[j], hn::Set(D(), parts.initial_value), mask, active);
      }
      if (parts.learning == Learning::pearce_hall) {
        jets.set_constant(extra[j], hn::Set(D(), 1.0), mask, active);
      }
      if (parts.learning == Learning::kalman) {
        jets.set_parameter(extra[j], parts.initial_variance, theta(parts.initial_variance), mask, active);
      }
    }
    previous = hn::IfThenElse(mask, hn::Set(D(), -1.0), previous);
    for (int k = 0; k < parts.options; ++k) {
      kernel[k] = {hn::IfThenZeroElse(mask, kernel[k].value), hn::IfThenZeroElse(mask, kernel[k].first),
                   hn::IfThenZeroElse(mask, kernel[k].second)};
    }
  }

  const Parts& parts;
  int parameters;
  Jets<kOrder> jets;
  double* value[kMostCues];
  double* extra[kMostCues];  // Pearce-Hall's associability or the Kalman filter's variance
  double* utility[kMostOptions];
  double* temporary[kTemporaries];
  double* total;                // the log-likelihood
  V previous;                   // the choice before, -1: none
  V wins;                       // 1 where its outcome was above 0
  V error;                      // lambda - V of the last trial
  Single kernel[kMostOptions];  // by alpha_kernel

 private:
  const double* theta_;
};

}  // namespace likely::choice::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
