// Learners of one's own: what run makes of them, and that they resume to the same bits.
#include "likely/train/run.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <string>

#include "likely/io/safetensors.hpp"
#include "tests/support/check_gradients.hpp"
#include "tests/train/child_process.hpp"
#include "tests/train/learners.hpp"
#include "tests/train/small_network.hpp"

namespace likely {
namespace {

using testing::expect_refusal;
using testing::Gambler;
using testing::Machine;
using testing::same_bits;
using testing::SmallCommittee;
using testing::TemporaryFolder;
using testing::TwoPlayers;

constexpr auto kSilent = train::Progress::silent;

train::RunOptions<TwoPlayers> for_players() {
  return {.data = data::feed(testing::draws_around_three(), {.batch = 16}),
          .epochs = 3,
          .seed = 5,
          .schedules = {{"critic_adam",
                         [](std::int64_t step) { return 0.03 / (1.0 + 0.1 * static_cast<double>(step)); }}},
          .metrics = {{"mean",
                       [](const TwoPlayers& players, Rng rng) {
                         return mean(players.generator(rng.normal({50, 1})));
                       },
                       true}}};
}
train::RunOptions<Gambler> for_gambler() {
  return {.epochs = 3,
          .steps_per_epoch = 4,
          .seed = 6,
          .metrics = {{"best lever", [](const Gambler& gambler) { return gambler.chance_of_best(); }, true}}};
}
train::RunOptions<Machine> for_machine() {
  return {.data = data::feed(testing::alike_and_unlike(), {.batch = 10}),
          .epochs = 3,
          .metrics = {{"log-likelihood",
                       [](const Machine& machine) {
                         return machine.log_likelihood(testing::alike_and_unlike().all().x);
                       },
                       true}}};
}
train::RunOptions<SmallCommittee> for_committee() {
  return {.steps = 10, .steps_per_epoch = 4, .seed = 3, .monitor = "member 1", .patience = 3};
}

template <class L>
void expect_same_result(const train::RunResult<L>& a, const train::RunResult<L>& b) {
  EXPECT_TRUE(same_bits(a.best, b.best));
  EXPECT_EQ(a.best_value, b.best_value);
  EXPECT_EQ(a.best_epoch, b.best_epoch);
  EXPECT_EQ(a.steps, b.steps);
  ASSERT_EQ(a.history.size(), b.history.size());
  for (std::size_t i = 0; i < a.history.size(); ++i) {
    EXPECT_EQ(a.history[i].losses, b.history[i].losses);
    EXPECT_EQ(a.history[i].rates, b.history[i].rates);
    EXPECT_EQ(a.history[i].measured, b.history[i].measured);
  }
}

// Stopped after each step in turn, and resumed by another learner of the same make.
template <class Make, class L>
void expect_to_resume_bit_for_bit(const Make& make, train::RunOptions<L> options) {
  const TemporaryFolder folder;
  options.resume = true;
  options.figures = false;
  options.progress = kSilent;
  options.log_every = 1;
  options.out = folder / "whole";
  L whole = make();
  const auto result = train::run(whole, options);
  ASSERT_GE(result.steps, 10);
  ASSERT_FALSE(same_bits(whole, make())) << "nothing was learned";
  for (std::int64_t at = 1; at <= result.steps; ++at) {
    options.out = folder / std::to_string(at);
    auto until = options;
    until.on_step = [&](train::StepReport& report) { report.stop = report.step == at; };
    L first = make();
    EXPECT_EQ(train::run(first, until).steps, at);
    L second = make();
    expect_same_result(train::run(second, options), result);
    EXPECT_TRUE(same_bits(second, whole)) << "stopped after step " << at;
  }
}

TEST(Run, TwoPlayersResumeBitForBit) {
  expect_to_resume_bit_for_bit([] { return TwoPlayers(Rng(1)); }, for_players());
}
TEST(Run, APolicyGradientWithoutDataResumesBitForBit) {
  expect_to_resume_bit_for_bit([] { return Gambler(); }, for_gambler());
}
TEST(Run, ContrastiveDivergenceWithoutALossResumesBitForBit) {
  expect_to_resume_bit_for_bit([] { return Machine(Rng(3)); }, for_machine());
}
TEST(Run, ACommitteeResumesBitForBit) {
  expect_to_resume_bit_for_bit([] { return SmallCommittee(Rng(4)); }, for_committee());
}

TEST(Run, TwoPlayersLearn) {
  TwoPlayers players(Rng(1));
  auto options = for_players();
  options.epochs = 150;
  options.schedules = {};
  options.progress = kSilent;
  const auto result = train::run(players, options);
  const Tensor drawn = players.generator(Rng(9).normal({1000, 1}));
  EXPECT_NEAR(mean(drawn).item(), 3.0, 0.5);
  EXPECT_EQ(result.steps, 600);
  EXPECT_EQ(result.history.back().losses.size(), 2U);
  EXPECT_EQ(result.history.back().losses[0].first, "critic");
  EXPECT_EQ(result.history.back()["generator"], result.history.back().losses[1].second);
}

TEST(Run, TheGamblerFindsTheBestLever) {
  Gambler gambler;
  auto options = for_gambler();
  options.epochs = 100;
  options.progress = kSilent;
  const auto result = train::run(gambler, options);
  EXPECT_GT(gambler.chance_of_best(), 0.9);
  EXPECT_EQ(result.best_value, result.best.chance_of_best());
  EXPECT_GE(result.best_value, gambler.chance_of_best());
}

TEST(Run, TheMachineLearnsWhatIsAlike) {
  Machine machine(Rng(3));
  const double before = machine.log_likelihood(testing::alike_and_unlike().all().x);
  EXPECT_NEAR(before, -4.0 * std::log(2.0), 0.1);
  auto options = for_machine();
  options.epochs = 200;
  options.progress = kSilent;
  const auto result = train::run(machine, options);
  // Four patterns of equal chance: -log 4 is the best there is.
  EXPECT_GT(result.best_value, -1.8);
  EXPECT_LT(result.best_value, -std::log(4.0) + 0.05);
  EXPECT_TRUE(result.history.back().losses.empty());
  EXPECT_TRUE(std::isnan(result.history.back().loss));
}

TEST(Run, SchedulesAreGivenByTheNameOfTheOptimizer) {
  TwoPlayers players(Rng(1));
  auto options = for_players();
  options.progress = kSilent;
  std::vector<train::NamedNumbers> rates;
  options.on_step = [&](const train::StepReport& report) { rates.push_back(report.rates); };
  train::run(players, options);
  ASSERT_EQ(rates.size(), 12U);
  EXPECT_EQ(rates[2], (train::NamedNumbers{{"generator_adam", 0.02}, {"critic_adam", 0.03 / 1.2}}));
  SmallCommittee committee(Rng(1));
  auto of_committee = for_committee();
  of_committee.schedules = {{"members.3.adam", [](std::int64_t) { return 0.1; }}};
  expect_refusal([&] { train::run(committee, of_committee); },
                 "[run] there is a schedule for \"members.3.adam\", which is no optimizer; what is: "
                 "members.0.adam, members.1.adam, members.2.adam");
}

// Makes optimizers while it learns, so that those that it had move.
struct Growing {
  struct Member {
    Tensor weight;
    optim::Sgd sgd;
    explicit Member(double value) : weight(tensor({value}, DType::f64)), sgd(weight, {.lr = 0.5}) {}
    LIKELY_PARTS(weight, sgd)
  };
  std::vector<Member> members;
  std::vector<double> rates;  // of the first, as its optimizer has them

