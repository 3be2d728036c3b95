// Networks from descriptions in JSON, and in files.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "likely/core/create.hpp"
#include "likely/io/model_file.hpp"
#include "likely/io/network_json.hpp"
#include "likely/nn/nn.hpp"
#include "likely/tree/tree.hpp"
#include "tests/support/check_gradients.hpp"
#include "tests/support/temporary_folder.hpp"

namespace likely {
namespace {

using testing::expect_refusal;
using testing::TemporaryFolder;

TEST(NetworkJson, IsTheDescriptionInText) {
  const std::string json =
      "[{\"layer\":\"conv2d\",\"out\":4,\"kernel\":[3,1],\"padding\":\"same\",\"bias\":false},\n"
      " {\"layer\":\"residual\",\"body\":[{\"layer\":\"relu\"}],\"shortcut\":[{\"layer\":\"tanh\"}]},\n"
      " {\"layer\":\"dropout\",\"p\":0.1},\n"
      " {\"layer\":\"upsample_nearest\",\"scale\":[1.5,2]}]\n";
  const nn::Description read = io::description_from_json(json);
  EXPECT_EQ(
      nn::text_of(read),
      "conv2d 4 3x1 padding=same bias=false, residual [relu] [tanh], dropout 0.1, upsample_nearest 1.5x2");
  EXPECT_EQ(io::description_json(read), json);
  const nn::Network made = nn::network(read, {1, 4, 4}, Rng(1));
  EXPECT_EQ(made.description(), read);
  EXPECT_EQ(io::description_json({}), "[]\n");
}

TEST(NetworkJson, RefusesWhatIsNoDescription) {
  const auto refused = [](const std::string& text, const std::string& why) {
    expect_refusal([&] { io::description_from_json(text); }, why);
  };
  refused("[{]", "[json] this is not JSON, see byte 3");
  refused("{}",
          "[network] the description must be a list of layers, as in [{\"layer\": \"linear\", \"out\": 64}]");
  refused("[3]", "[network] layer 0: must be an object with its name, as in {\"layer\": \"relu\"}");
  refused("[{\"layer\": \"relu\"}, {\"out\": 3}]",
          "[network] layer 1: must be an object with its name, as in {\"layer\": \"relu\"}");
  refused("[{\"layer\": \"linear\", \"out\": [1, 2, 3]}]",
          "[network] layer 0: \"out\" must be a number, two numbers in a list, true, false or a word");
  refused("[{\"layer\": \"linear\", \"out\": 1, \"out\": 2}]",
          "[network] \"out\" is given twice in one layer");
  refused("[{\"layer\": \"residual\", \"body\": 3}]",
          "[network] layer 0.body: must be a list of layers, as in [{\"layer\": \"linear\", \"out\": 64}]");
  std::string deep = "[{\"layer\":\"relu\"}]";
  for (int i = 0; i < 40; ++i) deep = fmt::format(R"([{{"layer":"residual","body":{}}}])", deep);
  refused(deep, "[network] layer 0: residuals may lie 32 deep in each other at most");
  std::string wide = "[{\"layer\":\"relu\"";
  for (int i = 0; i < 200; ++i) wide += ",\"" + std::to_string(i) + "\":1";
  refused(wide + "}]", "[network] no layer has as many settings");
  expect_refusal(
      [] {
        io::description_json({{.layer = "relu", .settings = {{"layer", "tanh"}}}});
      },
      "[network] a setting \"layer\" of relu cannot be written as JSON");
}

TEST(NetworkFile, IsTheFileOfTheSequential) {
  const TemporaryFolder folder;
  Rng rng(1);
  nn::Sequential typed{nn::Linear(3, 4, rng.split()), nn::BatchNorm(4),
                       nn::Residual{nn::Sequential{nn::Relu{}, nn::Linear(4, 4, rng.split())}}};
  typed.get<1>().running_mean = ones({4});
  nn::Network network = nn::network("linear 4, batch_norm, residual [relu, linear 4]", {3}, Rng(2));
  const Tensor x = rng.normal({5, 3});
  EXPECT_FALSE(array_equal(network(x), typed(x)));
  io::save(folder / "typed", typed);
  io::load(folder / "typed", network);
  EXPECT_TRUE(array_equal(network(x), typed(x)));
  io::save(folder / "network", network);
  EXPECT_EQ(testing::read_bytes(folder / "network"), testing::read_bytes(folder / "typed"));
  nn::Sequential other{nn::Linear(3, 4, rng.split()), nn::BatchNorm(4),
                       nn::Residual{nn::Sequential{nn::Relu{}, nn::Linear(4, 4, rng.split())}}};
  io::load(folder / "network", other);
  EXPECT_TRUE(array_equal(other(x), typed(x)));
}

TEST(NetworkFile, OfOtherLayersIsRefused) {
  const TemporaryFolder folder;
  const std::string file = (folder / "file").string();
  io::save(file, nn::network("linear 4, relu", {3}, Rng(1)));
  nn::Network other = nn::network("conv1d 4 1, relu", {3, 5}, Rng(1));
  const Tensor x = Rng(2).normal({1, 3, 5}), before = other(x);
  expect_refusal(
      [&] { io::load(file, other); },
      "[load] " + file +
          " does not fit the model:\n  different: 0.weight is (4, 3) f32 in the file, (4, 3, 1) f32 in "
          "the model");
  EXPECT_TRUE(array_equal(other(x), before));
  nn::Network moved = nn::network("relu, linear 4", {3}, Rng(1));
  EXPECT_NE(testing::refusal_of([&] { io::load(file, moved); }).find("missing: 1.weight (4, 3) f32"),
            std::string::npos);
}

TEST(NetworkFile, OfOneThatWasMovedFromIsNotWritten) {
  const TemporaryFolder folder;
  const std::string file = (folder / "file").string();
  nn::Network network = nn::network("linear 4, linear 2", {3}, Rng(1));
  const nn::AnyLayer taken = std::move(network.layers[1]);
  expect_refusal([&] { io::save(file, network); },
                 "[save] " + file + " is not written: 1.layer was moved from");
  const nn::Network all = std::move(network);
  expect_refusal([&] { io::save(file, network); },  // NOLINT(bugprone-use-after-move): what is tested
                 "[save] " + file + " is not written: layers were moved from");
  EXPECT_EQ(folder.list(), "");
  // One whose layers have no numbers has none by right.
  nn::Network plain = nn::network("relu", {3}, Rng(1));
  io::save(file, plain);
  io::load(file, plain);
}

}  // namespace
}  // namespace likely
