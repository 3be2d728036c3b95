#include "likely/train/any_learner.hpp"

#include <cxxabi.h>
#include <fmt/format.h>

#include <cstdlib>
#include <memory>

namespace likely::train::detail {

void check_at_least(const char* caller, const char* name, std::int64_t value, std::int64_t least) {
  if (value < least) refuse(caller, fmt::format("{} must be at least {}, got {}", name, least, value));
}

void check_loop_options(const char* caller, const LoopOptions& s) {
  check_at_least(caller, "epochs", s.epochs, 0);
  check_at_least(caller, "steps", s.steps, 0);
  check_at_least(caller, "patience", s.patience, 0);
  check_at_least(caller, "checkpoint_every", s.checkpoint_every, 0);
  check_at_least(caller, "log_every", s.log_every, 0);
  if (!(s.checkpoint_seconds >= 0.0))
    refuse(caller, fmt::format("checkpoint_seconds must be at least 0, got {}", s.checkpoint_seconds));
  if (s.epochs == 0 && s.steps == 0) refuse(caller, "say how long to train: epochs, steps or both");
  if (!s.schedules.empty() && s.plateau != nullptr)
    refuse(caller, "a schedule and a plateau cannot both set the rate");
  if (s.resume && s.out.empty()) refuse(caller, "resume needs the run folder: set out");
}

void add_slot(std::vector<Slot>& slots, const std::string& prefix, const std::string& name, Tensor& tensor,
              PartKind kind) {
  slots.push_back({.name = prefix + name, .value = &tensor, .learned = kind != PartKind::buffer});
}

void add_fact(std::vector<Fact>& facts, Fact fact) { facts.push_back(std::move(fact)); }

void add_measure(std::vector<Measure>& measures, Measure measure) { measures.push_back(std::move(measure)); }

void add_step_counts(std::vector<StepCounts>& all, const std::string& name, std::vector<std::int64_t> counts,
                     bool by_one) {
  all.push_back({name, std::move(counts), by_one});
}

void add_learned(std::vector<bool>& learned, const Tensor& tensor, PartKind kind) {
  learned.push_back(kind == PartKind::parameter && tensor.defined());
}

void add_average(std::vector<Fact>& facts, const std::string& prefix, const optim::AverageOptions* average) {
  std::string text;
  if (average != nullptr) text = average->decay ? fmt::format("decay {}", *average->decay) : "mean";
  add_fact(facts, {prefix + "average", text});
}

void add_plateau(std::vector<Fact>& facts, const std::string& prefix, const optim::PlateauOptions* plateau) {
  std::string text;
  if (plateau != nullptr) {
    text =
        fmt::format("lr {}, factor {}, patience {}, threshold {}, cooldown {}, last {}", plateau->lr,
                    plateau->factor, plateau->patience, plateau->threshold, plateau->cooldown, plateau->last);
  }
  add_fact(facts, {prefix + "plateau", text});
}

void add_state(std::vector<Slot>& slots, const std::vector<Slot>& state, bool comes_later) {
  for (Slot slot : state) {
    slot.of_model = false;
    slot.comes_later = comes_later;
    slots.push_back(std::move(slot));
  }
}

std::map<std::string, optim::Schedule> schedules_of(const optim::Schedule& schedule) {
  if (!schedule) return {};
  return {{"", schedule}};
}

std::string readable_type(const char* name) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> text(abi::__cxa_demangle(name, nullptr, nullptr, &status),
                                                    std::free);
  return status == 0 ? text.get() : name;
}

}  // namespace likely::train::detail
