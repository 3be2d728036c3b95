#include "likely/ops/join.hpp"

#include "likely/autodiff/tape.hpp"
#include "likely/core/layer_error.hpp"
#include "likely/core/strided_copy.hpp"
#include "likely/ops/cast.hpp"
#include "likely/ops/view.hpp"

namespace likely {

namespace {

// Each part goes to its place in the whole, wherever its elements lie now.
Tensor concat_plain(const std::vector<Tensor>& parts, int axis, const Shape& shape, DType dtype) {
  Tensor result = Tensor::uninitialized(shape, dtype);
  const std::int64_t step = result.strides()[axis] * static_cast<std::int64_t>(size_of(dtype));
  auto* target = static_cast<char*>(result.mutable_raw());
  for (const Tensor& part : parts) {
    detail::copy_strided(size_of(dtype), part.shape(), part.raw(), part.strides(), target, result.strides());
    target += part.shape()[axis] * step;
  }
  return result;
}

Shape joined_shape(const std::vector<Tensor>& parts, int axis) {
  Shape shape = parts.front().shape();
  shape[axis] = 0;
  for (const Tensor& part : parts) {
    bool fits = part.rank() == shape.rank();
    for (int i = 0; fits && i < shape.rank(); ++i) fits = i == axis || part.shape()[i] == shape[i];
    if (!fits) {
      refuse("concat", "shapes differ outside axis " + std::to_string(axis) + ": " +
                           parts.front().shape().string() + " and " + part.shape().string());
    }
    shape[axis] = add_sizes("concat", shape[axis], part.shape()[axis]);
  }
  return shape;
}

}  // namespace

Tensor concat(const std::vector<Tensor>& parts, int axis) {
  if (parts.empty()) refuse("concat", "at least one tensor is needed");
  const int a = parts.front().shape().axis("concat", axis);
  const Shape shape = concerning(parts, [&] { return joined_shape(parts, a); });
  DType dtype = parts.front().dtype();
  std::vector<const Tensor*> inputs;
  for (const Tensor& part : parts) {
    dtype = promote(dtype, part.dtype());
    inputs.push_back(&part);
  }
  if (Tape* tape = recording_tape(std::span<const Tensor* const>(inputs))) {
    std::vector<Tensor> lower;
    std::vector<std::int64_t> sizes;
    for (const Tensor& part : parts) {
      lower.push_back(tape->below(part));
      sizes.push_back(part.shape()[a]);
    }
    return tape->record("concat", concat(lower, a), std::span<const Tensor* const>(inputs),
                        [sizes, a](const Tensor& g, Pull& pull) {
                          std::int64_t start = 0;
                          for (std::size_t i = 0; i < sizes.size(); ++i) {
                            pull(static_cast<int>(i), [&] { return slice(g, a, {start, start + sizes[i]}); });
                            start += sizes[i];
                          }
                        });
  }
  std::vector<Tensor> same_type;
  for (const Tensor& part : parts) same_type.push_back(cast(part, dtype));
  return concat_plain(same_type, a, shape, dtype);
}

Tensor stack(const std::vector<Tensor>& parts, int axis) {
  if (parts.empty()) refuse("stack", "at least one tensor is needed");
  Shape widened = parts.front().shape();
  widened.push_back(1);
  const int a = widened.axis("stack", axis);
  std::vector<Tensor> rows;
  concerning(parts, [&] {
    for (const Tensor& part : parts) {
      if (!(part.shape() == parts.front().shape())) {
        refuse("stack", "shapes differ: " + parts.front().shape().string() + " and " + part.shape().string());
      }
      rows.push_back(unsqueeze(part, a));
    }
  });
  return concat(rows, a);
}

std::vector<Tensor> split(const Tensor& x, const std::vector<std::int64_t>& sizes, int axis) {
  const int a = x.shape().axis("split", axis);
  std::int64_t total = 0;
  for (const std::int64_t size : sizes) {
    if (size < 0) refuse("split", "a size must not be negative, got " + std::to_string(size));
    total = add_sizes("split", total, size);
  }
  if (total != x.shape()[a]) {
    refuse("split", "the sizes add up to " + std::to_string(total) + ", but axis " + std::to_string(a) +
                        " of shape " + x.shape().string() + " has " + std::to_string(x.shape()[a]));
  }
  std::vector<Tensor> pieces;
  std::int64_t start = 0;
  for (const std::int64_t size : sizes) {
    pieces.push_back(slice(x, a, {start, start + size}));
    start += size;
  }
  return pieces;
}

std::vector<Tensor> split(const Tensor& x, std::int64_t pieces, int axis) {
  const int a = x.shape().axis("split", axis);
  if (pieces < 1 || x.shape()[a] % pieces != 0) {
    refuse("split", "axis " + std::to_string(a) + " of shape " + x.shape().string() + " cannot be cut into " +
                        std::to_string(pieces) + " equal pieces");
  }
  return split(x, std::vector<std::int64_t>(static_cast<std::size_t>(pieces), x.shape()[a] / pieces), a);
}

}  // namespace likely
