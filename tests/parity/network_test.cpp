#include <gtest/gtest.h>

#include "likely/autodiff/custom.hpp"
#include "likely/ops/attention.hpp"
#include "likely/ops/loss.hpp"
#include "likely/ops/normalize.hpp"
#include "likely/ops/softmax.hpp"
#include "tests/support/reference.hpp"

namespace likely::testing {
namespace {

using In = const std::vector<Tensor>&;
constexpr LossOptions kEach{.reduction = Reduction::none};

TEST(Parity, Softmax) {
  expect_parity(
      "softmaxes",
      {{"softmax", [](In x) { return softmax(x[0]); }},
       {"softmax_first_axis", [](In x) { return softmax(x[0], 0); }},
       {"log_softmax", [](In x) { return log_softmax(x[0]); }},
       {"cross_entropy", [](In x) { return softmax_cross_entropy(x[0], x[1], kEach); }},
       {"cross_entropy_soft", [](In x) { return softmax_cross_entropy(x[0], x[1], kEach); }},
       {"binary_cross_entropy", [](In x) { return binary_cross_entropy_from_logits(x[0], x[1], kEach); }}});
}

TEST(Parity, Normalization) {
  expect_parity("norms", {{"batch_norm", [](In x) { return batch_norm(x[0], x[1], x[2], {}, true).y; }},
                          {"batch_norm_running",
                           [](In x) {
                             const ChannelStatistics running{stop_gradient(x[1]), stop_gradient(x[2])};
                             return batch_norm(x[0], x[3], x[4], running, false).y;
                           }},
                          {"layer_norm", [](In x) { return layer_norm(x[0], 1, x[1], x[2]); }},
                          {"group_norm", [](In x) { return group_norm(x[0], 2, x[1], x[2]); }},
                          {"rms_norm", [](In x) { return rms_norm(x[0], 1, x[1]); }}});
}

TEST(Parity, Attention) {
  expect_parity("attentions",
                {{"attention", [](In x) { return attention(x[0], x[1], x[2]); }},
                 {"attention_mask", [](In x) { return attention(x[0], x[1], x[2], {.mask = x[3]}); }},
                 {"attention_causal", [](In x) { return attention(x[0], x[1], x[2], {.causal = true}); }}});
}

}  // namespace
}  // namespace likely::testing
