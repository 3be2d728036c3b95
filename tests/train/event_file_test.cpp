// Events as lines of JSON: what docs/events.md promises.
#include "likely/train/event_file.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <regex>

#include "likely/kernels/build_info.hpp"
#include "tests/support/temporary_folder.hpp"

namespace likely::train {
namespace {

using testing::read_bytes;
using testing::TemporaryFolder;
using testing::write_bytes;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

TEST(EventLines, AreWhatTheManualSays) {
  EXPECT_EQ(json_of(event::Begin{.recipe = "moons",
                                 .seed = 3,
                                 .settings = {{"lr", "0.1"}},
                                 .data = "",
                                 .out = "runs/moons",
                                 .resumed = true}),
            R"({"event":"begin","recipe":"moons","seed":3,"settings":{"lr":"0.1"},"data":"",)"
            R"("out":"runs/moons","resumed":true})");
  EXPECT_EQ(json_of(event::Training{.out = "runs/moons", .epochs = 20, .steps = 800, .step = 40}),
            R"({"event":"training","out":"runs/moons","epochs":20,"steps":800,"step":40})");
  EXPECT_EQ(json_of(event::Step{.epoch = 2,
                                .step = 41,
                                .rows = 50,
                                .losses = {{"critic", 0.5}, {"generator", kNaN}},
                                .means = {{"critic", 0.6}},
                                .rates = {{"lr", 0.1}}}),
            R"({"event":"step","epoch":2,"step":41,"losses":{"critic":0.5,"generator":null},)"
            R"("rates":{"lr":0.1}})");
  EXPECT_EQ(json_of(event::Epoch{{.epoch = 2,
                                  .step = 80,
                                  .loss = 0.5,
                                  .lr = 0.1,
                                  .measured = {{"accuracy", 0.75}},
                                  .measured_on = MeasuredOn::validation,
                                  .improved = true,
                                  .seconds = 1.23456,
                                  .losses = {{"loss", 0.5}},
                                  .rates = {{"lr", 0.1}}}}),
            R"({"event":"epoch","epoch":2,"step":80,"losses":{"loss":0.5},"rates":{"lr":0.1},)"
            R"("measured":{"accuracy":0.75},"measured_on":"validation","improved":true,"seconds":1.235})");
  EXPECT_EQ(json_of(event::Trained{.stopped = Stopped::early,
                                   .step = 80,
                                   .monitored = "accuracy",
                                   .best_epoch = 1,
                                   .best_value = 0.75}),
            R"({"event":"trained","stopped":"early","step":80,"monitored":"accuracy","best_epoch":1,)"
            R"("best_value":0.75})");
  EXPECT_EQ(json_of(event::Stage{.of = "folds", .doing = "epoch 3", .numbers = {{"loss", 0.5}}}),
            R"({"event":"stage","of":"folds","doing":"epoch 3","done":null,"numbers":{"loss":0.5}})");
  EXPECT_EQ(json_of(event::Trial{.number = 2, .settings = {{"lr", "1"}}, .error = "too large"}),
            R"({"event":"trial","number":2,"settings":{"lr":"1"},"figure":"","value":null,)"
            R"("error":"too large"})");
  EXPECT_EQ(json_of(event::Metric{"test accuracy", 0.75, true}),
            R"({"event":"metric","name":"test accuracy","value":0.75,"higher_is_better":true})");
  EXPECT_EQ(json_of(event::Metric{"width", 47.0}),
            R"({"event":"metric","name":"width","value":47.0,"higher_is_better":null})");
  EXPECT_EQ(json_of(event::Sample{"verse", "a \"line\"\nand another"}),
            R"({"event":"sample","name":"verse","text":"a \"line\"\nand another","picture":""})");
  EXPECT_EQ(json_of(event::Sample{.name = "digits", .picture = "runs/vae/figures/digits"}),
            R"({"event":"sample","name":"digits","text":"","picture":"runs/vae/figures/digits"})");
  EXPECT_EQ(json_of(event::Picture{"runs/moons/figures/areas"}),
            R"({"event":"picture","path":"runs/moons/figures/areas"})");
  EXPECT_EQ(json_of(event::Warning{"no gnuplot"}), R"({"event":"warning","text":"no gnuplot"})");
  EXPECT_EQ(json_of(event::End{.stopped = Stopped::interrupted, .seconds = 2.0}),
            R"({"event":"end","stopped":"interrupted","seconds":2.0,"error":""})");
  EXPECT_EQ(json_of(event::End{.seconds = 2.0, .error = "the loss is NaN"}),
            R"({"event":"end","stopped":"failed","seconds":2.0,"error":"the loss is NaN"})");
}

// Without the times.
std::string lines_in(const std::filesystem::path& path) {
  static const std::regex kTime(R"re(,"time":\d+\.\d{3}\})re");
  return std::regex_replace(read_bytes(path), kTime, "}");
}

std::string opened() {
  return R"({"event":"open","version":1,"likely":")" + std::string(version()) + "\"}\n";
}

TEST(EventFile, AppendsAndKeepsNoHalfLine) {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder / "events.jsonl";
  {
    EventFile file(path);
    file(event::Warning{"first"});
    EXPECT_EQ(file.failure(), "");
    EXPECT_EQ(lines_in(path), opened() + "{\"event\":\"warning\",\"text\":\"first\"}\n");  // at once
  }
  const std::string before = read_bytes(path);
  write_bytes(path, before + "{\"event\":\"war");  // somebody was killed
  EventFile again(path);
  again(event::Warning{"second"});
  EXPECT_TRUE(read_bytes(path).starts_with(before));
  EXPECT_EQ(lines_in(path), opened() + "{\"event\":\"warning\",\"text\":\"first\"}\n" + opened() +
                                "{\"event\":\"warning\",\"text\":\"second\"}\n");
}

TEST(EventFile, HasNotEveryStep) {
  const TemporaryFolder folder;
  EventFile file(folder / "events.jsonl");
  const auto begin = std::chrono::steady_clock::now();
  for (int step = 1; step <= 1000; ++step) file(event::Step{.epoch = 1, .step = step});
  const auto seconds =
      std::chrono::duration_cast<std::chrono::seconds>(std::chrono::steady_clock::now() - begin).count();
  const std::string text = read_bytes(folder / "events.jsonl");
  EXPECT_NE(text.find("\"step\":1,"), std::string::npos) << text;
  EXPECT_LE(std::count(text.begin(), text.end(), '\n'), 1 + 1 + seconds);
}

TEST(EventFile, ThatCannotBeWrittenSaysWhyAndCostsNothing) {
  const TemporaryFolder folder;
  EventFile file(folder / "none/events.jsonl");
  EXPECT_NO_THROW(file(event::Warning{"first"}));
  EXPECT_NE(file.failure().find("none/events.jsonl"), std::string::npos) << file.failure();
  EXPECT_NE(file.failure().find("No such file or directory"), std::string::npos) << file.failure();
  EXPECT_EQ(folder.list(), "");
}

}  // namespace
}  // namespace likely::train
