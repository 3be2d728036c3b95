// Every function that likely/ops declares is in a table of this folder, so that a new one cannot be
// forgotten.
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

#include "tests/properties/families.hpp"
#include "tests/support/declarations.hpp"

namespace likely::testing {

namespace {

// What no table needs, and why.
const std::map<std::string, std::string> kExceptions = {
    {"Axes::mask(string_view, Shape)",
     "how reductions read their axes: every reduction in the table calls it"},
    {"operator==(Rng, Rng)", "tests/ops/rng_test.cpp"},
    {"PlainNumber::value()",
     "a number on its way: every entry with a number passes it; tests/ops/plain_number_test.cpp"},
    {"PlainNumber::is_whole()", "the same"},
    {"PlainNumber::value_is_exact()", "the same"},
    {"PlainNumber::operator-()", "the same"},
    {"PlainNumber::type_beside(DType)", "the same"},
    {"PlainNumber::beside(Tensor)", "the same"},
    {"Rng::draw()", "a key without numbers: tests/ops/rng_test.cpp"},
    {"Rng::skip(uint64_t)", "moves a counter: tests/ops/rng_test.cpp"},
    {"Rng::split()", "keys without numbers: tests/ops/rng_test.cpp"},
    {"Rng::split(int64_t)", "keys without numbers: tests/ops/rng_test.cpp"},
    {"Rng::fold_in(uint64_t)", "keys without numbers: tests/ops/rng_test.cpp"},
};

TEST(Completeness, EveryDeclaredFunctionIsInATable) {
  std::set<std::string> covered;
  for (const auto& family :
       {arithmetic_ops, activation_ops, math_ops, comparison_ops, reduction_ops, cumulative_ops, view_ops,
        indexing_ops, order_ops, product_ops, matrix_ops, convolution_ops, pooling_ops, softmax_ops,
        normalization_ops, attention_ops, special_ops, sparse_ops, random_ops}) {
    for (const Op& op : family()) covered.insert(op.declares.begin(), op.declares.end());
  }
  for (const std::string& draw : random_draws()) covered.insert(draw);
  const std::set<std::string> declared = declared_functions_in("likely/ops");
  EXPECT_GT(declared.size(), 200U) << "the headers were not read";
  for (const std::string& function : declared) {
    EXPECT_TRUE(covered.contains(function) || kExceptions.contains(function))
        << function << " has no entry in the tables of tests/properties";
  }
}

TEST(Completeness, DeclarationsAreReadAsWritten) {
  const std::string text = R"(
namespace likely {
struct Options { int a = 1; bool b{}; };
Tensor first(const Tensor& x, const std::vector<Tensor>& parts = {}, double p = 0.5);
inline Tensor operator+(const Tensor& a, double number) { return add(a, number); }
class Holder {
 public:
  explicit Holder(int n);
  Tensor member(const Shape& shape) const { if (x) { y(); } return z; }
 private:
  Tensor secret(int n);
};
template <class Base>
class Wrapper {
 public:
  Wrapper(Base base, int n) : base(base) {}
  Tensor inner(const Tensor& x) const requires requires { base.inner(x); }
  {
    return base.inner(x);
  }
  template <Tree Model>
  void step(Model& model, const Model& gradient) { pair(model); }
  LIKELY_PARTS(base)

 private:
  Tensor hidden(int n);
};
namespace detail { Tensor inner(const Tensor& x); }
Options last();
}
namespace likely::detail { void more(); }
)";
  const std::set<std::string> expected = {"first(Tensor, vector<Tensor>, number)",
                                          "operator+(Tensor, number)",
                                          "Holder::member(Shape)",
                                          "Wrapper::inner(Tensor)",
                                          "Wrapper::step(Model, Model)",
                                          "last()"};
  EXPECT_EQ(declared_functions(text), expected);
}

}  // namespace

}  // namespace likely::testing
