#include "likely/runs/settings.hpp"

#include <gtest/gtest.h>

#include "likely/core/error.hpp"
#include "likely/core/nearest_name.hpp"
#include "tests/support/check_gradients.hpp"

namespace likely::runs {
namespace {

using testing::expect_refusal;

Settings some_settings() {
  return Settings("toy", {whole_setting("epochs", 10, "passes"), number_setting("lr", 0.1, "rate", 0.0, 1.0),
                          flag_setting("shuffle", true, "order"),
                          word_setting("activation", "relu", "units", {"relu", "tanh"}),
                          text_setting("target", "", "column")});
}

TEST(Settings, HoldDefaultsAndWhatWasChosen) {
  Settings settings = some_settings();
  EXPECT_EQ(settings.whole("epochs"), 10);
  EXPECT_DOUBLE_EQ(settings.number("lr"), 0.1);
  EXPECT_TRUE(settings.flag("shuffle"));
  EXPECT_EQ(settings.text("activation"), "relu");
  settings.set("epochs=25");
  settings.set("lr", "1e-3");
  settings.set("shuffle=no");
  settings.set("activation", "tanh");
  settings.set("target=a=b");
  EXPECT_EQ(settings.whole("epochs"), 25);
  EXPECT_DOUBLE_EQ(settings.number("epochs"), 25.0);
  EXPECT_DOUBLE_EQ(settings.number("lr"), 1e-3);
  EXPECT_FALSE(settings.flag("shuffle"));
  EXPECT_EQ(settings.text("activation"), "tanh");
  EXPECT_EQ(settings.text("target"), "a=b");
  EXPECT_TRUE(settings.has("lr"));
  EXPECT_FALSE(settings.has("momentum"));
}

TEST(Settings, AreKnownByBothSpellings) {
  Settings settings("toy", {number_setting("weight_decay", 0.1, "decay"), number_setting("lr", 0.1, "rate")});
  settings.set("weight-decay=0.5");
  EXPECT_EQ(settings.number("weight_decay"), 0.5);
  settings.set("weight_decay", "0.25");
  EXPECT_EQ(settings.number("weight_decay"), 0.25);
  EXPECT_EQ(settings.spelled("weight-decay"), "weight_decay");
  EXPECT_EQ(settings.spelled("l-r"), "l-r");
  expect_refusal([&] { settings.set("weight-decay=x"); },
                 "toy: weight_decay must be a number of at least 0, got \"x\"");
  expect_refusal([&] { settings.set("l-r=1"); }, "toy has no setting \"l-r\"; did you mean \"lr\"?");
}

TEST(Settings, RefuseInOneLine) {
  Settings settings = some_settings();
  expect_refusal([&] { settings.set("epoch=3"); }, "toy has no setting \"epoch\"; did you mean \"epochs\"?");
  expect_refusal([&] { settings.set("zebra=3"); },
                 "toy has no setting \"zebra\"; there are: epochs, lr, shuffle, activation, target");
  expect_refusal([&] { settings.set("epochs=0"); },
                 "toy: epochs must be a whole number of at least 1, got \"0\"");
  expect_refusal([&] { settings.set("epochs=3.5"); },
                 "toy: epochs must be a whole number of at least 1, got \"3.5\"");
  expect_refusal([&] { settings.set("epochs=99999999999999999999"); },
                 "toy: epochs must be a whole number of at least 1, got \"99999999999999999999\"");
  expect_refusal([&] { settings.set("lr=2"); }, "toy: lr must be a number from 0 to 1, got \"2\"");
  expect_refusal([&] { settings.set("lr=nan"); }, "toy: lr must be a number from 0 to 1, got \"nan\"");
  expect_refusal([&] { settings.set("lr="); }, "toy: lr must be a number from 0 to 1, got \"\"");
  expect_refusal([&] { settings.set("shuffle=perhaps"); },
                 "toy: shuffle must be true | false, got \"perhaps\"");
  expect_refusal([&] { settings.set("activation=tanhh"); },
                 "toy: activation must be relu | tanh, got \"tanhh\"; did you mean \"tanh\"?");
  expect_refusal([&] { settings.set("epochs"); }, "toy: `set` needs name=value, got \"epochs\"");
  expect_refusal([&] { settings.set("=3"); }, "toy: `set` needs name=value, got \"=3\"");
}

TEST(Settings, RefuseMistakesOfTheRecipe) {
  const Settings settings = some_settings();
  expect_refusal([&] { settings.whole("lr"); }, "[toy] the setting \"lr\" is no whole number");
  expect_refusal([&] { settings.number("target"); }, "[toy] the setting \"target\" is no number");
  expect_refusal([&] { settings.flag("lr"); }, "[toy] the setting \"lr\" is no flag");
  expect_refusal([&] { settings.number("momentum"); },
                 "[toy] the recipe reads a setting \"momentum\" that it does not declare");
  expect_refusal(
      [] {
        Settings("toy", {whole_setting("a", 1, ""), whole_setting("a", 2, "")});
      },
      "[toy] two settings are called a");
  expect_refusal([] { Settings("toy", {number_setting("a", 2.0, "", 0.0, 1.0)}); },
                 "[toy] the default of a is not a number from 0 to 1");
}

TEST(NearestName, CountsLettersChangedAndSwapped) {
  const std::vector<std::string> names = {"train", "resume", "eval", "predict", "plot"};
  EXPECT_EQ(nearest_name("trian", names), "train");   // swapped
  EXPECT_EQ(nearest_name("resum", names), "resume");  // left out
  EXPECT_EQ(nearest_name("plott", names), "plot");    // one too many
  EXPECT_EQ(nearest_name("evil", names), "eval");     // replaced
  EXPECT_EQ(nearest_name("pred", names), "predict");  // begun
  EXPECT_EQ(nearest_name("zebra", names), "");
  EXPECT_EQ(nearest_name("", names), "");
  EXPECT_EQ(nearest_name("train", {}), "");
  EXPECT_EQ(did_you_mean("trian", names), "; did you mean \"train\"?");
  EXPECT_EQ(did_you_mean("zebra", names), "");
}

}  // namespace
}  // namespace likely::runs
