#include "likely/train/reports.hpp"

#include <fmt/format.h>

#include "likely/core/error.hpp"

namespace likely::train {

double EpochReport::operator[](std::string_view name) const {
  std::string known;
  for (const auto& [measure, value] : measured) {
    if (measure == name) return value;
    known += (known.empty() ? "" : ", ") + measure;
  }
  for (const auto& [loss_name, value] : losses) {
    if (loss_name == name) return value;
  }
  refuse("EpochReport",
         fmt::format("\"{}\" was not measured; what was: {}", name, known.empty() ? "nothing" : known));
}

std::string_view name_of(MeasuredOn on) {
  switch (on) {
    case MeasuredOn::training: return "training";
    case MeasuredOn::validation: return "validation";
    case MeasuredOn::test: return "test";
    case MeasuredOn::by_learner: break;
  }
  return "";
}

std::string_view name_of(Stopped stopped) {
  switch (stopped) {
    case Stopped::finished: return "finished";
    case Stopped::early: return "early";
    case Stopped::interrupted: return "interrupted";
    case Stopped::by_callback: return "by a callback";
    case Stopped::converged: return "converged";
  }
  return "";
}

}  // namespace likely::train
