#include "likely/kernels/optimize.hpp"

#include <algorithm>
#include <cmath>

#include "likely/core/threads.hpp"
#include "likely/kernels/simd_targets.hpp"
#include "likely/kernels/target_tables.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "likely/kernels/optimize.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "likely/kernels/vector_loops-inl.hpp"

#ifndef LIKELY_KERNELS_OPTIMIZE_TABLE
#define LIKELY_KERNELS_OPTIMIZE_TABLE
namespace likely::kernels {
template <class T>
struct OptimizeTable {
  void (*sgd)(const SgdStep& step, T* p, const T* g, T* velocity, std::int64_t n);
  void (*adam)(const AdamStep& step, T* p, const T* g, T* m, T* v, std::int64_t n);
  void (*rmsprop)(const RmspropStep& step, T* p, const T* g, const RmspropState<T>& state, std::int64_t n);
  void (*adagrad)(const AdagradStep& step, T* p, const T* g, T* square, std::int64_t n);
};
}  // namespace likely::kernels
#endif

HWY_BEFORE_NAMESPACE();
namespace likely::kernels::HWY_NAMESPACE {

template <class T>
void sgd_range(const SgdStep& step, T* p, const T* g, T* velocity, std::int64_t n) {
  using D = hn::ScalableTag<T>;
  const D d;
  const auto rate = hn::Set(d, static_cast<T>(step.rate)),
             momentum = hn::Set(d, static_cast<T>(step.momentum)),
             decay = hn::Set(d, static_cast<T>(step.weight_decay));
  const bool decays = step.weight_decay != 0, moves = step.momentum != 0;
  for_vectors(d, n, [&](auto access, std::int64_t i) HWY_ATTR {
    hn::Vec<D> x[access.kCount], u[access.kCount], speed[access.kCount];
    access.load(p + i, x);
    access.load(g + i, u);
    if (decays) {
      for (int k = 0; k < access.kCount; ++k) u[k] = hn::MulAdd(decay, x[k], u[k]);
    }
    if (moves) {
      access.load(velocity + i, speed);
      for (int k = 0; k < access.kCount; ++k) {
        speed[k] = hn::MulAdd(momentum, speed[k], u[k]);
        u[k] = step.nesterov ? hn::MulAdd(momentum, speed[k], u[k]) : speed[k];
      }
      access.store(speed, velocity + i);
    }
    for (int k = 0; k < access.kCount; ++k) x[k] = hn::NegMulAdd(rate, u[k], x[k]);
    access.store(x, p + i);
  });
}

template <class T>
void adam_range(const AdamStep& step, T* p, const T* g, T* m, T* v, std::int64_t n) {
  using D = hn::ScalableTag<T>;
  const D d;
  const double correct1 = -std::expm1(static_cast<double>(step.t) * std::log(step.beta1));
  const double correct2 = -std::expm1(static_cast<double>(step.t) * std::log(step.beta2));
  // sqrt(v / correct2) + epsilon = (sqrt(v) + epsilon root) / root with root = sqrt(correct2): the division
  // by correct2 becomes part of the rate.
  const double root = std::sqrt(correct2);
  const auto rate = hn::Set(d, static_cast<T>(step.rate * root / correct1));
  const auto epsilon = hn::Set(d, static_cast<T>(step.epsilon * root));
  const auto beta1 = hn::Set(d, static_cast<T>(step.beta1)),
             rest1 = hn::Set(d, static_cast<T>(1 - step.beta1));
  const auto beta2 = hn::Set(d, static_cast<T>(step.beta2)),
             rest2 = hn::Set(d, static_cast<T>(1 - step.beta2));
  const bool decays = step.weight_decay != 0;
  const auto decay = hn::Set(d, static_cast<T>(step.weight_decay));
  const auto shrink = hn::Set(d, static_cast<T>(1 - step.rate * step.weight_decay));
  for_vectors(d, n, [&](auto access, std::int64_t i) HWY_ATTR {
    hn::Vec<D> x[access.kCount], u[access.kCount], first[access.kCount], second[access.kCount];
    access.load(p + i, x);
    access.load(g + i, u);
    access.load(m + i, first);
    access.load(v + i, second);
    if (decays) {
      for (int k = 0; k < access.kCount; ++k) {
        if (step.decoupled) {
          x[k] = hn::Mul(x[k], shrink);
        } else {
          u[k] = hn::MulAdd(decay, x[k], u[k]);
        }
      }
    }
    for (int k = 0; k < access.kCount; ++k) {
      first[k] = hn::MulAdd(beta1, first[k], hn::Mul(rest1, u[k]));
      second[k] = hn::MulAdd(beta2, second[k], hn::Mul(rest2, hn::Mul(u[k], u[k])));
      const auto size = hn::Add(hn::Sqrt(second[k]), epsilon);
      x[k] = hn::NegMulAdd(rate, hn::Div(first[k], size), x[k]);
    }
    access.store(x, p + i);
    access.store(first, m + i);
    access.store(second, v + i);
  });
}

template <class T>
void rmsprop_range(const RmspropStep& step, T* p, const T* g, const RmspropState<T>& state, std::int64_t n) {
  using D = hn::ScalableTag<T>;
  const D d;
  const auto rate = hn::Set(d, static_cast<T>(step.rate)), epsilon = hn::Set(d, static_cast<T>(step.epsilon)),
             decay = hn::Set(d, static_cast<T>(step.decay)),
             rest = hn::Set(d, static_cast<T>(1 - step.decay)),
             momentum = hn::Set(d, static_cast<T>(step.momentum)),
             weight_decay = hn::Set(d, static_cast<T>(step.weight_decay));
  const bool decays = step.weight_decay != 0, moves = step.momentum != 0;
  for_vectors(d, n, [&](auto access, std::int64_t i) HWY_ATTR {
    hn::Vec<D> x[access.kCount], u[access.kCount], second[access.kCount], other[access.kCount];
    access.load(p + i, x);
    access.load(g + i, u);
    access.load(state.square + i, second);
    for (int k = 0; k < access.kCount; ++k) {
      if (decays) u[k] = hn::MulAdd(weight_decay, x[k], u[k]);
      second[k] = hn::MulAdd(decay, second[k], hn::Mul(rest, hn::Mul(u[k], u[k])));
    }
    access.store(second, state.square + i);
    if (step.centred) {
      access.load(state.mean + i, other);
      for (int k = 0; k < access.kCount; ++k) {
        other[k] = hn::MulAdd(decay, other[k], hn::Mul(rest, u[k]));
        // Rounding must not make a variance negative.
        second[k] = hn::Max(hn::NegMulAdd(other[k], other[k], second[k]), hn::Zero(d));
      }
      access.store(other, state.mean + i);
    }
    for (int k = 0; k < access.kCount; ++k) u[k] = hn::Div(u[k], hn::Add(hn::Sqrt(second[k]), epsilon));
    if (moves) {
      access.load(state.velocity + i, other);
      for (int k = 0; k < access.kCount; ++k) u[k] = hn::MulAdd(momentum, other[k], u[k]);
      access.store(u, state.velocity + i);
    }
    for (int k = 0; k < access.kCount; ++k) x[k] = hn::NegMulAdd(rate, u[k], x[k]);
    access.store(x, p + i);
  });
}

template <class T>
void adagrad_range(const AdagradStep& step, T* p, const T* g, T* square, std::int64_t n) {
  using D = hn::ScalableTag<T>;
  const D d;
  const auto rate = hn::Set(d, static_cast<T>(step.rate)), epsilon = hn::Set(d, static_cast<T>(step.epsilon)),
             weight_decay = hn::Set(d, static_cast<T>(step.weight_decay));
  const bool decays = step.weight_decay != 0;
  for_vectors(d, n, [&](auto access, std::int64_t i) HWY_ATTR {
    hn::Vec<D> x[access.kCount], u[access.kCount], second[access.kCount];
    access.load(p + i, x);
    access.load(g + i, u);
    access.load(square + i, second);
    for (int k = 0; k < access.kCount; ++k) {
      if (decays) u[k] = hn::MulAdd(weight_decay, x[k], u[k]);
      second[k] = hn::MulAdd(u[k], u[k], second[k]);
      x[k] = hn::NegMulAdd(rate, hn::Div(u[k], hn::Add(hn::Sqrt(second[k]), epsilon)), x[k]);
    }
    access.store(x, p + i);
    access.store(second, square + i);
  });
}

template <class T>
constexpr OptimizeTable<T> optimize_table() {
  return {&sgd_range<T>, &adam_range<T>, &rmsprop_range<T>, &adagrad_range<T>};
}
LIKELY_TABLES_OF_TARGET(OptimizeTable, optimize_table)

}  // namespace likely::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace likely::kernels {
namespace {

LIKELY_TABLE_OF_PROCESSOR(OptimizeTable, optimize_table)

// Calls body(begin, count) for pieces of [0, n).
template <class Body>
void for_pieces(std::int64_t n, double nanoseconds_each, const Body& body) {
  constexpr std::int64_t kPiece = 16384;
  parallel_tiles((n + kPiece - 1) / kPiece, nanoseconds_each * static_cast<double>(n),
                 [&](std::int64_t tile) { body(tile * kPiece, std::min(kPiece, n - tile * kPiece)); });
}

template <class T>
void sgd_all(const SgdStep& step, T* p, const T* g, T* velocity, std::int64_t n) {
  for_pieces(n, 0.5, [&](std::int64_t begin, std::int64_t count) {
    table<T>().sgd(step, p + begin, g + begin, step.momentum != 0 ? velocity + begin : nullptr, count);
  });
}

template <class T>
void adam_all(const AdamStep& step, T* p, const T* g, T* m, T* v, std::int64_t n) {
  for_pieces(n, 1.0, [&](std::int64_t begin, std::int64_t count) {
    table<T>().adam(step, p + begin, g + begin, m + begin, v + begin, count);
  });
}

template <class T>
void rmsprop_all(const RmspropStep& step, T* p, const T* g, const RmspropState<T>& state, std::int64_t n) {
  for_pieces(n, 1.0, [&](std::int64_t begin, std::int64_t count) {
    const RmspropState<T> here{state.square + begin, step.centred ? state.mean + begin : nullptr,
                               step.momentum != 0 ? state.velocity + begin : nullptr};
    table<T>().rmsprop(step, p + begin, g + begin, here, count);
  });
}

template <class T>
void adagrad_all(const AdagradStep& step, T* p, const T* g, T* square, std::int64_t n) {
  for_pieces(n, 1.0, [&](std::int64_t begin, std::int64_t count) {
    table<T>().adagrad(step, p + begin, g + begin, square + begin, count);
  });
}

}  // namespace

