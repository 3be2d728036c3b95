#include "likely/optim/adam.hpp"

#include <fmt/format.h>

#include <cmath>

#include "likely/core/create.hpp"
#include "likely/kernels/optimize.hpp"
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
  std::int64_t t;
};

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
    arrays.push_back({parameter.mutable_data<T>(), gradients.back().template data<T>(),
                      adam.mean[i].template mutable_data<T>(), adam.square[i].template mutable_data<T>(),
                      ++steps[i]});
    sizes.push_back(parameter.size());
  }
  detail::for_each_piece(sizes, 0.5, [&](std::size_t tensor, std::int64_t begin, std::int64_t end) {
    const Arrays<T>& a = arrays[tensor];
    const kernels::AdamStep step{.rate = o.lr,
                                 .beta1 = o.beta1,
                                 .beta2 = o.beta2,
                                 .epsilon = o.eps,
                                 .weight_decay = o.weight_decay,
                                 .decoupled = o.decoupled,
                                 .t = a.t};
    kernels::adam_step(step, a.parameter + begin, a.gradient + begin, a.mean + begin, a.square + begin,
                       end - begin);
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
