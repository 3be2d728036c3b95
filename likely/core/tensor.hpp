// Tensor: a value made of numbers.
#pragma once

#include <atomic>
#include <cstdint>
#include <initializer_list>
#include <iosfwd>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "likely/core/dtype.hpp"
#include "likely/core/error.hpp"
#include "likely/core/memory.hpp"
#include "likely/core/shape.hpp"

namespace likely {

namespace detail {

// What a handle points to. Never changes while more than one handle sees it.
struct TensorBody {
  std::atomic<std::int32_t> references{1};
  DType dtype;
  std::int64_t offset;  // of the first element, in elements
  std::int64_t size;
  bool contiguous;
  Block* block;
  Shape shape;
  Strides strides;
};

void destroy_body(TensorBody* body);

}  // namespace detail

// Which node of which tape a tensor is (see autodiff/tape.hpp). Tape 0 means that it is not tracked.
struct Track {
  std::uint64_t tape = 0;
  std::uint32_t node = 0;
};

// A handle to shared, row-major elements: shape, strides, offset, element type. Copying a handle is cheap and
// tensors are values: what one holder writes, no other sees (copy on write).
// A default-constructed Tensor is empty: defined() is false and every operation refuses it.
//
// A tensor that a gradient is being taken of is tracked. contiguous(), copy(), to() and [] pass the gradient
// on as the operations do; item(), at(), to_vector() and data() read its numbers out, which are constants
// from there on; view(), set() and mutable_data() refuse it.
class Tensor {
 public:
  Tensor() = default;

  Tensor(const Tensor& other)
      : body_(other.body_), track_(other.track_), frozen_(other.frozen_), moved_from_(other.moved_from_) {
    if (body_ != nullptr) body_->references.fetch_add(1, std::memory_order_relaxed);
  }
  Tensor(Tensor&& other) noexcept
      : body_(std::exchange(other.body_, nullptr)),
        track_(other.track_),
        frozen_(other.frozen_),
        moved_from_(other.moved_from_) {
    other.moved_from_ = other.moved_from_ || body_ != nullptr;
  }
  // Takes the value. Being frozen belongs to the part of a model that is assigned to, and stays as it is.
  // Nothing is assigned to a tensor without a name: `x[0] = y` would change nothing.
  Tensor& operator=(Tensor other) & noexcept {
    std::swap(body_, other.body_);
    track_ = other.track_;
    moved_from_ = other.moved_from_;
    return *this;
  }
  ~Tensor() {
    if (body_ != nullptr && detail::last_reference(body_->references)) detail::destroy_body(body_);
  }

  // A new dense tensor whose elements are not set yet: for kernels that write all of them.
  static Tensor uninitialized(const Shape& shape, DType dtype = DType::f32);
  // The same with the shape and the type of another.
  static Tensor uninitialized_like(const Tensor& other);
  // Dense elements that lie elsewhere: tensor_over() of core/create.hpp.
  static Tensor external(const void* elements, const Shape& shape, DType dtype,
                         std::shared_ptr<const void> keeper);

  bool defined() const { return body_ != nullptr; }
  // Whether it is empty because its value was moved away, and not because it never had one.
  bool moved_from() const { return moved_from_; }
  const Shape& shape() const { return body().shape; }
  const Strides& strides() const { return body().strides; }
  DType dtype() const { return body().dtype; }
  int rank() const { return body().shape.rank(); }
  // The number of elements.
  std::int64_t size() const { return body().size; }
  // The size of one dimension; negative axes count from the end.
  std::int64_t dim(int axis) const { return shape()[shape().axis("dim", axis)]; }
  // Dense and row-major: the elements lie one after the other.
  bool is_contiguous() const { return body().contiguous; }

  // The first element. Refuses another element type than T. Walk it with strides(), or make it contiguous
  // first.
  template <class T>
  const T* data() const {
    check_type(dtype_of<T>);
    return static_cast<const T*>(raw());
  }
  // The same, to write to: first makes this handle the only holder of dense memory, so nobody else sees the
  // change. Refuses a tensor that a gradient is being taken of.
  template <class T>
  T* mutable_data() {
    check_type(dtype_of<T>);
    return static_cast<T*>(mutable_raw());
  }
  const void* raw() const {
    const detail::TensorBody& b = body();
    return static_cast<const char*>(b.block->data()) + b.offset * static_cast<std::int64_t>(size_of(b.dtype));
  }
  void* mutable_raw();

