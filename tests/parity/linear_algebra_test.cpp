#include <gtest/gtest.h>

#include "likely/ops/einsum.hpp"
#include "likely/ops/linear.hpp"
#include "likely/ops/matmul.hpp"
#include "likely/ops/view.hpp"
#include "tests/support/reference.hpp"

namespace likely::testing {
namespace {

using In = const std::vector<Tensor>&;

TEST(Parity, Products) {
  expect_parity("products",
                {{"matmul", [](In x) { return matmul(x[0], x[1]); }},
                 {"matmul_batched", [](In x) { return matmul(x[0], x[1]); }},
                 {"matmul_vector", [](In x) { return matmul(x[0], x[1]); }},
                 {"matmul_transposed", [](In x) { return matmul(transpose(x[0]), transpose(x[1])); }},
                 {"outer", [](In x) { return outer(x[0], x[1]); }},
                 {"dot", [](In x) { return dot(x[0], x[1]); }},
                 {"einsum",
                  [](In x) {
                    return einsum("bij,bkj->bik", {x[0], x[1]});
                  }},
                 {"linear_relu", [](In x) { return linear(x[0], x[1], x[2], Activation::relu); }}});
}

}  // namespace
}  // namespace likely::testing
