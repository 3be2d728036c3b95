#include "likely/prob/distributions/independent.hpp"

#include <fmt/format.h>

namespace likely::detail {

std::vector<int> last_axes(int count) {
  std::vector<int> axes;
  for (int i = -count; i < 0; ++i) axes.push_back(i);
  return axes;
}

void check_independent(int axes, const Shape& batch) {
  if (axes < 0 || axes > batch.rank()) {
    refuse("Independent", fmt::format("{} axes are needed, the batch is {}", axes, batch.string()));
  }
}

void check_same_axes(int p, int q) {
  if (p != q) refuse("kl", fmt::format("events of {} and of {} axes are not comparable", p, q));
}

}  // namespace likely::detail
