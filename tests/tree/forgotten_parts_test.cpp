// Members that hold tensors and are missing from LIKELY_PARTS are found when a model is compiled.
#include "likely/core/forgotten_parts.hpp"

#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "likely/core/create.hpp"
#include "likely/nn/nn.hpp"
#include "likely/tree/tree.hpp"

namespace likely {
namespace {

using detail::holds_tensors;
using detail::names_every_part;
using detail::tensor_members;

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

struct NamesTheBase : Layer {
  Tensor scale;
  LIKELY_PARTS(weight, bias, scale)
};
static_assert(names_every_part<NamesTheBase>());

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