  // The only element of a tensor of size 1, as a number. Refuses any other size.
  double item() const;
  // What the first axis has at an index, without that axis: a view of the same memory, as select(x, 0, index)
  // of ops/view.hpp, with its gradient. Refuses an index out of range; negative ones count from the end.
  [[nodiscard]] Tensor operator[](std::int64_t index) const;
  // One element, as a number; negative indices count from the end.
  double at(std::initializer_list<std::int64_t> index) const;
  // Writes one element of this handle's own copy.
  void set(std::initializer_list<std::int64_t> index, double value);
  // All elements in row-major order, converted to T (float, double, std::int64_t, or bool through
  // std::uint8_t).
  template <class T>
  std::vector<T> to_vector() const;

  // Another look at the same memory, without a copy. For the shape operations of ops/, which have gradients;
  // refuses a tensor that a gradient is being taken of.
  [[nodiscard]] Tensor view(const Shape& shape, const Strides& strides, std::int64_t offset_elements) const;
  // The same elements in dense row-major memory: this handle itself where it is so already.
  [[nodiscard]] Tensor contiguous() const;
  // The same elements in memory of their own.
  [[nodiscard]] Tensor copy() const;
  // The same values as another type (floating to i64 truncates; anything to bool is `!= 0`). As cast() of
  // ops/cast.hpp: through i64 and bool there is no gradient.
  [[nodiscard]] Tensor to(DType dtype) const;

  // True where this handle is the only one that sees its memory.
  bool is_unique() const;

  const Track& track() const { return track_; }
  // The same value, seen as that node of a tape; Track{} makes it a constant. It is never frozen.
  [[nodiscard]] Tensor with_track(Track track) const& { return Tensor(*this).with_track(track); }
  [[nodiscard]] Tensor with_track(Track track) && {
    track_ = track;
    frozen_ = false;
    return std::move(*this);
  }

  // A frozen parameter is saved but not learned (freeze() of tree/tree.hpp). The mark belongs to this handle:
  // what is assigned to it neither freezes nor thaws it. A handle that is made from another one, by copy or
  // by move, begins with the other's mark; results of operations, copy() among them, are never frozen.
  bool frozen() const { return frozen_; }
  void set_frozen(bool frozen) { frozen_ = frozen; }

 private:
  explicit Tensor(detail::TensorBody* body) : body_(body) {}
  const detail::TensorBody& body() const {
    if (body_ == nullptr) refuse_empty();
    return *body_;
  }
  [[noreturn]] static void refuse_empty();
  void check_type(DType wanted) const {
    if (body().dtype != wanted) refuse_type(wanted);
  }
  [[noreturn]] void refuse_type(DType wanted) const;
  std::int64_t position(std::string_view operation, std::initializer_list<std::int64_t> index) const;

  detail::TensorBody* body_ = nullptr;
  Track track_;
  bool frozen_ = false;
  bool moved_from_ = false;
};

// A tensor that a model keeps but does not learn, such as running statistics: saved, not differentiated.
class Buffer : public Tensor {
 public:
  Buffer() = default;
  Buffer(Tensor value) : Tensor(std::move(value)) {}  // NOLINT(google-explicit-constructor)
};

// Whether both have the same type, shape and elements (NaN equals nothing).
bool array_equal(const Tensor& a, const Tensor& b);
// Whether |a - b| <= absolute + relative * |b| for all elements, after broadcasting. NaN is close to nothing.
bool allclose(const Tensor& a, const Tensor& b, double relative = 1e-5, double absolute = 1e-8);

// Written as NumPy writes it, with an ellipsis in long dimensions.
std::string to_string(const Tensor& tensor);
std::ostream& operator<<(std::ostream& out, const Tensor& tensor);

}  // namespace likely
