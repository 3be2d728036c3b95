// Whether reading batches ever holds up training: batches of a dataset as large as MNIST alone, and a
// training step on a batch that is there, on fresh ones, and on prefetched ones.
//
//   build/release/bin/bench_data        OMP_NUM_THREADS says how many threads
#include <benchmark/benchmark.h>

#include "bench/workload.hpp"
#include "likely/likely.hpp"

namespace {

using namespace likely;

constexpr std::int64_t kRows = 60'000;
constexpr std::int64_t kBatch = 128;

const data::Dataset& digits() {
  static const data::Dataset dataset(Rng(1).uniform({kRows, 784}), Rng(2).randint(0, 10, {kRows}));
  return dataset;
}

struct Mlp {
  Tensor w1, b1, w2, b2, w3, b3;
  explicit Mlp(Rng rng)
      : w1(rng.normal({512, 784}, 0.0, 0.05)),
        b1(zeros({512})),
        w2(rng.normal({512, 512}, 0.0, 0.06)),
        b2(zeros({512})),
        w3(rng.normal({10, 512}, 0.0, 0.06)),
        b3(zeros({10})) {}
  Tensor operator()(const Tensor& x) const {
    return linear(linear(linear(x, w1, b1, Activation::relu), w2, b2, Activation::relu), w3, b3);
  }
  LIKELY_PARTS(w1, b1, w2, b2, w3, b3)
};

struct Trainer {
  Mlp model{Rng(3)};
  optim::Adam adam{model, {.lr = bench::kAdamRate}};
  void step(const data::Batch& batch) {
    const auto [loss, gradient] =
        value_and_grad(model, [&](const Mlp& m) { return softmax_cross_entropy(m(batch.x), batch.y); });
    adam.step(model, gradient);
    bench::keep(loss);
  }
};

// Goes through epochs of shuffled batches, as often as the benchmark wants the next one.
template <class Use>
void for_batches(benchmark::State& state, const data::Dataset& dataset, const Use& use) {
  const std::int64_t prefetch = state.range(0);
  std::uint64_t epoch = 0;
  auto batches = dataset.batches(kBatch, Rng(epoch), {.drop_last = true, .prefetch = prefetch});
  auto next = batches.begin();
  for (auto _ : state) {
    if (next == batches.end()) {
      batches = dataset.batches(kBatch, Rng(++epoch), {.drop_last = true, .prefetch = prefetch});
      next = batches.begin();
    }
    use(*next);
    ++next;
  }
  state.counters["batches_per_second"] =
      benchmark::Counter(1.0, benchmark::Counter::kIsIterationInvariantRate);
}

void batches_alone(benchmark::State& state) {
  for_batches(state, digits(), [](const data::Batch& batch) { bench::keep(batch); });
}
BENCHMARK(batches_alone)->ArgName("prefetch")->Arg(0)->Arg(2)->UseRealTime();

// Images that are moved and made noisy.
const data::Dataset& augmented_digits() {
  static const data::Dataset dataset =
      digits()
          .map([](const data::Batch& batch) {
            return data::Batch{reshape(batch.x, {batch.size(), 28, 28}), batch.y};
          })
          .augment(data::shift_images(2))
          .augment(data::add_noise(0.1))
          .map([](const data::Batch& batch) {
            return data::Batch{reshape(batch.x, {batch.size(), 784}), batch.y};
          });
  return dataset;
}

void augmented_batches_alone(benchmark::State& state) {
  for_batches(state, augmented_digits(), [](const data::Batch& batch) { bench::keep(batch); });
}
BENCHMARK(augmented_batches_alone)->ArgName("prefetch")->Arg(0)->Arg(2)->UseRealTime();

void training_on_one_batch(benchmark::State& state) {
  Trainer trainer;
  const data::Batch batch = digits().batches(kBatch, Rng(0))[0];
  for (auto _ : state) trainer.step(batch);
  state.counters["batches_per_second"] =
      benchmark::Counter(1.0, benchmark::Counter::kIsIterationInvariantRate);
}
BENCHMARK(training_on_one_batch)->UseRealTime();

void training_on_fresh_batches(benchmark::State& state) {
  Trainer trainer;
  for_batches(state, digits(), [&](const data::Batch& batch) { trainer.step(batch); });
}
BENCHMARK(training_on_fresh_batches)->ArgName("prefetch")->Arg(0)->Arg(2)->UseRealTime();

void training_on_augmented_batches(benchmark::State& state) {
  Trainer trainer;
  for_batches(state, augmented_digits(), [&](const data::Batch& batch) { trainer.step(batch); });
}
BENCHMARK(training_on_augmented_batches)->ArgName("prefetch")->Arg(0)->Arg(2)->UseRealTime();

void order_of_an_epoch(benchmark::State& state) {
  for (auto _ : state) bench::keep(digits().batches(kBatch, Rng(1)));
}
BENCHMARK(order_of_an_epoch)->UseRealTime();

}  // namespace

BENCHMARK_MAIN();
