#include "bench/limits.hpp"

namespace bench {

std::string remarks() {
  return "Far from the limit: at the sizes of b and c no library comes near the peak of registers; d1 has "
         "few\n"
         "channels and many passes; n2 and p2 to p5 wait for exponentials, p5 also for the tail's accuracy; "
         "p7 to\n"
         "p9 compute ten rounds of Philox an element. docs/performance.md says more.\n";
}

}  // namespace bench
