#include "likely/nn/initialize.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "likely/core/create.hpp"
#include "likely/ops/arithmetic.hpp"
#include "likely/ops/join.hpp"
#include "likely/ops/matmul.hpp"
#include "likely/ops/view.hpp"

namespace likely::nn {

namespace {

enum class Curve : std::uint8_t { normal, uniform };

Tensor with_variance(Curve curve, double variance, const Shape& shape, Rng rng, DType dtype) {
  if (curve == Curve::normal) return rng.normal(shape, 0.0, std::sqrt(variance), dtype);
  const double end = std::sqrt(3.0 * variance);
  return rng.uniform(shape, -end, end, dtype);
}

double count(const Fans& fans, Fan which) {
  switch (which) {
    case Fan::in: return fans.in;
    case Fan::out: return fans.out;
    case Fan::mean: return 0.5 * (fans.in + fans.out);
  }
  return fans.in;
}

Tensor he(Curve curve, const Shape& shape, Rng rng, Fan fan, DType dtype) {
  return with_variance(curve, 2.0 / count(fans_of(shape), fan), shape, rng, dtype);
}
Tensor glorot(Curve curve, const Shape& shape, Rng rng, DType dtype) {
  return with_variance(curve, 1.0 / count(fans_of(shape), Fan::mean), shape, rng, dtype);
}
Tensor lecun(Curve curve, const Shape& shape, Rng rng, DType dtype) {
  return with_variance(curve, 1.0 / fans_of(shape).in, shape, rng, dtype);
}

// Rows of `block` made orthonormal one after the other; each is cleaned twice, which is enough for the last
// digit (Kahan, Parlett).
void orthonormalize_rows(Tensor& block) {
  const std::int64_t rows = block.dim(0), columns = block.dim(1);
  double* const first = block.mutable_data<double>();
  for (std::int64_t i = 0; i < rows; ++i) {
    double* const row = first + i * columns;
    for (int pass = 0; pass < 2; ++pass) {
      for (std::int64_t j = 0; j < i; ++j) {
        const double* const other = first + j * columns;
        double along = 0.0;
        for (std::int64_t k = 0; k < columns; ++k) along += row[k] * other[k];
        for (std::int64_t k = 0; k < columns; ++k) row[k] -= along * other[k];
      }
    }
    double square = 0.0;
    for (std::int64_t k = 0; k < columns; ++k) square += row[k] * row[k];
    const double scale = 1.0 / std::sqrt(square);
    for (std::int64_t k = 0; k < columns; ++k) row[k] *= scale;
  }
}

// A (rows, columns) matrix, rows <= columns, of orthonormal rows: those of a normal matrix, block by block,
// so that most of the work is matrix products. Uniform, since a normal matrix has no preferred direction and
// its triangular factor's diagonal is positive.
Tensor orthonormal_rows(std::int64_t rows, std::int64_t columns, Rng& rng) {
  constexpr std::int64_t kBlock = 32;
  std::vector<Tensor> done;
  for (std::int64_t begin = 0; begin < rows; begin += kBlock) {
    Tensor block = rng.normal({std::min(kBlock, rows - begin), columns}, 0.0, 1.0, DType::f64);
    for (int pass = 0; pass < 2 && !done.empty(); ++pass) {
      const Tensor before = concat(done, 0);
      block = block - matmul(matmul(block, transpose(before)), before);
    }
    orthonormalize_rows(block);
    done.push_back(block);
  }
  return concat(done, 0);
}

}  // namespace

Fans fans_of(const Shape& weight) {
  if (weight.rank() < 2 || weight.size() == 0) {
    refuse("fans_of", "a weight (out, in, ...) is needed, got shape " + weight.string());
  }
  const auto kernel = static_cast<double>(weight.sub(2, weight.rank()).size());
  return {static_cast<double>(weight[1]) * kernel, static_cast<double>(weight[0]) * kernel};
}

Tensor he_normal(const Shape& shape, Rng rng, Fan fan, DType dtype) {
  return he(Curve::normal, shape, rng, fan, dtype);
}
Tensor he_uniform(const Shape& shape, Rng rng, Fan fan, DType dtype) {
  return he(Curve::uniform, shape, rng, fan, dtype);
}
Tensor glorot_normal(const Shape& shape, Rng rng, DType dtype) {
  return glorot(Curve::normal, shape, rng, dtype);
}
Tensor glorot_uniform(const Shape& shape, Rng rng, DType dtype) {
  return glorot(Curve::uniform, shape, rng, dtype);
}
Tensor lecun_normal(const Shape& shape, Rng rng, DType dtype) {
  return lecun(Curve::normal, shape, rng, dtype);
}
Tensor lecun_uniform(const Shape& shape, Rng rng, DType dtype) {
  return lecun(Curve::uniform, shape, rng, dtype);
}

Tensor orthogonal(const Shape& shape, Rng rng, double gain, DType dtype) {
  if (shape.rank() < 2 || shape.size() == 0) {
    refuse("orthogonal", "a weight (out, in, ...) is needed, got shape " + shape.string());
  }
  if (!std::isfinite(gain)) refuse("orthogonal", fmt::format("gain must be finite, got {}", gain));
  const std::int64_t rows = shape[0], columns = shape.size() / shape[0];
  const Tensor wide = orthonormal_rows(std::min(rows, columns), std::max(rows, columns), rng);
  const Tensor matrix = rows <= columns ? wide : transpose(wide);
  return reshape((matrix * gain).to(dtype), shape);
}

Tensor initial_weight(Init init, const Shape& shape, const Fans& fans, Rng rng) {
  const auto make = [&](Curve curve, double variance) {
    return with_variance(curve, variance, shape, rng, DType::f32);
  };
  switch (init) {
    case Init::he_normal: return make(Curve::normal, 2.0 / fans.in);
    case Init::he_uniform: return make(Curve::uniform, 2.0 / fans.in);
    case Init::glorot_normal: return make(Curve::normal, 2.0 / (fans.in + fans.out));
    case Init::glorot_uniform: return make(Curve::uniform, 2.0 / (fans.in + fans.out));
    case Init::lecun_normal: return make(Curve::normal, 1.0 / fans.in);
    case Init::lecun_uniform: return make(Curve::uniform, 1.0 / fans.in);
    case Init::orthogonal: return orthogonal(shape, rng);
    case Init::zero: return zeros(shape);
  }
  return zeros(shape);
}

}  // namespace likely::nn
