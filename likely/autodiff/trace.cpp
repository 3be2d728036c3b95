#include "likely/autodiff/trace.hpp"

#include <cmath>
#include <cstdlib>
#include <string_view>
#include <type_traits>

#include "likely/autodiff/tape.hpp"
#include "likely/core/dispatch.hpp"

namespace likely {

namespace {

bool environment_asks() {
  const char* wish = std::getenv("LIKELY_TRACE_NAN");
  return wish != nullptr && !std::string_view(wish).empty() && std::string_view(wish) != "0";
}

const bool kWholeProgram = environment_asks();
thread_local int alive_here = 0;
thread_local std::int64_t steps_traced = 0;

template <class T>
std::uint8_t look(const Tensor& tensor) {
  const Tensor dense = tensor.with_track({}).contiguous();
  const T* values = dense.data<T>();
  std::uint8_t found = 0;
  for (std::int64_t i = 0; i < dense.size(); ++i) {
    if (std::isnan(values[i])) found |= detail::kSawNan;
    if (std::isinf(values[i])) found |= detail::kSawInfinity;
  }
  return found;
}

// What a node knows of its place, beside what was seen in its tensor.
constexpr std::uint8_t kTakesOwn = 4;  // the operation takes tensors of its layer
constexpr std::uint8_t kIsOwn = 8;     // and nothing else, such as a transposed weight
constexpr std::uint8_t kSeen = detail::kSawInfinity | detail::kSawNan;

// What follows a layer may be a part of it or of the loss: nobody can tell.
std::string where(std::uint8_t known, const std::string& layer) {
  if (layer.empty()) return "";
  return ((known & kTakesOwn) != 0 ? " in " : " after ") + layer;
}

std::string what_was_made(std::uint8_t made) { return (made & detail::kSawNan) != 0 ? "NaN" : "an infinity"; }

// Of a step that somebody else counts, nothing.
std::string at_step() { return steps_traced > 0 ? " at step " + std::to_string(steps_traced) : ""; }

}  // namespace

namespace detail {

std::atomic<int> tracers_alive{environment_asks() ? 1 : 0};

bool traces_this_thread() { return kWholeProgram || alive_here > 0; }

std::uint8_t non_finite_in(const Tensor& tensor) {
  return with_type("non_finite_in", tensor.dtype(), [&]<class T>(T) -> std::uint8_t {
    if constexpr (std::is_floating_point_v<T>) {
      return look<T>(tensor);
    } else {
      return 0;
    }
  });
}

void count_traced_step() {
  if (tracing_non_finite()) ++steps_traced;
}

}  // namespace detail

TraceNonFinite::TraceNonFinite(std::int64_t steps_before) {
  if (!tracing_non_finite()) steps_traced = steps_before;
  ++alive_here;
  detail::tracers_alive.fetch_add(1);
}

TraceNonFinite::~TraceNonFinite() {
  --alive_here;
  detail::tracers_alive.fetch_sub(1);
}

std::string Tape::place(std::int32_t layer) const {
  return layer >= 0 ? "layer \"" + layers_[static_cast<std::size_t>(layer)] + "\"" : "";
}

void Tape::trace(Node& node, const Tensor& output, std::span<const Tensor* const> inputs) {
  std::uint8_t before = 0;
  bool takes_own = false;
  bool takes_others = false;
  for (const Tensor* input : inputs) {
    if (const std::uint32_t number = node_of(*input); number != Pull::kNone) {
      const Node& parent = nodes_[number];
      const bool is_leaf = parent.call == nullptr;
      before |= is_leaf ? detail::non_finite_in(*input) : parent.found & kSeen;
      const bool is_own = parent.layer >= 0 && (is_leaf || (parent.found & kIsOwn) != 0);
      takes_others |= !is_own || (takes_own && node.layer != parent.layer);
      if (is_own || (!takes_own && parent.layer >= 0)) node.layer = parent.layer;
      takes_own |= is_own;
    } else if (input->defined()) {
      before |= detail::non_finite_in(*input);
      takes_others |= input->size() > 1;
    }
  }
  const std::uint8_t seen = detail::non_finite_in(output);
  node.found = seen;
  if (takes_own) node.found |= takes_others ? kTakesOwn : kTakesOwn | kIsOwn;
  std::uint8_t made = seen & static_cast<std::uint8_t>(~before);
  // An infinity that goes in may rightly come out as another; only NaN out of no NaN is news then.
  if (before != 0) made &= detail::kSawNan;
  // Filling with an infinity is asked for.
  if (made == detail::kSawInfinity && std::string_view(node.name) == "masked_fill") made = 0;
  if (made == 0) return;
  refuse(node.name, "made " + what_was_made(made) + where(node.found, place(node.layer)) + at_step() +
                        ": output " + output.shape().string() + ", inputs " +
                        (before == 0 ? "finite" : "held infinities"));
}

void Tape::trace_gradient(const Node& node, const Tensor& gradient) const {
  const std::uint8_t made = detail::non_finite_in(gradient);
  if (made == 0) return;
  refuse(node.name, "its gradient rule made " + what_was_made(made) + where(node.found, place(node.layer)) +
                        at_step() + ": gradient " + gradient.shape().string() + " out of a finite one");
}

}  // namespace likely
