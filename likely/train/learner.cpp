#include "likely/train/learner.hpp"

#include <cxxabi.h>
#include <fmt/format.h>

#include <cstdlib>
#include <memory>

namespace likely::train::detail {

void check_settings(const Data& data, const Settings& s) {
  const auto at_least = [](const char* name, std::int64_t value, std::int64_t least) {
    if (value < least) refuse("fit", fmt::format("{} must be at least {}, got {}", name, least, value));
  };
  at_least("epochs", s.epochs, 0);
  at_least("steps", s.steps, 0);
  at_least("batch", s.batch, 1);
  at_least("prefetch", s.prefetch, 0);
  at_least("accumulate", s.accumulate, 1);
  at_least("patience", s.patience, 0);
  at_least("checkpoint_every", s.checkpoint_every, 0);
  at_least("log_every", s.log_every, 0);
  if (!(s.clip_norm >= 0.0)) refuse("fit", fmt::format("clip_norm must be at least 0, got {}", s.clip_norm));
  if (!(s.checkpoint_seconds >= 0.0))
    refuse("fit", fmt::format("checkpoint_seconds must be at least 0, got {}", s.checkpoint_seconds));
  if (s.epochs == 0 && s.steps == 0) refuse("fit", "say how long to train: epochs, steps or both");
  if (s.schedule && s.plateau != nullptr) refuse("fit", "a schedule and a plateau cannot both set the rate");
  if (s.resume && s.out.empty()) refuse("fit", "resume needs the run folder: set out");
  if (data.train.size() == 0) refuse("fit", "the training data have no rows");
  if (s.drop_last && data.train.size() < s.batch) {
    refuse("fit", fmt::format("with drop_last, {} rows make no batch of {}", data.train.size(), s.batch));
  }
  if (data.validation && data.validation->size() == 0) refuse("fit", "the validation data have no rows");
}

std::string readable_type(const char* name) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> text(abi::__cxa_demangle(name, nullptr, nullptr, &status),
                                                    std::free);
  return status == 0 ? text.get() : name;
}

}  // namespace likely::train::detail
