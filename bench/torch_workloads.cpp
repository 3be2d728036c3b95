// The workloads as a user of libtorch's C++ interface writes them.
#include <ATen/Parallel.h>
#include <torch/torch.h>

#include "bench/choice_task.hpp"
#include "bench/workload.hpp"

namespace bench {

namespace {

namespace F = torch::nn::functional;
namespace nn = torch::nn;
using torch::Tensor;

Tensor floats(std::vector<float> values, torch::IntArrayRef shape) {
  return torch::from_blob(values.data(), shape, torch::kFloat).clone();
}

Tensor integers(std::vector<std::int64_t> values) {
  return torch::from_blob(values.data(), {static_cast<std::int64_t>(values.size())}, torch::kLong).clone();
}

std::vector<double> list(const Tensor& t, std::int64_t most = 64) {
  const Tensor flat = t.detach().to(torch::kDouble).flatten();
  std::vector<double> values;
  for (std::int64_t i = 0; i < std::min(most, flat.numel()); ++i) values.push_back(flat[i].item<double>());
  values.push_back(flat.sum().item<double>());
  return values;
}

// Weights are numbered in the order of parameters(), scaled like likely's side does.
template <class Module>
void set_parameters(Module& module) {
  torch::NoGradGuard no_gradient;
  std::uint64_t seed = 100;
  for (auto& p : module->parameters()) {
    const double fan_in = p.dim() > 1 ? static_cast<double>(p[0].numel()) : 1.0;
    if (p.dim() > 1)
      p.copy_(floats(normals(p.numel(), seed, 1.0 / std::sqrt(fan_in)), p.sizes()));
    else
      p.copy_(floats(normals(p.numel(), seed, 0.1), p.sizes()));
    ++seed;
  }
}

template <class Module>
std::vector<double> parameter_sums(Module& module) {
  std::vector<double> sums;
  for (auto& p : module->parameters())
    sums.push_back(p.detach().to(torch::kDouble).sum().template item<double>());
  return sums;
}

void tiny(Workloads& all) {
  const Tensor x = floats(normals(4, 1), {4});
  const Tensor w = floats(normals(4, 2), {4});
  const Tensor b = floats(normals(4, 3), {4});
  all.add({kA1, 2000.0,
           [=] {
             torch::NoGradGuard no_gradient;
             for (int i = 0; i < 1000; ++i) keep(x * w + b);
           },
           [=] { return list(x * w + b); }});
  auto x16 = floats(normals(16, 4), {16}).requires_grad_();
  auto w16 = floats(normals(16, 5), {16}).requires_grad_();
  auto b16 = floats(normals(16, 6), {16}).requires_grad_();
  const auto chain = [=] {
    Tensor h = x16;
    for (int k = 0; k < 5; ++k) h = torch::sigmoid(torch::tanh(h * w16 + b16));
    return h;
  };
  auto clear = [=]() mutable {
    x16.mutable_grad() = Tensor();
    w16.mutable_grad() = Tensor();
    b16.mutable_grad() = Tensor();
  };
  all.add({kA3, 400.0,
           [=]() mutable {
             for (int i = 0; i < 20; ++i) {
               clear();
               chain().sum().backward();
             }
           },
           [=]() mutable {
             clear();
             chain().sum().backward();
             return list(torch::cat({x16.grad(), w16.grad(), b16.grad()}));
           }});
  all.add({kA4, 400.0,
           [=] {
             for (int i = 0; i < 20; ++i) keep(chain());
           },
           [=] { return list(chain()); }});
}

template <class MakeNet, class MakeOptimizer>
void train(Workloads& all, const char* name, MakeNet make_net, MakeOptimizer make_optimizer, Tensor x,
           Tensor y, double rate, double units = 1.0) {
  if (!all.wants(name)) return;
  auto net = make_net();
  set_parameters(net);
  auto optimizer = std::make_shared<decltype(make_optimizer(net->parameters(), rate))>(
      make_optimizer(net->parameters(), rate));
  const auto step = [x, y](auto& module, auto& opt) {
    opt.zero_grad();
    auto loss = F::cross_entropy(module->forward(x), y);
    loss.backward();
    opt.step();
    return loss.template item<double>();
  };
  all.add({name, units, [=]() mutable { step(net, *optimizer); },
           [=] {
             auto fresh = make_net();
             set_parameters(fresh);
             for (auto& child : fresh->modules()) {  // no chance in a check
               if (auto* dropout = child->template as<nn::Dropout>()) dropout->options.p(0.0);
             }
             auto opt = make_optimizer(fresh->parameters(), kCheckRate);
             std::vector<double> result;
             for (int i = 0; i < kCheckSteps; ++i) result.push_back(step(fresh, opt));
             for (const double sum : parameter_sums(fresh)) result.push_back(sum);
             return result;
           }});
}

nn::Sequential mlp(const std::vector<std::int64_t>& widths) {
  nn::Sequential net;
  for (std::size_t i = 0; i + 1 < widths.size(); ++i) {
    net->push_back(nn::Linear(widths[i], widths[i + 1]));
    if (i + 2 < widths.size()) net->push_back(nn::ReLU());
  }
  return net;
}

nn::Sequential cnn() {
  return nn::Sequential(nn::Conv2d(nn::Conv2dOptions(1, 10, 5)), nn::MaxPool2d(2), nn::ReLU(),
                        nn::Conv2d(nn::Conv2dOptions(10, 20, 5)), nn::Dropout(0.5), nn::MaxPool2d(2),
                        nn::ReLU(), nn::Flatten(), nn::Linear(320, 50), nn::ReLU(), nn::Linear(50, 10));
}

// vision::Cnn2d.
nn::Sequential digits_cnn() {
  return nn::Sequential(nn::Conv2d(nn::Conv2dOptions(1, 16, 5)), nn::ReLU(), nn::MaxPool2d(2),
                        nn::Conv2d(nn::Conv2dOptions(16, 32, 5)), nn::ReLU(), nn::MaxPool2d(2), nn::Flatten(),
                        nn::Dropout(0.5), nn::Linear(512, 128), nn::ReLU(), nn::Dropout(0.5),
                        nn::Linear(128, 10));
}

struct BlockImpl : nn::Module {
  nn::Conv2d c1{nullptr}, c2{nullptr};
  nn::BatchNorm2d b1{nullptr}, b2{nullptr};
  explicit BlockImpl(int c) {
    c1 = register_module("c1", nn::Conv2d(nn::Conv2dOptions(c, c, 3).padding(1).bias(false)));
    b1 = register_module("b1", nn::BatchNorm2d(c));
    c2 = register_module("c2", nn::Conv2d(nn::Conv2dOptions(c, c, 3).padding(1).bias(false)));
    b2 = register_module("b2", nn::BatchNorm2d(c));
  }
  Tensor forward(Tensor x) { return torch::relu(b2(c2(torch::relu(b1(c1(x))))) + x); }
};
TORCH_MODULE(Block);

struct ResidualImpl : nn::Module {
  nn::Conv2d stem{nullptr};
  nn::Sequential body;
  nn::Linear fc{nullptr};
  ResidualImpl() {
    stem = register_module("stem", nn::Conv2d(nn::Conv2dOptions(3, 32, 3).padding(1)));
    for (int i = 0; i < 4; ++i) body->push_back(Block(32));
    register_module("body", body);
    fc = register_module("fc", nn::Linear(32, 10));
  }
  Tensor forward(Tensor x) { return fc(body->forward(torch::relu(stem(x))).mean({2, 3})); }
};
TORCH_MODULE(Residual);

void training(Workloads& all) {
  using namespace torch::optim;
  const auto sgd = [](auto p, double rate) { return SGD(p, SGDOptions(rate)); };
  const auto momentum = [](auto p, double rate) { return SGD(p, SGDOptions(rate).momentum(0.9)); };
  const auto adam = [](auto p, double rate) { return Adam(p, AdamOptions(rate)); };
  const auto small = [] { return mlp({40, 100, 100, 10}); };
  const auto large = [] { return mlp({784, 512, 512, 10}); };
  const Tensor x1 = floats(normals(100 * 40, 10), {100, 40});
  const Tensor y1 = integers(labels(100, 10, 11));
  train(all, kB1, small, sgd, x1, y1, kSgdRate);
  train(all, kB2, small, momentum, x1, y1, kSgdRate);
  const Tensor x2 = floats(normals(128 * 784, 12), {128, 784});
  const Tensor y2 = integers(labels(128, 10, 13));
  train(all, kC1, large, adam, x2, y2, kAdamRate);
  train(all, kC2, large, sgd, x2, y2, kSgdRate);
  train(all, kD, cnn, momentum, floats(normals(64 * 28 * 28, 14), {64, 1, 28, 28}),
        integers(labels(64, 10, 15)), kSgdRate);
  const auto adamw = [](auto p, double rate) { return AdamW(p, AdamWOptions(rate).weight_decay(1e-2)); };
  train(all, kD2, digits_cnn, adamw, floats(normals(100 * 28 * 28, 18), {100, 1, 28, 28}),
        integers(labels(100, 10, 19)), kAdamRate, 1.0 / kEpochSteps);
  train(
      all, kE, [] { return Residual(); }, sgd, floats(normals(32 * 3 * 32 * 32, 16), {32, 3, 32, 32}),
      integers(labels(32, 10, 17)), kSgdRate);
}

void rows(Workloads& all) {
  const auto cross_entropy = [&](const char* name, std::int64_t n, std::int64_t classes) {
    if (!all.wants(name)) return;
    auto x = floats(normals(n * classes, 20), {n, classes}).requires_grad_();
    const Tensor y = integers(labels(n, classes, 21));
    auto run = [x, y]() mutable {
      x.mutable_grad() = Tensor();
      auto loss = F::cross_entropy(x, y);
      loss.backward();
      return loss;
    };
    all.add({name, 1.0, [run]() mutable { keep(run()); },
             [run, x]() mutable {
               std::vector<double> result = list(run());
               for (const double v : list(x.grad())) result.push_back(v);
               return result;
             }});
  };
  cross_entropy(kN1, 8192, 1000);
  cross_entropy(kN2, 64, 50257);
  if (all.wants(kN6)) {
    auto x = floats(normals(8192 * 1000, 22), {8192, 1000}).requires_grad_();
    const Tensor g = floats(normals(8192 * 1000, 23), {8192, 1000});
    auto run = [x, g]() mutable {
      x.mutable_grad() = Tensor();
      auto y = torch::log_softmax(x, 1);
      y.backward(g);
      return y;
    };
    all.add({kN6, 1.0, [run]() mutable { keep(run()); },
             [run, x]() mutable {
               std::vector<double> result = list(run());
               for (const double v : list(x.grad())) result.push_back(v);
               return result;
             }});
  }
  if (all.wants(kN9)) {
    auto x = floats(normals(4096 * 768, 24), {4096, 768}).requires_grad_();
    auto w = floats(normals(768, 25), {768}).requires_grad_();
    auto b = floats(normals(768, 26), {768}).requires_grad_();
    const Tensor g = floats(normals(4096 * 768, 27), {4096, 768});
    auto run = [x, w, b, g]() mutable {
      x.mutable_grad() = Tensor();
      w.mutable_grad() = Tensor();
      b.mutable_grad() = Tensor();
      torch::layer_norm(x, {768}, w, b).backward(g);
    };
    all.add({kN9, 1.0, run, [run, x, w, b]() mutable {
               run();
               std::vector<double> result = list(x.grad());
               for (const double v : list(w.grad())) result.push_back(v);
               for (const double v : list(b.grad())) result.push_back(v);
               return result;
             }});
  }
}

// As programs do it: the logarithm of exponential numbers is the noise, and topk a pass of its own.
void without_replacement(Workloads& all) {
  if (!all.wants(kO1)) return;
  const Tensor x = floats(normals(64 * 50257, 28), {64, 50257});
  const auto draw = [x] {
    torch::NoGradGuard no_gradient;
    return (x - torch::empty_like(x).exponential_().log_()).topk(kGumbelDraws, 1);
  };
  all.add({kO1, 1.0, [draw] { keep(std::get<1>(draw())); },
           [draw, x] {
             const Tensor from = x.logsumexp(1, true);
             Tensor total = torch::zeros({kGumbelDraws}, torch::kDouble);
             for (int i = 0; i < kGumbelRuns; ++i)
               total += (std::get<0>(draw()) - from).to(torch::kDouble).mean(0);
             const Tensor above = total * (kGumbelPart / kGumbelRuns);
             return std::vector<double>{above[0].item<double>(), above[kGumbelDraws - 1].item<double>()};
           }});
}

void elements(Workloads& all) {
  constexpr std::int64_t kMillion = 1 << 20;
  const Tensor x = floats(normals(kMillion, 30), {kMillion});
  const Tensor p = floats(uniforms(kMillion, 31), {kMillion});
  const auto add = [&](const char* name, std::function<Tensor()> f, bool random = false) {
    const auto quiet = [f] {
      torch::NoGradGuard no_gradient;
      return f();
    };
    all.add({name, 1.0, [quiet] { keep(quiet()); },
             [quiet, random] {
               if (!random) return list(quiet());
               const Tensor t = quiet().to(torch::kDouble);
               return std::vector<double>{t.mean().item<double>(), t.std().item<double>()};
             }});
  };
  add(kP1, [=] { return x + p; });
  add(kP2, [=] { return x.exp(); });
  add(kP3, [=] { return x.tanh(); });
  add(kP4, [=] { return x.sigmoid(); });
  add(kP5, [=] { return torch::gelu(x); });
  add(kP6, [=] { return x.sum(); });
  add(
      kP7, [] { return torch::randn({kMillion}); }, true);
  add(
      kP8, [] { return torch::rand({kMillion}); }, true);
  add(
      kP9, [=] { return p.bernoulli(); }, true);
}

// Vectorised over subjects; the values of all trials go through one softmax, which is faster than a softmax a
// trial.
void choice(Workloads& all) {
  const auto add = [&](const char* name, std::int64_t subjects) {
    if (!all.wants(name)) return;
    const ChoiceTask task = choice_task(subjects);
    std::vector<float> outcomes(task.outcome.begin(), task.outcome.end());
    std::vector<std::int64_t> choices(task.choice.begin(), task.choice.end());
    const Tensor chosen = integers(choices).view({subjects, kChoiceTrials}).t().contiguous().unsqueeze(2);
    const Tensor outcome = floats(outcomes, {subjects, kChoiceTrials}).t().contiguous().unsqueeze(2);
    const auto outcome_of = outcome.unbind(0);
    const auto chosen_of = torch::one_hot(chosen.squeeze(2), 2).to(torch::kFloat).unbind(0);
    auto alpha = torch::full({subjects, 1}, kChoiceAlpha).requires_grad_();
    auto beta = torch::full({subjects, 1}, kChoiceBeta).requires_grad_();
    auto run = [=]() mutable {
      alpha.mutable_grad() = Tensor();
      beta.mutable_grad() = Tensor();
      Tensor value = torch::zeros({subjects, 2});
      std::vector<Tensor> values;
      for (std::size_t t = 0; t < static_cast<std::size_t>(kChoiceTrials); ++t) {
        values.push_back(value);
        value = value + alpha * chosen_of[t] * (outcome_of[t] - value);
      }
      const Tensor total = torch::log_softmax(beta * torch::stack(values), 2).gather(2, chosen).sum();
      total.backward();
      return total;
    };
    all.add({name, 1.0, [run]() mutable { keep(run()); },
             [run, alpha, beta]() mutable {
               const double total = run().item<double>();
               return std::vector<double>{total, alpha.grad().sum().item<double>(),
                                          beta.grad().sum().item<double>()};
             }});
  };
  add(kJ1, 1);
  if (all.wants(kJ2)) {
    const auto task = std::make_shared<ChoiceTask>(choice_task(1000));
    const auto run = [task] {
      std::vector<double> value(1000);
      std::vector<double> gradient(2000);
      plain_likelihood(*task, value, gradient);
      return std::pair(value, gradient);
    };
    all.add({kJ2, 1.0, [run] { keep(run()); },
             [run] {
               const auto [value, gradient] = run();
               return summed(value, gradient);
             }});
  }
  add(kJ3, 1000);
}

}  // namespace

Workloads workloads(int threads, const std::string& only) {
  at::set_num_threads(threads);
  at::set_num_interop_threads(1);
  torch::manual_seed(0);
  Workloads all(only);
  tiny(all);
  training(all);
  choice(all);
  rows(all);
  without_replacement(all);
  elements(all);
  return all;
}

}  // namespace bench
