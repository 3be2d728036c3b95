#include "bench/likely_training.hpp"

#include <cmath>

#include "likely/likely.hpp"
#include "likely/models/vision/cnn.hpp"

namespace bench {

using namespace likely;

namespace {

// Parameters are numbered in the order of the model's parts, as on the other side.
template <class Model>
void set_parameters(Model& model) {
  std::uint64_t seed = 100;
  for_each_leaf(model, [&](Tensor& p, PartKind kind) {
    if (kind != PartKind::parameter) return;
    const double fan_in = static_cast<double>(p.size()) / static_cast<double>(p.dim(0));
    const double scale = p.rank() > 1 ? 1.0 / std::sqrt(fan_in) : 0.1;
    p = tensor(normals(p.size(), seed++, scale), p.shape());
  });
}

constexpr double kDrop = 0.5;

auto make_mlp(std::int64_t in, std::int64_t hidden) {
  Rng rng(1);
  const nn::LinearOptions relu{.activation = Activation::relu};
  return nn::Sequential{nn::Linear(in, hidden, relu, rng.split()),
                        nn::Linear(hidden, hidden, relu, rng.split()), nn::Linear(hidden, 10, rng.split())};
}

auto make_cnn(double drop) {
  Rng rng(1);
  return nn::Sequential{nn::Conv2d(1, 10, 5, rng.split()),
                        nn::MaxPool2d(2),
                        nn::Relu{},
                        nn::Conv2d(10, 20, 5, rng.split()),
                        nn::Dropout(drop),
                        nn::MaxPool2d(2),
                        nn::Relu{},
                        nn::Flatten{},
                        nn::Linear(320, 50, {.activation = Activation::relu}, rng.split()),
                        nn::Linear(50, 10, rng.split())};
}

// A residual block whose additions and relus are part of the normalizations.
struct Block {
  nn::Conv2d c1;
  nn::BatchNorm b1{32, {.relu = true}};
  nn::Conv2d c2;
  nn::BatchNorm b2{32, {.relu = true}};
  explicit Block(Rng rng)
      : c1(32, 32, 3, {.padding = 1, .bias = false}, rng.split()),
        c2(32, 32, 3, {.padding = 1, .bias = false}, rng.split()) {}
  Tensor operator()(const Tensor& x, const Training& training) {
    return b2(c2(b1(c1(x), training)), x, training);
  }
  LIKELY_PARTS(c1, b1, c2, b2)
};

auto make_residual_net() {
  Rng rng(1);
  std::vector<Block> body;
  for (int i = 0; i < 4; ++i) body.emplace_back(rng.split());
  return nn::Sequential{nn::Conv2d(3, 32, 3, {.padding = 1, .relu = true}, rng.split()), std::move(body),
                        nn::Apply{[](const Tensor& h) {
                          return mean(h, {2, 3});
                        }},
                        nn::Linear(32, 10, rng.split())};
}

// `make_optimizer(model, rate)` makes what steps the model. The numbers that both sides agree on are those of
// `checked`, which drops nothing.
template <class Model, class MakeOptimizer>
void train(Workloads& all, const char* name, Model model, Model checked, MakeOptimizer make_optimizer,
           const Tensor& x, const Tensor& y, double rate, double units = 1.0) {
  if (!all.wants(name)) return;
  const auto step = [x, y](Model& m, auto& optimizer, Rng& rng) {
    const Training training(rng.split());
    auto [loss, gradient] =
        value_and_grad(m, [&](Model& tracked) { return softmax_cross_entropy(tracked(x, training), y); });
    optimizer.step(m, gradient);
    return loss.item();
  };
  set_parameters(model);
  set_parameters(checked);
  all.add({name, units,
           [=, optimizer = make_optimizer(model, rate), rng = Rng(3)]() mutable {
             keep(step(model, optimizer, rng));
           },
           [=] {
             Model fresh = checked;
             auto optimizer = make_optimizer(fresh, kCheckRate);
             Rng rng(3);
             std::vector<double> result;
             for (int i = 0; i < kCheckSteps; ++i) result.push_back(step(fresh, optimizer, rng));
             for_each_leaf(fresh, [&](const Tensor& p, PartKind kind) {
               if (kind == PartKind::parameter) result.push_back(sum(p.to(DType::f64)).item());
             });
             return result;
           }});
}

}  // namespace

void add_training(Workloads& all) {
  const auto sgd = [](const auto& model, double rate) { return optim::Sgd(model, {.lr = rate}); };
  const auto momentum = [](const auto& model, double rate) {
    return optim::Sgd(model, {.lr = rate, .momentum = 0.9});
  };
  const auto adam = [](const auto& model, double rate) { return optim::Adam(model, {.lr = rate}); };

  const auto small = make_mlp(40, 100);
  const Tensor x1 = tensor(normals(100 * 40, 10), {100, 40});
  const Tensor y1 = tensor(labels(100, 10, 11));
  train(all, kB1, small, small, sgd, x1, y1, kSgdRate);
  train(all, kB2, small, small, momentum, x1, y1, kSgdRate);
  const auto large = make_mlp(784, 512);
  const Tensor x2 = tensor(normals(128 * 784, 12), {128, 784});
  const Tensor y2 = tensor(labels(128, 10, 13));
  train(all, kC1, large, large, adam, x2, y2, kAdamRate);
  train(all, kC2, large, large, sgd, x2, y2, kSgdRate);
  train(all, kD, make_cnn(kDrop), make_cnn(0.0), momentum, tensor(normals(64 * 28 * 28, 14), {64, 1, 28, 28}),
        tensor(labels(64, 10, 15)), kSgdRate);
  const auto adamw = [](const auto& model, double rate) { return optim::AdamW(model, {.lr = rate}); };
  train(all, kD2, vision::Cnn2d(Rng(1)), vision::Cnn2d({.dropout = 0.0}, Rng(1)), adamw,
        tensor(normals(100 * 28 * 28, 18), {100, 1, 28, 28}), tensor(labels(100, 10, 19)), kAdamRate,
        1.0 / kEpochSteps);
  const auto residual = make_residual_net();
  train(all, kE, residual, residual, sgd, tensor(normals(32 * 3 * 32 * 32, 16), {32, 3, 32, 32}),
        tensor(labels(32, 10, 17)), kSgdRate);
}

}  // namespace bench
