// What a gradient makes of the parts of a model: buffers, empty parts, frozen parts, nothing to learn.
#include <gtest/gtest.h>

#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "likely/autodiff/gradient.hpp"
#include "likely/core/create.hpp"
#include "likely/ops/arithmetic.hpp"
#include "likely/ops/reduce.hpp"
#include "likely/tree/tree.hpp"
#include "tests/support/check_gradients.hpp"

namespace likely {
namespace {

using testing::expect_refusal;

struct Model {
  Tensor scale;  // empty
  Tensor w;
  Buffer done;
  LIKELY_PARTS(scale, w, done)
};

Model model() { return {.scale = {}, .w = tensor({1.0, 2.0}), .done = Buffer(tensor({7.0}))}; }

TEST(GradientParts, ALossThatFillsAnEmptyParameterIsRefused) {
  Model m = model();
  expect_refusal(
      [&] {
        grad(m, [](Model& at) {
          at.scale = tensor({3.0});
          at.done = at.done + 1.0;
          return sum(at.w) * at.scale;
        });
      },
      "[value_and_grad] the function put floating numbers into the part \"scale\", which had none: fill it "
      "before, or declare it a Buffer");
  // Nothing has been changed.
  EXPECT_FALSE(m.scale.defined());
  EXPECT_EQ(m.done.item(), 7.0);
}

struct Lazy {
  Buffer first;  // empty
  Tensor w;
  Buffer count;
  Tensor labels;  // empty
  LIKELY_PARTS(first, w, count, labels)
};

TEST(GradientParts, ALossMayFillEmptyBuffers) {
  Lazy m{.first = {}, .w = tensor({1.0, 2.0}), .count = Buffer(tensor({0})), .labels = {}};
  const auto loss = [](Lazy& at) {
    at.first = at.w * 10.0;
    at.count = at.count + 1;
    at.labels = tensor({4, 5});
    return sum(at.w * at.w);
  };
  for (int step = 1; step <= 2; ++step) {
    const Lazy gradient = grad(m, loss);
    EXPECT_EQ(m.first.to_vector<float>(), (std::vector<float>{10.0F, 20.0F}));
    EXPECT_EQ(m.count.to_vector<std::int64_t>(), (std::vector<std::int64_t>{step}));
    EXPECT_EQ(m.labels.to_vector<std::int64_t>(), (std::vector<std::int64_t>{4, 5}));
    EXPECT_EQ(gradient.w.to_vector<float>(), (std::vector<float>{2.0F, 4.0F}));
    EXPECT_EQ(m.first.track().tape, 0U);
  }
}

TEST(GradientParts, ALossMayEmptyABuffer) {
  Lazy m{.first = Buffer(tensor({1.0})), .w = tensor({1.0, 2.0}), .count = Buffer(tensor({3})), .labels = {}};
  const Lazy gradient = grad(m, [](Lazy& at) {
    at.first = Buffer();
    return sum(at.w);
  });
  EXPECT_FALSE(m.first.defined());
  EXPECT_EQ(m.count.item(), 3.0);
  EXPECT_EQ(gradient.w.to_vector<float>(), (std::vector<float>{1.0F, 1.0F}));
}

// Buffers go back to their places, not in their order: what was learned is no buffer, whatever it holds now.
TEST(GradientParts, ALossMayPutWholeNumbersWhereItLearned) {
  Lazy m{.first = {}, .w = tensor({1.0, 2.0}), .count = Buffer(tensor({3})), .labels = {}};
  const Lazy gradient = grad(m, [](Lazy& at) {
    const Tensor loss = sum(at.w * at.w);
    at.w = tensor({8, 9});
    at.count = at.count + 1;
    return loss;
  });
  EXPECT_FALSE(m.first.defined());
  EXPECT_EQ(m.w.to_vector<float>(), (std::vector<float>{1.0F, 2.0F}));
  EXPECT_EQ(m.count.to_vector<std::int64_t>(), (std::vector<std::int64_t>{4}));
  EXPECT_FALSE(m.labels.defined());
  EXPECT_EQ(gradient.w.to_vector<float>(), (std::vector<float>{2.0F, 4.0F}));
}

struct Queue {
  std::vector<Buffer> waiting;
  std::optional<Buffer> current;
  Buffer total;
  std::vector<Buffer> done;
  Tensor w;
  LIKELY_PARTS(waiting, current, total, done, w)
};

// As many tensors as before, at other places.
TEST(GradientParts, ALossThatMovesTensorsBetweenVectorsIsRefused) {
  const Queue start{.waiting = {Buffer(tensor({7.0}))},
                    .current = Buffer(tensor({8.0})),
                    .total = Buffer(tensor({0.0})),
                    .done = {},
                    .w = tensor({1.0})};
  const std::string message =
      "[value_and_grad] the function changed how many elements the model's vectors and optionals have";
  const auto refused = [&](const auto& change) {
    Queue m = start;
    expect_refusal(
        [&] {
          grad(m, [&](Queue& at) {
            change(at);
            at.total = at.total + 1.0;
            return sum(at.w);
          });
        },
        message);
    EXPECT_EQ(m.total.item(), 0.0);
    EXPECT_EQ(m.waiting[0].item(), 7.0);
  };
  refused([](Queue& at) {
    at.done.push_back(at.waiting.back());
    at.waiting.pop_back();
  });
  refused([](Queue& at) {
    at.done.push_back(*at.current);
    at.current.reset();
  });
  Queue m = start;
  grad(m, [](Queue& at) {
    std::swap(at.waiting[0], *at.current);
    at.total = at.total + 1.0;
    return sum(at.w);
  });
  EXPECT_EQ(m.waiting[0].item(), 8.0);
  EXPECT_EQ(m.current->item(), 7.0);
  EXPECT_EQ(m.total.item(), 1.0);
}

struct Growing {
  Tensor w;
  std::vector<Buffer> seen;
  std::optional<Buffer> last;
  LIKELY_PARTS(w, seen, last)
};

TEST(GradientParts, ALossThatChangesTheNumberOfTensorsIsRefused) {
  Growing m{.w = tensor({1.0}), .seen = {Buffer(tensor({1}))}, .last = std::nullopt};
  const std::string message =
      "[value_and_grad] the function changed the number of the model's tensors from 2 to ";
  expect_refusal(
      [&] {
        grad(m, [](Growing& at) {
          at.seen.emplace_back(tensor({2}));
          return sum(at.w);
        });
      },
      message + "3");
  expect_refusal(
      [&] {
        grad(m, [](Growing& at) {
          at.last = Buffer(tensor({2}));
          return sum(at.w);
        });
      },
      message + "3");
  expect_refusal(
      [&] {
        grad(m, [](Growing& at) {
          at.seen.clear();
          return sum(at.w);
        });
      },
      message + "1");
  EXPECT_EQ(m.seen.size(), 1U);
}

struct Nothing {
  Buffer running;
  Tensor labels;
  LIKELY_PARTS(running, labels)
};

TEST(GradientParts, NothingToLearnIsRefused) {
  const std::string none =
      "[gradient] there is nothing to learn: the point has no parameter with floating numbers";
  const std::string moved =
      "[gradient] there is nothing to learn: all tensors of the point are empty; was it moved from?";
  const auto one = [](const auto&...) { return tensor(1.0); };
  expect_refusal([&] { grad(tensor({1, 2}), one); }, none);
  expect_refusal([&] { grad(tensor({true}), one); }, none);
  expect_refusal([&] { grad(std::tuple(tensor({1}), tensor({2})), one); }, none);
  expect_refusal([&] { grad(Nothing{Buffer(tensor({1.0})), tensor({1})}, one); }, none);
  expect_refusal([&] { vjp(tensor({1, 2}), one); }, none);
  expect_refusal([&] { hessian(tensor({1, 2}), one); }, none);
  expect_refusal([&] { grad(Tensor(), one); }, moved);
  expect_refusal([&] { grad(std::vector<Tensor>(), one); },
                 "[gradient] there is nothing to learn: the point holds no tensors");

  Model m = model();
  const Model taken = std::move(m);
  expect_refusal([&] { grad(m, one); }, moved);  // NOLINT(bugprone-use-after-move): that is the test
  EXPECT_EQ(taken.w.size(), 2);
}

TEST(GradientParts, AllFrozenIsAllowedAndHasNoGradient) {
  Model m = model();
  freeze(m);
  const auto [value, gradient] = value_and_grad(m, [](const Model& at) { return sum(at.w * at.w); });
  EXPECT_EQ(value.item(), 5.0);
  EXPECT_EQ(gradient.w.to_vector<float>(), (std::vector<float>{0.0F, 0.0F}));
}

struct Two {
  Tensor a, b;
  LIKELY_PARTS(a, b)
};

// b is frozen: derivatives are those of the function of a alone.
TEST(GradientParts, FrozenPartsAreLeftOutOfHigherDerivatives) {
  const auto f = [](const Two& at) { return sum(at.a * at.a * at.b * at.b); };
  Two m{tensor({3.0}, DType::f64), tensor({2.0}, DType::f64)};
  freeze(m.b);
  const Two direction{tensor({1.0}, DType::f64), tensor({5.0}, DType::f64)};
  EXPECT_DOUBLE_EQ(jvp(m, direction, f).tangent.item(), 2 * 3.0 * 4.0);
  const Two product = hvp(m, direction, f);
  EXPECT_DOUBLE_EQ(product.a.item(), 2 * 4.0);
  EXPECT_DOUBLE_EQ(product.b.item(), 0.0);
  // Whether the direction is frozen does not matter.
  Two marked = direction;
  freeze(marked.a);
  EXPECT_DOUBLE_EQ(hvp(m, marked, f).a.item(), 2 * 4.0);
}

// A tensor on its own is no part of a model.
TEST(GradientParts, TheValueOfAFrozenPartHasAGradient) {
  Two m{tensor({3.0}), tensor({2.0})};
  freeze(m);
  const Tensor value = m.a;
  EXPECT_EQ(grad(value, [](const Tensor& x) { return sum(x * x); }).item(), 6.0);
  EXPECT_EQ(vjp(m.a, [](const Tensor& x) { return x * x; }).pull_back(tensor({1.0})).item(), 6.0);
  EXPECT_EQ(hvp(m.a, tensor({1.0}), [](const Tensor& x) { return sum(x * x); }).item(), 2.0);
}

}  // namespace
}  // namespace likely
