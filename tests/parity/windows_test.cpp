#include <gtest/gtest.h>

#include "likely/ops/convolution.hpp"
#include "likely/ops/pooling.hpp"
#include "likely/ops/upsample.hpp"
#include "tests/support/reference.hpp"

namespace likely::testing {
namespace {

using In = const std::vector<Tensor>&;

TEST(Parity, Convolutions) {
  expect_parity("convolutions",
                {{"conv2d", [](In x) { return conv2d(x[0], x[1], x[2]); }},
                 {"conv2d_strided",
                  [](In x) {
                    return conv2d(x[0], x[1], x[2], {.stride = {2, 1}, .padding = {1, 2}});
                  }},
                 {"conv2d_dilated",
                  [](In x) {
                    return conv2d(x[0], x[1], x[2], {.padding = 2, .dilation = {2, 3}});
                  }},
                 {"conv2d_groups", [](In x) { return conv2d(x[0], x[1], x[2], {.groups = 2}); }},
                 {"conv2d_same", [](In x) { return conv2d(x[0], x[1], x[2], {.padding = kSame}); }},
                 {"conv1d", [](In x) { return conv1d(x[0], x[1], x[2], {.stride = 2, .padding = 1}); }},
                 {"conv_transpose2d",
                  [](In x) {
                    return conv_transpose2d(x[0], x[1], x[2],
                                            {.stride = {2, 3}, .padding = 1, .output_padding = {1, 2}});
                  }},
                 {"conv_transpose2d_groups",
                  [](In x) { return conv_transpose2d(x[0], x[1], {}, {.dilation = 2, .groups = 2}); }},
                 {"conv_transpose1d", [](In x) { return conv_transpose1d(x[0], x[1], {}, {.stride = 3}); }}});
}

TEST(Parity, Pooling) {
  expect_parity("pooling",
                {{"max_pool2d", [](In x) { return max_pool2d(x[0], 2); }},
                 {"max_pool2d_padded",
                  [](In x) {
                    return max_pool2d(x[0], 3, {.stride = {1, 2}, .padding = 1});
                  }},
                 {"max_pool2d_indices",
                  [](In x) {
                    return max_pool2d_with_indices(x[0], {3, 2}, {.stride = 2}).indices;
                  }},
                 {"max_pool1d", [](In x) { return max_pool1d(x[0], 3, {.stride = 2, .padding = 1}); }},
                 {"avg_pool2d",
                  [](In x) {
                    return avg_pool2d(x[0], {2, 3}, {.stride = 1, .padding = 1});
                  }},
                 {"avg_pool2d_uncounted",
                  [](In x) { return avg_pool2d(x[0], 2, {.padding = 1, .count_padding = false}); }},
                 {"avg_pool1d", [](In x) { return avg_pool1d(x[0], 3, {.stride = 2}); }},
                 {"adaptive_avg_pool2d",
                  [](In x) {
                    return adaptive_avg_pool2d(x[0], {3, 4});
                  }},
                 {"adaptive_max_pool2d",
                  [](In x) {
                    return adaptive_max_pool2d(x[0], {3, 4});
                  }},
                 {"max_unpool2d", [](In x) {
                    return max_unpool2d(x[0], x[1], {7, 6});
                  }}});
}

TEST(Parity, Upsampling) {
  expect_parity("upsampling",
                {{"upsample_nearest", [](In x) { return upsample_nearest(x[0], {.scale = 2}); }},
                 {"upsample_nearest_size",
                  [](In x) {
                    return upsample_nearest(x[0], {.size = {5, 7}});
                  }},
                 {"upsample_bilinear", [](In x) { return upsample_bilinear(x[0], {.scale = 2}); }},
                 {"upsample_bilinear_size",
                  [](In x) {
                    return upsample_bilinear(x[0], {.size = {4, 9}});
                  }},
                 {"upsample_bilinear_scale", [](In x) {
                    return upsample_bilinear(x[0], {.scale = {1.5, 2.3}});
                  }}});
}

}  // namespace
}  // namespace likely::testing
