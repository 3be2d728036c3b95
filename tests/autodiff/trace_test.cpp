#include "likely/autodiff/trace.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <string>
#include <thread>

#include "likely/autodiff/gradient.hpp"
#include "likely/core/create.hpp"
#include "likely/ops/arithmetic.hpp"
#include "likely/ops/compare.hpp"
#include "likely/ops/math.hpp"
#include "likely/ops/matmul.hpp"
#include "likely/ops/reduce.hpp"
#include "likely/ops/view.hpp"
#include "tests/support/check_gradients.hpp"

namespace likely {
namespace {

using testing::expect_refusal;

struct Layer {
  Tensor weight;
  LIKELY_PARTS(weight)
};
struct Model {
  Layer encoder;
  Layer out;
  LIKELY_PARTS(encoder, out)
};

TEST(TraceNonFinite, NamesOperationLayerAndStep) {
  const Model model{{tensor({1.0, 2.0})}, {tensor({0.0, 1.0})}};
  const TraceNonFinite trace;
  grad(model, [](const Model& m) { return sum(m.encoder.weight); });
  expect_refusal(
      [&] { grad(model, [](const Model& m) { return sum(log(exp(m.encoder.weight) * m.out.weight)); }); },
      "[log] made an infinity after layer \"out\" at step 2: output (2,), inputs finite");
}

// The tracer knows whose tensors an operation takes. What comes behind, a loss perhaps, is not blamed on the
// layer before it.
TEST(TraceNonFinite, BlamesALayerOnlyForWhatItDoesWithItsOwnTensors) {
  const Model model{{tensor({{1.0, 2.0}})}, {tensor({{-1.0, 4.0}})}};
  const Tensor x = tensor({{3.0}, {1.0}});
  const auto expect = [&](const auto& loss, const std::string& message) {
    const TraceNonFinite trace(TraceNonFinite::kStepsNotCounted);
    expect_refusal([&] { grad(model, loss); }, message);
  };
  // Of two layers: the second's own weight, also where the operation has it first, or as a view.
  expect([&](const Model& m) { return sum(pow(m.out.weight, matmul(x, m.encoder.weight) * 0.5)); },
         "[pow] made NaN in layer \"out\": output (2, 2), inputs finite");
  expect(
      [&](const Model& m) {
        return sum(pow(transpose(m.out.weight) * 1.0, transpose(matmul(x, m.encoder.weight)) * 0.5));
      },
      "[pow] made NaN in layer \"out\": output (2, 2), inputs finite");
  // What is done with its output, in the loss.
  expect([&](const Model& m) { return sum(log(matmul(x, m.encoder.weight) * m.out.weight)); },
         "[log] made NaN after layer \"out\": output (2, 2), inputs finite");
  // With a single layer, too.
  expect([&](const Model& m) { return sum(log(-matmul(x, m.encoder.weight))); },
         "[log] made NaN after layer \"encoder\": output (2, 2), inputs finite");
  // And by the rule of a gradient.
  expect([&](const Model& m) { return sum(sqrt(matmul(x, m.encoder.weight) * 0.0 + m.out.weight * 0.0)); },
         "[sqrt] its gradient rule made an infinity after layer \"out\": gradient (2, 2) out of a finite "
         "one");
  expect([&](const Model& m) { return sum(sqrt(m.out.weight * 0.0)) + sum(matmul(x, m.encoder.weight)); },
         "[sqrt] its gradient rule made an infinity in layer \"out\": gradient (1, 2) out of a finite one");
}

TEST(TraceNonFinite, NamesARuleThatMakesOne) {
  const TraceNonFinite trace;
  expect_refusal(
      [] {
        grad(tensor({0.0, 1.0}), [](const Tensor& x) { return sum(sqrt(x)); });
      },
      "[sqrt] its gradient rule made an infinity at step 1: gradient (2,) out of a finite one");
}

TEST(TraceNonFinite, NanOutOfInfinitiesIsNews) {
  const TraceNonFinite trace;
  expect_refusal(
      [] {
        grad(tensor({1.0}), [](const Tensor& x) {
          const Tensor masked = masked_fill(x, tensor({true}), INFINITY);
          return sum(masked - masked);
        });
      },
      "[subtract] made NaN at step 1: output (1,), inputs held infinities");
}

TEST(TraceNonFinite, MasksArePermitted) {
  const TraceNonFinite trace;
  const Tensor mask = tensor({true, false});
  const Tensor gradient =
      grad(tensor({1.0, 2.0}), [&](const Tensor& x) { return logsumexp(masked_fill(x, mask, -INFINITY)); });
  EXPECT_TRUE(allclose(gradient, tensor({0.0, 1.0})));
}

TEST(TraceNonFinite, IsSilentOutsideItsScope) {
  { const TraceNonFinite trace; }
  const Tensor gradient = grad(tensor({0.0}), [](const Tensor& x) { return sum(sqrt(x)); });
  EXPECT_TRUE(std::isinf(gradient.at({0})));
}

// Two threads take the same gradient, and only one of them is looked at.
TEST(TraceNonFinite, LeavesOtherThreadsAlone) {
  const char* wish = std::getenv("LIKELY_TRACE_NAN");
  if (wish != nullptr && std::string(wish) == "1") GTEST_SKIP() << "the whole program is traced";
  const auto bad = [] { return grad(tensor({0.0}), [](const Tensor& x) { return sum(log(x)); }); };
  const TraceNonFinite trace;
  bool quiet = false;
  std::thread([&] { quiet = std::isinf(bad().at({0})); }).join();
  EXPECT_TRUE(quiet);
  EXPECT_THROW(bad(), Error);
}

// Run once as it is and once with LIKELY_TRACE_NAN=1 (tests/CMakeLists.txt).
TEST(TraceEnvironment, TheVariableTracesAWholeProgram) {
  const char* wish = std::getenv("LIKELY_TRACE_NAN");
  const auto bad = [] { grad(tensor({0.0}), [](const Tensor& x) { return sum(log(x)); }); };
  if (wish != nullptr && std::string(wish) == "1") {
    EXPECT_THROW(bad(), Error);
  } else {
    EXPECT_NO_THROW(bad());
  }
}

}  // namespace
}  // namespace likely
