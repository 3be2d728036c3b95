// Members that hold tensors and are missing from LIKELY_PARTS are found when a model is compiled.
#include "likely/core/forgotten_parts.hpp"

#include <gtest/gtest.h>

#include <any>
#include <array>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "likely/core/create.hpp"
#include "likely/nn/nn.hpp"
#include "likely/tree/tree.hpp"

namespace likely {
namespace {

using detail::holds_tensors;
using detail::names_every_part;

template <class T>
constexpr std::size_t tensor_members() {
  return detail::count_members<T, detail::HoldsTensors>();
}

struct Layer {
  Tensor weight, bias;
  LIKELY_PARTS(weight, bias)
};
static_assert(names_every_part<Layer>());

struct ForgotATensor {
  Tensor weight, bias;
  LIKELY_PARTS(weight)
};
static_assert(!names_every_part<ForgotATensor>());

struct ForgotABuffer {
  Tensor weight;
  Buffer mean;
  LIKELY_PARTS(weight)
};
static_assert(!names_every_part<ForgotABuffer>());

struct ForgotALayer {
  nn::Linear hidden, out;
  LIKELY_PARTS(out)
};
static_assert(!names_every_part<ForgotALayer>());

struct ForgotAContainer {
  Layer first;
  std::vector<Layer> blocks;
  LIKELY_PARTS(first)
};
static_assert(!names_every_part<ForgotAContainer>());

struct ForgotAnArrayOrTuple {
  Layer first;
  std::array<Tensor, 2> pair;
  std::tuple<int, Layer> mixed;
  LIKELY_PARTS(first, pair)
};
static_assert(!names_every_part<ForgotAnArrayOrTuple>());

struct ForgotASequential {
  nn::Sequential<nn::Linear, nn::Relu> body;
  nn::Linear out;
  LIKELY_PARTS(out)
};
static_assert(!names_every_part<ForgotASequential>());

// Naming what holds no tensors does not make up for it.
struct NamedTheWrongOne {
  nn::Linear hidden;
  nn::Relu relu;
  nn::Linear out;
  LIKELY_PARTS(hidden, relu)
};
static_assert(!names_every_part<NamedTheWrongOne>());

struct ForgotTheBase : Layer {
  Tensor scale;
  LIKELY_PARTS(scale)
};
static_assert(!names_every_part<ForgotTheBase>());

struct AddsToItsBase : Layer {
  Tensor scale;
};
static_assert(!detail::inherits_every_part<AddsToItsBase>());
struct AddsNothing : Layer {
  int width = 3;
  double twice() const { return 2.0 * width; }
};
static_assert(detail::inherits_every_part<AddsNothing>() && detail::inherits_every_part<Layer>());

struct NamesTheBase : Layer {
  Tensor scale;
  LIKELY_PARTS(weight, bias, scale)
};
static_assert(names_every_part<NamesTheBase>());

struct ForgotAMap {
  Tensor weight;
  std::map<std::string, Tensor> tables;
  LIKELY_PARTS(weight)
};
static_assert(!names_every_part<ForgotAMap>());

struct ForgotAPointer {
  Tensor weight;
  std::unique_ptr<Layer> next;
  LIKELY_PARTS(weight)
};
static_assert(!names_every_part<ForgotAPointer>());

struct ForgotAListOfPointers {
  Tensor weight;
  std::list<std::unique_ptr<Layer>> next;
  LIKELY_PARTS(weight)
};
static_assert(!names_every_part<ForgotAListOfPointers>());

struct ForgotTheTwentieth {
  Tensor weight;
  int a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r;
  Tensor last;
  LIKELY_PARTS(weight)
};
static_assert(!names_every_part<ForgotTheTwentieth>());

// A part that is named twice would be learned and saved twice.
static_assert(detail::names_differ("") && detail::names_differ("a") && detail::names_differ("a, b,ab, c"));
static_assert(!detail::names_differ("a, a") && !detail::names_differ("b,a, c ,a") &&
              !detail::names_differ("a, b, b"));

// Types that can be made from anything are not taken for tensors, and do not hide the tensors beside them.
struct FromAnything {
  template <class T>
  FromAnything(T&&) {}  // NOLINT
};
struct FromAnyConstant {
  template <class T>
  FromAnyConstant(const T&) {}  // NOLINT
};
struct FromAnyValue {
  template <class T>
  FromAnyValue(T) {}  // NOLINT
};
struct FromAnyNumber {
  template <class... T>
  FromAnyNumber(T&&...) {}  // NOLINT
};
template <class Loose>
struct Beside {
  Tensor weight;
  Loose loose;
  LIKELY_PARTS(weight)
};
template <class Loose>
struct BesideForgotten {
  Tensor weight;
  Loose loose;
  Tensor bias;
  LIKELY_PARTS(weight)
};
template <class Loose>
constexpr bool is_left_alone() {
  return names_every_part<Beside<Loose>>() && !names_every_part<BesideForgotten<Loose>>();
}
static_assert(is_left_alone<std::any>() && is_left_alone<std::function<void(std::any)>>());
static_assert(is_left_alone<FromAnything>() && is_left_alone<FromAnyNumber>());
static_assert(names_every_part<Beside<FromAnyConstant>>() && names_every_part<Beside<FromAnyValue>>());
static_assert(is_left_alone<std::vector<std::any>>() && is_left_alone<std::optional<std::any>>());
static_assert(is_left_alone<std::variant<int, std::string>>() && is_left_alone<std::map<int, double>>());
static_assert(!names_every_part<Beside<std::variant<int, Tensor>>>());

struct Hidden;  // and never seen
static_assert(is_left_alone<std::unique_ptr<Hidden>>() && is_left_alone<std::shared_ptr<Layer>>());

// What is no part: numbers, options, layers without tensors, and what is said to be none.
struct Options {
  double rate = 0.1;
  std::vector<int> sizes{};
};
struct WithMuchElse {
  nn::Linear hidden;
  nn::Relu relu;
  nn::Dropout drop;
  nn::MaxPool2d pool;
  int width = 3;
  std::string name{};
  std::vector<double> history{};
  std::array<int, 2> kernel{};
  std::optional<double> momentum{};
  std::pair<int, double> pair{};
  std::function<double(double)> schedule{};
  std::shared_ptr<Tensor> shared{};
  std::any anything{};
  NotAPart<std::map<int, Tensor>> tables{};
  Options options{};
  NotAPart<Tensor> cache{};
  NotAPart<nn::Linear> teacher;
  LIKELY_PARTS(hidden)
};
static_assert(names_every_part<WithMuchElse>());

struct PartsFirst {
  LIKELY_PARTS(weight)
  Tensor weight;
};
static_assert(names_every_part<PartsFirst>());

// A type that holds itself.
struct Node {
  Tensor value;
  std::vector<Node> children;
  LIKELY_PARTS(value, children)
};
static_assert(holds_tensors<Node>() && names_every_part<Node>());
struct ForgetfulNode {
  Tensor value;
  std::vector<ForgetfulNode> children;
  LIKELY_PARTS(children)
};
static_assert(!names_every_part<ForgetfulNode>());

// With constructors or private members nothing can be seen: taken at its word.
class Closed {
 public:
  explicit Closed(Tensor start) : weight(std::move(start)) {}
  Tensor weight, forgotten;
  LIKELY_PARTS(weight)
};
static_assert(names_every_part<Closed>());

static_assert(holds_tensors<Tensor>() && holds_tensors<Buffer>() && holds_tensors<nn::BatchNorm>());
static_assert(holds_tensors<std::optional<Layer>>() && holds_tensors<std::vector<std::vector<Tensor>>>());
static_assert(!holds_tensors<nn::Relu>() && !holds_tensors<nn::Dropout>() && !holds_tensors<int>());
static_assert(!holds_tensors<nn::Sequential<nn::Relu, nn::Tanh>>() && !holds_tensors<NotAPart<Tensor>>());
static_assert(tensor_members<ForgotAnArrayOrTuple>() == 3);

TEST(ForgottenParts, WhatIsNoPartIsLeftAlone) {
  Rng rng(1);
  WithMuchElse model{.hidden = nn::Linear(2, 3, rng.split()),
                     .relu = {},
                     .drop = nn::Dropout(0.5),
                     .pool = nn::MaxPool2d(2),
                     .teacher = nn::Linear(2, 3, rng.split())};
  model.cache = tensor({1.0, 2.0});
  EXPECT_EQ(model.cache->size(), 2);
  const Tensor& seen = model.cache;
  EXPECT_EQ(seen.at({1}), 2.0);
  EXPECT_EQ((*model.teacher).weight.shape(), (Shape{3, 2}));
  EXPECT_EQ(count_numbers(model), 2 * 3 + 3);
}

}  // namespace
}  // namespace likely
