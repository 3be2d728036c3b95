#include "bench/limits.hpp"

namespace bench {

std::string remarks() {
  return "Far from the limit: small products (b, c) reach what any library does there, not the peak of "
         "registers;\n"
         "d1 has few channels and many passes; p5 keeps the tail's relative accuracy; p7 to p9 compute ten "
         "rounds of\n"
         "Philox an element. docs/performance.md says more.\n";
}

}  // namespace bench
