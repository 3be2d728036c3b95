#include "likely/train/monitor.hpp"

#include <cmath>
#include <set>
#include <utility>

namespace likely::train::detail {

Monitor::Monitor(std::string name, const std::vector<Measure>& measures, bool on_validation)
    : name_(std::move(name)), on_validation_(on_validation) {
  std::set<std::string> names;
  for (const Measure& measure : measures) {
    if (measure.name.empty()) refuse("fit", "a metric has no name");
    if (!measure.of) refuse("fit", "the metric \"" + measure.name + "\" has no function");
    if (!names.insert(measure.name).second || (!on_validation && measure.name == "loss"))
      refuse("fit", "two things are called \"" + measure.name + "\": metrics need names of their own");
  }
  if (on_validation && measures.empty()) {
    refuse("fit",
           "there is nothing to measure on the validation data: the loss only knows training. Write it as "
           "[](auto& model, const data::Batch& batch, const auto&... training), or give a metric");
  }
  if (name_.empty()) name_ = on_validation ? measures.front().name : "loss";
  std::string known = on_validation ? "" : "loss";
  bool found = !on_validation && name_ == "loss";
  for (const Measure& measure : measures) {
    known += (known.empty() ? "" : ", ") + measure.name;
    if (measure.name != name_) continue;
    found = true;
    higher_is_better_ = measure.higher_is_better;
  }
  if (!found) refuse("fit", "the monitor \"" + name_ + "\" is not measured; what is: " + known);
}

std::string Monitor::described() const { return (on_validation_ ? "validation " : "training ") + name_; }

bool Monitor::better(double value, double than) const {
  // What is infinite is not rounded: every number is better than an infinite loss.
  const double rounding = std::isfinite(than) ? 1e-12 * std::abs(than) : 0.0;
  return higher_is_better_ ? value > than + rounding : value < than - rounding;
}

double Monitor::value(const EpochReport& report) const {
  for (const auto& [name, value] : report.measured) {
    if (name == name_) return value;
  }
  return report.loss;
}

}  // namespace likely::train::detail
