#include "bench/limits.hpp"

namespace bench {

std::string remarks() { return ""; }

}  // namespace bench
