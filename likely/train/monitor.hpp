// Which of the measured numbers decides what the best model is. Internal to train/.
#pragma once

#include <string>
#include <vector>

#include "likely/train/any_learner.hpp"

namespace likely::train::detail {

class Monitor {
 public:
  // Of fit, an empty name chooses: the loss if it is measured, else the first metric. Where the losses are
  // the learner's own, it is the first metric, or nothing is monitored; nothing ever is on test data. Refuses
  // metrics without a name or with one that is taken, and a name that is not measured; one of the learner's
  // own losses is looked for when there are some.
  Monitor(const char* caller, std::string name, const std::vector<Measure>& measures, MeasuredOn on);

  // Whether anything is.
  bool monitors() const { return !name_.empty(); }
  const std::string& name() const { return name_; }
  // "validation accuracy", "training loss".
  std::string described() const;
  bool higher_is_better() const { return higher_is_better_; }
  double value(const EpochReport& report) const;
  // By more than rounding; NaN is not better than anything.
  bool better(double value, double than) const;

 private:
  [[noreturn]] void refuse_name(const std::string& known) const;

  const char* caller_;
  std::string name_;
  MeasuredOn on_;
  bool higher_is_better_ = false;
};

}  // namespace likely::train::detail
