#include "likely/optim/sgd.hpp"

#include <fmt/format.h>

#include <cmath>

#include "likely/core/create.hpp"
#include "likely/kernels/optimize.hpp"
#include "likely/optim/tree_tiles.hpp"

namespace likely::optim {

namespace {

void check(const SgdOptions& o) {
  if (!(o.lr >= 0.0 && std::isfinite(o.lr))) refuse("Sgd", fmt::format("lr must be >= 0, got {}", o.lr));
  if (!(o.momentum >= 0.0 && o.momentum < 1.0)) {
    refuse("Sgd", fmt::format("momentum must be in [0, 1), got {}", o.momentum));
  }
  if (!(o.weight_decay >= 0.0 && std::isfinite(o.weight_decay))) {
    refuse("Sgd", fmt::format("weight_decay must be >= 0, got {}", o.weight_decay));
  }
  if (o.nesterov && o.momentum == 0.0) refuse("Sgd", "nesterov needs momentum > 0");
}

template <class T>
struct Arrays {
  T* parameter;
  const T* gradient;
  T* velocity;  // null without momentum
};

template <class T>
void update_all(const SgdOptions& o, const std::vector<Leaf>& leaves, std::vector<Buffer>& velocity) {
  std::vector<Arrays<T>> arrays;
  std::vector<Tensor> gradients;  // dense ones, kept alive
  std::vector<std::int64_t> sizes;
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    if (!leaves[i].learned || leaves[i].value->dtype() != dtype_of<T>) continue;
    Tensor& parameter = *leaves[i].value;
    gradients.push_back(leaves[i].gradient->contiguous());
    if (o.momentum > 0.0 && !velocity[i].defined()) velocity[i] = zeros(parameter.shape(), parameter.dtype());
    arrays.push_back({parameter.mutable_data<T>(), gradients.back().template data<T>(),
                      o.momentum > 0.0 ? velocity[i].template mutable_data<T>() : nullptr});
    sizes.push_back(parameter.size());
  }
  const kernels::SgdStep step{
      .rate = o.lr, .momentum = o.momentum, .weight_decay = o.weight_decay, .nesterov = o.nesterov};
  detail::for_each_piece(
      sizes, o.momentum > 0.0 ? 0.3 : 0.2, [&](std::size_t tensor, std::int64_t begin, std::int64_t end) {
        const Arrays<T>& a = arrays[tensor];
        kernels::sgd_step(step, a.parameter + begin, a.gradient + begin,
                          a.velocity == nullptr ? nullptr : a.velocity + begin, end - begin);
      });
}

}  // namespace

Sgd::Sgd(std::size_t leaves, const SgdOptions& chosen) : options(chosen), velocity(leaves) { check(options); }

void Sgd::step(const std::vector<Leaf>& leaves) {
  check(options);
  update_all<float>(options, leaves, velocity);
  update_all<double>(options, leaves, velocity);
}

}  // namespace likely::optim
