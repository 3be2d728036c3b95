#include <cmath>
#include <numbers>

#include "likely/ops/einsum.hpp"
#include "likely/ops/linear.hpp"
#include "likely/ops/matmul.hpp"
#include "tests/properties/elementwise.hpp"
#include "tests/properties/families.hpp"

namespace likely::testing {

namespace {

using plain::Array;
using plain::Extents;
using plain::Number;
using plain::Real;

// One size for each way a product is computed: small; cut for threads; by scalar products (few rows or
// columns); by its transpose (tall and narrow); in chunks of a long sum; in blocks of the inner dimension.
const std::vector<std::string> kProductSizes = {"m=7 k=13 n=31",  "m=50 k=47 n=53", "m=33 k=65 n=2",
                                                "m=2 k=65 n=33",  "m=130 k=17 n=9", "m=3 k=4200 n=5",
                                                "m=9 k=400 n=260"};

Op product_of(const std::string& first, const std::string& second, const std::vector<std::string>& sizes) {
  const bool row = first.size() == 1;
  const bool column = second.size() == 1;
  return {.name = "matmul of " + first + " and " + second,
          .declares = {"matmul(Tensor, Tensor)"},
          .inputs = {{.axes = first}, {.axes = second}},
          .sizes = sizes,
          .call = [](const Tensors& x) { return matmul(x[0], x[1]); },
          .loop =
              [row, column](const Arrays& x) {
                Array a = x[0];
                Array b = x[1];
                if (row) a.shape.insert(a.shape.begin(), 1);
                if (column) b.shape.push_back(1);
                Array c = plain::matrix_product(a, b);
                if (row) c.shape.erase(c.shape.end() - 2);
                if (column) c.shape.pop_back();
                return c;
              },
          .types = kNumberTypes};
}

Real sigmoid_of(Real x) { return 1 / (1 + std::exp(-x)); }
Real normal_cdf_of(Real x) { return 0.5L * std::erfc(-x / std::numbers::sqrt2_v<Real>); }

Number activated(const Number& x, Activation activation) {
  switch (activation) {
    case Activation::none: return x;
    case Activation::relu: return x.value > 0 ? x : Number(0);
    case Activation::tanh: return plain::apply([](Real y) { return std::tanh(y); }, x);
    case Activation::sigmoid: return plain::apply(sigmoid_of, x);
    case Activation::gelu: return x * plain::apply(normal_cdf_of, x);
    case Activation::silu: return x * plain::apply(sigmoid_of, x);
  }
  return x;
}

Op linear_of(Activation activation, bool biased, const Input& x) {
  Op op = {.name = "linear, " + std::string(name_of(activation)) + (biased ? "" : ", no bias") +
                   (x.draw == Draw::zeros ? ", zeros" : "") + " of " + x.axes,
           .declares = {"linear(Tensor, Tensor, Tensor, Activation)"},
           .inputs = {x, {.axes = "oi", .low = -0.5, .high = 0.5}},
           .sizes = {"a=3 b=5 i=7 o=9", "a=3 b=23 i=40 o=70", "a=1 b=1 i=65 o=33"},
           .call = [=](const Tensors& t) { return linear(t[0], t[1], biased ? t[2] : Tensor(), activation); },
           .loop =
               [=](const Arrays& t) {
                 Array y =
                     plain::matrix_product(t[0].rank() == 1 ? plain::reshaped(t[0], {1, t[0].size()}) : t[0],
                                           plain::transposed(t[1]));
                 if (t[0].rank() == 1) y.shape.erase(y.shape.begin());
                 if (biased) y = plain::map([](const Number& a, const Number& b) { return a + b; }, y, t[2]);
                 return plain::map([=](const Number& v) { return activated(v, activation); }, y);
               }};
  if (biased) op.inputs.push_back({.axes = "o"});
  // The derivatives of tanh and sigmoid are computed from their values.
  op.gradient_slack = 64;
  return op;
}

// The sum over all letters that the result does not name.
Array plain_einsum(const std::vector<std::string>& operands, const std::string& result, const Arrays& x) {
  std::map<char, std::int64_t> sizes;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    for (std::size_t axis = 0; axis < operands[i].size(); ++axis) sizes[operands[i][axis]] = x[i].shape[axis];
  }
  std::string letters = result;
  for (const auto& [letter, size] : sizes) {
    if (result.find(letter) == std::string::npos) letters += letter;
  }
  Extents all, kept;
  for (const char letter : letters) all.push_back(sizes[letter]);
  for (const char letter : result) kept.push_back(sizes[letter]);
  Array y(kept);
  std::vector<plain::Sum> sums(static_cast<std::size_t>(y.size()));
  plain::for_each_index(all, [&](const Extents& at) {
    Number term(1);
    for (std::size_t i = 0; i < operands.size(); ++i) {
      Extents index;
      for (const char letter : operands[i]) index.push_back(at[letters.find(letter)]);
      term = i == 0 ? x[i].at(index) : term * x[i].at(index);
    }
    const Extents to(at.begin(), at.begin() + static_cast<std::ptrdiff_t>(result.size()));
    sums[static_cast<std::size_t>(y.position(to))].add(term);
  });
  for (std::int64_t i = 0; i < y.size(); ++i) y[i] = sums[static_cast<std::size_t>(i)].total();
  return y;
}

Op einsum_of(const std::vector<std::string>& operands, const std::string& result) {
  std::string text;
  std::vector<Input> inputs;
  for (const std::string& operand : operands) {
    text += (text.empty() ? "" : ",") + operand;
    inputs.push_back({.axes = operand});
  }
  text += "->" + result;
  return {.name = "einsum " + text,
          .declares = {"einsum(string_view, vector<Tensor>)"},
          .inputs = inputs,
          .sizes = {"i=3 j=5 k=4 l=2", "i=17 j=9 k=13 l=5"},
          .call = [text](const Tensors& x) { return einsum(text, x); },
          .loop = [=](const Arrays& x) { return plain_einsum(operands, result, x); }};
}

}  // namespace

