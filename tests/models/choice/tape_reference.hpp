// The log-likelihood of one subject written with tensors, trial by trial, from the equations of the parts:
// what autodiff makes of it is compared with the derivatives that likely carries forward.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "likely/core/create.hpp"
#include "likely/models/choice/model.hpp"
#include "likely/models/choice/trials.hpp"
#include "likely/ops/arithmetic.hpp"
#include "likely/ops/math.hpp"
#include "likely/ops/view.hpp"

namespace likely::choice::testing {

class TapeReference {
 public:
  TapeReference(const Model& model, const Subject& subject, const Tensor& theta)
      : model_(model), s_(subject), theta_(theta) {}

  Tensor log_likelihood() {
    Tensor total = number(0.0);
    for (std::size_t t = 0; t < s_.choice.size(); ++t) {
      if (t == 0 || (!s_.block.empty() && s_.block[t] != s_.block[t - 1])) start();
      total = total + log(probability(t));
      learn(t);
    }
    return total;
  }

 private:
  static Tensor number(double x) { return full({}, x, DType::f64); }
  bool has(const std::string& name) const {
    return std::any_of(model_.parameters.begin(), model_.parameters.end(),
                       [&](const Parameter& p) { return p.name == name; });
  }
  Tensor p(const std::string& name) const { return select(theta_, 0, model_.place(name)); }
  Tensor p_or(const std::string& name, double otherwise) const {
    return has(name) ? p(name) : number(otherwise);
  }

  int options() const { return model_.parts.options; }
  bool offered(std::size_t t, int k) const { return s_.offered.empty() || ((s_.offered[t] >> k) & 1U) != 0; }
  std::vector<int> cues_of(std::size_t t, int k) const {
    if (s_.cues.empty()) return {k};
    return bits(s_.cues[t * static_cast<std::size_t>(options()) + static_cast<std::size_t>(k)]);
  }
  std::vector<int> learning(std::size_t t) const {
    return s_.learned.empty() ? cues_of(t, s_.choice[t]) : bits(s_.learned[t]);
  }
  static std::vector<int> bits(std::uint32_t mask) {
    std::vector<int> list;
    for (int j = 0; j < 32; ++j) {
      if (((mask >> j) & 1U) != 0) list.push_back(j);
    }
    return list;
  }
  Tensor& value(int j) { return values_[static_cast<std::size_t>(j)]; }
  Tensor& extra(int j) { return extras_[static_cast<std::size_t>(j)]; }
  Tensor start_value() const { return p_or("v0", model_.parts.initial_value); }

  void start() {
    const auto cues = static_cast<std::size_t>(model_.parts.cues);
    values_.assign(cues, start_value());
    extras_.assign(cues, has("s0") ? p("s0") : number(1.0));
    habits_.assign(static_cast<std::size_t>(options()), number(0.0));
    previous_ = -1;
  }

  Tensor worth(std::size_t t, int k) {
    Tensor sum = number(0.0);
    if (model_.parts.learning == Learning::none) return sum;
    for (const int j : cues_of(t, k)) sum = sum + value(j);
    return sum;
  }

  Tensor probability(std::size_t t) {
    double count = 0.0;
    for (int k = 0; k < options(); ++k) count += offered(t, k) ? 1.0 : 0.0;
    const int c = s_.choice[t];
    if (model_.parts.choosing == Choosing::rule) return rule(t, c, count);
    if (model_.parts.choosing == Choosing::greedy) {
      double best = -1e300;
      for (int k = 0; k < options(); ++k) {
        if (offered(t, k)) best = std::max(best, worth(t, k).item());
      }
      double ties = 0.0;
      for (int k = 0; k < options(); ++k) ties += offered(t, k) && worth(t, k).item() == best ? 1.0 : 0.0;
      const double greedy = worth(t, c).item() == best ? 1.0 / ties : 0.0;
      return (1.0 - p("epsilon")) * greedy + p("epsilon") * (1.0 / count);
    }
    Tensor sum = number(0.0);
    Tensor chosen;
    for (int k = 0; k < options(); ++k) {
      if (!offered(t, k)) continue;
      Tensor u = p_or("beta", 1.0) * worth(t, k);
      if (has("stick") && previous_ == k) u = u + p("stick");
      if (has("beta_ck")) u = u + p("beta_ck") * habits_[static_cast<std::size_t>(k)];
      if (has("bias") && k == 1) u = u + p("bias");
      if (has("bias_2") && k > 0) u = u + p("bias_" + std::to_string(k + 1));
      const Tensor e = exp(u);
      sum = sum + e;
      if (k == c) chosen = e;
    }
    Tensor softmax = chosen / sum;
    if (!has("lapse")) return softmax;
    return (1.0 - p("lapse")) * softmax + p("lapse") * (1.0 / count);
  }

