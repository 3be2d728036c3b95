#include "likely/models/vision/mnist1d_data.hpp"

#include "likely/io/mnist1d.hpp"

namespace likely::models {

using namespace runs;

Splits mnist1d_splits(const Run& run, Rng rng) {
  const data::Mnist1d curves = run.data.empty() ? data::mnist1d(rng) : io::load_mnist1d(run.data);
  return {.train = curves.train, .test = curves.test};
}

}  // namespace likely::models
