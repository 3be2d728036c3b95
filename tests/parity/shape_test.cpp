#include <gtest/gtest.h>

#include "likely/ops/compare.hpp"
#include "likely/ops/index.hpp"
#include "likely/ops/join.hpp"
#include "likely/ops/rearrange.hpp"
#include "likely/ops/view.hpp"
#include "tests/support/reference.hpp"

namespace likely::testing {
namespace {

using In = const std::vector<Tensor>&;

TEST(Parity, Shapes) {
  expect_parity("shapes", {{"concat",
                            [](In x) {
                              return concat({x[0], x[1]}, 0);
                            }},
                           {"stack",
                            [](In x) {
                              return stack({x[0], x[1]}, 1);
                            }},
                           {"repeat", [](In x) { return repeat(x[0], 2, 1); }},
                           {"tile",
                            [](In x) {
                              return tile(x[0], {2, 3});
                            }},
                           {"pad",
                            [](In x) {
                              return pad(x[0], {{0, 1}, {1, 2}}, 0.5);
                            }},
                           {"flip", [](In x) { return flip(x[0], 1); }},
                           {"roll", [](In x) { return roll(x[0], 2, 1); }},
                           {"gather", [](In x) { return gather(x[0], 1, x[1]); }},
                           {"scatter_add", [](In x) { return scatter_add(x[0], 1, x[1], x[2]); }},
                           {"index_select", [](In x) { return index_select(x[0], 0, x[1]); }},
                           {"masked_fill", [](In x) { return masked_fill(x[0], x[0] > 0.2, -3.0); }},
                           {"embedding", [](In x) { return embedding(x[0], x[1]); }},
                           {"diagonal", [](In x) { return diagonal(x[0], 1); }}});
}

}  // namespace
}  // namespace likely::testing
