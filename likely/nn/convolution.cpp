#include "likely/nn/convolution.hpp"

#include <fmt/format.h>

#include "likely/core/create.hpp"
#include "likely/nn/sizes.hpp"
#include "likely/tree/misfit.hpp"

namespace likely::nn {

namespace {

void check(const char* layer, std::int64_t in, std::int64_t out, const Extent2d& kernel,
           const Extent2d& stride, std::int64_t groups) {
  detail::check_size(layer, "in", in);
  detail::check_size(layer, "out", out);
  detail::check_size(layer, "kernel", std::min(kernel.height, kernel.width));
  detail::check_size(layer, "stride", std::min(stride.height, stride.width));
  if (groups < 1 || in % groups != 0 || out % groups != 0) {
    refuse(layer, fmt::format("{} input and {} output channels cannot be cut into {} equal groups", in, out,
                              groups));
  }
}

// What each end of a convolution sees. A stride thins out the outputs that an input reaches.
Fans fans_between(std::int64_t in, std::int64_t out, std::int64_t groups, std::int64_t taps,
                  std::int64_t stride) {
  const auto each = static_cast<double>(taps) / static_cast<double>(groups);
  return {static_cast<double>(in) * each, static_cast<double>(out) * each / static_cast<double>(stride)};
}

// A transposed convolution is a convolution read backwards.
Fans fans_of_transposed(std::int64_t in, std::int64_t out, std::int64_t groups, std::int64_t taps,
                        std::int64_t stride) {
  const Fans forward = fans_between(out, in, groups, taps, stride);
  return {forward.out, forward.in};
}

Tensor initial_bias(bool wanted, std::int64_t out) { return wanted ? zeros({out}) : Tensor(); }

}  // namespace

Conv1d::Conv1d(std::int64_t in, std::int64_t out, std::int64_t kernel, const Conv1dOptions& chosen, Rng rng)
    : options{.stride = chosen.stride,
              .padding = chosen.padding,
              .dilation = chosen.dilation,
              .groups = chosen.groups,
              .relu = chosen.relu} {
  check("Conv1d", in, out, kernel, chosen.stride, chosen.groups);
  weight = initial_weight(chosen.init, {out, in / chosen.groups, kernel},
                          fans_between(in, out, chosen.groups, kernel, chosen.stride), rng);
  bias = initial_bias(chosen.bias, out);
}

Conv2d::Conv2d(std::int64_t in, std::int64_t out, const Extent2d& kernel, const Conv2dOptions& chosen,
               Rng rng)
    : options{.stride = chosen.stride,
              .padding = chosen.padding,
              .dilation = chosen.dilation,
              .groups = chosen.groups,
              .relu = chosen.relu} {
  check("Conv2d", in, out, kernel, chosen.stride, chosen.groups);
  weight = initial_weight(chosen.init, {out, in / chosen.groups, kernel.height, kernel.width},
                          fans_between(in, out, chosen.groups, kernel.height * kernel.width,
                                       chosen.stride.height * chosen.stride.width),
                          rng);
  bias = initial_bias(chosen.bias, out);
}

ConvTranspose1d::ConvTranspose1d(std::int64_t in, std::int64_t out, std::int64_t kernel,
                                 const ConvTranspose1dOptions& chosen, Rng rng)
    : options{.stride = chosen.stride,
              .padding = chosen.padding,
              .output_padding = chosen.output_padding,
              .dilation = chosen.dilation,
              .groups = chosen.groups} {
  check("ConvTranspose1d", in, out, kernel, chosen.stride, chosen.groups);
  weight = initial_weight(chosen.init, {in, out / chosen.groups, kernel},
                          fans_of_transposed(in, out, chosen.groups, kernel, chosen.stride), rng);
  bias = initial_bias(chosen.bias, out);
}

ConvTranspose2d::ConvTranspose2d(std::int64_t in, std::int64_t out, const Extent2d& kernel,
                                 const ConvTranspose2dOptions& chosen, Rng rng)
    : options{.stride = chosen.stride,
              .padding = chosen.padding,
              .output_padding = chosen.output_padding,
              .dilation = chosen.dilation,
              .groups = chosen.groups} {
  check("ConvTranspose2d", in, out, kernel, chosen.stride, chosen.groups);
  weight = initial_weight(chosen.init, {in, out / chosen.groups, kernel.height, kernel.width},
                          fans_of_transposed(in, out, chosen.groups, kernel.height * kernel.width,
                                             chosen.stride.height * chosen.stride.width),
                          rng);
  bias = initial_bias(chosen.bias, out);
}

std::string Conv1d::misfit() const { return empty_misfit("weight", weight); }
std::string Conv2d::misfit() const { return empty_misfit("weight", weight); }
std::string ConvTranspose1d::misfit() const { return empty_misfit("weight", weight); }
std::string ConvTranspose2d::misfit() const { return empty_misfit("weight", weight); }

}  // namespace likely::nn