  Growing() { members.emplace_back(1.0); }
  train::Losses step(const Training&, std::int64_t number) {
    if (number >= 2) members.emplace_back(1.0);
    double loss = 0.0;
    for (Member& member : members) {
      loss = train::descend(member.weight, member.sgd, [](const Tensor& w) { return sum(w * w); });
    }
    rates.push_back(members.front().sgd.options.lr);
    return {{"loss", loss}};
  }
  LIKELY_PARTS(members)
};

TEST(Run, FindsOptimizersThatAStepHasMoved) {
  Growing learner;
  std::vector<train::NamedNumbers> told;
  train::run(learner, {.steps = 6,
                       .schedules = {{"members.0.sgd", [](std::int64_t step) { return 0.01 * (step + 1); }}},
                       .on_step = [&](const train::StepReport& report) { told.push_back(report.rates); },
                       .progress = kSilent});
  ASSERT_EQ(told.size(), 6U);
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_DOUBLE_EQ(learner.rates[i], 0.01 * static_cast<double>(i + 1));
    EXPECT_EQ(told[i].front(), std::pair(std::string("members.0.sgd"), learner.rates[i]));
    EXPECT_EQ(told[i].size(), i < 2 ? 1U : i);
  }
}

// Remembers all that it has seen.
struct Gatherer {
  Tensor weight = ones({1});
  optim::Sgd sgd{weight, {.lr = 0.1}};
  Buffer seen{zeros({0, 1})};

