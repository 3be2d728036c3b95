// A whole residual network of the size that is trained in practice, with every fused step, against the same
// network in f64 put together from plain operations.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "likely/likely.hpp"

namespace likely {
namespace {

constexpr std::int64_t kChannels = 32;
constexpr int kBlocks = 4;

struct Normalized {
  Tensor weight, scale, shift;
  explicit Normalized(Rng rng)
      : weight(rng.normal({kChannels, kChannels, 3, 3}, 0.0, 0.08)),
        scale(rng.uniform({kChannels}, 0.5, 1.5)),
        shift(rng.normal({kChannels}, 0.0, 0.1)) {}
  LIKELY_PARTS(weight, scale, shift)
};

struct Network {
  Tensor stem, stem_bias;
  std::vector<std::pair<Normalized, Normalized>> blocks;
  Tensor out, out_bias;

  explicit Network(Rng rng)
      : stem(rng.normal({kChannels, 3, 3, 3}, 0.0, 0.2)),
        stem_bias(rng.normal({kChannels}, 0.0, 0.1)),
        out(rng.normal({10, kChannels}, 0.0, 0.2)),
        out_bias(rng.normal({10}, 0.0, 0.1)) {
    for (int i = 0; i < kBlocks; ++i) blocks.emplace_back(Normalized(rng.split()), Normalized(rng.split()));
  }
  LIKELY_PARTS(stem, stem_bias, blocks, out, out_bias)
};

Tensor fused_loss(const Network& n, const Tensor& x, const Tensor& y) {
  const auto layer = [](const Tensor& h, const Normalized& p, const Tensor& residual) {
    const Tensor z = conv2d(h, p.weight, {}, {.padding = 1});
    return batch_norm(z, p.scale, p.shift, {}, true, {.relu = true, .residual = residual}).y;
  };
  Tensor h = conv2d(x, n.stem, n.stem_bias, {.padding = 1, .relu = true});
  for (const auto& [first, second] : n.blocks) h = layer(layer(h, first, {}), second, h);
  return softmax_cross_entropy(linear(mean(h, {2, 3}), n.out, n.out_bias), y);
}

Tensor plain_loss(const Network& n, const Tensor& x, const Tensor& y) {
  const auto by_channel = [](const Tensor& t) { return reshape(t, {1, t.size(), 1, 1}); };
  const auto convolve = [](const Tensor& h, const Tensor& weight) {
    Tensor total;  // a 3 x 3 convolution as nine products
    const std::int64_t height = h.dim(2);
    const std::int64_t width = h.dim(3);
    const Tensor padded = pad(h, {{0, 0}, {0, 0}, {1, 1}, {1, 1}});
    for (std::int64_t i = 0; i < 3; ++i) {
      for (std::int64_t j = 0; j < 3; ++j) {
        const Tensor shifted =
            slice(slice(padded, 2, {.start = i, .stop = i + height}), 3, {.start = j, .stop = j + width});
        const Tensor term = einsum("ncij,oc->noij", {shifted, select(select(weight, 3, j), 2, i)});
        total = total.defined() ? total + term : term;
      }
    }
    return total;
  };
  const auto layer = [&](const Tensor& h, const Normalized& p) {
    const Tensor z = convolve(h, p.weight);
    const Tensor centred = z - mean(z, {0, 2, 3}, true);
    const Tensor variance = mean(square(centred), {0, 2, 3}, true);
    return centred / sqrt(variance + 1e-5) * by_channel(p.scale) + by_channel(p.shift);
  };
  Tensor h = relu(convolve(x, n.stem) + by_channel(n.stem_bias));
  for (const auto& [first, second] : n.blocks) h = relu(layer(relu(layer(h, first)), second) + h);
  const Tensor logits = matmul(sum(h, {2, 3}) / static_cast<double>(h.dim(2) * h.dim(3)), transpose(n.out));
  return -mean(sum(log_softmax(logits + n.out_bias, -1) * one_hot(y, 10), -1));
}

TEST(ResidualNet, FusedGradientsAreThoseOfPlainOperationsInDoublePrecision) {
  Rng rng(5);
  const Network network(rng.split());
  const Tensor x = rng.normal({32, 3, 32, 32});
  const Tensor y = rng.randint(0, 10, {32});
  const auto [loss, gradient] =
      value_and_grad(network, [&](const Network& n) { return fused_loss(n, x, y); });
  const Tensor x64 = x.to(DType::f64);
  const auto [expected_loss, expected] = value_and_grad(
      cast_parts(network, DType::f64), [&](const Network& n) { return plain_loss(n, x64, y); });

  EXPECT_NEAR(loss.item(), expected_loss.item(), 1e-5);
  const std::vector<Part> got = named_parts(gradient);
  const std::vector<Part> wanted = named_parts(expected);
  ASSERT_EQ(got.size(), wanted.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    const double error = norm(got[i].value.to(DType::f64) - wanted[i].value).item();
    EXPECT_LT(error, 2e-3 * norm(wanted[i].value).item()) << got[i].name;
  }
}

TEST(ResidualNet, GradientsAreTheSameBitsOnAnyNumberOfThreads) {
  Rng rng(6);
  const Network network(rng.split());
  const Tensor x = rng.normal({8, 3, 32, 32});
  const Tensor y = rng.randint(0, 10, {8});
  const int before = threads();
  const auto run = [&](int count) {
    set_threads(count);
    return named_parts(grad(network, [&](const Network& n) { return fused_loss(n, x, y); }));
  };
  const std::vector<Part> one = run(1);
  for (const int count : {2, 3}) {
    const std::vector<Part> several = run(count);
    for (std::size_t i = 0; i < one.size(); ++i) {
      EXPECT_TRUE(array_equal(one[i].value, several[i].value)) << one[i].name << ", " << count << " threads";
    }
  }
  set_threads(before);
}

}  // namespace
}  // namespace likely
