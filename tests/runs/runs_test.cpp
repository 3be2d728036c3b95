#include "likely/runs/runs.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <sstream>
#include <variant>

#include "likely/core/threads.hpp"
#include "likely/io/checksum.hpp"
#include "likely/io/json.hpp"
#include "likely/models/recipes.hpp"
#include "likely/runs/listing.hpp"
#include "likely/runs/picture_folder.hpp"
#include "tests/support/check_gradients.hpp"
#include "tests/support/temporary_folder.hpp"

namespace likely::runs {
namespace {

namespace fs = std::filesystem;
using testing::expect_refusal;
using testing::read_bytes;
using testing::TemporaryFolder;
using testing::write_bytes;

// The cheapest there is: one epoch of a narrow network.
Run quick_run(const fs::path& out, const std::string& epochs = "1") {
  Run run = default_run(find_recipe(models::recipes(), "moons"));
  run.settings.set("epochs", epochs);
  run.settings.set("units", "4");
  run.out = out;
  return run;
}

const Recipe& moons() { return find_recipe(models::recipes(), "moons"); }

TEST(Recipes, AreWholeAndHaveNamesOfTheirOwn) {
  std::vector<std::string> names;
  for (const Recipe& recipe : models::recipes()) {
    SCOPED_TRACE(recipe.name);
    EXPECT_NO_THROW(default_run(recipe));
    EXPECT_FALSE(recipe.chapter.empty());
    EXPECT_FALSE(recipe.summary.empty());
    EXPECT_FALSE(recipe.data.empty());
    EXPECT_GT(recipe.seconds, 0.0);
    EXPECT_TRUE(!recipe.needs_data || !recipe.data_help.empty());
    EXPECT_EQ(std::count(names.begin(), names.end(), recipe.name), 0);
    names.push_back(recipe.name);
    EXPECT_NE(list_text(models::recipes()).find("\n" + recipe.name + " "), std::string::npos);
  }
  EXPECT_EQ(io::parse_json<io::SortedJson>(list_json(models::recipes())).size(), models::recipes().size());
  expect_refusal([] { find_recipe(models::recipes(), "spirlas"); },
                 "nothing is called \"spirlas\"; did you mean \"spirals\"?");
  expect_refusal([] { find_recipe(models::recipes(), "zebra"); },
                 "nothing is called \"zebra\"; `likely list` shows what is");
}

// What an events.jsonl says, by the names of its events; steps, of which there are as many as time allows,
// once.
std::string story_in(const fs::path& folder) {
  std::string story;
  std::istringstream lines(read_bytes(folder / "events.jsonl"));
  for (std::string line; std::getline(lines, line);) {
    const auto event = io::parse_json<io::SortedJson>(line)["event"].get<std::string>();
    if (event != "step" || !story.ends_with(" step")) story += (story.empty() ? "" : " ") + event;
  }
  return story;
}

TEST(Runs, TellWhatHappensToTheirFolderAndToWhoeverListens) {
  const TemporaryFolder folder;
  runs::Run run = quick_run(folder / "run");
  std::vector<train::Event> heard;
  run.events = [&](const train::Event& event) { heard.push_back(event); };
  const RunReport trained = train_recipe(moons(), run);
  // Without gnuplot there is a warning in place of pictures.
  const auto story_of = [](const RunReport& report) {
    std::string story = "open begin training step epoch trained metric metric";
    for (std::size_t i = 0; i < report.pictures().size(); ++i) story += " picture";
    for (std::size_t i = 0; i < report.warnings().size(); ++i) story += " warning";
    return story + " end";
  };
  EXPECT_EQ(story_in(folder / "run"), story_of(trained));

  const auto& begin = std::get<train::event::Begin>(heard.front());
  EXPECT_EQ(begin.recipe, "moons");
  EXPECT_EQ(begin.settings.at("units"), "4");
  EXPECT_FALSE(begin.resumed);
  EXPECT_EQ(std::get<train::event::End>(heard.back()).stopped, train::Stopped::finished);
  for (const train::Event& event : heard) {
    const auto* metric = std::get_if<train::event::Metric>(&event);
    if (metric == nullptr || metric->name != "test accuracy") continue;
    EXPECT_EQ(metric->value, trained.figures()[0].value);
    EXPECT_EQ(metric->higher_is_better, true);
  }

  heard.clear();
  const RunReport resumed = resume_run(models::recipes(), folder / "run", {"epochs=2"}, run.events);
  EXPECT_EQ(story_in(folder / "run"), story_of(trained) + " " + story_of(resumed));
  EXPECT_TRUE(std::get<train::event::Begin>(heard.front()).resumed);
}

// Pictures may take long: what was learned is on the disk by then.
TEST(Runs, KeepTheirReportBeforeTheyDraw) {
  const TemporaryFolder folder;
  const fs::path file = folder / "run/report.json";
  Recipe slow = moons();
  io::SortedJson before;
  slow.train = [&](const runs::Run&) -> Report {
    return {.figures = {{.name = "test score", .better = Better::higher, .value = 0.5}},
            .draw = [&](PictureFolder& pictures) {
              before = io::parse_json<io::SortedJson>(read_bytes(file));
              pictures.attempt("picture \"hard\"", [] { throw Error("no paper"); });
            }};
  };
  const RunReport trained = train_recipe(slow, quick_run(folder / "run"));
  EXPECT_EQ(before["figures"]["test_score"], 0.5);
  EXPECT_EQ(before["warnings"], io::SortedJson::array());
  const std::vector<std::string> warnings{"the picture \"hard\" could not be drawn: no paper"};
  EXPECT_EQ(trained.warnings(), warnings);
  EXPECT_EQ(io::parse_json<io::SortedJson>(read_bytes(file))["warnings"], io::SortedJson(warnings));
  EXPECT_FALSE(trained.seeds[0].report.draw);
}

TEST(Runs, TellWhatTheirModelMakes) {
  const TemporaryFolder folder;
  Recipe poet = moons();
  poet.train = [](const runs::Run& run) -> Report {
    run.events(train::event::Sample{.name = "after epoch 1", .text = "the the"});
    return {.samples = {{.name = "faces", .picture = run.out / "figures/faces"},
                        {.name = "verse", .text = "the end"}},
            .draw = [](PictureFolder& pictures) {
              pictures.attempt("picture \"faces\"", [] { throw Error("no paper"); });
            }};
  };
  runs::Run run = quick_run(folder / "run");
  std::vector<std::string> names;
  run.events = [&](const train::Event& event) {
    if (const auto* sample = std::get_if<train::event::Sample>(&event)) names.push_back(sample->name);
  };
  train_recipe(poet, run);
  // In words as soon as it is known, and with a picture when that has been drawn.
  EXPECT_EQ(story_in(folder / "run"), "open begin sample sample warning sample end");
  EXPECT_EQ(names, (std::vector<std::string>{"after epoch 1", "verse", "faces"}));
  EXPECT_NE(
      read_bytes(folder / "run/events.jsonl")
          .find(R"("name":"faces","text":"","picture":")" + (folder / "run/figures/faces").string() + "\""),
      std::string::npos);
}

TEST(Runs, ThatFailSayWhy) {
  const TemporaryFolder folder;
  Recipe failing = moons();
  failing.train = [](const runs::Run&) -> Report { throw Error("the weather is bad"); };
  runs::Run run = quick_run(folder / "run");
  train::event::End end;
  run.events = [&](const train::Event& event) {
    if (const auto* last = std::get_if<train::event::End>(&event)) end = *last;
  };
  expect_refusal([&] { train_recipe(failing, run); }, "the weather is bad");
  EXPECT_EQ(end.error, "the weather is bad");
  EXPECT_EQ(folder.list(), "");  // events.jsonl is taken away with the rest
}

TEST(Runs, KeepSomebodyElsesEvents) {
  const TemporaryFolder folder;
  train_recipe(moons(), quick_run(folder / "run"));
  const std::string before = read_bytes(folder / "run/events.jsonl");
  fs::rename(folder / "run/events.jsonl", folder / "elsewhere");
  fs::create_symlink("../elsewhere", folder / "run/events.jsonl");
  const RunReport resumed = resume_run(models::recipes(), folder / "run", {"epochs=2"});
  EXPECT_EQ(read_bytes(folder / "elsewhere"), before);
  EXPECT_TRUE(fs::is_symlink(folder / "run/events.jsonl.kept"));
  EXPECT_TRUE(read_bytes(folder / "run/events.jsonl").starts_with("{\"event\":\"open\",\"version\":1,"));
}

TEST(Runs, CanBeEvaluatedAndPredictedWith) {
  const TemporaryFolder folder;
  const RunReport trained = train_recipe(moons(), quick_run(folder / "run"));
  ASSERT_EQ(trained.figures().size(), 2U);
  EXPECT_EQ(trained.figures()[0].name, "test accuracy");
  const RunReport again = evaluate_run(models::recipes(), folder / "run");
  EXPECT_EQ(again.figures()[0].value, trained.figures()[0].value);
  EXPECT_EQ(again.figures()[1].value, trained.figures()[1].value);

  write_bytes(folder / "rows.csv", "0.5,-1\n0.5,-1\n");
  const Predictions said = predict_run(models::recipes(), folder / "run", folder / "rows.csv").columns;
  EXPECT_EQ(said.size(), 4U);
  EXPECT_EQ(said[0].values.shape(), Shape({2}));
  EXPECT_EQ(said[0].values.at({0}), said[0].values.at({1}));

  const auto json = io::parse_json<io::SortedJson>(read_bytes(folder / "run/report.json"));
  EXPECT_EQ(json["name"], "moons");
  EXPECT_EQ(json["seeds"], io::SortedJson::array({1}));
  EXPECT_EQ(json["epochs"], 1);
  EXPECT_EQ(json["stopped"], "finished");
  EXPECT_DOUBLE_EQ(json["figures"]["test_accuracy"].get<double>(), trained.figures()[0].value);
  EXPECT_EQ(json["settings"]["units"], "4");
}

TEST(Runs, GoOnToTheSameBitsOnAnyNumberOfThreads) {
  const TemporaryFolder folder;
  const int before = threads();
  set_threads(1);
  train_recipe(moons(), quick_run(folder / "whole", "3"));
  set_threads(3);
  train_recipe(moons(), quick_run(folder / "parts", "1"));
  set_threads(2);
  const RunReport resumed = resume_run(models::recipes(), folder / "parts", {"epochs=3"});
  set_threads(before);
  EXPECT_EQ(resumed.seeds[0].report.epochs, 3);
  EXPECT_EQ(read_bytes(folder / "whole/model.safetensors"), read_bytes(folder / "parts/model.safetensors"));
  // The change was kept.
  EXPECT_EQ(read_run(models::recipes(), folder / "parts").run.settings.whole("epochs"), 3);
  expect_refusal([&] { resume_run(models::recipes(), folder / "parts", {"lr=3"}); },
                 "only epochs can be changed when a training goes on, got \"lr=3\"");
}

TEST(Runs, OfSeveralSeedsGiveMeanAndSpread) {
  const TemporaryFolder folder;
  const RunReport report = train_recipe(moons(), quick_run(folder / "three"), {.seeds = {1, 2, 5}});
  ASSERT_EQ(report.seeds.size(), 3U);
  double mean = 0.0;
  for (const SeedReport& seed : report.seeds) mean += seed.report.figures[0].value / 3.0;
  EXPECT_NEAR(report.figures()[0].value, mean, 1e-12);
  double squares = 0.0;
  for (const SeedReport& seed : report.seeds) squares += std::pow(seed.report.figures[0].value - mean, 2);
  EXPECT_NEAR(report.spread("test accuracy"), std::sqrt(squares / 2.0), 1e-12);
  EXPECT_TRUE(fs::exists(folder / "three/seed-5/model.safetensors"));
  // Each is a run folder of its own, as if it had been trained alone.
  train_recipe(moons(), quick_run(folder / "alone"), {.seeds = {5}});
  EXPECT_EQ(read_bytes(folder / "alone/model.safetensors"),
            read_bytes(folder / "three/seed-5/model.safetensors"));
  EXPECT_EQ(evaluate_run(models::recipes(), folder / "three").seeds.size(), 3U);
  expect_refusal([&] { predict_run(models::recipes(), folder / "three", "x.csv"); },
                 (folder / "three").string() + " holds several runs; name one of them, such as " +
                     (folder / "three/seed-1").string());
  expect_refusal(
      [&] {
        train_recipe(moons(), quick_run(folder / "twice"), {.seeds = {1, 2, 1}});
      },
      "seed 1 is there twice");
}

TEST(Runs, ASeedThatWasInterruptedDoesNotCountInTheMean) {
  RunReport report;
  report.seeds = {
      {.seed = 1, .report = {.figures = {{.name = "test accuracy", .better = Better::higher, .value = 0.9}}}},
      {.seed = 2, .report = {.figures = {{.name = "test accuracy", .better = Better::higher, .value = 0.7}}}},
      {.seed = 3, .report = {.stopped = train::Stopped::interrupted}}};
  EXPECT_EQ(report.values("test accuracy"), (std::vector{0.9, 0.7}));
  EXPECT_DOUBLE_EQ(report.figures().at(0).value, 0.8);
  EXPECT_NEAR(report.spread("test accuracy"), 0.2 / std::sqrt(2.0), 1e-15);
}

TEST(Runs, OfSeveralSeedsGoOnWhereTheyStopped) {
  const TemporaryFolder folder;
  const RunReport whole = train_recipe(moons(), quick_run(folder / "two"), {.seeds = {1, 2}});
  const std::string second = read_bytes(folder / "two/seed-2/model.safetensors");
  fs::remove_all(folder / "two/seed-2");  // as if it had ended after the first
  const RunReport resumed = resume_run(models::recipes(), folder / "two");
  ASSERT_EQ(resumed.seeds.size(), 2U);
  EXPECT_EQ(read_bytes(folder / "two/seed-2/model.safetensors"), second);
  EXPECT_EQ(resumed.figures()[0].value, whole.figures()[0].value);
}

TEST(Runs, DrawWhatSuitsTheirData) {
  const TemporaryFolder folder;
  const RunReport trained = train_recipe(moons(), quick_run(folder / "run", "2"));
  if (trained.pictures().empty()) GTEST_SKIP() << "no gnuplot";
  std::vector<std::string> names;
  for (const fs::path& picture : trained.pictures()) {
    names.push_back(picture.filename().string());
    EXPECT_TRUE(fs::exists(picture.string() + ".png")) << picture;
    EXPECT_TRUE(fs::exists(picture.string() + ".svg")) << picture;
  }
  EXPECT_EQ(names, (std::vector<std::string>{"loss", "accuracy", "confusion", "areas"}));
  fs::remove_all(folder / "run/figures");
  EXPECT_EQ(plot_run(models::recipes(), folder / "run").pictures(), trained.pictures());
  EXPECT_TRUE(fs::exists(folder / "run/figures/areas.png"));
}

TEST(Runs, LeaveNothingBehindWhenRefused) {
  const TemporaryFolder folder;
  runs::Run run = quick_run(folder / "new/deep/run");
  run.data = folder / "nothing";
  expect_refusal([&] { train_recipe(moons(), run); },
                 "`data = " + (folder / "nothing").string() + "`: there is no such file or folder");
  run.data = folder.path();
  expect_refusal([&] { train_recipe(moons(), run); },
                 folder.path().string() + ": this is a folder, a file is needed");
  EXPECT_EQ(folder.list(), "");
}

TEST(Runs, AreOnlyReplacedWhenForced) {
  const TemporaryFolder folder;
  const std::string out = (folder / "run").string();
  train_recipe(moons(), quick_run(out));
  const std::string before = read_bytes(folder / "run/model.safetensors");
  expect_refusal([&] { train_recipe(moons(), quick_run(out)); },
                 out + " already holds a run; go on with it (likely resume " + out +
                     "), replace it (`force`) or choose another `out`");
  // A new run that fails at once gives the old one its place back.
  runs::Run wrong = quick_run(out);
  wrong.data = folder.path();
  EXPECT_THROW(train_recipe(moons(), wrong, {.force = true}), Error);
  EXPECT_EQ(read_bytes(folder / "run/model.safetensors"), before);
  runs::Run other = quick_run(out);
  other.seed = 2;
  train_recipe(moons(), other, {.force = true});
  EXPECT_NE(read_bytes(folder / "run/model.safetensors"), before);
  EXPECT_EQ(folder.list(), "run");

  fs::create_directory(folder / "letters");
  write_bytes(folder / "letters/love.txt", "keep me");
  expect_refusal(
      [&] { train_recipe(moons(), quick_run(folder / "letters"), {.force = true}); },
      "`out = " + (folder / "letters").string() + "`: the folder holds other things; choose another");
  expect_refusal([&] { train_recipe(moons(), quick_run(folder / "letters/love.txt")); },
                 "`out = " + (folder / "letters/love.txt").string() + "`: this is a file, not a folder");
  EXPECT_EQ(read_bytes(folder / "letters/love.txt"), "keep me");
}

TEST(Runs, RefuseFoldersThatAreNone) {
  const TemporaryFolder folder;
  const std::string at = folder.path().string();
  expect_refusal([&] { read_run(models::recipes(), folder / "none"); },
                 at + "/none: there is no such folder");
  expect_refusal([&] { read_run(models::recipes(), folder.path()); },
                 at + " is no run folder: it has no recipe.json");
  write_bytes(folder / "recipe.json", "{");
  expect_refusal([&] { read_run(models::recipes(), folder.path()); }, at + "/recipe.json: this is not JSON");
  const std::string sealed = io::sealed_json(R"({"recipe": "moons", "seed": 1, "data": "", "settings": {}})");
  for (std::size_t i = 0; i < sealed.size(); ++i) {
    std::string changed = sealed;
    changed[i] ^= 1;
    write_bytes(folder / "recipe.json", changed);
    expect_refusal([&] { read_run(models::recipes(), folder.path()); },
                   at + "/recipe.json: " + io::kBrokenSeal);
  }
  write_bytes(folder / "recipe.json", R"({"recipe": "moons", "seed": 1, "data": ""})");
  expect_refusal([&] { read_run(models::recipes(), folder.path()); },
                 at + "/recipe.json: recipe, seed, data or settings are missing or of another type");
  for (const char* seed : {"-1", "1e30", "1.5"}) {
    for (const std::string& entry :
         {std::string("\"seed\": ") + seed, std::string("\"seeds\": [2, ") + seed + "]"}) {
      write_bytes(folder / "recipe.json",
                  R"({"recipe": "moons", "data": "", "settings": {}, )" + entry + "}");
      expect_refusal([&] { read_run(models::recipes(), folder.path()); },
                     at + "/recipe.json: a seed must be a whole number from 0 on, got " +
                         (seed == std::string("1e30") ? "1e+30" : seed));
    }
  }
  write_bytes(folder / "recipe.json", R"({"recipe": "moons", "data": "", "settings": {}, "seed": 1e999})");
  expect_refusal([&] { read_run(models::recipes(), folder.path()); }, at + "/recipe.json: this is not JSON");
  write_bytes(folder / "recipe.json", R"({"recipe": "moon", "seed": 1, "data": "", "settings": {}})");
  EXPECT_THROW(read_run(models::recipes(), folder.path()), Error);
  write_bytes(folder / "recipe.json", R"({"recipe": "moons", "seed": 1, "data": "", "settings": {}})");
  expect_refusal([&] { evaluate_run(models::recipes(), folder.path()); },
                 at + " holds no finished model; finish it with: likely resume " + at);
}

Recipe experiment() {
  return {.name = "experiment",
          .chapter = "1",
          .summary = "Counts",
          .data = "none",
          .expected = {{.figure = "count", .value = 3.0, .percent = false, .published = true}},
          .seconds = 1,
          .train = [](const Run&) {
            return Report{.figures = {{.name = "count", .better = Better::neither, .value = 2.0}},
                          .text = "a table\n"};
          }};
}

TEST(Runs, OfExperimentsSayWhatTheyCannot) {
  const TemporaryFolder folder;
  const Recipe recipe = experiment();
  runs::Run run = default_run(recipe);
  run.out = folder / "run";
  const RunReport report = train_recipe(recipe, run);
  EXPECT_EQ(text_of(report), "a table\ncount     2.000   (published 3)\n");
  run.data = folder.path();
  expect_refusal([&] { train_recipe(recipe, run); },
                 "experiment makes its own data; `data` has no meaning for it");
  Recipe hungry = recipe;
  hungry.needs_data = true;
  hungry.data_help = "a folder of pictures";
  run.data.clear();
  expect_refusal([&] { train_recipe(hungry, run); }, "experiment needs `data`: a folder of pictures");
  expect_refusal([] { default_run(Recipe{}); }, "[recipe] a recipe needs a name and a way to train");
}

// A recipe during which somebody writes into the folder.
Recipe disturbed(std::function<void(const fs::path&)> disturb) {
  Recipe recipe = experiment();
  recipe.train = [disturb = std::move(disturb)](const Run& run) {
    disturb(run.out);
    return Report{.figures = {{"answer", Better::neither, 42.0}}};
  };
  return recipe;
}

TEST(Runs, KeepWhatOthersPutUnderTheirNames) {
  const TemporaryFolder folder;
  const Recipe recipe = disturbed([](const fs::path& run) {
    write_bytes(run / "report.json", "theirs");
    fs::create_directory(run / "mine");
  });
  runs::Run run = default_run(recipe);
  run.out = folder / "run";
  const RunReport report = train_recipe(recipe, run);
  EXPECT_EQ(read_bytes(folder / "run/report.json.kept"), "theirs");
  EXPECT_NE(read_bytes(folder / "run/report.json").find("answer"), std::string::npos);
  EXPECT_EQ(report.warnings(),
            std::vector<std::string>{(folder / "run/report.json").string() +
                                     " was somebody else's: it is kept as report.json.kept"});
}

TEST(Runs, AreNotSplitByAFolderPutInTheirPlace) {
  const TemporaryFolder folder;
  const Recipe recipe = disturbed([](const fs::path& run) {
    fs::rename(run, run.parent_path() / "moved");
    fs::create_directory(run);
  });
  runs::Run run = default_run(recipe);
  run.out = folder / "run";
  expect_refusal([&] { train_recipe(recipe, run); },
                 (folder / "run").string() +
                     ": another folder was put in its place meanwhile; nothing is written there");
  EXPECT_TRUE(fs::is_empty(folder / "run"));
  EXPECT_TRUE(fs::exists(folder / "moved/recipe.json"));
}

TEST(Runs, ReadNothingThatTheyReplace) {
  const TemporaryFolder folder;
  Recipe recipe = disturbed([](const fs::path&) {});
  recipe.data_help = "a table";
  recipe.settings = {file_setting("other", "a file, too")};
  runs::Run run = default_run(recipe);
  run.out = folder / "run";
  train_recipe(recipe, run);
  write_bytes(folder / "run/table.csv", "1\n");
  fs::create_symlink("run/table.csv", folder / "link.csv");
  const std::string before = read_bytes(folder / "run/report.json");
  const auto expect = [&](const fs::path& input) {
    expect_refusal([&] { train_recipe(recipe, run, {.force = true}); },
                   "`out = " + (folder / "run").string() + "`: this would replace " + input.string() +
                       ", which is to be read; choose another `out`");
    EXPECT_EQ(read_bytes(folder / "run/table.csv"), "1\n");
    EXPECT_EQ(read_bytes(folder / "run/report.json"), before);
  };
  run.data = folder / "run/table.csv";
  expect(run.data);
  run.data = folder / "link.csv";
  expect(run.data);
  run.data = folder / "run";
  expect(run.data);
  run.data.clear();
  run.settings.set("other", (folder / "run/table.csv").string());
  expect(folder / "run/table.csv");
  run.settings.set("other", "");
  train_recipe(recipe, run, {.force = true});
}

TEST(RunReports, HaveCalibrationWhereItWasMeasured) {
  Report with;
  with.calibration = {{"test ECE", Better::lower, 0.25}};
  RunReport report{&moons(), default_run(moons()), {{1, "a", with}}};
  const auto json = [&] { return io::parse_json<io::SortedJson>(json_of(report)); };
  EXPECT_EQ(json()["calibration"], io::SortedJson({{"test_ECE", 0.25}}));
  with.calibration[0].value = 0.75;
  report.seeds.push_back({2, "b", with});
  EXPECT_EQ(json()["calibration"], io::SortedJson({{"test_ECE", 0.5}}));
  EXPECT_EQ(json()["runs"][1]["calibration"], io::SortedJson({{"test_ECE", 0.75}}));
  for (SeedReport& seed : report.seeds) seed.report.calibration.clear();
  EXPECT_FALSE(json().contains("calibration"));
  EXPECT_FALSE(json()["runs"][1].contains("calibration"));
}

}  // namespace
}  // namespace likely::runs
