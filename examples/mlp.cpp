// The twenty-line network: learns two half-moons, keeps the best model, prints how good it is on new data.
#include <iostream>
#include <likely/likely.hpp>

using namespace likely;

int main() {
  Rng rng(1);
  const auto parts = data::moons(1500, rng.split(), {.noise = 0.2}).split({0.6, 0.2, 0.2}, rng.split());
  nn::Sequential model{nn::Linear(2, 64, rng.split()),  nn::Relu{}, nn::Dropout(0.1),
                       nn::Linear(64, 64, rng.split()), nn::Relu{}, nn::Linear(64, 2, rng.split())};
  optim::Adam adam(model, {.lr = 3e-3});
  const auto result = train::fit(
      model, adam, {.train = parts[0], .validation = parts[1]},
      [](auto& m, const data::Batch& b, const auto&... training) {
        return -mean(Categorical(m(b.x, training...)).log_prob(b.y));
      },
      {.epochs = 30, .batch = 50, .seed = 1, .metrics = {{"accuracy", train::accuracy}}, .patience = 5});
  const double accuracy = train::evaluate(result.best, parts[2], train::accuracy);
  std::cout << "accuracy on new data: " << accuracy << "\n";
  return accuracy > 0.93 ? 0 : 1;
}
