// Checks that the options of several optimizers share. Internal to optim/.
#pragma once

namespace likely::optim::detail {

// Each refuses in the name of the optimizer, naming the option and its value. NaN is never in range.
void check_at_least_0(const char* optimizer, const char* option, double value);  // and finite
void check_above_0(const char* optimizer, const char* option, double value);     // and finite
void check_below_1(const char* optimizer, const char* option, double value);     // in [0, 1)

}  // namespace likely::optim::detail