  train::Losses step(const Training& training) {
    seen = Buffer(concat({seen, training.split().normal({2, 1})}));
    return {{"loss", train::descend(weight, sgd, [&](const Tensor& w) { return mean(square(w * seen)); })}};
  }
  LIKELY_PARTS(weight, sgd, seen)
};

TEST(Run, WhatALearnerGathersMayGrow) {
  const TemporaryFolder folder;
  const auto train_until = [&](std::int64_t steps, const std::filesystem::path& out) {
    Gatherer learner;
    train::run(
        learner,
        {.steps = steps, .seed = 2, .out = out, .resume = true, .figures = false, .progress = kSilent});
    return learner;
  };
  const Gatherer at_once = train_until(6, folder / "at once");
  train_until(2, folder / "run");
  const Gatherer resumed = train_until(6, folder / "run");
  EXPECT_EQ(resumed.seen.shape(), Shape({12, 1}));
  EXPECT_TRUE(same_bits(resumed, at_once));

  // It may have other rows, and is else what it was.
  const std::filesystem::path file = folder / "run/checkpoint.safetensors";
  const auto refused_with = [&](const Tensor& seen) {
    io::NamedTensors saved = io::load_safetensors(file);
    for (auto& [name, tensor] : saved.tensors) {
      if (name == "seen") tensor = seen;
    }
    io::save_safetensors(file, saved);
    return testing::refusal_of([&] { train_until(8, folder / "run"); });
  };
  EXPECT_NE(refused_with(zeros({12, 2})).find("seen is f32 (12, 2), the model's f32 (0, 1)"),
            std::string::npos);
  EXPECT_NE(refused_with(zeros({12})).find("seen is f32 (12,), the model's f32 (0, 1)"), std::string::npos);
  EXPECT_NE(refused_with(zeros({12, 1}, DType::f64)).find("seen is f64 (12, 1)"), std::string::npos);
}

// Learns another number of weights after its third step.
struct Changing {
  Tensor weight = ones({2});
  train::Losses step(const Training&, std::int64_t number) {
    weight = number < 3 ? weight * 0.5 : number < 4 ? ones({3}) : Tensor();
    return {{"loss", 1.0}};
  }
  LIKELY_PARTS(weight)
};

TEST(Run, NeverSavesWhatItCouldNotLoad) {
  const TemporaryFolder folder;
  const train::RunOptions<Changing> options{.steps = 6,
                                            .out = folder / "run",
                                            .resume = true,
                                            .checkpoint_every = 1,
                                            .figures = false,
                                            .progress = kSilent};
  Changing learner;
  expect_refusal([&] { train::run(learner, options); },
                 "[run] weight is f32 (3,) after step 4, and was f32 (2,) at the beginning");
  Changing again;
  train::RunOptions<Changing> to_three = options;
  to_three.steps = 3;
  train::run(again, to_three);  // there is the checkpoint of the third step
  EXPECT_EQ(again.weight.at({1}), 0.125);
}

// Tells what it is told to.
struct Named {
  train::Losses told;
  Buffer count{zeros({})};
  train::Losses step(const Training&) { return told; }
  LIKELY_PARTS(count)
};

TEST(Run, LossesAndMetricsHaveNamesOfTheirOwn) {
  Named twice{{{"a", 1.0}, {"b", 0.0}, {"a", 2.0}}};
  expect_refusal([&] { train::run(twice, {.steps = 1, .progress = kSilent}); },
                 "[run] two things are called \"a\": losses and metrics need names of their own");
  Named unnamed{{{"", 1.0}}};
  expect_refusal([&] { train::run(unnamed, {.steps = 1, .progress = kSilent}); }, "[run] a loss has no name");
  Named measured{{{"a", 1.0}}};
  expect_refusal(
      [&] {
        train::run(measured,
                   {.steps = 1, .metrics = {{"a", [](const Named&) { return 0.0; }}}, .progress = kSilent});
      },
      "[run] two things are called \"a\": losses and metrics need names of their own");
}

TEST(Run, OnlyMetricsThatSayWhatIsBetterAreMonitored) {
  const auto best_of = [](std::optional<bool> higher, const std::string& monitor = "") {
    Gatherer learner;
    const auto weight = [](const Gatherer& g) { return g.weight.item(); };
    return train::run(learner, {.steps = 4,
                                .steps_per_epoch = 1,
                                .metrics = {{"weight", weight, higher}},
                                .monitor = monitor,
                                .progress = kSilent})
        .best_epoch;
  };
  EXPECT_EQ(best_of(true), 1);  // it shrinks
  EXPECT_EQ(best_of(false), 4);
  EXPECT_EQ(best_of({}), 0);
  expect_refusal([&] { best_of({}, "weight"); },
                 "[run] say whether higher is better of \"weight\", which is monitored: {\"weight\", "
                 "function, true} or false");
}

// The optimizer is no part.
struct Forgetful {
  Tensor weight = ones({1});
  optim::Adam adam;
  Forgetful() : adam(weight, {.lr = 0.1}) {}
  train::Losses step(const Training&) {
    return {{"loss", train::descend(weight, adam, [](const Tensor& w) { return sum(w * w); })}};
  }
  LIKELY_PARTS(weight)
};

TEST(Run, RefusesToTrainWithWhatACheckpointWouldNotHold) {
  Forgetful learner;
  expect_refusal(
      [&] { train::run(learner, {.steps = 2, .progress = kSilent}); },
      "[run] step trains with the optimizer, which is a member of the learner and not named in its "
      "LIKELY_PARTS: no checkpoint would hold it");
  // In a program without run it is nobody's business.
  EXPECT_EQ(learner.step(Training(Rng(1))).size(), 1U);
}

// The same with a step that does without descend, in every kind of optimizer.
template <class Optimizer>
class ForgetfulByHand {
 public:
  template <class... Arguments>
  explicit ForgetfulByHand(const Arguments&... arguments) : optimizer_(arguments...) {}

