#include "likely/train/finite_gradient.hpp"

#include <cmath>
#include <exception>
#include <utility>

#include "likely/autodiff/trace.hpp"
#include "likely/ops/key_log.hpp"
#include "likely/optim/clip.hpp"

namespace likely::train {

NotFinite::NotFinite(const std::string& message, std::string what_is, std::string cause)
    : Error(message), what_is_(std::move(what_is)), cause_(std::move(cause)) {}

namespace detail {

namespace {

[[noreturn]] void refuse_not_finite(const std::string& what_is, const std::string& cause) {
  throw NotFinite("[descend] " + what_is + ": " + cause + " (the model is as it was before this step)",
                  what_is, cause);
}

using likely::detail::KeyLog;

void put_back(const std::vector<Tensor*>& buffers, const std::vector<Tensor>& before) {
  for (std::size_t i = 0; i < buffers.size(); ++i) *buffers[i] = before[i];
}

// What the tracer says, or "".
std::string traced(Differentiable& function, const KeyLog& keys, std::int64_t steps_before) {
  try {
    const TraceNonFinite trace(steps_before);
    const likely::detail::ReplayKeys replay(keys);
    function.differentiate();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace

bool holds_only_finite(const Tensor& tensor) {
  return !tensor.defined() || likely::detail::non_finite_in(tensor) == 0;
}

double differentiate_finitely(Differentiable& function, std::int64_t steps_before) {
  const std::vector<Tensor*> buffers = function.buffers();
  std::vector<Tensor> before;
  before.reserve(buffers.size());
  for (const Tensor* buffer : buffers) before.push_back(*buffer);
  std::string what;
  std::string refused;
  std::exception_ptr refusal;  // of whatever type
  double loss = 0.0;
  KeyLog keys;
  try {
    const likely::detail::RecordKeys record(keys);
    loss = function.differentiate().item();
    if (!std::isfinite(loss)) {
      what = std::isnan(loss) ? "the loss is NaN" : "the loss is infinite";
    } else if (const auto gradient = function.gradient();
               !std::isfinite(optim::global_norm({gradient.begin(), gradient.end()}))) {
      what = "the gradient is not finite";
    }
  } catch (const Error& error) {
    // A second try under the tracer, which keeps more, would only fail in another place.
    if (error.fault() == Fault::memory) {
      put_back(buffers, before);
      throw;
    }
    refused = error.what();
    refusal = std::current_exception();
  }
  if (what.empty() && refused.empty()) return loss;
  put_back(buffers, before);
  if (!what.empty()) {
    const std::string known = function.not_finite();
    std::string why =
        known.empty() ? traced(function, keys, steps_before) : known + " holds numbers that are not finite";
    put_back(buffers, before);
    if (why.empty()) why = "the tracer saw no operation make it";
    refuse_not_finite(what, why);
  }
  // Operations that refuse NaN come too late to say where it came from.
  const std::string why = traced(function, keys, steps_before);
  put_back(buffers, before);
  if (why.empty() || why == refused) std::rethrow_exception(refusal);
  refuse_not_finite("the loss was refused (" + refused + ")", why);
}

}  // namespace detail

}  // namespace likely::train
