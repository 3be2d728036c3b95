// The tape: what was computed, so that derivatives can flow back through it.
//
// Recording follows the data, not a mode. A tensor is tracked because it is a leaf of a tape or was computed
// from one; an operation records a node only if an input is tracked. Tapes nest: an operation on a tensor of
// the innermost tape is done on the tensor "below" it, which an outer tape may track in turn, and so on down
// to plain numbers. Every operation is written the same way:
//
//   Tensor exp(const Tensor& x) {
//     if (Tape* tape = recording_tape(x)) {
//       const Tensor y = exp(tape->below(x));                       // the same, one tape down
//       return tape->record("exp", y, {&x}, [y](const Tensor& g, Pull& pull) {
//         pull(0, [&] { return g * y; });                           // public operations only
//       });
//     }
//     ...                                                           // checks and the kernel
//   }
//
// A rule may hold only tensors from below its tape (y, tape->below(x)), never the tracked ones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "likely/core/tensor.hpp"

namespace likely {

class Tape;

// How a gradient rule hands gradients to the inputs of its node.
class Pull {
 public:
  // Whether input number i wants a gradient.
  bool wants(int i) const { return parents_[i] != kNone; }
  // Computes a gradient for input i by calling make(), if it is wanted.
  template <class Make>
  void operator()(int i, Make&& make) {
    if (wants(i)) add(parents_[i], make());
  }

 private:
  friend class Tape;
  static constexpr std::uint32_t kNone = UINT32_MAX;
  Pull(const Tape& tape, std::vector<Tensor>& gradients, std::size_t from, const std::uint32_t* parents,
       bool trace)
      : tape_(tape), gradients_(gradients), from_(from), parents_(parents), trace_(trace) {}
  void add(std::uint32_t node, Tensor gradient);

  const Tape& tape_;
  std::vector<Tensor>& gradients_;  // of this sweep, one a node
  std::size_t from_;                // the node whose rule pulls
  const std::uint32_t* parents_;
  bool trace_;  // whether to look for non-finite gradients made out of finite ones
};

class Tape {
 public:
  // Opens a tape on top of this thread's others.
  Tape();
  ~Tape();
  Tape(const Tape&) = delete;
  Tape& operator=(const Tape&) = delete;

  // Makes `tensor` a leaf and returns it as such. The name is what the tracer calls it.
  Tensor track(const Tensor& tensor, const std::string& name = {});

  // The tensor as the next lower tape sees it (or the tensor itself, where this tape does not track it).
  Tensor below(const Tensor& tensor) const {
    const std::uint32_t node = node_of(tensor);
    return node != Pull::kNone ? tensor.with_track(nodes_[node].below) : tensor;
  }
  bool tracks(const Tensor& tensor) const { return node_of(tensor) != Pull::kNone; }
  // Whether this is the other tape or one that was opened on top of it.
  bool is_within(const Tape& other) const { return id_ >= other.id_; }
  // The tensor as a node of this tape, if it is one by way of tapes that have ended on top of it.
  Tensor seen(Tensor tensor) const {
    const std::uint32_t node = node_of(tensor);
    if (node != Pull::kNone && tensor.track().tape != id_) return std::move(tensor).with_track({id_, node});
    return tensor;
  }

  // Records that `output` (computed one tape down) came from `inputs` by the operation `name`, with
  // rule(const Tensor& gradient, Pull& pull); returns output as tracked by this tape. `name` must be a
  // literal, and calling the rule must not change it: several threads may do so at once.
  template <class Rule>
  Tensor record(const char* name, Tensor output, std::initializer_list<const Tensor*> inputs, Rule rule) {
    return record(name, std::move(output), std::span(inputs.begin(), inputs.size()), std::move(rule));
  }
  template <class Rule>  // NOLINTNEXTLINE(performance-unnecessary-value-param): it is moved on
  Tensor record(const char* name, Tensor output, std::span<const Tensor* const> inputs, Rule rule) {
    static_assert(std::is_invocable_v<const Rule&, const Tensor&, Pull&>,
                  "rule(const Tensor& gradient, Pull& pull), callable as a constant");
    static_assert(alignof(Rule) <= alignof(std::max_align_t));
    // A rule that captures nothing, or only bools, has a size that would leave what is behind it unaligned.
    constexpr std::size_t kAlign = alignof(Shape);
    constexpr std::size_t kRuleBytes = (sizeof(Rule) + kAlign - 1) / kAlign * kAlign;
    auto* memory = allocate(kRuleBytes + sizeof(Shape) + inputs.size() * sizeof(std::uint32_t));
    auto* closure = new (memory) Rule(std::move(rule));
    auto* shape = new (memory + kRuleBytes) Shape(output.shape());
    auto* parents = reinterpret_cast<std::uint32_t*>(memory + kRuleBytes + sizeof(Shape));
    return push(
        name, std::move(output), inputs, shape, parents, closure,
        [](const void* f, const Tensor& g, Pull& pull) { (*static_cast<const Rule*>(f))(g, pull); },
        [](void* f) { static_cast<Rule*>(f)->~Rule(); });
  }

