#include <gtest/gtest.h>

#include <limits>

#include "likely/ops/cumulative.hpp"
#include "likely/ops/order.hpp"
#include "likely/ops/reduce.hpp"
#include "tests/support/reference.hpp"

namespace likely::testing {
namespace {

using In = const std::vector<Tensor>&;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(Parity, Reductions) {
  expect_parity("reductions", {{"sum_axes",
                                [](In x) {
                                  return sum(x[0], {0, 2});
                                }},
                               {"mean_keep", [](In x) { return mean(x[0], 1, true); }},
                               {"var", [](In x) { return var(x[0], 2); }},
                               {"var_unbiased",
                                [](In x) {
                                  return var(x[0], {0, 1}, false, 1.0);
                                }},
                               {"std_unbiased", [](In x) { return std(x[0], 1, false, 1.0); }},
                               {"prod", [](In x) { return prod(x[0], 1); }},
                               {"max_axes",
                                [](In x) {
                                  return max(x[0], {0, 2});
                                }},
                               {"min_axis", [](In x) { return min(x[0], 1); }},
                               {"argmax", [](In x) { return argmax(x[0], 2); }},
                               {"argmin", [](In x) { return argmin(x[0], 0); }},
                               {"norm_2",
                                [](In x) {
                                  return norm(x[0], {1, 2});
                                }},
                               {"norm_1", [](In x) { return norm(x[0], 1, false, 1.0); }},
                               {"norm_3", [](In x) { return norm(x[0], 2, false, 3.0); }},
                               {"norm_inf", [](In x) { return norm(x[0], 2, false, kInfinity); }},
                               {"logsumexp", [](In x) {
                                  return logsumexp(x[0], {1, 2});
                                }}});
}

TEST(Parity, ScansAndOrder) {
  expect_parity("scans", {{"cumsum", [](In x) { return cumsum(x[0], 1); }},
                          {"cumprod", [](In x) { return cumprod(x[0], 2); }},
                          {"logcumsumexp", [](In x) { return logcumsumexp(x[0], 1); }},
                          {"sort", [](In x) { return sort(x[0], 1); }},
                          {"argsort", [](In x) { return argsort(x[0], 2); }},
                          {"topk", [](In x) { return topk(x[0], 2, 1).values; }}});
}

}  // namespace
}  // namespace likely::testing