  Tensor rule(std::size_t t, int c, double count) {
    const bool known = previous_ >= 0 && offered(t, previous_) && count > 1.0;
    if (has("epsilon")) {
      double wanted = 1.0 / count;
      if (known && won_) wanted = c == previous_ ? 1.0 : 0.0;
      if (known && !won_) wanted = c == previous_ ? 0.0 : 1.0 / (count - 1.0);
      return (1.0 - p("epsilon")) * wanted + p("epsilon") * (1.0 / count);
    }
    if (!known) return number(1.0 / count);
    const Tensor stay = won_ ? p("win_stay") : 1.0 - p("lose_shift");
    return c == previous_ ? stay : (1.0 - stay) * (1.0 / (count - 1.0));
  }

  Tensor outcome(std::size_t t) const {
    if (has("rho")) return p("rho") * s_.outcome[t];
    if (has("rho_gain")) return p("rho_gain") * s_.gain[t] + p("rho_loss") * s_.loss[t];
    return number(s_.outcome[t]);
  }

  void learn(std::size_t t) {
    const Learning kind = model_.parts.learning;
    const int c = s_.choice[t];
    if (kind != Learning::none && kind != Learning::stay_shift) learn_values(t);
    if (has("alpha_ck")) {
      for (int k = 0; k < options(); ++k) {
        Tensor& habit = habits_[static_cast<std::size_t>(k)];
        habit = habit + p("alpha_ck") * ((k == c ? 1.0 : 0.0) - habit);
      }
    }
    previous_ = c;
    won_ = s_.outcome[t] > 0.0;
  }

  void learn_values(std::size_t t) {
    const std::vector<int> learners = learning(t);
    const Tensor lambda = outcome(t);
    Tensor expected = number(0.0);
    Tensor variance = number(1.0);
    for (const int j : learners) {
      expected = expected + value(j);
      variance = variance + extra(j);
    }
    const Tensor delta = lambda - expected;
    for (const int j : learners) update(j, delta, variance);
    std::vector<int> changed = learners;
    for (int k = 0; k < options() && model_.parts.fictitious; ++k) {
      if (k == s_.choice[t] || !offered(t, k)) continue;
      const Tensor gap = -lambda - value(k);
      if (has("alpha_fict")) {
        value(k) = value(k) + p("alpha_fict") * gap;
      } else {
        update(k, gap, 1.0 + extra(k));
      }
      changed.push_back(k);
    }
    for (int j = 0; j < model_.parts.cues && has("decay"); ++j) {
      if (std::find(changed.begin(), changed.end(), j) != changed.end()) continue;
      value(j) = value(j) + p("decay") * (start_value() - value(j));
    }
    for (int j = 0; j < model_.parts.cues && has("drift"); ++j) extra(j) = extra(j) + p("drift");
  }

  void update(int j, const Tensor& delta, const Tensor& variance) {
    switch (model_.parts.learning) {
      case Learning::delta: value(j) = value(j) + p("alpha") * delta; break;
      case Learning::dual:
        value(j) = value(j) + p(delta.item() > 0.0 ? "alpha_gain" : "alpha_loss") * delta;
        break;
      case Learning::per_cue: value(j) = value(j) + p("alpha_" + std::to_string(j + 1)) * delta; break;
      case Learning::pearce_hall:
        value(j) = value(j) + p("kappa") * extra(j) * delta;
        extra(j) = extra(j) + p("eta") * ((delta.item() < 0.0 ? -delta : delta) - extra(j));
        break;
      default: {
        const Tensor gain = extra(j) / variance;
        value(j) = value(j) + gain * delta;
        extra(j) = extra(j) - gain * extra(j);
      }
    }
  }

  const Model& model_;
  const Subject& s_;
  Tensor theta_;
  std::vector<Tensor> values_, extras_, habits_;
  int previous_ = -1;
  bool won_ = false;
};

}  // namespace likely::choice::testing
