#include "likely/core/tensor.hpp"

#include <bit>
#include <cstring>
#include <new>

#include "likely/core/strided_copy.hpp"
#include "likely/core/track.hpp"

namespace likely {

using detail::TensorBody;

namespace {

// Takes over one reference to the block, also where it fails.
TensorBody* new_body(const Shape& shape, std::int64_t size, const Strides& strides, DType dtype,
                     std::int64_t offset, detail::Block* block) {
  void* memory = nullptr;
  try {
    memory = detail::allocate_body(sizeof(TensorBody));
  } catch (...) {
    detail::release_block(block);
    throw;
  }
  auto* body = new (memory) TensorBody;
  body->dtype = dtype;
  body->offset = offset;
  body->size = size;
  body->contiguous = true;
  body->block = block;
  body->shape = shape;
  body->strides = strides;
  return body;
}

// Dimensions of size 1 may have any stride, and without elements every layout is dense.
bool is_row_major(const Shape& shape, std::int64_t size, const Strides& strides) {
  const std::int64_t* const sizes = shape.data();
  const std::int64_t* const steps = strides.data();
  std::int64_t step = 1;
  for (int i = shape.rank() - 1; i >= 0; --i) {
    if (sizes[i] != 1) {
      if (steps[i] != step) return size == 0;
      step *= sizes[i];
    }
  }
  return true;
}

// Whether all elements of a look, which has some, lie in memory of `length` elements.
bool lies_within(const Shape& shape, const Strides& strides, std::int64_t offset, std::int64_t length) {
  std::int64_t first = offset;
  std::int64_t last = offset;
  bool wrong = false;
  const std::int64_t* const sizes = shape.data();
  const std::int64_t* const steps = strides.data();
  for (int i = 0; i < shape.rank(); ++i) {
    std::int64_t reach = 0;
    wrong |= __builtin_mul_overflow(sizes[i] - 1, steps[i], &reach);
    wrong |= __builtin_add_overflow(first, reach < 0 ? reach : 0, &first);
    wrong |= __builtin_add_overflow(last, reach < 0 ? 0 : reach, &last);
  }
  return !wrong && first >= 0 && last < length;
}

[[noreturn, gnu::cold]] void refuse_view(const Shape& own, const Shape& shape, const Strides& strides,
                                         std::int64_t offset) {
  refuse("view", "shape " + shape.string() + " with strides " + strides.string() + " from element " +
                     std::to_string(offset) + " leaves the memory of shape " + own.string());
}

}  // namespace

void detail::destroy_body(TensorBody* body) {
  release_block(body->block);
  body->~TensorBody();
  free_body(body);
}

Tensor Tensor::uninitialized(const Shape& shape, DType dtype) {
  const std::int64_t size = shape.size();
  detail::Block* block = detail::allocate_block(static_cast<std::size_t>(size) * size_of(dtype));
  return Tensor(new_body(shape, size, row_major_strides(shape), dtype, 0, block));
}

Tensor Tensor::uninitialized_like(const Tensor& other) {
  const TensorBody& model = other.body();
  if (!model.contiguous) return uninitialized(model.shape, model.dtype);
  detail::Block* block = detail::allocate_block(static_cast<std::size_t>(model.size) * size_of(model.dtype));
  return Tensor(new_body(model.shape, model.size, model.strides, model.dtype, 0, block));
}

Tensor Tensor::external(const void* elements, const Shape& shape, DType dtype,
                        std::shared_ptr<const void> keeper) {
  const std::int64_t size = shape.size();
  if (elements == nullptr && size > 0) refuse("tensor_over", "there are no elements: the pointer is null");
  if (reinterpret_cast<std::uintptr_t>(elements) % size_of(dtype) != 0) {
    refuse("tensor_over", "the elements do not begin at a multiple of " + std::to_string(size_of(dtype)) +
                              " bytes, as " + std::string(name_of(dtype)) + " must");
  }
  const auto bytes = static_cast<std::size_t>(size) * size_of(dtype);
  return Tensor(new_body(shape, size, row_major_strides(shape), dtype, 0,
                         detail::external_block(elements, bytes, std::move(keeper))));
}

void Tensor::refuse_empty() {
  refuse("tensor", "an empty tensor was used where one with elements is needed");
}

void Tensor::refuse_type(DType wanted) const {
  refuse("data",
         "the elements are " + std::string(name_of(dtype())) + ", not " + std::string(name_of(wanted)));
}

Tensor Tensor::view(const Shape& shape, const Strides& strides, std::int64_t offset_elements) const {
  if (track_.tape != 0 && detail::is_differentiated(*this)) {
    refuse("view",
           "would lose the gradient that is being taken; use reshape, permute, slice, select or expand");
  }
  const TensorBody& own = body();
  const std::int64_t size = shape.size();
  // Sizes are powers of 2, and a division would cost more than the rest of a view.
  const auto length = static_cast<std::int64_t>(own.block->length >> std::countr_zero(size_of(own.dtype)));
  std::int64_t offset = 0;
  const bool known =
      strides.rank() == shape.rank() && !__builtin_add_overflow(own.offset, offset_elements, &offset);
  const bool dense = known && is_row_major(shape, size, strides);
  const bool inside = dense ? size == 0 || (offset >= 0 && offset <= length - size)
                            : known && lies_within(shape, strides, offset, length);
  if (!inside) refuse_view(own.shape, shape, strides, offset_elements);
  own.block->references.fetch_add(1, std::memory_order_relaxed);
  TensorBody* seen = new_body(shape, size, strides, own.dtype, offset, own.block);
  seen->contiguous = dense;
  return Tensor(seen);
}

Tensor Tensor::contiguous() const { return is_contiguous() ? with_track(track_) : copy(); }

Tensor Tensor::copy() const {
  if (track_.tape != 0 && detail::is_differentiated(*this)) return detail::copy_tracked(*this);
  Tensor result = uninitialized(shape(), dtype());
  detail::copy_to_dense(*this, result.body_->block->data());
  return result;
}

bool Tensor::is_unique() const {
  return !body().block->is_external() && body().references.load(std::memory_order_acquire) == 1 &&
         body().block->references.load(std::memory_order_acquire) == 1;
}

void* Tensor::mutable_raw() {
  if (track_.tape != 0 && detail::is_differentiated(*this)) {
    refuse("mutable_data", "a tensor that a gradient is being taken of cannot be written to");
  }
  track_ = {};
  if (!is_unique() || !is_contiguous()) *this = copy();
  return const_cast<void*>(raw());
}

double Tensor::item() const {
  if (size() != 1) refuse("item", "one element is needed, shape is " + shape().string());
  return detail::element("item", raw(), dtype(), 0);
}

std::int64_t Tensor::position(std::string_view operation, std::initializer_list<std::int64_t> index) const {
  if (static_cast<int>(index.size()) != rank()) {
    refuse(operation, std::to_string(index.size()) + " indices given for shape " + shape().string());
  }
  std::int64_t place = 0;
  int axis = 0;
  for (const std::int64_t i : index) {
    place += shape().index(operation, axis, i) * strides()[axis];
    ++axis;
  }
  return place;
}

Tensor Tensor::operator[](std::int64_t index) const {
  if (track_.tape != 0 && detail::is_differentiated(*this)) return detail::select_tracked(*this, index);
  const int first = shape().axis("select", 0);
  return view(shape().sub(1, rank()), strides().sub(1, rank()),
              shape().index("select", first, index) * strides()[first]);
}

double Tensor::at(std::initializer_list<std::int64_t> index) const {
  return detail::element("at", raw(), dtype(), position("at", index));
}

void Tensor::set(std::initializer_list<std::int64_t> index, double value) {
  void* elements = mutable_raw();
  detail::set_element("set", elements, dtype(), position("set", index), value);
}

Tensor Tensor::to(DType wanted) const {
  if (wanted == dtype()) return with_track(track_);
  if (track_.tape != 0 && is_floating(wanted) && detail::is_differentiated(*this)) {
    return detail::cast_tracked(*this, wanted);
  }
  Tensor result = uninitialized(shape(), wanted);
  detail::convert_to_dense(*this, result.body_->block->data(), wanted);
  return result;
}

template <class T>
std::vector<T> Tensor::to_vector() const {
  constexpr DType target =
      sizeof(T) == 1 ? DType::boolean : dtype_of<std::conditional_t<sizeof(T) == 1, bool, T>>;
  std::vector<T> result(static_cast<std::size_t>(size()));
  detail::convert_to_dense(*this, result.data(), target);
  return result;
}
template std::vector<float> Tensor::to_vector<float>() const;
template std::vector<double> Tensor::to_vector<double>() const;
template std::vector<std::int64_t> Tensor::to_vector<std::int64_t>() const;
template std::vector<std::uint8_t> Tensor::to_vector<std::uint8_t>() const;

}  // namespace likely