  train::Losses step(const Training&) {
    const auto loss = [](const Tensor& w) { return sum(square(w - 1.0)); };
    if constexpr (!train::detail::StepsByLoss<Optimizer, Tensor>) {
      const auto [value, gradient] = value_and_grad(weight, loss);
      optimizer_.step(weight, gradient);
      return {{"loss", value}};
    } else {
      return {{"loss", optimizer_.step(weight, loss).loss}};
    }
  }

  Tensor weight = zeros({2}, DType::f64);
  LIKELY_PARTS(weight)

 private:
  Optimizer optimizer_;
};

TEST(Run, RefusesAnOptimizerThatStepsByHandAndWouldNotBeKept) {
  const Tensor weight = zeros({2}, DType::f64);
  const auto expect = [](auto learner) {
    SCOPED_TRACE(typeid(learner).name());
    expect_refusal(
        [&] { train::run(learner, {.steps = 2, .progress = kSilent}); },
        "[run] step trains with the optimizer, which is a member of the learner and not named in its "
        "LIKELY_PARTS: no checkpoint would hold it");
    EXPECT_EQ(learner.weight.at({0}), 0.0);  // nothing was changed
    // Without run nobody minds, nor afterwards.
    EXPECT_EQ(learner.step(Training(Rng(1))).size(), 1U);
    EXPECT_NE(learner.weight.at({0}), 0.0);
  };
  expect(ForgetfulByHand<optim::Sgd>(weight, optim::SgdOptions{.lr = 0.1}));
  expect(ForgetfulByHand<optim::Adam>(weight, optim::AdamOptions{.lr = 0.1}));
  expect(ForgetfulByHand<optim::AdamW>(weight, optim::AdamWOptions{.lr = 0.1}));
  expect(ForgetfulByHand<optim::Rmsprop>(weight, optim::RmspropOptions{.lr = 0.1}));
  expect(ForgetfulByHand<optim::Adagrad>(weight, optim::AdagradOptions{.lr = 0.1}));
  expect(ForgetfulByHand<optim::Langevin>(weight, optim::LangevinOptions{.lr = 0.1, .examples = 2}, Rng(1)));
  expect(ForgetfulByHand<optim::Lbfgs>(optim::LbfgsOptions{}));
  expect(ForgetfulByHand<optim::GradientDescent>(optim::GradientDescentOptions{}));
}

// Dropout, and a step that hands no Training on.
struct Undropped {
  nn::Sequential<nn::Linear, nn::Dropout> net{nn::Linear(2, 1, Rng(1)), nn::Dropout(0.5)};
  optim::Sgd sgd{net, {.lr = 0.1}};
  bool hands_on = false;
  train::Losses step(const Training& training) {
    return {{"loss", train::descend(net, sgd, [&](auto& m) {
               return mean(square(hands_on ? m(ones({3, 2}), training) : m(ones({3, 2}))));
             })}};
  }
  LIKELY_PARTS(net, sgd)
};

TEST(Run, RefusesAStepThatLeavesItsTrainingAlone) {
  Undropped learner;
  expect_refusal([&] { train::run(learner, {.steps = 2, .progress = kSilent}); },
                 "[run] the learner's net.1 behaves differently in training, and step does not hand its "
                 "Training on: call it with (x, training); to train without it, take a key and leave it "
                 "unused: training.split()");
  learner.hands_on = true;
  EXPECT_EQ(train::run(learner, {.steps = 2, .progress = kSilent}).steps, 2);
}

// Its layer takes three inputs.
struct Misfed {
  nn::Linear inner{3, 2, Rng(1)};
  train::Losses step(const Training& training) {
    return {{"loss", mean(inner(training.split().normal({4, 5})))}};
  }
  LIKELY_PARTS(inner)
};

TEST(Run, NamesLayersThatAreCalledOutsideOfDescend) {
  Misfed learner;
  try {
    train::run(learner, {.steps = 1, .progress = kSilent});
    FAIL() << "nothing was refused";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("in layer \"inner\" (Linear)"), std::string::npos)
        << error.what();
  }
}

