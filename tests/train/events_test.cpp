// What a training tells, in which order, and to whom.
#include "likely/train/events.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "tests/train/small_network.hpp"

namespace likely::train {
namespace {

using testing::kCrossEntropy;
using testing::SmallNetwork;
using testing::TemporaryFolder;
using testing::three_classes;

template <class Kind>
std::vector<Kind> all(const std::vector<Event>& events) {
  std::vector<Kind> found;
  for (const Event& event : events) {
    if (const auto* one = std::get_if<Kind>(&event)) found.push_back(*one);
  }
  return found;
}

// Two steps an epoch.
std::vector<Event> told(const std::filesystem::path& folder, std::int64_t epochs, bool stop = false) {
  SmallNetwork model(Rng(1));
  optim::Adam adam(model, {.lr = 0.01});
  std::vector<Event> events;
  train::fit(model, adam, {.train = three_classes(40, 1), .validation = three_classes(20, 2)}, kCrossEntropy,
             {.epochs = epochs,
              .batch = 20,
              .on_epoch = [&](EpochReport& report) { report.stop = stop; },
              .out = folder,
              .resume = !folder.empty(),
              .figures = false,
              .progress = Progress::silent,
              .events = [&](const Event& event) { events.push_back(event); }});
  return events;
}

TEST(Events, TellATrainingFromItsBeginningToItsEnd) {
  const std::vector<Event> events = told({}, 2);
  ASSERT_EQ(events.size(), 8U);  // training, 2 x (2 steps and an epoch), trained
  const auto& training = std::get<event::Training>(events[0]);
  EXPECT_EQ(training.epochs, 2);
  EXPECT_EQ(training.steps, 4);
  EXPECT_EQ(training.step, 0);
  EXPECT_TRUE(training.counts_rows);
  EXPECT_FALSE(training.is_done);
  const auto& first = std::get<event::Step>(events[1]);
  const auto& second = std::get<event::Step>(events[2]);
  EXPECT_EQ(second.epoch, 1);
  EXPECT_EQ(second.step, 2);
  EXPECT_EQ(second.rows, 20);
  ASSERT_EQ(second.losses.size(), 1U);
  EXPECT_EQ(second.losses[0].first, "loss");
  ASSERT_EQ(second.means.size(), 1U);
  EXPECT_DOUBLE_EQ(second.means[0].second, (first.losses[0].second + second.losses[0].second) / 2.0);
  EXPECT_EQ(second.rates, (NamedNumbers{{"lr", 0.01}}));
  const auto& epoch = std::get<event::Epoch>(events[3]).report;
  EXPECT_EQ(epoch.epoch, 1);
  EXPECT_EQ(epoch.losses, second.means);
  EXPECT_EQ(epoch.measured_on, MeasuredOn::validation);
  const auto& trained = std::get<event::Trained>(events[7]);
  EXPECT_EQ(trained.stopped, Stopped::finished);
  EXPECT_EQ(trained.step, 4);
  EXPECT_TRUE(trained.out.empty());
  EXPECT_GT(trained.best_epoch, 0);
  EXPECT_FALSE(trained.monitored.empty());
}

TEST(Events, SayWhereATrainingGoesOn) {
  const TemporaryFolder folder;
  const std::vector<Event> begun = told(folder / "run", 3, true);
  EXPECT_EQ(all<event::Trained>(begun)[0].stopped, Stopped::by_callback);
  const std::vector<Event> gone_on = told(folder / "run", 3);
  EXPECT_EQ(all<event::Training>(gone_on)[0].step, 2);
  EXPECT_EQ(all<event::Training>(gone_on)[0].out, folder / "run");
  EXPECT_EQ(all<event::Step>(gone_on).size(), 4U);
  EXPECT_EQ(all<event::Step>(gone_on)[0].step, 3);
  const std::vector<Event> nothing_left = told(folder / "run", 3);
  EXPECT_TRUE(all<event::Training>(nothing_left)[0].is_done);
  EXPECT_EQ(all<event::Step>(nothing_left).size(), 0U);
}

TEST(Events, WarnOfWhatIsSetAside) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder / "run");
  testing::write_bytes(folder / "run/metrics.jsonl", "my measurements");
  const std::vector<event::Warning> warnings = all<event::Warning>(told(folder / "run", 1));
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_EQ(warnings[0].text, (folder / "run/metrics.jsonl").string() +
                                  " was somebody else's: it is kept as metrics.jsonl.kept");
}

TEST(Events, WhatASinkThrowsEndsTheTraining) {
  SmallNetwork model(Rng(1));
  optim::Adam adam(model, {.lr = 0.01});
  int steps = 0;
  const EventSink sink = [&](const Event& event) {
    if (std::holds_alternative<event::Step>(event) && ++steps == 2) throw std::runtime_error("enough");
  };
  EXPECT_THROW(train::fit(model, adam, {.train = three_classes(40, 1)}, kCrossEntropy,
                          {.epochs = 5, .batch = 10, .progress = Progress::silent, .events = sink}),
               std::runtime_error);
  EXPECT_EQ(steps, 2);
}

// A learner without data.
struct Walker {
  Tensor place = zeros({1});
  Losses step(const Training& training) {
    place = place + training.split().normal({1});
    return {{"distance", std::abs(place.item())}};
  }
  LIKELY_PARTS(place)
};

TEST(Events, AreToldByAnyLearner) {
  Walker walker;
  std::vector<Event> events;
  train::run(walker, {.steps = 5,
                      .steps_per_epoch = 5,
                      .progress = Progress::silent,
                      .events = [&](const Event& event) { events.push_back(event); }});
  ASSERT_EQ(events.size(), 8U);
  EXPECT_FALSE(std::get<event::Training>(events[0]).counts_rows);
  EXPECT_EQ(std::get<event::Step>(events[5]).losses[0].first, "distance");
  EXPECT_EQ(std::get<event::Trained>(events[7]).best_epoch, 0);
  EXPECT_EQ(std::get<event::Trained>(events[7]).monitored, "");
}

}  // namespace
}  // namespace likely::train
