// Which of the measured numbers decides what the best model is. Internal to train/.
#pragma once

#include <string>
#include <vector>

#include "likely/train/learner.hpp"

namespace likely::train::detail {

class Monitor {
 public:
  // An empty name chooses: the loss if it is measured, else the first metric. Refuses a name that is not
  // measured, and metrics without a name or with one that is taken.
  Monitor(std::string name, const std::vector<Measure>& measures, bool on_validation);

  const std::string& name() const { return name_; }
  // "validation accuracy", "training loss".
  std::string described() const;
  bool higher_is_better() const { return higher_is_better_; }
  double value(const EpochReport& report) const;
  // By more than rounding; NaN is not better than anything.
  bool better(double value, double than) const;

 private:
  std::string name_;
  bool on_validation_;
  bool higher_is_better_ = false;
};

}  // namespace likely::train::detail
