#include "likely/io/model_file.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "likely/core/create.hpp"
#include "likely/data/standardizer.hpp"
#include "likely/nn/normalization.hpp"
#include "likely/optim/adam.hpp"
#include "tests/support/check_gradients.hpp"
#include "tests/support/temporary_folder.hpp"

namespace likely::io {
namespace {

using testing::expect_refusal;
using testing::numbers;
using testing::TemporaryFolder;

struct Layer {
  Tensor weight, bias;
  Buffer calls;
  LIKELY_PARTS(weight, bias, calls)
};
struct Model {
  std::vector<Layer> hidden;
  Layer out;
  LIKELY_PARTS(hidden, out)
};

Layer make_layer(int seed, const Tensor& bias) {
  return {numbers({3, 2}, 1.0, seed).to(DType::f32), bias, tensor({seed})};
}
Model make_model(int seed) {
  return {{make_layer(seed, zeros({3})), make_layer(seed + 1, Tensor())}, make_layer(seed + 2, ones({3}))};
}

void expect_equal(const Model& a, const Model& b) {
  const std::vector<Part> first = named_parts(a);
  const std::vector<Part> second = named_parts(b);
  ASSERT_EQ(first.size(), second.size());
  for (std::size_t i = 0; i < first.size(); ++i) {
    EXPECT_EQ(first[i].value.defined(), second[i].value.defined()) << first[i].name;
    if (!first[i].value.defined() || !second[i].value.defined()) continue;
    EXPECT_TRUE(array_equal(first[i].value, second[i].value)) << first[i].name;
  }
}

TEST(ModelFile, GivesAModelBack) {
  const TemporaryFolder folder;
  const Model saved = make_model(1);
  save(folder / "model.safetensors", saved, {{"epoch", "12"}});
  Model loaded = make_model(20);
  freeze(loaded.hidden[1]);
  const auto metadata = load(folder / "model.safetensors", loaded);
  EXPECT_EQ(metadata, (std::map<std::string, std::string>{{"epoch", "12"}}));
  expect_equal(loaded, saved);
  EXPECT_TRUE(loaded.hidden[1].weight.frozen());
  EXPECT_FALSE(loaded.hidden[0].weight.frozen());
}

TEST(ModelFile, NamesTensorsAsPyTorchDoes) {
  const TemporaryFolder folder;
  save(folder / "m", make_model(1));
  std::string names;
  for (const auto& [name, tensor] : load_safetensors(folder / "m").tensors) names += name + " ";
  EXPECT_EQ(names,
            "hidden.0.calls hidden.1.calls out.calls hidden.0.weight hidden.0.bias hidden.1.weight "
            "out.weight out.bias ");
}

TEST(ModelFile, ContinuesAnOptimizerWithTheSameBits) {
  const TemporaryFolder folder;
  const auto gradient = [](int step) {
    return map_parts(make_model(1),
                     [&](const Tensor& t) { return numbers(t.shape(), 1.0, step).to(t.dtype()); });
  };
  Model model = make_model(1);
  optim::Adam adam(model, {.lr = 0.1});
  for (int step = 0; step < 3; ++step) adam.step(model, gradient(step));
  save(folder / "run", std::tie(model, adam));

  Model resumed_model = make_model(30);
  optim::Adam resumed(resumed_model, {.lr = 0.1});
  auto both = std::tie(resumed_model, resumed);
  load(folder / "run", both);
  for (int step = 3; step < 6; ++step) {
    adam.step(model, gradient(step));
    resumed.step(resumed_model, gradient(step));
  }
  expect_equal(resumed_model, model);
}

TEST(ModelFile, GivesFloatingNumbersTheModelsType) {
  const TemporaryFolder folder;
  save(folder / "m", cast_parts(make_model(1), DType::f64));
  Model loaded = make_model(5);
  load(folder / "m", loaded);
  expect_equal(loaded, make_model(1));
}

TEST(ModelFile, RefusesParametersThatAreNotFinite) {
  const TemporaryFolder folder;
  const auto path = folder / "m";
  Model saved = make_model(1);
  saved.out.weight.set({2, 1}, std::nan(""));
  saved.hidden[0].bias.set({0}, -INFINITY);
  save(path, saved, {}, {.finite = false});
  Model model = make_model(5);
  expect_refusal([&] { load(path, model); }, "[load] " + path.string() +
                                                 " does not fit the model:"
                                                 "\n  not finite: hidden.0.bias (3,) f32"
                                                 "\n  not finite: out.weight (3, 2) f32");
  expect_equal(model, make_model(5));
  // Who wants them can have them; what is not learned may be anything.
  load(path, model, {.finite = false});
  EXPECT_TRUE(std::isnan(model.out.weight.at({2, 1})));
  freeze(model.hidden[0]);
  freeze(model.out);
  load(path, model);
  EXPECT_EQ(model.hidden[0].bias.at({0}), -INFINITY);
  // Finite in the file alone.
  Model large = make_model(1);
  large.out.bias = full({3}, 1e300, DType::f64);
  save(path, large);
  Model fresh = make_model(5);
  expect_refusal([&] { load(path, fresh); },
                 "[load] " + path.string() + " does not fit the model:\n  not finite: out.bias (3,) f32");
}

TEST(ModelFile, AsksPartsWhetherTheyFit) {
  const TemporaryFolder folder;
  const auto path = folder / "m";
  std::pair saved(data::Standardizer{zeros({2}), ones({2})}, nn::BatchNorm(3));
  const auto write = [&] {  // save() would refuse it
    NamedTensors named;
    for (const Part& part : named_parts(saved)) named.tensors.emplace_back(part.name, part.value);
    save_safetensors(path, named);
  };
  saved.second.running_var = full({3}, -1.0);
  write();
  std::pair loaded(data::Standardizer(), nn::BatchNorm(3));
  expect_refusal([&] { load(path, loaded); },
                 "[load] " + path.string() +
                     " does not fit the model:\n  different: 1.running_var holds -1, must be at least 0");
  EXPECT_FALSE(loaded.first.mean.defined());
  saved.second.running_var = ones({3});
  saved.first.scale = zeros({2});
  write();
  expect_refusal([&] { load(path, loaded); },
                 "[load] " + path.string() +
                     " does not fit the model:\n  different: 0.scale holds 0, must be finite and above 0");
  saved.first.scale = ones({3});
  write();
  expect_refusal([&] { load(path, loaded); },
                 "[load] " + path.string() +
                     " does not fit the model:\n  different: 0.scale is (3,) f32, must be (2,) f32");
}

TEST(ModelFile, RefusesAnotherModelAndLeavesItAsItIs) {
  const TemporaryFolder folder;
  const auto path = folder / "m";
  Model saved = make_model(1);
  saved.out.bias = ones({4});
  saved.out.calls = tensor({1.0});
  saved.hidden.push_back(make_layer(9, Tensor()));
  saved.hidden[0].bias = Tensor();
  save(path, saved);
  Model model = make_model(5);
  expect_refusal([&] { load(path, model); },
                 "[load] " + path.string() +
                     " does not fit the model:"
                     "\n  missing: hidden.0.bias (3,) f32"
                     "\n  different: out.bias is (4,) f32 in the file, (3,) f32 in the model"
                     "\n  different: out.calls is (1,) f32 in the file, (1,) i64 in the model"
                     "\n  unexpected: hidden.2.calls (1,) i64"
                     "\n  unexpected: hidden.2.weight (3, 2) f32");
  expect_equal(model, make_model(5));
}

TEST(ModelFile, OfAFailedTrainingDoesNotReplaceAGoodOne) {
  const TemporaryFolder folder;
  const auto path = folder / "m";
  save(path, make_model(1));
  Model failed = make_model(2);
  failed.hidden[1].weight.set({0, 0}, std::numeric_limits<double>::quiet_NaN());
  const std::string refusal = testing::refusal_of([&] { save(path, failed); });
  EXPECT_NE(refusal.find("hidden.1.weight"), std::string::npos) << refusal;
  Model loaded = make_model(3);
  load(path, loaded);
  expect_equal(loaded, make_model(1));
  save(path, failed, {}, {.finite = false});
  load(path, loaded, {.finite = false});
  EXPECT_TRUE(std::isnan(loaded.hidden[1].weight.at({0, 0})));
}

TEST(ModelFile, GivesNoPartToAModelThatWasMadeWithoutIt) {
  const TemporaryFolder folder;
  const auto path = folder / "m";
  save(path, make_layer(1, ones({3})));
  Layer without = make_layer(2, Tensor());
  expect_refusal([&] { load(path, without); },
                 "[load] " + path.string() + " does not fit the model:\n  unexpected: bias (3,) f32");
  EXPECT_FALSE(without.bias.defined());
  EXPECT_EQ(without.calls.item(), 2.0);
  // A model of which nothing was made takes all.
  Layer blank;
  load(path, blank);
  EXPECT_TRUE(array_equal(blank.bias, ones({3})));
  EXPECT_EQ(blank.calls.item(), 1.0);
}

}  // namespace
}  // namespace likely::io
