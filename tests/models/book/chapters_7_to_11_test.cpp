// What the written-out functions of chapters 7 to 11 refuse, and their behaviour at the edges. What they
// compute is compared with the textbook's formulas in tests/equations.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "likely/likely.hpp"
#include "likely/models/book/chapter_07/backpropagation.hpp"
#include "likely/models/book/chapter_07/toy_function.hpp"
#include "likely/models/book/chapter_08/ball.hpp"
#include "likely/models/book/chapter_09/bayesian_linear.hpp"
#include "likely/models/book/chapter_09/gradient_flow.hpp"
#include "likely/models/book/chapter_10/convolution_matrix.hpp"
#include "likely/models/book/chapter_10/symmetry.hpp"
#include "likely/models/book/chapter_11/batch_normalization.hpp"
#include "likely/models/book/chapter_11/residual_paths.hpp"
#include "tests/support/check_gradients.hpp"

namespace likely {
namespace {

using testing::check_gradients;
using testing::expect_refusal;
using testing::numbers;

TEST(BookToyFunction, RefusesOtherNumbersOfParameters) {
  const book::ToyFunction f{zeros({4}), zeros({3})};
  expect_refusal([&] { f(zeros({2})); }, "[ToyFunction] beta and omega must have shape (4,), got (3,)");
}

TEST(BookToyFunction, CanBeTrained) {
  book::ToyFunction f{tensor({0.1, 0.2, 0.3, 0.4}), tensor({0.5, 0.4, 0.3, 0.2})};
  const Tensor x = linspace(-1.0, 1.0, 20);
  const book::ToyFunction wanted{tensor({0.3, 0.1, 0.5, 0.2}), tensor({0.9, 0.6, 0.4, 0.7})};
  const auto loss = [&](const book::ToyFunction& m) { return mean(square(m(x) - wanted(x))); };
  const double before = loss(f).item();
  const optim::Minimum end = optim::Lbfgs().minimize(f, loss);
  EXPECT_LT(end.loss, 0.01 * before);
}

TEST(BookBackpropagation, RefusesWhatItIsNotWrittenFor) {
  book::DeepNetwork network(2, {3}, 1, {.dtype = DType::f64}, Rng(1));
  const Tensor x = numbers({4, 2}), y = numbers({4, 1});
  expect_refusal([&] { book::backpropagate(network, x, numbers({4}), book::squared_error); },
                 "[backpropagation] y has shape (4,), the output (4, 1)");
  expect_refusal([&] { book::forward_pass(network, numbers({2})); },
                 "[backpropagation] x must be (examples, inputs), got shape (2,)");
  expect_refusal([&] { book::backward_pass(network, {}, y); },
                 "[backpropagation] the forward pass is of 0 layers, not of 2");
  expect_refusal([&] { book::backward_pass(network, book::forward_pass(network, x), x); },
                 "[backpropagation] d_output has shape (4, 2), the output (4, 1)");
  network.layers[0].activation = Activation::tanh;
  expect_refusal([&] { book::forward_pass(network, x); },
                 "[backpropagation] hidden layers must have the activation relu, layer 0 has tanh");
}

// The passes are made of likely's operations, so they can be differentiated themselves.
TEST(BookBackpropagation, GivesSecondDerivatives) {
  const book::DeepNetwork network(2, {3, 3}, 1, {.dtype = DType::f64}, Rng(1));
  const Tensor y = numbers({4, 1}, 1.0, 2);
  check_gradients("d_omega",
                  [&](const auto& in) {
                    return book::backpropagate(network, in[0], y, book::squared_error).backward.d_omega[1];
                  },
                  {numbers({4, 2}, 1.0, 1)}, {.second = false});
}

TEST(BookBall, VolumesAtTheEdges) {
  EXPECT_EQ(book::ball_volume(0, 3.0), 1.0);
  EXPECT_EQ(book::ball_volume(5, 0.0), 0.0);
  EXPECT_LT(book::ball_volume(200), 1e-100);
  EXPECT_TRUE(std::isfinite(book::log_ball_volume(1000000)));
  EXPECT_NEAR(book::shell_share(1, 0.1), 0.1, 1e-15);
  EXPECT_NEAR(book::shell_share(3, 0.5), 1.0 - 0.125, 1e-15);
  EXPECT_NEAR(book::shell_share(10, 0.1), 1.0 - book::ball_volume(10, 0.9) / book::ball_volume(10), 1e-12);
  EXPECT_EQ(book::shell_share(4, 1.0), 1.0);
  EXPECT_EQ(book::shell_share(0, 1.0), 0.0);
  expect_refusal([] { book::ball_volume(-1); }, "[ball_volume] dimensions must be at least 0, got -1");
  expect_refusal([] { book::ball_volume(2, -1.0); },
                 "[ball_volume] radius must be finite and at least 0, got -1");
  expect_refusal([] { book::shell_share(2, 1.5); }, "[shell_share] thickness must lie in [0, 1], got 1.5");
  expect_refusal([] { book::shell_share(-2, 0.5); }, "[shell_share] dimensions must be at least 0, got -2");
}

TEST(BookGradientFlow, Refusals) {
  const book::Field g = [](const Tensor& phi) { return -phi; };
  expect_refusal([&] { book::flow(g, ones({2}), 1.0, 0); }, "[flow] steps must be at least 1, got 0");
  expect_refusal([&] { book::flow(g, ones({2}), std::numeric_limits<double>::infinity()); },
                 "[flow] time must be finite, got inf");
}

TEST(BookBayesianLinear, WithoutDataKnowsThePriorAlone) {
  const book::BayesianLinear known =
      book::bayesian_linear(zeros({0, 2}, DType::f64), zeros({0}, DType::f64), {.noise = 0.5, .prior = 2.0});
  EXPECT_TRUE(allclose(known.posterior.location, zeros({2}, DType::f64)));
  EXPECT_TRUE(allclose(known.posterior.variance(), full({2}, 4.0, DType::f64)));
  EXPECT_NEAR(known.log_evidence, 0.0, 1e-12);
  // At several places at once: the deviation is that of the noise and of what is not known of phi.
  const Normal at = known.predict(tensor({{1.0, 0.0}, {3.0, 4.0}}, DType::f64));
  EXPECT_TRUE(allclose(at.scale, tensor({std::sqrt(4.25), std::sqrt(100.25)}, DType::f64)));
}

TEST(BookBayesianLinear, Refusals) {
  const Tensor x = zeros({3, 2}, DType::f64), y = zeros({3}, DType::f64);
  expect_refusal([&] { book::bayesian_linear(x, y, {.noise = 0.0}); },
                 "[bayesian_linear] noise must be finite and above 0, got 0");
  expect_refusal([&] { book::bayesian_linear(x, y, {.prior = -1.0}); },
                 "[bayesian_linear] prior must be finite and above 0, got -1");
  expect_refusal([&] { book::bayesian_linear(x, zeros({4}, DType::f64)); },
                 "[bayesian_linear] x must be (examples, features) and y (examples,), got (3, 2) and (4,)");
}

TEST(BookSymmetry, RefusesOutputsThatCannotBeCompared) {
  const book::TensorMap half = [](const Tensor& x) { return slice(x, 0, {0, 2}); };
  const book::TensorMap longer = [](const Tensor& x) { return concat({x, x}); };
  expect_refusal([&] { book::equivariance_gap(half, longer, ones({3})); },
                 "[equivariance_gap] shapes differ: (2,) and (4,)");
}

TEST(BookConvolutionMatrix, RefusesWhatIsNoKernel) {
  expect_refusal(
      [] {
        book::convolution_matrix(zeros({1, 3}), 5);
      },
      "[convolution_matrix] the kernel must be a vector, got shape (1, 3)");
}

TEST(BookResidualPaths, Refusals) {
  const book::Layer same = [](const Tensor& h) { return h * 0.5; };
  const book::Layer shorter = [](const Tensor& h) { return slice(h, 0, {0, 1}); };
  expect_refusal([&] { book::residual_states({}, ones({2})); }, "[residual_states] there are no layers");
  expect_refusal(
      [&] {
        book::residual_states({same}, ones({2, 2}));
      },
      "[residual_states] x must be a vector, got shape (2, 2)");
  expect_refusal(
      [&] {
        book::residual_states({same, shorter}, ones({2}));
      },
      "[residual_states] layer 2 makes shape (1,) of (2,)");
  expect_refusal([&] { book::residual_paths(std::vector<book::Layer>(17, same), ones({2})); },
                 "[residual_paths] 17 layers have too many paths, at most 16 are walked");
  expect_refusal([&] { book::sequential_states({}, ones({2})); }, "[sequential_states] there are no layers");
}

TEST(BookResidualPaths, OneAfterTheOtherMayChangeTheSize) {
  const book::Layer longer = [](const Tensor& h) { return concat({h, h * 2.0}); };
  const Tensor derivative = book::sequential_derivative({longer, longer}, ones({1}, DType::f64));
  EXPECT_TRUE(array_equal(derivative, tensor({{1.0, 0.0, 2.0, 0.0}, {0.0, 1.0, 0.0, 2.0}}, DType::f64)));
}

TEST(BookBatchNormalization, Refusals) {
  const Tensor z = zeros({4, 2}), two = ones({2});
  expect_refusal([&] { book::batch_norm_steps(two, two, two); },
                 "[batch_norm_steps] z must be (batch, channels), got shape (2,)");
  expect_refusal([&] { book::batch_norm_steps(z, ones({3}), two); },
                 "[batch_norm_steps] gamma and delta must have shape (2,), got (3,)");
  expect_refusal([&] { book::batch_norm_steps(z, two, two, -1.0); },
                 "[batch_norm_steps] epsilon must be finite and at least 0, got -1");
  expect_refusal([&] { book::batch_norm_slopes(book::batch_norm_steps(z, two, two), two, two); },
                 "[batch_norm_slopes] d_y has shape (2,), y has (4, 2)");
  expect_refusal([&] { book::standardized_as_printed(two); },
                 "[standardized_as_printed] h must be (batch, channels), got shape (2,)");
  expect_refusal([&] { book::standardized_as_printed(z, std::numeric_limits<double>::infinity()); },
                 "[standardized_as_printed] epsilon must be finite and at least 0, got inf");
}

}  // namespace
}  // namespace likely
