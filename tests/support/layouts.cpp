#include "tests/support/layouts.hpp"

#include <limits>

#include "likely/core/create.hpp"

namespace likely::testing {

namespace {

int repeated_axis(const Shape& shape, Layout layout) {
  if (shape.rank() == 0) return -1;
  if (layout == Layout::repeated_first) return 0;
  return layout == Layout::repeated_last ? shape.rank() - 1 : -1;
}

struct Place {
  Strides strides;
  std::int64_t offset = 0;
  std::int64_t length = 0;  // of the memory
};

Place place_of(const Shape& shape, Layout layout) {
  Place place;
  place.strides = row_major_strides(shape);
  place.length = shape.size();
  switch (layout) {
    case Layout::contiguous: break;
    case Layout::offset:
      place.offset = 3;
      place.length += 7;
      break;
    case Layout::turned: {
      std::int64_t step = 1;
      for (int i = 0; i < shape.rank(); ++i) {
        place.strides[i] = step;
        step *= shape[i];
      }
      break;
    }
    case Layout::stepped: {
      std::int64_t step = 1;
      for (int i = shape.rank() - 1; i >= 0; --i) {
        place.strides[i] = 2 * step;
        place.offset += step;
        step *= 2 * shape[i] + 1;
      }
      place.length = step;
      break;
    }
    case Layout::reversed:
      for (int i = 0; i < shape.rank(); ++i) {
        place.offset += place.strides[i] * (shape[i] - 1);
        place.strides[i] = -place.strides[i];
      }
      break;
    case Layout::repeated_first:
    case Layout::repeated_last: {
      Shape once = shape;
      const int axis = repeated_axis(shape, layout);
      if (axis >= 0) once[axis] = 1;
      place.strides = row_major_strides(once);
      if (axis >= 0) place.strides[axis] = 0;
      place.length = once.size();
      break;
    }
  }
  return place;
}

template <class T>
Tensor memory_of(std::span<const double> elements, const Shape& shape, const Place& place, T between) {
  std::vector<T> memory(static_cast<std::size_t>(place.length), between);
  Shape index = Shape::filled(shape.rank(), 0);
  for (const double element : elements) {
    std::int64_t at = place.offset;
    for (int i = 0; i < shape.rank(); ++i) at += index[i] * place.strides[i];
    memory[static_cast<std::size_t>(at)] = static_cast<T>(element);
    for (int i = shape.rank() - 1; i >= 0; --i) {
      if (++index[i] < shape[i]) break;
      index[i] = 0;
    }
  }
  return tensor(memory);
}

}  // namespace

std::string_view name_of(Layout layout) {
  switch (layout) {
    case Layout::contiguous: return "contiguous";
    case Layout::offset: return "offset";
    case Layout::turned: return "turned";
    case Layout::stepped: return "stepped";
    case Layout::reversed: return "reversed";
    case Layout::repeated_first: return "first axis repeated";
    case Layout::repeated_last: return "last axis repeated";
  }
  return "?";
}

LaidOut lay_out(std::span<const double> elements, const Shape& shape, DType type, Layout layout) {
  if (elements.empty()) return {zeros(shape, type), zeros(shape, type)};
  const Place place = place_of(shape, layout);
  Tensor memory;
  switch (type) {
    case DType::f32:
      memory = memory_of<float>(elements, shape, place, std::numeric_limits<float>::quiet_NaN());
      break;
    case DType::f64:
      memory = memory_of<double>(elements, shape, place, std::numeric_limits<double>::quiet_NaN());
      break;
    case DType::i64: memory = memory_of<std::int64_t>(elements, shape, place, std::int64_t{1} << 40); break;
    case DType::boolean: memory = memory_of<double>(elements, shape, place, 1.0).to(DType::boolean); break;
  }
  return {memory, memory.view(shape, place.strides, place.offset)};
}

void make_repeated(std::vector<double>& elements, const Shape& shape, Layout layout) {
  const int axis = repeated_axis(shape, layout);
  if (axis < 0) return;
  const std::int64_t step = row_major_strides(shape)[axis];
  for (std::size_t i = 0; i < elements.size(); ++i) {
    const auto element = static_cast<std::int64_t>(i);
    elements[i] = elements[static_cast<std::size_t>(element - element / step % shape[axis] * step)];
  }
}

}  // namespace likely::testing
