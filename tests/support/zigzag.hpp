// Networks with as many linear regions as they can have.
#pragma once

#include <vector>

#include "likely/core/create.hpp"
#include "likely/models/book/chapter_03/networks.hpp"

namespace likely::testing {

// A shallow network of one input and `units` >= 3 ReLUs whose graph is a zigzag: it goes between 0 and 1 on
// each of
// [-1/2, 0], [0, 1], [1, 2], ..., [units - 1, units]. The output is low + (high - low) times that.
inline book::ShallowNetwork zigzag(std::int64_t units, double low = 0.0, double high = 1.0) {
  // Joint d lies at d. The slopes are 2, -1, 1, -1, 1, ...: unit d changes them by phi_d. All units open to
  // the right but the third, which opens to the left and so makes the first slope.
  std::vector<double> theta, theta0, phi;
  for (std::int64_t d = 0; d < units; ++d) {
    const double side = d == 2 ? -1.0 : 1.0;
    theta.push_back(side);
    theta0.push_back(-side * static_cast<double>(d));
    phi.push_back((high - low) * (d == 0 ? -3.0 : d % 2 == 0 ? -2.0 : 2.0));
  }
  return {book::layer_of(tensor(theta, {units, 1}), tensor(theta0), Activation::relu),
          book::layer_of(tensor(phi, {1, units}), tensor(std::vector<double>{low + 5.0 * (high - low)}))};
}

}  // namespace likely::testing