TEST(Run, RefusesInItsOwnName) {
  const TemporaryFolder folder;
  std::ofstream(folder / "file") << "in the way";
  Growing learner;
  expect_refusal(
      [&] { train::run(learner, {.steps = 1, .out = folder / "file/run", .progress = kSilent}); },
      "[run] cannot make the run folder \"" + (folder / "file/run").string() + "\": Not a directory");
  expect_refusal(
      [&] {
        train::run(learner, {.steps = 1,
                             .metrics = {{"weights", [](const Growing&) { return zeros({2}); }}},
                             .progress = kSilent});
      },
      "[run] \"weights\" must be one number, got shape (2,)");
}

TEST(Run, StopsEarlyByALossOfItsOwn) {
  SmallCommittee committee(Rng(4));
  auto options = for_committee();
  options.steps = 10'000;
  options.progress = kSilent;
  const auto result = train::run(committee, options);
  EXPECT_EQ(result.stopped, train::Stopped::early);
  EXPECT_EQ(result.best_value, result.history[static_cast<std::size_t>(result.best_epoch - 1)]["member 1"]);
  options.monitor = "member 7";
  expect_refusal([&] { train::run(committee, options); },
                 "[run] the monitor \"member 7\" is not measured; what is: member 0, member 1, member 2");
}

TEST(Run, IsReadBackByItsHistory) {
  const TemporaryFolder folder;
  TwoPlayers players(Rng(1));
  auto options = for_players();
  options.progress = kSilent;
  options.figures = false;
  options.out = folder / "run";
  const auto result = train::run(players, options);
  const auto read = train::read_history(folder / "run");
  ASSERT_EQ(read.size(), result.history.size());
  EXPECT_EQ(read.back().losses, result.history.back().losses);
  EXPECT_EQ(read.back().rates, result.history.back().rates);
  EXPECT_EQ(read.back().measured, result.history.back().measured);
  EXPECT_EQ(read.back().measured_on, train::MeasuredOn::by_learner);
  EXPECT_EQ(read.back().loss, result.history.back().loss);
  TwoPlayers::Generator best;
  io::load(folder / "run/best.safetensors", best);
  EXPECT_TRUE(same_bits(best, result.best));
}

TEST(Run, RefusesWhatDoesNotFitTogether) {
  Gambler gambler;
  expect_refusal([&] { train::run(gambler, {}); }, "[run] say how long to train: epochs, steps or both");
  expect_refusal([&] { train::run(gambler, {.steps = 1, .steps_per_epoch = 0}); },
                 "[run] steps_per_epoch must be at least 1, got 0");
  expect_refusal([&] { train::run(gambler, {.steps = 1, .patience = 1}); },
                 "[run] patience needs something to monitor: a metric or the name of a loss");
  Machine machine(Rng(1));
  expect_refusal(
      [&] { train::run(machine, {.steps = 1}); },
      "[run] the learner's step takes a batch, and there are none: set data, such as data::feed(rows)");
}

