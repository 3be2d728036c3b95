#include "likely/ops/loss.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "likely/autodiff/tape.hpp"
#include "likely/core/dispatch.hpp"
#include "likely/kernels/index.hpp"
#include "likely/kernels/softmax/softmax.hpp"
#include "likely/ops/activation.hpp"
#include "likely/ops/arithmetic.hpp"
#include "likely/ops/cast.hpp"
#include "likely/ops/index.hpp"
#include "likely/ops/reduce.hpp"
#include "likely/ops/rows.hpp"
#include "likely/ops/softmax.hpp"
#include "likely/ops/view.hpp"

namespace likely {

using detail::with_floating;

namespace {

constexpr const char* kSoftmaxName = "softmax_cross_entropy";
constexpr const char* kBinaryName = "binary_cross_entropy_from_logits";

Tensor reduce(const char* name, const Tensor& losses, const LossOptions& options) {
  switch (options.reduction) {
    case Reduction::none: return losses;
    case Reduction::sum: return sum(losses);
    case Reduction::mean: break;
  }
  if (losses.size() == 0) refuse(name, "there is nothing to average over, use another reduction");
  return sum(losses) / static_cast<double>(losses.size());
}

// A gradient that is one number everywhere, as a mean's is, needs no memory of its own.
struct Scale {
  Tensor values;
  std::int64_t step;
};

Scale scale_of(const Tensor& g) {
  for (int i = 0; i < g.rank(); ++i) {
    if (g.shape()[i] != 1 && g.strides()[i] != 0) return {g.contiguous(), 1};
  }
  return {g, 0};
}

// What a mean over so many rows hands back to each.
template <class T>
T mean_scale(std::int64_t rows) {
  return static_cast<T>(1.0 / static_cast<double>(rows));
}

bool labels(const Tensor& targets) { return targets.dtype() == DType::i64; }

// The losses of the rows, and what the backward pass would compute again: constants to every tape.
struct RowLosses {
  Tensor loss;
  Tensor log_sum_exp;
  Tensor gradient;  // that of the mean of the losses by the logits, or empty
};

// Whether the gradient is made along with the losses, while a row's exponentials are at hand. It is right as
// it is for a mean that is the whole loss, and needs a factor otherwise.
enum class Gradient : std::uint8_t { later, at_once };

RowLosses row_losses_of_numbers(const Tensor& logits, const Tensor& targets, Gradient when) {
  const Tensor x = logits.contiguous();
  const Tensor t = targets.contiguous();
  const std::int64_t cols = x.shape().back();
  const std::int64_t rows = x.size() / cols;
  RowLosses result{Tensor::uninitialized(detail::without_last(x.shape()), x.dtype()),
                   Tensor::uninitialized({rows}, DType::f64), Tensor()};
  double* lse = result.log_sum_exp.mutable_data<double>();
  with_floating(kSoftmaxName, x.dtype(), [&]<class T>(T) {
    T* loss = result.loss.mutable_data<T>();
    if (labels(t)) {
      std::int64_t bad = -1;
      if (when == Gradient::at_once && rows > 0 && kernels::cross_entropy_makes_both(cols)) {
        result.gradient = Tensor::uninitialized(x.shape(), x.dtype());
        bad = kernels::cross_entropy_with_gradient(x.data<T>(), t.data<std::int64_t>(), mean_scale<T>(rows),
                                                   loss, lse, result.gradient.mutable_data<T>(), rows, cols);
      } else {
        bad = kernels::cross_entropy(x.data<T>(), t.data<std::int64_t>(), loss, lse, rows, cols);
      }
      detail::check_bad_row(kSoftmaxName, "logits", x.shape(), bad);
      return;
    }
    const std::int64_t bad = kernels::cross_entropy_soft(x.data<T>(), t.data<T>(), loss, lse, rows, cols);
    detail::check_bad_row(kSoftmaxName, "logits", x.shape(), bad);
    const T* nan = std::find_if(loss, loss + rows, [](T value) { return value != value; });
    if (nan != loss + rows) {
      refuse(kSoftmaxName, fmt::format("the targets in {} of {} make a loss that is not a number",
                                       detail::row_name(x.shape(), nan - loss), x.shape().string()));
    }
  });
  return result;
}

Tensor logits_gradient_of_numbers(const Tensor& logits, const Tensor& targets, const Tensor& log_sum_exp,
                                  const Tensor& g) {
  const Tensor x = logits.contiguous();
  const Tensor t = targets.contiguous();
  const std::int64_t cols = x.shape().back();
  const std::int64_t rows = x.size() / cols;
  const Scale scale = scale_of(g);
  const double* lse = log_sum_exp.data<double>();
  Tensor dx = Tensor::uninitialized(x.shape(), x.dtype());
  with_floating(kSoftmaxName, x.dtype(), [&]<class T>(T) {
    const T* s = scale.values.data<T>();
    T* to = dx.mutable_data<T>();
    if (labels(t)) {
      kernels::cross_entropy_backward(x.data<T>(), t.data<std::int64_t>(), lse, s, scale.step, to, rows,
                                      cols);
    } else {
      kernels::cross_entropy_soft_backward(x.data<T>(), t.data<T>(), lse, s, scale.step, to, rows, cols);
    }
  });
  return dx;
}

// g_r (softmax(x)_rk sum_j t_rj - t_rk), in one pass over the logits. log_sum_exp is a function of the
// logits, kept only to save computing it again, so it takes no part in the rule.
Tensor logits_gradient(const Tensor& logits, const Tensor& targets, const Tensor& log_sum_exp,
                       const Tensor& g) {
  if (Tape* tape = recording_tape(logits, targets, g)) {
    const Tensor x = tape->below(logits);
    const Tensor t = tape->below(targets);
    const Tensor scale = tape->below(g);
    return tape->record("softmax_cross_entropy_gradient", logits_gradient(x, t, log_sum_exp, scale),
                        {&logits, &targets, &g}, [x, t, scale](const Tensor& h, Pull& pull) {
                          const Tensor p = softmax(x);
                          const Tensor s = unsqueeze(scale, -1);
                          const bool hard = labels(t);
                          const Tensor total = hard ? Tensor() : sum(t, -1, true);
                          pull(0, [&] { return softmax_gradient(p, hard ? h * s : h * (s * total)); });
                          pull(1, [&] { return s * (sum(h * p, -1, true) - h); });
                          pull(2, [&] {
                            const Tensor hp = sum(h * p, -1);
                            if (!hard) return hp * squeeze(total, -1) - sum(h * t, -1);
                            return hp - squeeze(gather(h, -1, unsqueeze(t, -1)), -1);
                          });
                        });
  }
  return logits_gradient_of_numbers(logits, targets, log_sum_exp, g);
}

// Whether g is, in every row, what a mean of all rows hands back.
bool comes_from_a_mean(const Tensor& g) {
  const Scale scale = scale_of(g);
  return with_floating(kSoftmaxName, g.dtype(), [&]<class T>(T) {
    const T* const first = scale.values.data<T>();
    const std::int64_t count = scale.step == 0 ? 1 : g.size();
    return std::all_of(first, first + count, [&](T value) { return value == mean_scale<T>(g.size()); });
  });
}

// `when` is for the case that a tape will want the gradient; without one there is none.
RowLosses row_losses(const Tensor& logits, const Tensor& targets, Gradient when, bool recorded = false) {
  Tape* const tape = recording_tape(logits, targets);
  if (tape == nullptr) return row_losses_of_numbers(logits, targets, recorded ? when : Gradient::later);
  const Tensor x = tape->below(logits);
  const Tensor t = tape->below(targets);
  const RowLosses lower = row_losses(x, t, when, true);
  const Tensor loss = tape->record(
      kSoftmaxName, lower.loss, {&logits, &targets},
      [x, t, log_sum_exp = lower.log_sum_exp, of_mean = lower.gradient](const Tensor& g, Pull& pull) {
        pull(0, [&] {
          if (of_mean.defined() && !recording_tape(x, t, g) && comes_from_a_mean(g)) return of_mean;
          return logits_gradient(x, t, log_sum_exp, g);
        });
        pull(1, [&] { return -(unsqueeze(g, -1) * log_softmax(x)); });
      });
  return {loss, lower.log_sum_exp, Tensor()};
}

void check_labels(const Tensor& logits, const Tensor& targets) {
  if (!(targets.shape() == detail::without_last(logits.shape()))) {
    refuse(kSoftmaxName, "labels must have the logits' shape without the last axis: " +
                             targets.shape().string() + " for " + logits.shape().string());
  }
  const Tensor dense = targets.contiguous();
  const std::int64_t* values = dense.data<std::int64_t>();
  const std::int64_t classes = logits.shape().back();
  const std::int64_t bad = kernels::first_outside(values, dense.size(), classes);
  if (bad >= 0) {
    refuse(kSoftmaxName, fmt::format("label {} of {} is not in [0, {})", values[bad],
                                     detail::row_name(logits.shape(), bad), classes));
  }
}

// g (sigmoid(x) - t) for each element.
Tensor binary_gradient(const Tensor& logits, const Tensor& targets, const Tensor& g) {
  if (Tape* tape = recording_tape(logits, targets, g)) {
    const Tensor x = tape->below(logits);
    const Tensor t = tape->below(targets);
    const Tensor scale = tape->below(g);
    return tape->record("binary_cross_entropy_gradient", binary_gradient(x, t, scale),
                        {&logits, &targets, &g}, [x, t, scale](const Tensor& h, Pull& pull) {
                          const Tensor p = sigmoid(x);
                          pull(0, [&] { return sigmoid_gradient(p, h * scale); });
                          pull(1, [&] { return -(h * scale); });
                          pull(2, [&] { return h * (p - t); });
                        });
  }
  const Tensor x = logits.contiguous();
  const Tensor t = targets.contiguous();
  const Scale scale = scale_of(g);
  Tensor dx = Tensor::uninitialized(x.shape(), x.dtype());
  with_floating(kBinaryName, x.dtype(), [&]<class T>(T) {
    kernels::binary_cross_entropy_backward(x.data<T>(), t.data<T>(), scale.values.data<T>(), scale.step,
                                           dx.mutable_data<T>(), dx.size());
  });
  return dx;
}

Tensor binary_losses(const Tensor& logits, const Tensor& targets) {
  if (Tape* tape = recording_tape(logits, targets)) {
    const Tensor x = tape->below(logits);
    const Tensor t = tape->below(targets);
    return tape->record(kBinaryName, binary_losses(x, t), {&logits, &targets},
                        [x, t](const Tensor& g, Pull& pull) {
                          pull(0, [&] { return binary_gradient(x, t, g); });
                          pull(1, [&] { return -(g * x); });
                        });
  }
  const Tensor x = logits.contiguous();
  const Tensor t = targets.contiguous();
  Tensor losses = Tensor::uninitialized(x.shape(), x.dtype());
  with_floating(kBinaryName, x.dtype(), [&]<class T>(T) {
    T* loss = losses.mutable_data<T>();
    kernels::binary_cross_entropy(x.data<T>(), t.data<T>(), loss, losses.size());
    const T* nan = std::find_if(loss, loss + losses.size(), [](T value) { return value != value; });
    const std::int64_t i = nan - loss;
    if (i < losses.size()) {
      refuse(kBinaryName, fmt::format("the loss at {} is not a number: logit {}, target {}",
                                      index_of(x.shape(), i).string(), x.data<T>()[i], t.data<T>()[i]));
    }
  });
  return losses;
}

Tensor errors(const char* name, const Tensor& prediction, const Tensor& target) {
  detail::check_floating(name, "the prediction", prediction);
  if (!(prediction.shape() == target.shape())) {
    refuse(name, "prediction and target differ in shape: " + prediction.shape().string() + " and " +
                     target.shape().string());
  }
  return prediction - (is_floating(target.dtype()) ? target : cast(target, prediction.dtype()));
}

}  // namespace

Tensor softmax_cross_entropy(const Tensor& logits, const Tensor& targets, const LossOptions& options) {
  detail::check_rows(kSoftmaxName, "logits", logits);
  if (labels(targets)) {
    check_labels(logits, targets);
    const Gradient when = options.reduction == Reduction::sum ? Gradient::later : Gradient::at_once;
    return reduce(kSoftmaxName, row_losses(logits, targets, when).loss, options);
  }
  detail::check_floating(kSoftmaxName, "targets that are not i64 labels", targets);
  if (!(targets.shape() == logits.shape())) {
    refuse(kSoftmaxName, "targets that are not i64 labels must have the logits' shape: " +
                             targets.shape().string() + " for " + logits.shape().string());
  }
  return reduce(kSoftmaxName, row_losses(logits, cast(targets, logits.dtype()), Gradient::later).loss,
                options);
}

Tensor binary_cross_entropy_from_logits(const Tensor& logits, const Tensor& targets,
                                        const LossOptions& options) {
  detail::check_floating(kBinaryName, "logits", logits);
  if (!(targets.shape() == logits.shape())) {
    refuse(kBinaryName, "logits and targets differ in shape: " + logits.shape().string() + " and " +
                            targets.shape().string());
  }
  return reduce(kBinaryName, binary_losses(logits, cast(targets, logits.dtype())), options);
}

Tensor mean_squared_error(const Tensor& prediction, const Tensor& target, const LossOptions& options) {
  constexpr const char* kName = "mean_squared_error";
  return reduce(kName, square(errors(kName, prediction, target)), options);
}

Tensor mean_absolute_error(const Tensor& prediction, const Tensor& target, const LossOptions& options) {
  constexpr const char* kName = "mean_absolute_error";
  return reduce(kName, abs(errors(kName, prediction, target)), options);
}

Tensor huber(const Tensor& prediction, const Tensor& target, const HuberOptions& options) {
  constexpr const char* kName = "huber";
  if (!(options.delta > 0.0 && std::isfinite(options.delta)))
    refuse(kName, fmt::format("delta must be finite and above 0, got {}", options.delta));
  const Tensor size = abs(errors(kName, prediction, target));
  const Tensor inner = minimum(size, options.delta);
  return reduce(kName, inner * (size - 0.5 * inner), {.reduction = options.reduction});
}

}  // namespace likely
