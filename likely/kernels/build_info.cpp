#include "likely/kernels/build_info.hpp"

#include "likely/kernels/simd_targets.hpp"

// The choice of targets comes before Highway reads it.
#include <hwy/highway.h>
#include <hwy/targets.h>

#include <cstdint>

namespace likely {

namespace {

std::string compiler_name() {
#if defined(__clang__)
  return "clang++ " __clang_version__;
#else
  return "g++ " __VERSION__;
#endif
}

// Highway numbers its targets so that the best one is the lowest bit; dispatch takes it among those that
// were compiled and that the processor has. AVX3 is its name for AVX-512.
std::string best_vector_target() {
  const std::int64_t usable = hwy::SupportedTargets() & HWY_TARGETS;
  const std::int64_t best = usable & -usable;
  return best == HWY_AVX3 ? "AVX-512" : hwy::TargetName(best);
}

}  // namespace

std::string_view version() { return LIKELY_VERSION; }

BuildInfo build_info() { return {.compiler = compiler_name(), .vector_instructions = best_vector_target()}; }

}  // namespace likely