TEST(Run, ADamagedCheckpointIsRefusedByName) {
  const TemporaryFolder folder;
  auto options = for_players();
  options.progress = kSilent;
  options.figures = false;
  options.out = folder / "run";
  TwoPlayers players(Rng(1));
  train::run(players, options);
  const std::filesystem::path file = folder / "run/checkpoint.safetensors";
  const io::NamedTensors good = io::load_safetensors(file);
  const auto expect_refused = [&](const char* missing, const std::string& message) {
    io::NamedTensors bad = good;
    std::erase_if(bad.tensors, [&](const auto& part) { return part.first == missing; });
    bad.metadata.erase(missing);
    io::save_safetensors(file, bad);
    TwoPlayers fresh(Rng(1));
    options.resume = true;
    options.epochs = 4;
    expect_refusal([&] { train::run(fresh, options); }, message);
    EXPECT_TRUE(same_bits(fresh, TwoPlayers(Rng(1)))) << "nothing has changed";
  };
  const std::string path = "\"" + file.string() + "\"";
  expect_refused("critic.hidden.weight",
                 "[run] " + path + " does not fit the learner: critic.hidden.weight is missing");
  expect_refused(
      "critic_adam.mean.0",
      "[run] " + path + " does not fit the learner: critic_adam.mean.0 is empty, must be (16, 1) f32");
  expect_refused("lr.critic_adam", "[run] " + path +
                                       " is not a checkpoint of a training: it does not say its "
                                       "lr.critic_adam");
}

// The learner steps its optimizers as it likes; how often they were is noted beside them.
TEST(Run, StepsOfOptimizersAreThoseThatWereMade) {
  const TemporaryFolder folder;
  auto options = for_players();
  options.progress = kSilent;
  options.figures = false;
  options.out = folder / "run";
  TwoPlayers players(Rng(1));
  train::run(players, options);
  options.resume = true;
  options.epochs = 4;
  const std::filesystem::path file = folder / "run/checkpoint.safetensors";
  const io::NamedTensors good = io::load_safetensors(file);
  EXPECT_EQ(good.metadata.at("critic_adam.steps.made"), "12,12,12,12");
  const auto refused = [&](const io::NamedTensors& bad) {
    io::save_safetensors(file, bad);
    TwoPlayers fresh(Rng(1));
    const std::string why = testing::refusal_of([&] { train::run(fresh, options); });
    EXPECT_TRUE(same_bits(fresh, TwoPlayers(Rng(1)))) << "nothing has changed";
    return why;
  };
  const std::string begin = "[run] \"" + file.string() + "\" does not fit the learner: ";
  io::NamedTensors other = good;
  for (auto& [name, tensor] : other.tensors) {
    if (name == "critic_adam.steps") tensor = tensor + 1;
  }
  EXPECT_EQ(refused(other), begin + "critic_adam.steps is 13,13,13,13, 12,12,12,12 were made");
  io::NamedTensors without = good;
  ASSERT_EQ(
      std::erase_if(without.tensors, [](const auto& part) { return part.first == "generator_adam.steps"; }),
      1U);
  EXPECT_EQ(refused(without), begin + "generator_adam.steps is empty, must be (2,) i64");
  // Older checkpoints say nothing of it.
  io::NamedTensors older = good;
  older.metadata.erase("critic_adam.steps.made");
  older.metadata.erase("generator_adam.steps.made");
  io::save_safetensors(file, older);
  TwoPlayers fresh(Rng(1));
  EXPECT_EQ(train::run(fresh, options).steps, 16);
}

struct Averaged {
  Tensor weight = zeros({2});
  optim::Adam adam;
  optim::Average<Tensor> average;
  Averaged(double decay, double multiple)
      : adam(weight, {.lr = 0.1}, {{.lr_multiple = multiple}}), average(weight, {.decay = decay}) {}
  void step(const Training&) {
    train::descend(weight, adam, [](Tensor& w) { return sum(square(w - 1.0)); });
    average.update(weight);
  }
  LIKELY_PARTS(weight, adam, average)
};

