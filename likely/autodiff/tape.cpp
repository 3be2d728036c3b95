#include "likely/autodiff/tape.hpp"

#include <algorithm>

#include "likely/autodiff/trace.hpp"
#include "likely/core/create.hpp"
#include "likely/core/track.hpp"
#include "likely/ops/accumulate.hpp"
#include "likely/ops/cast.hpp"

namespace likely {

namespace {

constexpr std::size_t kChunkBytes = std::size_t{64} << 10;

struct TapeEntry {
  std::uint64_t id;
  Tape* tape;
};
thread_local std::vector<TapeEntry> recording_tapes;  // the innermost last

Tape* find_recording(std::uint64_t id) {
  for (std::size_t i = recording_tapes.size(); i-- > 0;) {
    if (recording_tapes[i].id == id) return recording_tapes[i].tape;
  }
  return nullptr;
}

// Vectors kept between tapes, so that a training step allocates nothing for its tape.
template <class T>
struct Spare {
  std::vector<T> value;
  static Spare& mine() {
    static thread_local Spare spare;
    return spare;
  }
  static std::vector<T> take() { return std::exchange(mine().value, {}); }
  static void give(std::vector<T>&& used) {
    if (used.capacity() > mine().value.capacity()) mine().value = std::move(used);
  }
};

}  // namespace

Tape* recording_tape_of(std::span<const Tensor* const> tensors) {
  Tape* innermost = nullptr;
  for (const Tensor* tensor : tensors) {
    const std::uint64_t id = tensor->track().tape;
    if (id == 0 || (innermost != nullptr && innermost->id_ == id)) continue;
    Tape* tape = find_recording(id);
    if (tape == nullptr) {
      if (detail::is_recording(id)) {
        refuse("gradient",
               "a tensor of another thread's gradient is used; take a gradient inside one thread");
      }
      continue;
    }
    if (innermost == nullptr || tape->id_ > innermost->id_) innermost = tape;
  }
  return innermost;
}

void Pull::add(std::uint32_t node, Tensor gradient) {
  const Tape::Node& target = tape_.nodes_[node];
  if (gradient.size() != target.size) {
    refuse(tape_.nodes_[from_].name, "the gradient rule returned shape " + gradient.shape().string() +
                                         " for an input with " + std::to_string(target.size) + " elements");
  }
  if (trace_) tape_.trace_gradient(tape_.nodes_[from_], gradient);
  if (gradient.dtype() != target.dtype) gradient = cast(gradient, target.dtype);
  Tensor& slot = tape_.gradients_[node];
  if (slot.defined()) {
    accumulate(slot, gradient);
  } else {
    slot = std::move(gradient);
  }
}

Tape::Tape() : nodes_(Spare<Node>::take()), chunks_(Spare<Chunk>::take()), gradients_(Spare<Tensor>::take()) {
  id_ = detail::begin_recording();
  if (recording_tapes.empty()) detail::count_traced_step();
  recording_tapes.push_back({id_, this});
}

Tape::~Tape() {
  stop();
  for (Node& node : nodes_) forget(node);
  nodes_.clear();
  gradients_.clear();
  Spare<Node>::give(std::move(nodes_));
  Spare<Chunk>::give(std::move(chunks_));
  Spare<Tensor>::give(std::move(gradients_));
}

void Tape::stop() {
  if (!recording_) return;
  recording_ = false;
  detail::end_recording(id_);
  std::erase_if(recording_tapes, [this](const TapeEntry& entry) { return entry.tape == this; });
}

std::byte* Tape::allocate(std::size_t bytes) {
  constexpr std::size_t kAlign = alignof(std::max_align_t);
  bytes = (bytes + kAlign - 1) / kAlign * kAlign;
  while (chunk_ < chunks_.size() && used_ + bytes > chunks_[chunk_].size) {
    ++chunk_;
    used_ = 0;
  }
  if (chunk_ == chunks_.size()) {
    const std::size_t size = std::max(bytes, kChunkBytes);
    chunks_.push_back({std::make_unique_for_overwrite<std::byte[]>(size), size});
  }
  std::byte* memory = chunks_[chunk_].bytes.get() + used_;
  used_ += bytes;
  return memory;
}

Tensor Tape::track(const Tensor& tensor, const std::string& name) {
  if (!is_floating(tensor.dtype())) {
    refuse("gradient", "derivatives need floating numbers, got " + std::string(name_of(tensor.dtype())) +
                           (name.empty() ? "" : " in " + name));
  }
  Node node{.below = tensor.track(),
            .parents = nullptr,
            .closure = nullptr,
            .call = nullptr,
            .destroy = nullptr,
            .name = "leaf",
            .size = tensor.size(),
            .dtype = tensor.dtype(),
            .found = 0,
            .layer = -1};
  if (tracing_non_finite() && !name.empty()) {
    node.layer = static_cast<std::int32_t>(layers_.size());
    const std::size_t dot = name.rfind('.');
    layers_.push_back(dot == std::string::npos ? name : name.substr(0, dot));
  }
  nodes_.push_back(node);
  return tensor.with_track({id_, static_cast<std::uint32_t>(nodes_.size() - 1)});
}

Tensor Tape::push(const char* name, Tensor output, std::span<const Tensor* const> inputs,
                  std::uint32_t* parents, void* closure, CallRule call, DestroyRule destroy) {
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const Track& track = inputs[i]->track();
    parents[i] = track.tape == id_ ? track.node : Pull::kNone;
  }
  nodes_.push_back({.below = output.track(),
                    .parents = parents,
                    .closure = closure,
                    .call = call,
                    .destroy = destroy,
                    .name = name,
                    .size = output.size(),
                    .dtype = output.dtype(),
                    .found = 0,
                    .layer = -1});
  if (tracing_non_finite()) trace(nodes_.back(), output, inputs);
  return std::move(output).with_track({id_, static_cast<std::uint32_t>(nodes_.size() - 1)});
}

void Tape::forget(Node& node) {
  if (node.closure == nullptr) return;
  node.destroy(node.closure);
  node.closure = nullptr;
}

std::vector<Tensor> Tape::sweep(const Tensor& output, const Tensor& seed, std::span<const Tensor> leaves,
                                bool keep) {
  std::vector<Tensor> result(leaves.size());
  if (tracks(output)) {
    gradients_.assign(nodes_.size(), Tensor());
    gradients_[output.track().node] = seed;
    const bool tracing = tracing_non_finite();
    for (std::size_t i = nodes_.size(); i-- > 0;) {
      Node& node = nodes_[i];
      if (node.call == nullptr) continue;  // a leaf keeps its gradient
      const Tensor gradient = std::exchange(gradients_[i], {});
      if (gradient.defined()) {
        Pull pull(*this, i, node.parents, tracing && detail::non_finite_in(gradient) == 0);
        node.call(node.closure, gradient, pull);
      }
      if (!keep) forget(node);
    }
    for (std::size_t i = 0; i < leaves.size(); ++i) {
      if (tracks(leaves[i])) result[i] = gradients_[leaves[i].track().node];
    }
    gradients_.clear();
  }
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    if (!result[i].defined()) result[i] = constant(leaves[i].shape(), 0.0, leaves[i].dtype());
  }
  return result;
}

}  // namespace likely