void sgd_step(const SgdStep& step, float* p, const float* g, float* velocity, std::int64_t n) {
  sgd_all(step, p, g, velocity, n);
}
void sgd_step(const SgdStep& step, double* p, const double* g, double* velocity, std::int64_t n) {
  sgd_all(step, p, g, velocity, n);
}

void adam_step(const AdamStep& step, float* p, const float* g, float* m, float* v, std::int64_t n) {
  adam_all(step, p, g, m, v, n);
}
void adam_step(const AdamStep& step, double* p, const double* g, double* m, double* v, std::int64_t n) {
  adam_all(step, p, g, m, v, n);
}

void rmsprop_step(const RmspropStep& step, float* p, const float* g, const RmspropState<float>& state,
                  std::int64_t n) {
  rmsprop_all(step, p, g, state, n);
}
void rmsprop_step(const RmspropStep& step, double* p, const double* g, const RmspropState<double>& state,
                  std::int64_t n) {
  rmsprop_all(step, p, g, state, n);
}

void adagrad_step(const AdagradStep& step, float* p, const float* g, float* square, std::int64_t n) {
  adagrad_all(step, p, g, square, n);
}
void adagrad_step(const AdagradStep& step, double* p, const double* g, double* square, std::int64_t n) {
  adagrad_all(step, p, g, square, n);
}

}  // namespace likely::kernels
#endif