  // Ends recording: from here on tensors of this tape are seen as the tape below sees them, for as long as
  // one of this thread's tapes records; then they are constants.
  void stop();

  // The gradients of sum(output * seed) with respect to each of the leaves, swept back over the tape. Leaves
  // that the output does not depend on get zeros. Call after stop(). The tape stays as it is: it can be swept
  // again, by several threads at once.
  std::vector<Tensor> sweep(const Tensor& output, const Tensor& seed, std::span<const Tensor> leaves) const;
  // The same for the last time: what a node holds is freed as soon as it is passed.
  std::vector<Tensor> sweep_once(const Tensor& output, const Tensor& seed, std::span<const Tensor> leaves);

 private:
  friend class Pull;
  friend Tape* recording_tape_of(std::span<const Tensor* const> tensors);

  using CallRule = void (*)(const void*, const Tensor&, Pull&);
  using DestroyRule = void (*)(void*);
  struct Node {
    Track below;  // how the tape below tracks the same tensor
    const std::uint32_t* parents;
    void* closure;
    CallRule call;
    DestroyRule destroy;
    const char* name;
    const Shape* shape;  // of the tensor, to check what a rule hands back
    DType dtype;
    std::uint8_t found;  // when tracing: what was seen in the tensor (trace.hpp)
    std::int32_t layer;  // when tracing: which of layers_ it belongs to, or -1
  };
  struct Chunk {
    std::unique_ptr<std::byte[]> bytes;
    std::size_t size;
  };

  std::byte* allocate(std::size_t bytes);
  Tensor push(const char* name, Tensor output, std::span<const Tensor* const> inputs, const Shape* shape,
              std::uint32_t* parents, void* closure, CallRule call, DestroyRule destroy);
  std::uint32_t node_of(const Tensor& tensor) const {
    const Track& track = tensor.track();
    if (track.tape == id_) return track.node;
    return track.tape == 0 ? Pull::kNone : node_through_ended(track);
  }
  std::uint32_t node_through_ended(Track track) const;
  void remember_below() const;
  template <class Passed>
  std::vector<Tensor> sweep_back(const Tensor& output, const Tensor& seed, std::span<const Tensor> leaves,
                                 const Passed& passed) const;
  void forget(Node& node);
  void trace(Node& node, const Tensor& output, std::span<const Tensor* const> inputs);
  std::string place(std::int32_t layer) const;
  void trace_gradient(const Node& node, const Tensor& gradient) const;

  std::uint64_t id_;
  bool recording_ = true;
  std::vector<Node> nodes_;
  std::vector<Chunk> chunks_;
  std::size_t chunk_ = 0;
  std::size_t used_ = 0;
  std::vector<std::string> layers_;  // when tracing
};

// The innermost tape that records and tracks one of these, or null: then they are plain numbers to the
// operation. Tensors whose tape has ended are what the tapes below it saw. Refuses one that another thread's
// open tape tracks.
Tape* recording_tape_of(std::span<const Tensor* const> tensors);

inline Tape* recording_tape(std::span<const Tensor* const> tensors) {
  for (const Tensor* tensor : tensors) {
    if (tensor->track().tape != 0) return recording_tape_of(tensors);
  }
  return nullptr;
}
template <class... Tensors>
Tape* recording_tape(const Tensor& first, const Tensors&... rest) {
  if ((first.track().tape | ... | rest.track().tape) == 0) return nullptr;
  const Tensor* all[] = {&first, &rest...};
  return recording_tape_of(all);
}

}  // namespace likely
