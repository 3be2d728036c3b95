#include "likely/data/augmentations.hpp"

#include <algorithm>
#include <cstring>
#include <string>

#include "likely/core/threads.hpp"
#include "likely/ops/arithmetic.hpp"
#include "likely/ops/compare.hpp"

namespace likely::data {

namespace {

void check_probability(const char* operation, double p) {
  if (!(p >= 0.0 && p <= 1.0)) {
    refuse(operation, "a probability from 0 to 1 is needed, got " + std::to_string(p));
  }
}

// A row seen as planes of height x width elements.
struct Planes {
  std::int64_t count, height, width;
  std::size_t bytes;  // of an element
};

// to[i, j] = from[i - down, j - right], and 0 where that lies outside.
void shift_plane(const Planes& p, const char* from, std::int64_t down, std::int64_t right, char* to) {
  const auto row_bytes = static_cast<std::size_t>(p.width) * p.bytes;
  const std::int64_t kept = std::max<std::int64_t>(0, p.width - std::abs(right));
  const std::int64_t from_column = std::max<std::int64_t>(0, -right);
  const std::int64_t to_column = std::max<std::int64_t>(0, right);
  for (std::int64_t i = 0; i < p.height; ++i) {
    char* target = to + static_cast<std::size_t>(i) * row_bytes;
    std::memset(target, 0, row_bytes);
    if (i - down < 0 || i - down >= p.height || kept == 0) continue;
    std::memcpy(target + static_cast<std::size_t>(to_column) * p.bytes,
                from + static_cast<std::size_t>(i - down) * row_bytes +
                    static_cast<std::size_t>(from_column) * p.bytes,
                static_cast<std::size_t>(kept) * p.bytes);
  }
}

void mirror_plane(const Planes& p, const char* from, char* to) {
  for (std::int64_t i = 0; i < p.height; ++i) {
    for (std::int64_t j = 0; j < p.width; ++j) {
      std::memcpy(to + static_cast<std::size_t>(i * p.width + j) * p.bytes,
                  from + static_cast<std::size_t>(i * p.width + p.width - 1 - j) * p.bytes, p.bytes);
    }
  }
}

// Calls change(row, planes, from, to) for every plane of every row of x.
template <class Change>
Tensor change_planes(const char* operation, const Tensor& x, int axes, const Change& change) {
  if (x.rank() < axes + 1) {
    refuse(operation, std::to_string(axes) + (axes == 1 ? " axis is" : " axes are") +
                          " needed behind the rows, got shape " + x.shape().string());
  }
  Tensor result = Tensor::uninitialized(x.shape(), x.dtype());
  if (result.size() == 0) return result;
  const Tensor dense = x.contiguous();
  Planes planes{1, axes == 2 ? x.dim(-2) : 1, x.dim(-1), size_of(x.dtype())};
  planes.count = x.size() / x.dim(0) / (planes.height * planes.width);
  const auto plane_bytes = static_cast<std::size_t>(planes.height * planes.width) * planes.bytes;
  const auto* from = static_cast<const char*>(dense.raw());
  auto* to = static_cast<char*>(result.mutable_raw());
  parallel_tiles(x.dim(0), 0.3 * static_cast<double>(x.size()), [&](std::int64_t row) {
    for (std::int64_t plane = row * planes.count; plane < (row + 1) * planes.count; ++plane) {
      const std::size_t place = static_cast<std::size_t>(plane) * plane_bytes;
      change(row, planes, from + place, to + place);
    }
  });
  return result;
}

}  // namespace

Dataset::Augmentation add_noise(double stddev) {
  if (!(stddev >= 0.0)) refuse("add_noise", "stddev must not be negative, got " + std::to_string(stddev));
  return [stddev](const Batch& batch, Rng rng) {
    return Batch{batch.x + rng.normal(batch.x.shape(), 0.0, stddev, batch.x.dtype()), batch.y};
  };
}

Dataset::Augmentation shift_sequences(std::int64_t most) {
  if (most < 0) refuse("shift_sequences", "the most must not be negative, got " + std::to_string(most));
  return [most](const Batch& batch, Rng rng) {
    const Tensor shifts = rng.randint(-most, most + 1, {batch.size()});
    const std::int64_t* right = shifts.data<std::int64_t>();
    return Batch{change_planes("shift_sequences", batch.x, 1,
                               [&](std::int64_t row, const Planes& planes, const char* from, char* to) {
                                 shift_plane(planes, from, 0, right[row], to);
                               }),
                 batch.y};
  };
}

Dataset::Augmentation shift_images(std::int64_t most) {
  if (most < 0) refuse("shift_images", "the most must not be negative, got " + std::to_string(most));
  return [most](const Batch& batch, Rng rng) {
    const Tensor shifts = rng.randint(-most, most + 1, {batch.size(), 2});
    const std::int64_t* both = shifts.data<std::int64_t>();
    return Batch{change_planes("shift_images", batch.x, 2,
                               [&](std::int64_t row, const Planes& planes, const char* from, char* to) {
                                 shift_plane(planes, from, both[2 * row], both[2 * row + 1], to);
                               }),
                 batch.y};
  };
}

Dataset::Augmentation flip(double p) {
  check_probability("flip", p);
  return [p](const Batch& batch, Rng rng) {
    const Tensor chosen = rng.bernoulli({batch.size()}, p);
    const float* mirrored = chosen.data<float>();
    return Batch{change_planes("flip", batch.x, 1,
                               [&](std::int64_t row, const Planes& planes, const char* from, char* to) {
                                 if (mirrored[row] != 0.0F) {
                                   mirror_plane(planes, from, to);
                                 } else {
                                   shift_plane(planes, from, 0, 0, to);
                                 }
                               }),
                 batch.y};
  };
}

Tensor label_noise(const Tensor& labels, double p, std::int64_t classes, Rng rng) {
  check_probability("label_noise", p);
  if (classes < 1) refuse("label_noise", "at least one class is needed, got " + std::to_string(classes));
  if (!labels.defined() || labels.dtype() != DType::i64) {
    refuse("label_noise", "labels must be i64, got " +
                              std::string(labels.defined() ? name_of(labels.dtype()) : "an empty tensor"));
  }
  for (const std::int64_t label : labels.to_vector<std::int64_t>()) {
    if (label >= 0 && label < classes) continue;
    refuse("label_noise",
           "label " + std::to_string(label) + " is out of range for " + std::to_string(classes) + " classes");
  }
  const Tensor replaced = rng.uniform(labels.shape(), 0.0, 1.0, DType::f64) < p;
  return where(replaced, rng.randint(0, classes, labels.shape()), labels);
}

}  // namespace likely::data
