// Hot: what is measured does not wait for what measures it.
// The workloads that `likely bench` measures.
#include <memory>
#include <tuple>
#include <utility>

#include "likely/autodiff/gradient.hpp"
#include "likely/core/create.hpp"
#include "likely/models/machine/machine.hpp"
#include "likely/nn/linear.hpp"
#include "likely/nn/sequential.hpp"
#include "likely/ops/activation.hpp"
#include "likely/ops/arithmetic.hpp"
#include "likely/ops/convolution.hpp"
#include "likely/ops/loss.hpp"
#include "likely/ops/math.hpp"
#include "likely/ops/matmul.hpp"
#include "likely/ops/reduce.hpp"
#include "likely/ops/rng.hpp"
#include "likely/optim/adam.hpp"

namespace likely::machine {

namespace {

constexpr std::int64_t kMillion = 1'000'000;

// What a call returns is used up by being stored here: no compiler may leave the call out.
template <class Value>
void keep(Value&& value) {
  [[maybe_unused]] static thread_local std::remove_cvref_t<Value> kept;
  kept = std::forward<Value>(value);
}

// `make` is called once, before the first measurement, and gives what is then repeated.
std::function<void(std::int64_t)> prepared(std::function<std::function<void()>()> make) {
  return [make = std::move(make), ready = std::make_shared<std::function<void()>>()](std::int64_t count) {
    if (!*ready) *ready = make();
    for (std::int64_t i = 0; i < count; ++i) (*ready)();
  };
}

std::function<double(double)> per_second(double amount) {
  return [amount](double seconds) { return amount / seconds; };
}
std::function<double(double)> time_each(double scale, double pieces = 1.0) {
  return [scale, pieces](double seconds) { return seconds * scale / pieces; };
}

void add_overheads(std::vector<Workload>& all) {
  all.push_back({"op", "x * w + b with 4 numbers each", "ns an op", prepared([] {
                   Rng rng(1);
                   return
                       [x = rng.normal({4}), w = rng.normal({4}), b = rng.normal({4})] { keep(x * w + b); };
                 }),
                 time_each(1e9, 2)});
  all.push_back({"gradient", "the gradient of a sum of 5 x sigmoid(tanh(h w + b)), 16 numbers each",
                 "ns an op", prepared([] {
                   Rng rng(2);
                   const std::tuple point(rng.normal({16}), rng.normal({16}), rng.normal({16}));
                   return [point] {
                     keep(std::get<0>(grad(point, [](const Tensor& x, const Tensor& w, const Tensor& b) {
                       Tensor h = x;
                       for (int k = 0; k < 5; ++k) h = sigmoid(tanh(h * w + b));
                       return sum(h);
                     })));
                   };
                 }),
                 time_each(1e9, 21)});
}

void add_products(std::vector<Workload>& all) {
  const auto product = [&](const char* name, const char* what, std::int64_t n, DType dtype) {
    all.push_back({name, what, "GFLOP/s", prepared([n, dtype] {
                     Rng rng(3);
                     return [a = rng.normal({n, n}, 0, 1, dtype), b = rng.normal({n, n}, 0, 1, dtype)] {
                       keep(matmul(a, b));
                     };
                   }),
                   per_second(2e-9 * static_cast<double>(n * n * n))});
  };
  product("product 128", "matrices of 128 x 128, f32", 128, DType::f32);
  product("product 1024", "matrices of 1024 x 1024, f32", 1024, DType::f32);
  product("product f64", "matrices of 1024 x 1024, f64", 1024, DType::f64);
  all.push_back({"convolution", "3 x 3, 32 to 32 channels, 16 pictures of 28 x 28", "GFLOP/s", prepared([] {
                   Rng rng(4);
                   return [x = rng.normal({16, 32, 28, 28}), w = rng.normal({32, 32, 3, 3})] {
                     keep(conv2d(x, w, {}, {.padding = kSame}));
                   };
                 }),
                 per_second(2e-9 * 16 * 32 * 32 * 9 * 28 * 28)});
}

void add_elements(std::vector<Workload>& all) {
  all.push_back({"add", "16 million + 16 million f32", "GB/s", prepared([] {
                   return [a = ones({16 * kMillion}), b = ones({16 * kMillion})] { keep(a + b); };
                 }),
                 per_second(1e-9 * 3 * 4 * 16 * kMillion)});
  all.push_back({"exp", "of a million f32", "million/s", prepared([] {
                   Rng rng(5);
                   return [x = rng.normal({kMillion})] { keep(exp(x)); };
                 }),
                 per_second(1)});
  const auto draw = [&](const char* name, const char* what, Tensor (*once)(Rng&)) {
    all.push_back({name, what, "million/s",
                   prepared([once] { return [once, rng = std::make_shared<Rng>(6)] { keep(once(*rng)); }; }),
                   per_second(1)});
  };
  draw("uniform", "a million random f32", [](Rng& rng) { return rng.uniform({kMillion}); });
  draw("normal", "a million random f32", [](Rng& rng) { return rng.normal({kMillion}); });
}

void add_learning(std::vector<Workload>& all) {
  all.push_back({"cross-entropy", "softmax loss and gradient, 1024 rows of 1000 classes", "million/s",
                 prepared([] {
                   Rng rng(7);
                   return [x = rng.normal({1024, 1000}), y = rng.randint(0, 1000, {1024})] {
                     keep(value_and_grad(x, [&](const Tensor& logits) {
                            return softmax_cross_entropy(logits, y);
                          }).gradient);
                   };
                 }),
                 per_second(1.024)});
  all.push_back({"step", "Adam on a network 784-512-512-10, 100 rows", "us a step", prepared([] {
                   Rng rng(8);
                   using Mlp = nn::Sequential<nn::Linear, nn::Linear, nn::Linear>;
                   const nn::LinearOptions relu{.activation = Activation::relu};
                   auto model = std::make_shared<Mlp>(nn::Linear(784, 512, relu, rng.split()),
                                                      nn::Linear(512, 512, relu, rng.split()),
                                                      nn::Linear(512, 10, rng.split()));
                   return [model, adam = std::make_shared<optim::Adam>(*model), x = rng.normal({100, 784}),
                           y = rng.randint(0, 10, {100})] {
                     const auto result =
                         value_and_grad(*model, [&](const Mlp& m) { return softmax_cross_entropy(m(x), y); });
                     adam->step(*model, result.gradient);
                   };
                 }),
                 time_each(1e6)});
}

}  // namespace

std::vector<Workload> workloads() {
  std::vector<Workload> all;
  add_overheads(all);
  add_products(all);
  add_elements(all);
  add_learning(all);
  return all;
}

}  // namespace likely::machine
