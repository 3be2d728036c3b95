#include "likely/train/any_learner.hpp"

#include <cxxabi.h>
#include <fmt/format.h>

#include <cstdlib>
#include <memory>

namespace likely::train::detail {

void check_at_least(const char* caller, const char* name, std::int64_t value, std::int64_t least) {
  if (value < least) refuse(caller, fmt::format("{} must be at least {}, got {}", name, least, value));
}

void check_settings(const char* caller, const Settings& s) {
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

std::string readable_type(const char* name) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> text(abi::__cxa_demangle(name, nullptr, nullptr, &status),
                                                    std::free);
  return status == 0 ? text.get() : name;
}

}  // namespace likely::train::detail