Ops product_ops() {
  Ops ops = {
      product_of("mk", "kn", kProductSizes),
      product_of("k", "kn", {"k=7 n=5", "k=131 n=67"}),
      product_of("mk", "k", {"k=7 m=5", "k=131 m=67"}),
      product_of("k", "k", {"k=7", "k=5000"}),
      product_of("bmk", "bkn", {"b=3 m=5 k=7 n=4", "b=5 m=33 k=17 n=40"}),
      product_of("bmk", "kn", {"b=3 m=5 k=7 n=4", "b=5 m=33 k=17 n=40"}),
      product_of("b1mk", "ckn", {"b=3 c=2 m=5 k=7 n=4", "b=3 c=2 m=33 k=17 n=20"}),
      with(product_of("mk", "kn", {"m=7 k=13 n=31", "m=70 k=64 n=96", "m=33 k=200 n=65"}),
           [](Op& op) {
             op.name += ", many zeros";
             op.inputs[0] = zeros_in("mk");
           }),
      with(product_of("mk", "kn", {"m=7 k=5 n=3", "m=113 k=109 n=111"}),
           [](Op& op) { op.name += " on threads"; }),
      {.name = "dot",
       .declares = {"dot(Tensor, Tensor)"},
       .inputs = {{.axes = "n"}, {.axes = "n"}},
       .sizes = {"n=13", "n=4099"},
       .call = [](const Tensors& x) { return dot(x[0], x[1]); },
       .loop = [](const Arrays& x) { return Array({}, {plain::dot(x[0].elements, x[1].elements)}); },
       .types = kNumberTypes},
      {.name = "outer",
       .declares = {"outer(Tensor, Tensor)"},
       .inputs = {{.axes = "m"}, {.axes = "n"}},
       .sizes = {"m=7 n=13", "m=131 n=67"},
       .call = [](const Tensors& x) { return outer(x[0], x[1]); },
       .loop =
           [](const Arrays& x) {
             return plain::map([](const Number& a, const Number& b) { return a * b; },
                               plain::reshaped(x[0], {x[0].size(), 1}), x[1]);
           },
       .types = kNumberTypes},
      einsum_of({"ij", "jk"}, "ik"),
      einsum_of({"ii"}, ""),
      einsum_of({"iij"}, "ji"),
      einsum_of({"i", "j"}, "ij"),
      einsum_of({"ijk"}, "ki"),
      einsum_of({"lij", "ljk"}, "lik"),
      einsum_of({"ij", "jk", "kl"}, "li"),
      einsum_of({"ijk", "jkl"}, "il"),
      einsum_of({"ij", "ij"}, ""),
      linear_of(Activation::relu, true, zeros_in("abi")),
      linear_of(Activation::none, false, {.axes = "abi"}),
      linear_of(Activation::none, true, {.axes = "i"}),
  };
  for (const Activation activation : {Activation::none, Activation::relu, Activation::tanh,
                                      Activation::sigmoid, Activation::gelu, Activation::silu}) {
    ops.push_back(linear_of(activation, true, {.axes = "abi"}));
  }
  return ops;
}

INSTANTIATE_TEST_SUITE_P(Product, OpProperties, ::testing::ValuesIn(product_ops()), name_of_op);

}  // namespace likely::testing
