// The tracer: which operation, in which layer, at which step first made a number that is not finite.
#pragma once

#include <atomic>
#include <cstdint>
#include <limits>

#include "likely/core/tensor.hpp"

namespace likely {

// While one is alive, every operation that its thread records and every gradient there is looked at. One that
// makes a NaN out of none, or an infinity out of finite numbers, throws an Error such as
//   [log] made -inf in layer "encoder.out" at step 12: output (32, 10), inputs finite
// A step is one outermost gradient, counted on from `steps_before`, and not named where that is
// kStepsNotCounted. Costs a pass over each result.
// Other threads are left alone; LIKELY_TRACE_NAN=1 does the same for a whole program.
class TraceNonFinite {
 public:
  static constexpr std::int64_t kStepsNotCounted = std::numeric_limits<std::int64_t>::min();

  explicit TraceNonFinite(std::int64_t steps_before = 0);
  ~TraceNonFinite();
  TraceNonFinite(const TraceNonFinite&) = delete;
  TraceNonFinite& operator=(const TraceNonFinite&) = delete;
};

namespace detail {

inline constexpr std::uint8_t kSawInfinity = 1;
inline constexpr std::uint8_t kSawNan = 2;

// How many tracers are alive in the program: none is what most operations find.
extern std::atomic<int> tracers_alive;
// Whether one of them looks at this thread.
bool traces_this_thread();

// kSawInfinity and kSawNan as found in the elements; 0 for finite ones.
std::uint8_t non_finite_in(const Tensor& tensor);

// The tapes call this when an outermost one opens.
void count_traced_step();

}  // namespace detail

inline bool tracing_non_finite() {
  return detail::tracers_alive.load(std::memory_order_relaxed) > 0 && detail::traces_this_thread();
}

}  // namespace likely
