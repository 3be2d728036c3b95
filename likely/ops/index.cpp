#include "likely/ops/index.hpp"

#include <type_traits>

#include <fmt/format.h>

#include "likely/autodiff/tape.hpp"
#include "likely/core/create.hpp"
#include "likely/core/dispatch.hpp"
#include "likely/core/layer_error.hpp"
#include "likely/kernels/index.hpp"
#include "likely/ops/cast.hpp"
#include "likely/ops/view.hpp"

namespace likely {

namespace {

kernels::IndexedShape indexed(const Shape& shape, int axis) {
  return {shape.sub(0, axis).size(), shape[axis], shape.sub(axis + 1, shape.rank()).size()};
}

// An index that is the same everywhere outside the axis picks whole rows.
bool picks_rows(const Tensor& index, int axis) {
  for (int i = 0; i < index.rank(); ++i) {
    if (i != axis && index.shape()[i] != 1 && index.strides()[i] != 0) return false;
  }
  return true;
}

void check_type(const char* name, const Tensor& index) {
  if (index.dtype() != DType::i64) {
    refuse(name, "indices must be i64, got " + std::string(name_of(index.dtype())));
  }
}

void check_shape(const char* name, const Tensor& x, int axis, const Tensor& index) {
  check_type(name, index);
  bool fits = index.rank() == x.rank();
  for (int i = 0; fits && i < x.rank(); ++i) fits = i == axis || index.shape()[i] == x.shape()[i];
  if (!fits) {
    refuse(name, fmt::format("the index must have x's shape outside axis {}: {} and {}", axis,
                             index.shape().string(), x.shape().string()));
  }
}

void check_range(const char* name, const Tensor& dense, std::int64_t length) {
  const std::int64_t* values = dense.data<std::int64_t>();
  const std::int64_t bad = kernels::first_outside(values, dense.size(), length);
  if (bad >= 0) {
    refuse(name, fmt::format("index {} at {} is not in [0, {})", values[bad],
                             index_of(dense.shape(), bad).string(), length));
  }
}

// The numbers the kernels walk: those of one row if all rows have the same, else all; in range.
struct DenseIndex {
  Tensor values;
  bool rows;
};

DenseIndex dense_index(const char* name, const Tensor& index, int axis, std::int64_t length) {
  DenseIndex result{index, index.size() > 0 && picks_rows(index, axis)};
  if (result.rows) {
    result.values = index.view({index.shape()[axis]}, {index.strides()[axis]}, 0);
  }
  result.values = result.values.contiguous();
  check_range(name, result.values, length);
  return result;
}

template <class T>
Tensor scatter_add_of(const Tensor& x, int axis, const DenseIndex& index, const Tensor& source) {
  Tensor result = x.copy();
  T* to = result.mutable_data<T>();
  const auto add = index.rows ? kernels::scatter_add_rows<T> : kernels::scatter_add_elements<T>;
  add(to, indexed(x.shape(), axis), index.values.data<std::int64_t>(), source.shape()[axis],
      source.data<T>());
  return result;
}

Tensor gather_named(const char* name, const Tensor& x, int axis, const Tensor& index) {
  check_shape(name, x, axis, index);
  if (Tape* tape = recording_tape(x)) {
    const Tensor y = gather_named(name, tape->below(x), axis, index);
    return tape->record(name, y, {&x},
                        [axis, index, shape = x.shape(), dtype = x.dtype()](const Tensor& g, Pull& pull) {
                          pull(0, [&] { return scatter_add(constant(shape, 0.0, dtype), axis, index, g); });
                        });
  }
  const DenseIndex dense = dense_index(name, index, axis, x.shape()[axis]);
  Tensor y = Tensor::uninitialized(index.shape(), x.dtype());
  if (y.size() == 0) return y;
  const Tensor from = x.contiguous();
  const auto pick = dense.rows ? kernels::gather_rows : kernels::gather_elements;
  pick(size_of(x.dtype()), from.raw(), indexed(x.shape(), axis), dense.values.data<std::int64_t>(),
       index.shape()[axis], y.mutable_raw());
  return y;
}

}  // namespace

Tensor gather(const Tensor& x, int axis, const Tensor& index) {
  return gather_named("gather", x, x.shape().axis("gather", axis), index);
}

Tensor scatter_add(const Tensor& x, int axis, const Tensor& index, const Tensor& source) {
  const int a = x.shape().axis("scatter_add", axis);
  check_shape("scatter_add", x, a, index);
  if (!(source.shape() == index.shape())) {
    refuse("scatter_add",
           "source and index differ in shape: " + source.shape().string() + " and " + index.shape().string());
  }
  if (x.dtype() == DType::boolean) detail::refuse_type("scatter_add", x.dtype());
  if (Tape* tape = recording_tape(x, source)) {
    const Tensor y = scatter_add(tape->below(x), a, index, tape->below(source));
    return tape->record("scatter_add", y, {&x, &source}, [a, index](const Tensor& g, Pull& pull) {
      pull(0, [&] { return g; });
      pull(1, [&] { return gather(g, a, index); });
    });
  }
  const DType common = promote(x.dtype(), source.dtype());
  if (x.dtype() != common) return scatter_add(cast(x, common), a, index, source);
  const DenseIndex dense = dense_index("scatter_add", index, a, x.shape()[a]);
  const Tensor from = cast(source, common).contiguous();
  if (from.size() == 0) return x;
  return detail::with_type("scatter_add", common, [&]<class T>(T) -> Tensor {
    if constexpr (std::is_same_v<T, bool>) {
      detail::refuse_type("scatter_add", common);
    } else {
      return scatter_add_of<T>(x, a, dense, from);
    }
  });
}

Tensor index_select(const Tensor& x, int axis, const Tensor& indices) {
  const int a = x.shape().axis("index_select", axis);
  check_type("index_select", indices);
  if (indices.rank() != 1) {
    refuse("index_select", "indices must have one dimension, got shape " + indices.shape().string());
  }
  Shape shape = x.shape();
  shape[a] = indices.size();
  Shape along = Shape::filled(x.rank(), 1);
  along[a] = indices.size();
  return gather_named("index_select", x, a, expand(reshape(indices, along), shape));
}

Tensor take_along_axis(const Tensor& x, const Tensor& indices, int axis) {
  const int a = x.shape().axis("take_along_axis", axis);
  check_type("take_along_axis", indices);
  if (indices.rank() != x.rank()) {
    refuse("take_along_axis", "x and indices must have the same rank, got shapes " + x.shape().string() +
                                  " and " + indices.shape().string());
  }
  Shape rest = x.shape(), rest_of_indices = indices.shape();
  rest[a] = rest_of_indices[a] = 1;
  Shape from = broadcast_shapes("take_along_axis", rest, rest_of_indices);
  Shape to = from;
  from[a] = x.shape()[a];
  to[a] = indices.shape()[a];
  return gather_named("take_along_axis", expand(x, from), a, expand(indices, to));
}

Tensor one_hot(const Tensor& labels, std::int64_t classes, DType dtype) {
  check_type("one_hot", labels);
  if (classes < 1) refuse("one_hot", fmt::format("at least one class is needed, got {}", classes));
  const Tensor dense = labels.contiguous();
  check_range("one_hot", dense, classes);
  Shape shape = labels.shape();
  shape.push_back(classes);
  Tensor result = zeros(shape, dtype);
  const std::int64_t* label = dense.data<std::int64_t>();
  detail::with_type("one_hot", dtype, [&]<class T>(T) {
    T* const to = result.mutable_data<T>();
    for (std::int64_t i = 0; i < dense.size(); ++i) to[i * classes + label[i]] = T{1};
  });
  return result;
}

Tensor embedding(const Tensor& table, const Tensor& ids) {
  concerning({&table}, [&] {
    check_type("embedding", ids);
    if (table.rank() != 2) {
      refuse("embedding", "the table must have two dimensions, got shape " + table.shape().string());
    }
    // Checked here as well, for a place in the shape that the caller knows.
    check_range("embedding", ids.contiguous(), table.shape()[0]);
  });
  const std::int64_t width = table.shape()[1];
  const Tensor flat = reshape(ids, {ids.size()});
  Shape shape = ids.shape();
  shape.push_back(width);
  const Tensor rows = gather_named("embedding", table, 0, expand(unsqueeze(flat, 1), {ids.size(), width}));
  return reshape(rows, shape);
}

}  // namespace likely
