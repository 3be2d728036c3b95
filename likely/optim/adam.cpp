#include "likely/optim/adam.hpp"

#include <fmt/format.h>

#include <cmath>

#include "likely/core/create.hpp"
#include "likely/optim/tree_tiles.hpp"

namespace likely::optim {

namespace {

void check(const AdamOptions& o) {
  const auto check_rate = [](const char* name, double value) {
    if (!(value >= 0.0 && std::isfinite(value))) {
      refuse("Adam", fmt::format("{} must be >= 0, got {}", name, value));
    }
  };
  const auto check_beta = [](const char* name, double value) {
    if (!(value >= 0.0 && value < 1.0)) {
      refuse("Adam", fmt::format("{} must be in [0, 1), got {}", name, value));
    }
  };
  check_rate("lr", o.lr);
  check_rate("eps", o.eps);
  check_rate("weight_decay", o.weight_decay);
  check_beta("beta1", o.beta1);
  check_beta("beta2", o.beta2);
}

template <class T>
struct Arrays {
  T* parameter;
  const T* gradient;
  T* mean;
  T* square;
  double mean_correction;    // 1 - beta1^t
  double square_correction;  // 1 - beta2^t
};

template <class T>
void update(const AdamOptions& o, const Arrays<T>& a, std::int64_t begin, std::int64_t end) {
  const T beta1 = static_cast<T>(o.beta1);
  const T beta2 = static_cast<T>(o.beta2);
  const T rest1 = static_cast<T>(1.0 - o.beta1);
  const T rest2 = static_cast<T>(1.0 - o.beta2);
  const T rate = static_cast<T>(o.lr / a.mean_correction);
  const T root = static_cast<T>(1.0 / std::sqrt(a.square_correction));
  const T eps = static_cast<T>(o.eps);
  const T coupled = static_cast<T>(o.decoupled ? 0.0 : o.weight_decay);
  const T kept = static_cast<T>(o.decoupled ? 1.0 - o.lr * o.weight_decay : 1.0);
  for (std::int64_t i = begin; i < end; ++i) {
    const T g = a.gradient[i] + coupled * a.parameter[i];
    a.mean[i] = beta1 * a.mean[i] + rest1 * g;
    a.square[i] = beta2 * a.square[i] + rest2 * g * g;
    a.parameter[i] = kept * a.parameter[i] - rate * a.mean[i] / (std::sqrt(a.square[i]) * root + eps);
  }
}

template <class T>
void update_all(Adam& adam, const std::vector<Leaf>& leaves) {
  const AdamOptions& o = adam.options;
  std::vector<Arrays<T>> arrays;
  std::vector<Tensor> gradients;  // dense ones, kept alive
  std::vector<std::int64_t> sizes;
  std::int64_t* const steps = adam.steps.mutable_data<std::int64_t>();
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    if (!leaves[i].learned || leaves[i].value->dtype() != dtype_of<T>) continue;
    Tensor& parameter = *leaves[i].value;
    gradients.push_back(leaves[i].gradient->contiguous());
    if (!adam.mean[i].defined()) adam.mean[i] = zeros(parameter.shape(), parameter.dtype());
    if (!adam.square[i].defined()) adam.square[i] = zeros(parameter.shape(), parameter.dtype());
    const auto t = static_cast<double>(++steps[i]);
    arrays.push_back({parameter.mutable_data<T>(), gradients.back().template data<T>(),
                      adam.mean[i].template mutable_data<T>(), adam.square[i].template mutable_data<T>(),
                      1.0 - std::pow(o.beta1, t), 1.0 - std::pow(o.beta2, t)});
    sizes.push_back(parameter.size());
  }
  detail::for_each_piece(sizes, 1.0, [&](std::size_t tensor, std::int64_t begin, std::int64_t end) {
    update(o, arrays[tensor], begin, end);
  });
}

}  // namespace

Adam::Adam(std::size_t leaves, const AdamOptions& chosen)
    : options(chosen),
      steps(zeros({static_cast<std::int64_t>(leaves)}, DType::i64)),
      mean(leaves),
      square(leaves) {
  check(options);
}

void Adam::step(const std::vector<Leaf>& leaves) {
  check(options);
  update_all<float>(*this, leaves);
  update_all<double>(*this, leaves);
}

}  // namespace likely::optim
