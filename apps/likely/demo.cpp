// `likely demo`: a small network learns three spirals, and shows what it learned.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <memory>
#include <numbers>
#include <string>

#include "apps/likely/commands.hpp"
#include "likely/likely.hpp"

namespace likely::command {

namespace {

constexpr int kArms = 3;

struct DemoOptions {
  std::int64_t steps = 1500;
  std::uint64_t seed = 1;
  int threads = 0;
};

struct Points {
  Tensor position;  // (n, 2)
  Tensor arm;       // (n,), 0 .. kArms - 1
};

// Arms that turn by 1.25 circles from the centre to radius 1, with some noise in the angle.
Points spirals(std::int64_t count, Rng rng) {
  const Tensor arm = rng.randint(0, kArms, {count});
  const Tensor radius = sqrt(rng.uniform({count}, 0.01, 1.0));
  const Tensor turn =
      radius * (2.5 * std::numbers::pi) + cast(arm, DType::f32) * (2 * std::numbers::pi / kArms);
  const Tensor angle = turn + rng.normal({count}, 0.0, 0.15);
  return {stack({radius * cos(angle), radius * sin(angle)}, 1), arm};
}

struct Dense {
  Tensor weight, bias;
  Dense(std::int64_t in, std::int64_t out, Rng rng)  // He initialisation
      : weight(rng.normal({out, in}, 0.0, std::sqrt(2.0 / static_cast<double>(in)))), bias(zeros({out})) {}
  LIKELY_PARTS(weight, bias)
};

struct Network {
  Dense first, second, out;
  explicit Network(Rng rng)
      : first(2, 64, rng.split()), second(64, 64, rng.split()), out(64, kArms, rng.split()) {}
  Tensor operator()(const Tensor& x) const {
    Tensor h = linear(x, first.weight, first.bias, Activation::relu);
    h = linear(h, second.weight, second.bias, Activation::relu);
    return linear(h, out.weight, out.bias);
  }
  LIKELY_PARTS(first, second, out)
};

double accuracy(const Network& network, const Points& points) {
  return mean(argmax(network(points.position), 1) == points.arm).item();
}

// The square around the spirals, one character for the arm that the network gives each place.
std::string picture(const Network& network) {
  constexpr int kColumns = 60;
  constexpr int kRows = 30;
  std::vector<float> places;
  for (int row = 0; row < kRows; ++row) {
    for (int column = 0; column < kColumns; ++column) {
      places.push_back(2.2F * (static_cast<float>(column) + 0.5F) / kColumns - 1.1F);
      places.push_back(1.1F - 2.2F * (static_cast<float>(row) + 0.5F) / kRows);
    }
  }
  const Tensor arm = argmax(network(tensor(places, {kRows * kColumns, 2})), 1);
  const std::int64_t* arms = arm.data<std::int64_t>();
  std::string text;
  for (int row = 0; row < kRows; ++row) {
    text += "  ";
    for (int column = 0; column < kColumns; ++column) text += " .#"[arms[row * kColumns + column]];
    text += '\n';
  }
  return text;
}

void run(const DemoOptions& options) {
  if (options.threads > 0) set_threads(options.threads);
  Rng rng(options.seed);
  const Points train = spirals(2000, rng.split());
  const Points test = spirals(2000, rng.split());
  Network network(rng.split());
  optim::Adam adam(network, {.lr = 5e-3});
  Rng batches = rng.split();

  fmt::print("Three spirals, {} points to learn from; a network with {} parameters:\n\n{}\n",
             train.arm.size(), count_parameters(network), summary(network));
  const auto start = std::chrono::steady_clock::now();
  for (std::int64_t step = 1; step <= options.steps; ++step) {
    const Tensor chosen = batches.randint(0, train.arm.size(), {200});
    const Tensor x = index_select(train.position, 0, chosen);
    const Tensor y = index_select(train.arm, 0, chosen);
    const auto [loss, gradient] =
        value_and_grad(network, [&](const Network& n) { return softmax_cross_entropy(n(x), y); });
    adam.step(network, gradient);
    if (step % std::max<std::int64_t>(1, options.steps / 6) == 0 || step == options.steps) {
      fmt::print("step {:>5}   loss {:.4f}   test accuracy {:.1f} %\n", step, loss.item(),
                 100 * accuracy(network, test));
    }
  }
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  fmt::print("\n{:.2f} s, {:.0f} us a step on {} thread{}. What the network learned:\n\n{}", seconds,
             1e6 * seconds / static_cast<double>(options.steps), threads(), threads() == 1 ? "" : "s",
             picture(network));
}

}  // namespace

void add_demo(CLI::App& app) {
  auto options = std::make_shared<DemoOptions>();
  CLI::App* demo =
      app.add_subcommand("demo", "Train a small network on three spirals and draw what it learned");
  demo->add_option("--steps", options->steps, "Steps of 200 points each")
      ->capture_default_str()
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1'000'000}));
  demo->add_option("--seed", options->seed, "Same seed, same result")->capture_default_str();
  demo->add_option("--threads", options->threads, "Threads; the result does not depend on them")
      ->check(CLI::Range(1, 1024));
  demo->callback([options] { run(*options); });
}

}  // namespace likely::command
