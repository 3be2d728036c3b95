#include "likely/nn/linear.hpp"

#include "likely/core/create.hpp"
#include "likely/nn/sizes.hpp"
#include "likely/tree/misfit.hpp"

namespace likely::nn {

Linear::Linear(std::int64_t in, std::int64_t out, const LinearOptions& options, Rng rng)
    : activation(options.activation) {
  detail::check_size("Linear", "in", in);
  detail::check_size("Linear", "out", out);
  const Shape shape{out, in};
  weight = initial_weight(options.init, shape, fans_of(shape), rng);
  if (options.bias) bias = zeros({out});
}

std::string Linear::misfit() const { return empty_misfit("weight", weight); }

}  // namespace likely::nn
