// Which vector instructions the kernels use: the best of the processor, unless told otherwise.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace likely::kernels {

// The sets that this build has code for and this processor can run, best first: of "avx512", "avx2", "sse4"
// on x86-64.
std::vector<std::string> instruction_sets();

// The one in use.
std::string instruction_set();

// Uses one of instruction_sets() from now on in the whole process: for tests, measurements, and for the same
// bits on two machines. Refuses other names. Not to be called while another thread computes.
void use_instruction_set(std::string_view name);

}  // namespace likely::kernels
