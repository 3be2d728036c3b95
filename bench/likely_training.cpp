#include "bench/likely_training.hpp"

#include <cmath>

#include "likely/likely.hpp"

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

struct Dense {
  Tensor weight, bias;
  Dense(std::int64_t in, std::int64_t out) : weight(zeros({out, in})), bias(zeros({out})) {}
  Tensor operator()(const Tensor& x, Activation activation = Activation::none) const {
    return linear(x, weight, bias, activation);
  }
  LIKELY_PARTS(weight, bias)
};

struct Mlp {
  std::vector<Dense> layers;
  explicit Mlp(const std::vector<std::int64_t>& widths) {
    for (std::size_t i = 0; i + 1 < widths.size(); ++i) layers.emplace_back(widths[i], widths[i + 1]);
  }
  Tensor operator()(const Tensor& x, Rng&, double) const {
    Tensor h = x;
    for (std::size_t i = 0; i < layers.size(); ++i) {
      h = layers[i](h, i + 1 < layers.size() ? Activation::relu : Activation::none);
    }
    return h;
  }
  LIKELY_PARTS(layers)
};

struct Convolution {
  Tensor weight, bias;
  Convolution(std::int64_t in, std::int64_t out, std::int64_t size, bool with_bias = true)
      : weight(zeros({out, in, size, size})), bias(with_bias ? zeros({out}) : Tensor()) {}
  Tensor operator()(const Tensor& x, const Conv2dOptions& options = {}) const {
    return conv2d(x, weight, bias, options);
  }
  LIKELY_PARTS(weight, bias)
};

struct Cnn {
  Convolution first{1, 10, 5}, second{10, 20, 5};
  Dense hidden{320, 50}, out{50, 10};
  Tensor operator()(const Tensor& x, Rng& rng, double drop) const {
    Tensor h = relu(max_pool2d(first(x), 2));
    h = second(h);
    if (drop > 0) h = dropout(h, drop, rng.split());
    h = relu(max_pool2d(h, 2));
    return out(hidden(flatten(h, 1), Activation::relu));
  }
  LIKELY_PARTS(first, second, hidden, out)
};

struct BatchNorm {
  Tensor weight, bias;
  ChannelStatistics running;
  explicit BatchNorm(std::int64_t channels)
      : weight(zeros({channels})), bias(zeros({channels})), running(ChannelStatistics::standard(channels)) {}
  Tensor operator()(const Tensor& x, const BatchNormOptions& options) {
    auto [y, next] = batch_norm(x, weight, bias, running, true, options);
    running = next;
    return y;
  }
  LIKELY_PARTS(weight, bias, running)
};

struct Block {
  Convolution c1{32, 32, 3, false};
  BatchNorm b1{32};
  Convolution c2{32, 32, 3, false};
  BatchNorm b2{32};
  Tensor operator()(const Tensor& x) {
    const Tensor h = b1(c1(x, {.padding = 1}), {.relu = true});
    return b2(c2(h, {.padding = 1}), {.relu = true, .residual = x});
  }
  LIKELY_PARTS(c1, b1, c2, b2)
};

struct Residual {
  Convolution stem{3, 32, 3};
  std::vector<Block> body = std::vector<Block>(4);
  Dense out{32, 10};
  Tensor operator()(const Tensor& x, Rng&, double) {
    Tensor h = stem(x, {.padding = 1, .relu = true});
    for (Block& block : body) h = block(h);
    return out(mean(h, {2, 3}));
  }
  LIKELY_PARTS(stem, body, out)
};

// `make_optimizer(model, rate)` makes what steps the model.
template <class Model, class MakeOptimizer>
void train(std::vector<Workload>& all, const char* name, const Model& untrained, MakeOptimizer make_optimizer,
           const Tensor& x, const Tensor& y, double rate) {
  const auto step = [x, y](Model& model, auto& optimizer, Rng& rng, double drop) {
    auto [loss, gradient] =
        value_and_grad(model, [&](Model& m) { return softmax_cross_entropy(m(x, rng, drop), y); });
    optimizer.step(model, gradient);
    return loss.item();
  };
  Model model = untrained;
  set_parameters(model);
  all.push_back({name, 1.0,
                 [=, optimizer = make_optimizer(model, rate), rng = Rng(3)]() mutable {
                   keep(step(model, optimizer, rng, 0.5));
                 },
                 [=] {
                   Model fresh = untrained;
                   set_parameters(fresh);
                   auto optimizer = make_optimizer(fresh, kCheckRate);
                   Rng rng(3);
                   std::vector<double> result;
                   for (int i = 0; i < kCheckSteps; ++i) result.push_back(step(fresh, optimizer, rng, 0.0));
                   for_each_leaf(fresh, [&](const Tensor& p, PartKind kind) {
                     if (kind == PartKind::parameter) result.push_back(sum(p.to(DType::f64)).item());
                   });
                   return result;
                 }});
}

}  // namespace

void add_training(std::vector<Workload>& all) {
  const auto sgd = [](const auto& model, double rate) { return optim::Sgd(model, {.lr = rate}); };
  const auto momentum = [](const auto& model, double rate) {
    return optim::Sgd(model, {.lr = rate, .momentum = 0.9});
  };
  const auto adam = [](const auto& model, double rate) { return optim::Adam(model, {.lr = rate}); };

  const Mlp small({40, 100, 100, 10});
  const Tensor x1 = tensor(normals(100 * 40, 10), {100, 40});
  const Tensor y1 = tensor(labels(100, 10, 11));
  train(all, kB1, small, sgd, x1, y1, kSgdRate);
  train(all, kB2, small, momentum, x1, y1, kSgdRate);
  const Mlp large({784, 512, 512, 10});
  const Tensor x2 = tensor(normals(128 * 784, 12), {128, 784});
  const Tensor y2 = tensor(labels(128, 10, 13));
  train(all, kC1, large, adam, x2, y2, kAdamRate);
  train(all, kC2, large, sgd, x2, y2, kSgdRate);
  train(all, kD, Cnn(), momentum, tensor(normals(64 * 28 * 28, 14), {64, 1, 28, 28}),
        tensor(labels(64, 10, 15)), kSgdRate);
  train(all, kE, Residual(), sgd, tensor(normals(32 * 3 * 32 * 32, 16), {32, 3, 32, 32}),
        tensor(labels(32, 10, 17)), kSgdRate);
}

}  // namespace bench
