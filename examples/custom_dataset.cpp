// Data of your own: a Source says how many rows there are and makes those it is asked for. This one draws its
// rows when they are needed, each from its number alone, so it can be as long as it likes and takes no
// memory; reading files would look the same. It may be asked by a background thread that prepares batches
// ahead.
#include <cmath>
#include <iostream>
#include <likely/likely.hpp>
#include <memory>
#include <numbers>
#include <vector>

using namespace likely;

// Noisy waves with 1, 2 or 3 periods and a random phase; the label is the number of periods less one.
class Waves : public data::Source {
 public:
  static constexpr std::int64_t kLength = 32;

  Waves(std::int64_t count, std::uint64_t seed) : count_(count), key_(seed) {}
  std::int64_t size() const override { return count_; }
  data::Batch rows(std::span<const std::int64_t> which) const override {
    std::vector<float> values;
    std::vector<std::int64_t> labels;
    for (const std::int64_t row : which) {
      Rng rng = key_.fold_in(static_cast<std::uint64_t>(row));
      const auto label = static_cast<std::int64_t>(rng.randint(0, 3, {}).item());
      const double phase = rng.uniform({}, 0.0, 2.0 * std::numbers::pi).item();
      const std::vector<float> noise = rng.normal({kLength}, 0.0, 0.3).to_vector<float>();
      for (std::int64_t i = 0; i < kLength; ++i) {
        const double turn = 2.0 * std::numbers::pi * static_cast<double>((label + 1) * i) / kLength;
        values.push_back(static_cast<float>(std::sin(turn + phase)) + noise[static_cast<std::size_t>(i)]);
      }
      labels.push_back(label);
    }
    return {tensor(values, {static_cast<std::int64_t>(which.size()), kLength}), tensor(labels)};
  }

 private:
  std::int64_t count_;
  Rng key_;
};

int main() {
  const data::Dataset training(std::make_shared<Waves>(2000, 1));
  const data::Dataset test(std::make_shared<Waves>(500, 2));
  Rng rng(3);
  nn::Sequential model{nn::Linear(Waves::kLength, 64, rng.split()), nn::Relu{},
                       nn::Linear(64, 3, rng.split())};
  optim::Adam adam(model, {.lr = 3e-3});
  train::fit(model, adam, {.train = training},
             [](auto& m, const data::Batch& b) { return softmax_cross_entropy(m(b.x), b.y); },
             {.epochs = 5, .batch = 50, .seed = 1});
  const double accuracy = train::evaluate(model, test, train::accuracy);
  std::cout << "accuracy on new waves: " << accuracy << "\n";
  return accuracy > 0.9 ? 0 : 1;
}
