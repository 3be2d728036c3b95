// Single operations as a user of likely writes them; likely_training.cpp has the training steps.
#include <algorithm>
#include <cmath>

#include "bench/likely_choice.hpp"
#include "bench/likely_training.hpp"
#include "bench/workload.hpp"
#include "likely/likely.hpp"
#include "likely/prob/sampling/gumbel_top_k.hpp"

namespace bench {

using namespace likely;

std::vector<double> list(const Tensor& t, std::int64_t most) {
  const std::vector<double> all = t.to_vector<double>();
  std::vector<double> values(all.begin(),
                             all.begin() + std::min(most, static_cast<std::int64_t>(all.size())));
  double total = 0.0;
  for (const double v : all) total += v;
  values.push_back(total);
  return values;
}

namespace {

std::vector<double> joined(std::initializer_list<Tensor> tensors) {
  std::vector<double> result;
  for (const Tensor& t : tensors) {
    for (const double v : list(t)) result.push_back(v);
  }
  return result;
}

Tensor chain(const Tensor& x, const Tensor& w, const Tensor& b) {
  Tensor h = x;
  for (int k = 0; k < 5; ++k) h = sigmoid(tanh(h * w + b));
  return h;
}

void tiny(Workloads& all) {
  const Tensor x = tensor(normals(4, 1));
  const Tensor w = tensor(normals(4, 2));
  const Tensor b = tensor(normals(4, 3));
  all.add({kA1, 2000.0,
           [=] {
             for (int i = 0; i < 1000; ++i) keep(x * w + b);
           },
           [=] { return list(x * w + b); }});

  const std::tuple point(tensor(normals(16, 4)), tensor(normals(16, 5)), tensor(normals(16, 6)));
  const auto gradient = [=] {
    return grad(point, [](const Tensor& p, const Tensor& q, const Tensor& r) { return sum(chain(p, q, r)); });
  };
  all.add({kA3, 400.0,
           [=] {
             for (int i = 0; i < 20; ++i) keep(gradient());
           },
           [=] {
             const auto [gx, gw, gb] = gradient();
             return list(concat({gx, gw, gb}));
           }});
  all.add({kA4, 400.0,
           [=] {
             for (int i = 0; i < 20; ++i) keep(vjp(point, chain).value);
           },
           [=] { return list(vjp(point, chain).value); }});
}

void rows(Workloads& all) {
  const auto cross_entropy = [&](const char* name, std::int64_t n, std::int64_t classes) {
    if (!all.wants(name)) return;
    const Tensor x = tensor(normals(n * classes, 20), {n, classes});
    const Tensor y = tensor(labels(n, classes, 21));
    const auto run = [=] {
      return value_and_grad(x, [&](const Tensor& logits) { return softmax_cross_entropy(logits, y); });
    };
    all.add({name, 1.0, [=] { keep(run()); },
             [=] {
               const auto [loss, gradient] = run();
               return joined({loss, gradient});
             }});
  };
  cross_entropy(kN1, 8192, 1000);
  cross_entropy(kN2, 64, 50257);
  if (all.wants(kN6)) {
    const Tensor x = tensor(normals(8192 * 1000, 22), {8192, 1000});
    const Tensor g = tensor(normals(8192 * 1000, 23), {8192, 1000});
    const auto run = [=] {
      auto [y, pull_back] = vjp(x, [](const Tensor& t) { return log_softmax(t, 1); });
      return std::pair(y, pull_back(g));
    };
    all.add({kN6, 1.0, [=] { keep(run()); },
             [=] {
               const auto [y, gradient] = run();
               return joined({y, gradient});
             }});
  }
  if (all.wants(kN9)) {
    const std::tuple point(tensor(normals(4096 * 768, 24), {4096, 768}), tensor(normals(768, 25)),
                           tensor(normals(768, 26)));
    const Tensor g = tensor(normals(4096 * 768, 27), {4096, 768});
    const auto run = [=] {
      return vjp(point,
                 [](const Tensor& x, const Tensor& w, const Tensor& b) { return layer_norm(x, 1, w, b); })
          .pull_back(g);
    };
    all.add({kN9, 1.0, [=] { keep(run()); },
             [=] {
               const auto [gx, gw, gb] = run();
               return joined({gx, gw, gb});
             }});
  }
}

void without_replacement(Workloads& all) {
  if (!all.wants(kO1)) return;
  const Tensor x = tensor(normals(64 * 50257, 28), {64, 50257});
  all.add({kO1, 1.0,
           [x, rng = Rng(1)]() mutable { keep(gumbel_top_k(x, kGumbelDraws, rng.split()).indices); },
           [x] {
             Rng rng(2);
             const Tensor from = logsumexp(x, 1, true);
             Tensor total = zeros({kGumbelDraws}, DType::f64);
             for (int i = 0; i < kGumbelRuns; ++i) {
               total += mean((gumbel_top_k(x, kGumbelDraws, rng.split()).perturbed - from).to(DType::f64), 0);
             }
             const Tensor above = total * (kGumbelPart / kGumbelRuns);
             return std::vector<double>{above.at({0}), above.at({kGumbelDraws - 1})};
           }});
}

void elements(Workloads& all) {
  constexpr std::int64_t kMillion = 1 << 20;
  const Tensor x = tensor(normals(kMillion, 30));
  const Tensor p = tensor(uniforms(kMillion, 31));
  const auto add = [&](const char* name, const std::function<Tensor()>& f) {
    all.add({name, 1.0, [f] { keep(f()); }, [f] { return list(f()); }});
  };
  add(kP1, [=] { return x + p; });
  add(kP2, [=] { return exp(x); });
  add(kP3, [=] { return tanh(x); });
  add(kP4, [=] { return sigmoid(x); });
  add(kP5, [=] { return gelu(x); });
  add(kP6, [=] { return sum(x); });

  const auto add_random = [&](const char* name, const std::function<Tensor(Rng&)>& f) {
    all.add({name, 1.0, [f, rng = Rng(1)]() mutable { keep(f(rng)); },
             [f] {
               Rng rng(2);
               const Tensor drawn = f(rng).to(DType::f64);
               return std::vector<double>{mean(drawn).item(), likely::std(drawn).item()};
             }});
  };
  add_random(kP7, [](Rng& rng) { return rng.normal({kMillion}); });
  add_random(kP8, [](Rng& rng) { return rng.uniform({kMillion}); });
  add_random(kP9, [p](Rng& rng) { return rng.bernoulli(p); });
}

}  // namespace

Workloads workloads(int threads, const std::string& only) {
  set_threads(threads);
  Workloads all(only);
  tiny(all);
  add_training(all);
  add_choice(all);
  rows(all);
  without_replacement(all);
  elements(all);
  return all;
}

}  // namespace bench
