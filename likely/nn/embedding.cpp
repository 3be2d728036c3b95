#include "likely/nn/embedding.hpp"

#include "likely/nn/sizes.hpp"
#include "likely/tree/misfit.hpp"

namespace likely::nn {

Embedding::Embedding(std::int64_t count, std::int64_t width, Rng rng) {
  detail::check_size("Embedding", "count", count);
  detail::check_size("Embedding", "width", width);
  weight = rng.normal({count, width});
}

std::string Embedding::misfit() const { return empty_misfit("weight", weight); }

}  // namespace likely::nn
