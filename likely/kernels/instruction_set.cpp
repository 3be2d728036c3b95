#include "likely/kernels/instruction_set.hpp"

#include <cstdint>

#include "likely/core/error.hpp"
#include "likely/kernels/simd_targets.hpp"

#include <hwy/highway.h>
#include <hwy/targets.h>

namespace likely::kernels {

namespace {

struct Entry {
  std::int64_t target;
  std::string name;
};

std::string readable(std::int64_t target) {
  switch (target) {
    case HWY_AVX3: return "avx512";
    case HWY_AVX2: return "avx2";
    case HWY_SSE4: return "sse4";
    default: return hwy::TargetName(target);
  }
}

// Lower bits are better targets.
std::vector<Entry> usable() {
  static const std::int64_t all = hwy::SupportedTargets() & HWY_TARGETS;
  std::vector<Entry> entries;
  for (std::int64_t rest = all; rest != 0; rest &= rest - 1) {
    const std::int64_t target = rest & -rest;
    entries.push_back({target, readable(target)});
  }
  return entries;
}

}  // namespace

std::vector<std::string> instruction_sets() {
  std::vector<std::string> names;
  for (const Entry& entry : usable()) names.push_back(entry.name);
  return names;
}

std::string instruction_set() {
  static_cast<void>(usable());  // while the processor still says what it has
  const std::int64_t targets = hwy::SupportedTargets() & HWY_TARGETS;
  return readable(targets & -targets);
}

void use_instruction_set(std::string_view name) {
  std::string known;
  for (const Entry& entry : usable()) {
    if (entry.name == name) {
      hwy::SetSupportedTargetsForTest(entry.target);
      hwy::GetChosenTarget().Update(hwy::SupportedTargets());
      return;
    }
    if (!known.empty()) known += ", ";
    known += entry.name;
  }
  refuse("use_instruction_set", std::string(name).append(" is not one of ").append(known));
}

}  // namespace likely::kernels
