#include "likely/train/blame.hpp"

#include <fmt/format.h>

#include <cmath>
#include <string>

#include "likely/autodiff/trace.hpp"
#include "likely/optim/clip.hpp"

namespace likely::train::detail {

namespace {

bool finite(const Tensor& tensor) { return !tensor.defined() || likely::detail::non_finite_in(tensor) == 0; }

void put_back(const std::vector<Tensor*>& buffers, const std::vector<Tensor>& before) {
  for (std::size_t i = 0; i < buffers.size(); ++i) *buffers[i] = before[i];
}

// What the tracer says of the step, or "".
std::string traced(Learner& learner, const data::Batch& batch, const Rng& key, std::int64_t step) {
  try {
    const TraceNonFinite trace(step - 1);
    learner.differentiate(batch, Training(key));
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

std::string cause(Learner& learner, const data::Batch& batch, const Rng& key, std::int64_t step) {
  if (!finite(batch.x)) return "the batch's x holds numbers that are not finite";
  if (!finite(batch.y)) return "the batch's y holds numbers that are not finite";
  for (const Slot& slot : learner.model_slots()) {
    if (!finite(*slot.value)) return "the model's " + slot.name + " holds numbers that are not finite";
  }
  const std::string found = traced(learner, batch, key, step);
  return found.empty() ? "the tracer saw no operation make it" : found;
}

[[noreturn]] void blame(const std::string& what, const std::string& why, const Occasion& occasion) {
  std::string after = "the model is as it was before this step";
  if (!occasion.checkpoint.empty()) {
    after += fmt::format("; the checkpoint of step {} is in \"{}\"", occasion.checkpoint_step,
                         occasion.checkpoint.string());
  }
  refuse("fit",
         fmt::format("{} at step {} (epoch {}): {} ({})", what, occasion.step, occasion.epoch, why, after));
}

}  // namespace

double differentiate_finitely(Learner& learner, const data::Batch& batch, const Rng& key,
                              const std::vector<Tensor*>& buffers, const Occasion& occasion) {
  std::vector<Tensor> before;
  before.reserve(buffers.size());
  for (const Tensor* buffer : buffers) before.push_back(*buffer);
  std::string what;
  std::string refused;
  double loss = 0.0;
  try {
    loss = learner.differentiate(batch, Training(key)).item();
    if (!std::isfinite(loss)) {
      what = std::isnan(loss) ? "the loss is NaN" : "the loss is infinite";
    } else if (const auto gradient = learner.gradient();
               !std::isfinite(optim::detail::global_norm({gradient.begin(), gradient.end()}))) {
      what = "the gradient is not finite";
    }
  } catch (const Error& error) {
    refused = error.what();
  }
  if (what.empty() && refused.empty()) return loss;
  put_back(buffers, before);
  if (!what.empty()) {
    const std::string why = cause(learner, batch, key, occasion.step);
    put_back(buffers, before);
    blame(what, why, occasion);
  }
  // Operations that refuse NaN come too late to say where it came from.
  const std::string why = traced(learner, batch, key, occasion.step);
  put_back(buffers, before);
  if (why.empty() || why == refused) throw Error(refused);
  blame("the loss was refused (" + refused + ")", why, occasion);
}

}  // namespace likely::train::detail
