// A layer of your own: a struct that names its tensors and can be called. This one drops weights instead of
// units (DropConnect, Wan et al. 2013), so it has two forms of call: one that predicts, and one that trains.
#include <cmath>
#include <iostream>
#include <likely/likely.hpp>

using namespace likely;

struct DropConnect {
  Tensor weight, bias;
  double p;

  DropConnect(std::int64_t in, std::int64_t out, double drop, Rng rng)
      : weight(rng.normal({out, in}, 0.0, std::sqrt(2.0 / static_cast<double>(in)))),
        bias(zeros({out})),
        p(drop) {}

  Tensor operator()(const Tensor& x) const { return linear(x, weight, bias); }
  Tensor operator()(const Tensor& x, const Training& training) const {
    return linear(x, dropout(weight, p, training.split()), bias);
  }
  LIKELY_PARTS(weight, bias)  // what is learned, saved and averaged
};

int main() {
  Rng rng(1);
  const Tensor x = rng.uniform({600, 2}, -1.0, 1.0);
  const Tensor inside = cast(sum(square(x), 1) < 0.5, DType::i64);  // a disc
  const auto parts = data::Dataset(x, inside).split({0.75, 0.25}, rng.split());

  nn::Sequential model{DropConnect(2, 64, 0.1, rng.split()), nn::Relu{},
                       DropConnect(64, 2, 0.1, rng.split())};
  std::cout << summary(model);
  optim::Adam adam(model, {.lr = 1e-2});
  train::fit(model, adam, {.train = parts[0], .validation = parts[1]},
             [](auto& m, const data::Batch& b, const auto&... training) {
               return softmax_cross_entropy(m(b.x, training...), b.y);
             },
             {.epochs = 30, .batch = 50, .seed = 1, .metrics = {{"accuracy", train::accuracy}}});
  const double accuracy = train::evaluate(model, parts[1], train::accuracy);
  std::cout << "accuracy on new data: " << accuracy << "\n";
  return accuracy > 0.9 ? 0 : 1;
}