// What its averages and groups were is compared, too.
TEST(Run, GoesOnWithTheSameAverageAndGroupsAlone) {
  const TemporaryFolder folder;
  const auto train = [&](double decay, double multiple) {
    Averaged learner(decay, multiple);
    train::RunOptions<Averaged> options{.steps = 3};
    options.steps_per_epoch = 3;
    options.out = folder / "run";
    options.resume = true;
    options.figures = false;
    options.progress = kSilent;
    train::run(learner, options);
  };
  train(0.5, 2.0);
  const std::string other = "[run] \"" + (folder / "run").string() + "\" holds another run: ";
  EXPECT_EQ(testing::refusal_of([&] { train(0.75, 2.0); }),
            other + "average.average \"decay 0.75\" now, \"decay 0.5\" then");
  EXPECT_EQ(testing::refusal_of([&] { train(0.5, 3.0); }),
            other + "adam.groups \"0: lr x 3\" now, \"0: lr x 2\" then");
  train(0.5, 2.0);
}

// What momentum remembers is not known to be missing but for the number of tensors.
TEST(Run, ACheckpointWithFewerTensorsThanWereWrittenIsRefused) {
  const TemporaryFolder folder;
  auto options = for_gambler();
  options.progress = kSilent;
  options.figures = false;
  options.out = folder / "run";
  Gambler gambler;
  train::run(gambler, options);
  const std::filesystem::path file = folder / "run/checkpoint.safetensors";
  io::NamedTensors bad = io::load_safetensors(file);
  ASSERT_EQ(std::erase_if(bad.tensors, [](const auto& part) { return part.first == "sgd.velocity.0"; }), 1U);
  io::save_safetensors(file, bad);
  options.resume = true;
  options.epochs = 4;
  Gambler fresh;
  expect_refusal(
      [&] { train::run(fresh, options); },
      "[run] \"" + file.string() + "\" does not fit the learner: 3 tensors were written, and 2 are in it");
}

// Run in a process of its own: ends itself with SIGKILL in the middle of things.
TEST(DISABLED_RunChild, Trains) {
  const std::string die_at = std::getenv("LIKELY_DIE_AT");
  auto options = for_players();
  options.out = std::getenv("LIKELY_FOLDER");
  options.resume = true;
  options.figures = false;
  options.progress = kSilent;
  options.checkpoint_every = 2;
  options.on_step = [&](const train::StepReport& report) {
    if (std::to_string(report.step) == die_at) std::raise(SIGKILL);
  };
  TwoPlayers players(Rng(1));
  train::run(players, options);
}

TEST(Run, TwoPlayersThatAreKilledResumeBitForBit) {
  const TemporaryFolder folder;
  auto options = for_players();
  options.progress = kSilent;
  options.figures = false;
  TwoPlayers whole(Rng(1));
  const auto result = train::run(whole, options);
  for (const char* step : {"3", "5", "10"}) {
    EXPECT_EQ(testing::wait_for(testing::start_test(
                  "DISABLED_RunChild.Trains",
                  {{"LIKELY_FOLDER", (folder / "run").string()}, {"LIKELY_DIE_AT", step}})),
              -SIGKILL);
  }
  options.out = folder / "run";
  options.resume = true;
  TwoPlayers resumed(Rng(1));
  expect_same_result(train::run(resumed, options), result);
  EXPECT_TRUE(same_bits(resumed, whole));
}

// A learner whose second step takes the logarithm of a negative number.
struct Breaking {
  Tensor weight = ones({2});
  optim::Sgd sgd{weight, {.lr = 0.1}};

  train::Losses step(const Training&, std::int64_t number) {
    return {{"theirs",
             train::descend(weight, sgd, [&](Tensor& w) { return sum(log(w - (number > 0 ? 3.0 : 0.0))); })}};
  }
  LIKELY_PARTS(weight, sgd)
};

TEST(Run, SaysWhichOperationMadeALossThatIsNotFinite) {
  Breaking learner;
  const std::string message =
      testing::refusal_of([&] { train::run(learner, {.steps = 5, .progress = kSilent}); });
  EXPECT_TRUE(message.starts_with("[run] the loss is NaN at step 2 (epoch 1): [log] made NaN")) << message;
}

struct Saying {
  Tensor weight = ones({2});
  train::Losses step(const Training&, std::int64_t number) {
    return {{"mine", number == 2 ? std::numeric_limits<double>::infinity() : 1.0}};
  }
  LIKELY_PARTS(weight)
};

TEST(Run, NamesALossOfItsOwnThatIsNotFinite) {
  Saying learner;
  expect_refusal([&] { train::run(learner, {.steps = 5, .progress = kSilent}); },
                 "[run] the loss \"mine\" is infinite at step 3 (epoch 1)");
}

}  // namespace
}  // namespace likely
