#include "likely/train/monitor.hpp"

#include <cmath>
#include <set>
#include <utility>

namespace likely::train::detail {

namespace {

std::string names_of(const NamedNumbers& numbers) {
  std::string all;
  for (const auto& [name, number] : numbers) all += (all.empty() ? "" : ", ") + name;
  return all;
}

}  // namespace

Monitor::Monitor(const char* caller, std::string name, const std::vector<Measure>& measures, MeasuredOn on)
    : caller_(caller), name_(std::move(name)), on_(on) {
  const bool with_training_loss = on == MeasuredOn::training;
  std::set<std::string> names;
  for (const Measure& measure : measures) {
    if (measure.name.empty()) refuse(caller, "a metric has no name");
    if (!measure.of) refuse(caller, "the metric \"" + measure.name + "\" has no function");
    if (!names.insert(measure.name).second || (with_training_loss && measure.name == "loss"))
      refuse(caller, "two things are called \"" + measure.name + "\": metrics need names of their own");
  }
  if ((on == MeasuredOn::validation || on == MeasuredOn::test) && measures.empty()) {
    refuse(caller,
           "there is nothing to measure on the " + std::string(name_of(on)) +
               " data: the loss only knows training. Write it as "
               "[](auto& model, const data::Batch& batch, const auto&... training), or give a metric");
  }
  if (on == MeasuredOn::test) {
    if (!name_.empty())
      refuse(caller, "the monitor \"" + name_ + "\" needs validation data: test data choose nothing");
    return;
  }
  if (name_.empty() && with_training_loss) name_ = "loss";
  for (const Measure& measure : measures) {
    // Of a learner's own, those that do not say it are only looked at.
    if (name_.empty() && (on != MeasuredOn::by_learner || measure.higher_is_better)) name_ = measure.name;
  }
  std::string known = with_training_loss ? "loss" : "";
  bool found = (with_training_loss && name_ == "loss") || on == MeasuredOn::by_learner;
  for (const Measure& measure : measures) {
    known += (known.empty() ? "" : ", ") + measure.name;
    if (measure.name != name_) continue;
    found = true;
    if (!measure.higher_is_better)
      refuse(caller, "say whether higher is better of \"" + name_ + "\", which is monitored: {\"" + name_ +
                         "\", function, true} or false");
    higher_is_better_ = *measure.higher_is_better;
  }
  if (!found) refuse_name(known);
}

void Monitor::refuse_name(const std::string& known) const {
  refuse(caller_, "the monitor \"" + name_ + "\" is not measured; what is: " + known);
}

std::string Monitor::described() const {
  return (on_ == MeasuredOn::by_learner ? "" : std::string(name_of(on_)) + " ") + name_;
}

double Monitor::value(const EpochReport& report) const {
  for (const NamedNumbers* numbers : {&report.measured, &report.losses}) {
    for (const auto& [name, value] : *numbers) {
      if (name == name_) return value;
    }
  }
  const std::string measured = names_of(report.measured), losses = names_of(report.losses);
  refuse_name(measured + (measured.empty() || losses.empty() ? "" : ", ") + losses);
}

bool Monitor::better(double value, double than) const {
  // What is infinite is not rounded: every number is better than an infinite loss.
  const double rounding = std::isfinite(than) ? 1e-12 * std::abs(than) : 0.0;
  return higher_is_better_ ? value > than + rounding : value < than - rounding;
}

}  // namespace likely::train::detail
