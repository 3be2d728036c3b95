// The range of a column's numbers, without those few that are far from all others.
#pragma once

#include <vector>

namespace likely::tables {

// One wild number (1e160 for 1.6, 999 for "not known") would make all others of its column look the same to a
// model, and a straight line would follow it alone.
struct NumberRange {
  double low = 0.0, high = 0.0;

  // Twenty times as far from the range as it is wide.
  bool is_far(double value) const;
  // A tenth of its width beyond the range: a network has seen nothing there.
  bool is_outside(double value) const;
  // The nearest number that is not outside.
  double drawn_in(double value) const;
};

// Of all numbers but NaN, and but for those that are far from the others if they are a tenth of all or fewer.
// Fewer than five different numbers are never far from each other. {0, 0} where there are none.
NumberRange usual_range(const std::vector<double>& values);

}  // namespace likely::tables
