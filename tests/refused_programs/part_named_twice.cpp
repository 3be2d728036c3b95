// error: static assertion failed: LIKELY_PARTS names a part twice: it would be learned and saved twice
#include "likely/core/parts.hpp"

struct Model {
  likely::Tensor weight, bias;
  LIKELY_PARTS(weight, bias, weight)
};
