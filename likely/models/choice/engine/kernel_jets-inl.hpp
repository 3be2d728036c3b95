// Jets: numbers that carry their first and second derivatives by the parameters, each entry a vector over
// subjects. Compiled once for each instruction set.
#if defined(LIKELY_MODELS_CHOICE_ENGINE_KERNEL_JETS_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef LIKELY_MODELS_CHOICE_ENGINE_KERNEL_JETS_INL_HPP
#undef LIKELY_MODELS_CHOICE_ENGINE_KERNEL_JETS_INL_HPP
#else
#define LIKELY_MODELS_CHOICE_ENGINE_KERNEL_JETS_INL_HPP
#endif

#include <hwy/highway.h>

#include <cstddef>

#include "likely/models/choice/engine/pack.hpp"

HWY_BEFORE_NAMESPACE();
namespace likely::choice::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using D = hn::CappedTag<double, kLanes>;
using V = hn::Vec<D>;
using Lanes = hn::Mask<D>;

// a where the mask is set, else 0.
HWY_INLINE V where(Lanes mask, V a) { return hn::IfThenElseZero(mask, a); }

// A jet is an array of vectors in memory: the value, then N first derivatives, then the second ones, pair
// (i <= j) at j (j + 1) / 2 + i. Many depend on the first `active` parameters alone: their other entries are
// 0 and are not visited. kOrder says how much is carried.
template <int kOrder>
class Jets {
 public:
  explicit Jets(int parameters) : parameters_(parameters) {}

  static std::size_t lanes() { return hn::Lanes(D()); }
  static std::size_t entries(int parameters) {
    const auto n = static_cast<std::size_t>(parameters);
    return kOrder == 0 ? 1 : kOrder == 1 ? 1 + n : 1 + n + n * (n + 1) / 2;
  }
  // In doubles.
  std::size_t size() const { return entries(parameters_) * lanes(); }
  double* first(double* jet, int i) const { return jet + (1 + static_cast<std::size_t>(i)) * lanes(); }
  double* second(double* jet, int i, int j) const {
    const auto low = static_cast<std::size_t>(i < j ? i : j);
    const auto high = static_cast<std::size_t>(i < j ? j : i);
    return jet + (1 + static_cast<std::size_t>(parameters_) + high * (high + 1) / 2 + low) * lanes();
  }
  static V load(const double* entry) { return hn::Load(D(), entry); }
  static void store(double* entry, V value) { hn::Store(value, D(), entry); }
  static void add(double* entry, V value) { store(entry, hn::Add(load(entry), value)); }

  // f(offset) for the value and all derivatives by the first `active` parameters.
  template <class F>
  HWY_INLINE void for_entries(int active, const F& f) const {
    f(std::size_t{0});
    for_derivatives(active, f);
  }
  template <class F>
  HWY_INLINE void for_derivatives(int active, const F& f) const {
    const std::size_t step = lanes();
    if constexpr (kOrder >= 1) {
      const std::size_t end = (1 + static_cast<std::size_t>(active)) * step;
      for (std::size_t e = step; e < end; e += step) f(e);
    }
    if constexpr (kOrder >= 2) {
      const auto n = static_cast<std::size_t>(active);
      const std::size_t begin = (1 + static_cast<std::size_t>(parameters_)) * step;
      const std::size_t end = begin + n * (n + 1) / 2 * step;
      for (std::size_t e = begin; e < end; e += step) f(e);
    }
  }

  // All entries, of the others too.
  void set_zero(double* jet) const {
    for (std::size_t e = 0; e < size(); ++e) jet[e] = 0.0;
  }
  // The parameter itself in these lanes.
  void set_parameter(double* jet, int parameter, V value, Lanes mask, int active) const {
    set_constant(jet, value, mask, active);
    if constexpr (kOrder >= 1) {
      double* entry = first(jet, parameter);
      store(entry, hn::IfThenElse(mask, hn::Set(D(), 1.0), load(entry)));
    }
  }
  void set_constant(double* jet, V value, Lanes mask, int active) const {
    store(jet, hn::IfThenElse(mask, value, load(jet)));
    for_derivatives(active, [&](std::size_t e) { store(jet + e, hn::IfThenZeroElse(mask, load(jet + e))); });
  }
  void add_where(double* to, const double* a, Lanes mask, int active) const {
    for_entries(active, [&](std::size_t e) { add(to + e, where(mask, load(a + e))); });
  }
  // What the product of a parameter with `a` has besides parameter * (entries of a).
  void add_parameter_terms(double* to, const double* a, int parameter, Lanes mask, int active) const {
    if constexpr (kOrder >= 1) add(first(to, parameter), where(mask, load(a)));
    if constexpr (kOrder >= 2) {
      for (int j = 0; j < active; ++j) {
        const V slope = where(mask, load(a + (1 + static_cast<std::size_t>(j)) * lanes()));
        add(second(to, parameter, j), j == parameter ? hn::Add(slope, slope) : slope);
      }
    }
  }
  // to = parameter * a, for a parameter among the active ones.
  void multiply_parameter(double* to, const double* a, int parameter, V theta, int active) const {
    for_entries(active, [&](std::size_t e) { store(to + e, hn::Mul(theta, load(a + e))); });
    add_parameter_terms(to, a, parameter, hn::FirstN(D(), lanes()), active);
  }
  // to = a b; none of them the same.
  void multiply(double* to, const double* a, const double* b, int active) const {
    const V a0 = load(a);
    const V b0 = load(b);
    store(to, hn::Mul(a0, b0));
    for_derivatives(
        active, [&](std::size_t e) { store(to + e, hn::MulAdd(a0, load(b + e), hn::Mul(b0, load(a + e)))); });
    if constexpr (kOrder >= 2) {
      for (int j = 0; j < active; ++j) {
        const std::size_t row = (1 + static_cast<std::size_t>(j)) * lanes();
        const V aj = load(a + row);
        const V bj = load(b + row);
        for (int i = 0; i <= j; ++i) {
          const std::size_t column = (1 + static_cast<std::size_t>(i)) * lanes();
          add(second(to, i, j), hn::MulAdd(load(a + column), bj, hn::Mul(aj, load(b + column))));
        }
      }
    }
  }
  // to = 1 / a; not the same.
  void reciprocal(double* to, const double* a, int active) const {
    const V y = hn::Div(hn::Set(D(), 1.0), load(a));
    const V slope = hn::Neg(hn::Mul(y, y));
    const V curve = hn::Mul(hn::Set(D(), -2.0), hn::Mul(y, slope));
    store(to, y);
    for_derivatives(active, [&](std::size_t e) { store(to + e, hn::Mul(slope, load(a + e))); });
    if constexpr (kOrder >= 2) {
      for (int j = 0; j < active; ++j) {
        const V aj = hn::Mul(curve, load(a + (1 + static_cast<std::size_t>(j)) * lanes()));
        for (int i = 0; i <= j; ++i) {
          add(second(to, i, j), hn::Mul(aj, load(a + (1 + static_cast<std::size_t>(i)) * lanes())));
        }
      }
    }
  }

 private:
  int parameters_;
};

}  // namespace likely::choice::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
