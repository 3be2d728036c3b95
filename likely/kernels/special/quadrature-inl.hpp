// Integrals of smooth functions, in double. Internal to kernels/.
#pragma once

#include <boost/math/quadrature/gauss.hpp>
#include <cstddef>

namespace likely::kernels {

// The integral of f over [from, to] by Gauss and Legendre, in two panels of 30 points.
template <class Function>
double integral(double from, double to, const Function& f) {
  constexpr int kPanels = 2;
  using Rule = boost::math::quadrature::gauss<double, 30>;
  const double half = (to - from) / (2 * kPanels);
  double sum = 0.0;
  for (int panel = 0; panel < kPanels; ++panel) {
    const double middle = from + half * (2 * panel + 1);
    for (std::size_t i = 0; i < Rule::abscissa().size(); ++i) {
      const double step = half * Rule::abscissa()[i];
      sum += Rule::weights()[i] * (f(middle - step) + f(middle + step));
    }
  }
  return sum * half;
}

}  // namespace likely::kernels
