#include "likely/autodiff/tape.hpp"

#include <algorithm>
#include <new>
#include <unordered_map>

#include "likely/autodiff/trace.hpp"
#include "likely/core/create.hpp"
#include "likely/core/track.hpp"
#include "likely/ops/accumulate.hpp"
#include "likely/ops/cast.hpp"
#include "likely/ops/view.hpp"

namespace likely {

namespace {

constexpr std::size_t kChunkBytes = std::size_t{64} << 10;

struct TapeEntry {
  std::uint64_t id;
  Tape* tape;
};
thread_local std::vector<TapeEntry> recording_tapes;  // the innermost last

// How the tapes below saw the nodes of tapes that have ended, kept while a tape of this thread records: a
// tensor that was captured inside an inner gradient still has its outer derivatives.
thread_local std::unordered_map<std::uint64_t, std::vector<Track>> ended_tapes;

// Goes down one tape. False where the tape of this track is not one that has ended.
bool step_below(Track& track) {
  if (ended_tapes.empty()) return false;
  const auto ended = ended_tapes.find(track.tape);
  if (ended == ended_tapes.end()) return false;
  track = ended->second[track.node];
  return true;
}

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

// What core/ asks of the tapes (core/track.hpp).
const detail::TapeServices services{
    .is_differentiated =
        [](const Tensor& x) {
          Track track = x.track();
          while (track.tape != 0 && step_below(track)) {
          }
          return track.tape != 0 && detail::is_recording(track.tape);
        },
    .copy = [](const Tensor& x) -> Tensor {
      Tape* tape = recording_tape(x);
      if (tape == nullptr) return x.with_track({}).copy();
      return tape->record("copy", tape->below(x).copy(), {&x},
                          [](const Tensor& g, Pull& pull) { pull(0, [&] { return g; }); });
    },
    .cast = [](const Tensor& x, DType dtype) { return cast(x, dtype); },
    .select = [](const Tensor& x, std::int64_t index) { return select(x, 0, index); },
};

}  // namespace

Tape* recording_tape_of(std::span<const Tensor* const> tensors) {
  Tape* innermost = nullptr;
  for (const Tensor* tensor : tensors) {
    Track track = tensor->track();
    if (track.tape == 0 || (innermost != nullptr && innermost->id_ == track.tape)) continue;
    Tape* tape = find_recording(track.tape);
    while (tape == nullptr && step_below(track) && track.tape != 0) tape = find_recording(track.tape);
    if (tape == nullptr) {
      if (track.tape != 0 && detail::is_recording(track.tape)) {
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
  if (!(gradient.shape() == *target.shape)) {
    refuse(tape_.nodes_[from_].name, "the gradient rule returned shape " + gradient.shape().string() +
                                         " for an input of shape " + target.shape->string());
  }
  if (trace_) tape_.trace_gradient(tape_.nodes_[from_], gradient);
  if (gradient.dtype() != target.dtype) gradient = cast(gradient, target.dtype);
  Tensor& slot = gradients_[node];
  if (slot.defined()) {
    accumulate(slot, gradient);
  } else {
    slot = std::move(gradient);
  }
}

Tape::Tape() : nodes_(Spare<Node>::take()), chunks_(Spare<Chunk>::take()) {
  detail::set_tape_services(services);
  id_ = detail::begin_recording();
  if (recording_tapes.empty()) detail::count_traced_step();
  recording_tapes.push_back({id_, this});
}

Tape::~Tape() {
  try {
    stop();
  } catch (const std::bad_alloc&) {
    // Only an error on its way up ends a tape here, and what it saw below cannot be kept: its number then
    // counts as recording for good, and its tensors are refused rather than taken for constants.
  }
  for (Node& node : nodes_) forget(node);
  nodes_.clear();
  Spare<Node>::give(std::move(nodes_));
  Spare<Chunk>::give(std::move(chunks_));
}

void Tape::stop() {
  if (!recording_) return;
  recording_ = false;
  std::erase_if(recording_tapes, [this](const TapeEntry& entry) { return entry.tape == this; });
  if (recording_tapes.empty()) {
    detail::end_recording(id_);
    if (ended_tapes.empty()) return;
    for (const auto& ended : ended_tapes) detail::end_recording(ended.first);
    ended_tapes.clear();
  } else if (std::ranges::any_of(nodes_, [](const Node& node) { return node.below.tape != 0; })) {
    remember_below();  // other threads still refuse its tensors
  } else {
    detail::end_recording(id_);
  }
}

void Tape::remember_below() const {
  std::vector<Track> below;
  below.reserve(nodes_.size());
  for (const Node& node : nodes_) below.push_back(node.below);
  ended_tapes.emplace(id_, std::move(below));
}

std::uint32_t Tape::node_through_ended(Track track) const {
  while (step_below(track)) {
    if (track.tape == id_) return track.node;
  }
  return Pull::kNone;
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
  const auto* shape = new (allocate(sizeof(Shape))) Shape(tensor.shape());
  Node node{.below = tensor.track(),
            .parents = nullptr,
            .closure = nullptr,
            .call = nullptr,
            .destroy = nullptr,
            .name = "leaf",
            .shape = shape,
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

Tensor Tape::push(const char* name, Tensor output, std::span<const Tensor* const> inputs, const Shape* shape,
                  std::uint32_t* parents, void* closure, CallRule call, DestroyRule destroy) {
  for (std::size_t i = 0; i < inputs.size(); ++i) parents[i] = node_of(*inputs[i]);
  try {
    nodes_.push_back({.below = output.track(),
                      .parents = parents,
                      .closure = closure,
                      .call = call,
                      .destroy = destroy,
                      .name = name,
                      .shape = shape,
                      .dtype = output.dtype(),
                      .found = 0,
                      .layer = -1});
  } catch (...) {
    destroy(closure);  // no node will
    throw;
  }
  if (tracing_non_finite()) trace(nodes_.back(), output, inputs);
  return std::move(output).with_track({id_, static_cast<std::uint32_t>(nodes_.size() - 1)});
}

void Tape::forget(Node& node) {
  if (node.closure == nullptr) return;
  node.destroy(node.closure);
  node.closure = nullptr;
}

// Calls passed(i) when node i has handed its gradient on.
template <class Passed>
std::vector<Tensor> Tape::sweep_back(const Tensor& output, const Tensor& seed, std::span<const Tensor> leaves,
                                     const Passed& passed) const {
  std::vector<Tensor> result(leaves.size());
  if (const std::uint32_t last = node_of(output); last != Pull::kNone) {
    std::vector<Tensor> gradients = Spare<Tensor>::take();
    gradients.assign(nodes_.size(), Tensor());
    gradients[last] = seed.dtype() == nodes_[last].dtype ? seed : cast(seed, nodes_[last].dtype);
    const bool tracing = tracing_non_finite();
    for (std::size_t i = nodes_.size(); i-- > 0;) {
      const Node& node = nodes_[i];
      if (node.call == nullptr) continue;  // a leaf keeps its gradient
      const Tensor gradient = std::exchange(gradients[i], {});
      if (gradient.defined()) {
        Pull pull(*this, gradients, i, node.parents, tracing && detail::non_finite_in(gradient) == 0);
        node.call(node.closure, gradient, pull);
      }
      passed(i);
    }
    for (std::size_t i = 0; i < leaves.size(); ++i) {
      if (const std::uint32_t leaf = node_of(leaves[i]); leaf != Pull::kNone) result[i] = gradients[leaf];
    }
    gradients.clear();
    Spare<Tensor>::give(std::move(gradients));
  }
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    if (!result[i].defined()) result[i] = constant(leaves[i].shape(), 0.0, leaves[i].dtype());
  }
  return result;
}

std::vector<Tensor> Tape::sweep(const Tensor& output, const Tensor& seed,
                                std::span<const Tensor> leaves) const {
  return sweep_back(output, seed, leaves, [](std::size_t) {});
}

std::vector<Tensor> Tape::sweep_once(const Tensor& output, const Tensor& seed,
                                     std::span<const Tensor> leaves) {
  return sweep_back(output, seed, leaves, [this](std::size_t i) { forget(nodes_[i]); });
}

}  // namespace likely
