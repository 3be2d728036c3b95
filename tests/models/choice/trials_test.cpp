#include "likely/models/choice/trials.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "likely/core/error.hpp"
#include "tests/models/choice/random_trials.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/shared_data.hpp"
#include "tests/support/temporary_folder.hpp"

namespace likely::choice {
namespace {

using likely::testing::refusal_of;
using likely::testing::TemporaryFolder;
using likely::testing::write_bytes;
using testing::random_trials;
using Numbers = std::vector<double>;
using Whole = std::vector<std::int32_t>;
using Bits = std::vector<std::uint32_t>;

Trials read(const std::string& text, const ReadTrialsOptions& options = {}) {
  const TemporaryFolder folder;
  write_bytes(folder / "trials.txt", text);
  return read_trials(folder / "trials.txt", options);
}

// The message, without the folder.
std::string refusal(const std::string& text, const ReadTrialsOptions& options = {}) {
  const TemporaryFolder folder;
  write_bytes(folder / "trials.txt", text);
  std::string message = refusal_of([&] { read_trials(folder / "trials.txt", options); });
  const std::size_t place = message.find(folder.path().string());
  if (place != std::string::npos) message.erase(place, folder.path().string().size() + 1);
  return message;
}

// Warnings without the path.
std::vector<std::string> warnings(const Trials& trials) {
  std::vector<std::string> list;
  for (const std::string& warning : trials.warnings) list.push_back(warning.substr(warning.find(": ") + 2));
  return list;
}

TEST(ReadTrials, TabsWithSubjectsOfUnequalLength) {
  const Trials trials = read("subjID\ttrial\tchoice\toutcome\nb\t1\t1\t1\nb\t2\t2\t-1\na\t1\t2\t0.5\n");
  ASSERT_EQ(trials.subjects.size(), 2U);
  EXPECT_EQ(trials.options, 2);
  EXPECT_EQ(trials.cues, 2);
  EXPECT_TRUE(trials.own_cues());
  EXPECT_EQ(trials.size(), 3);
  EXPECT_EQ(trials.option_names, (std::vector<std::string>{"1", "2"}));
  EXPECT_EQ(trials.subjects[0].id, "b");
  EXPECT_EQ(trials.subjects[0].choice, (Whole{0, 1}));
  EXPECT_EQ(trials.subjects[0].outcome, (Numbers{1, -1}));
  EXPECT_EQ(trials.subjects[1].choice, Whole{1});
  EXPECT_EQ(warnings(trials),
            std::vector<std::string>{"subject a always chose 2: there is little to be learned "
                                     "about its parameters"});
}

TEST(ReadTrials, OtherColumnsAndSeparators) {
  const Trials zero = read("Subject;reward;Choice\n1;1;0\n1;0;2\n");
  EXPECT_EQ(zero.options, 3);
  EXPECT_EQ(zero.subjects[0].choice, (Whole{0, 2}));
  EXPECT_EQ(zero.option_names[0], "0");
  EXPECT_EQ(warnings(zero), std::vector<std::string>{"option 1 is never chosen"});
  const Trials words = read("id,outcome,choice\n1,1,left\n1,0,right\n1,0,left\n");
  EXPECT_EQ(words.option_names, (std::vector<std::string>{"left", "right"}));
  EXPECT_EQ(words.subjects[0].choice, (Whole{0, 1, 0}));
  const Trials named =
      read("who,what,got\n1,1,1\n1,2,0\n", {.subject = "who", .choice = "what", .outcome = "got"});
  EXPECT_EQ(named.subjects[0].outcome, (Numbers{1, 0}));
  const Trials four = read("subjID,choice,outcome\n1,1,1\n1,2,0\n", {.options = 4});
  EXPECT_EQ(four.options, 4);
}

TEST(ReadTrials, GainsLossesBlocksAndTheOrderOfTrials) {
  const Trials trials = read(
      "subjID\tblock\ttrial\tgain\tloss\tchoice\n"
      "1\tx\t2\t0\t-1\t1\n1\tx\t1\t2\t0\t2\n1\ty\t1\t1\t1\t1\n1\tx\t3\t0\t0\t2\n");
  const Subject& subject = trials.subjects[0];
  EXPECT_TRUE(trials.has_losses());
  EXPECT_EQ(subject.choice, (Whole{1, 0, 1, 0}));
  EXPECT_EQ(subject.gain, (Numbers{2, 0, 0, 1}));
  EXPECT_EQ(subject.loss, (Numbers{0, -1, 0, -1}));
  EXPECT_EQ(subject.outcome, (Numbers{2, -1, 0, 0}));
  EXPECT_EQ(subject.block, (Whole{0, 0, 0, 1}));
}

TEST(ReadTrials, BlocksAndTrialsAsTheFileCallsThem) {
  const Trials trials = read(
      "subjID\tblock\ttrial\toutcome\tchoice\n"
      "1\tx\t12\t0\t1\n1\tx\t10\t2\t2\n1\ty\t7\t1\t1\n");
  EXPECT_EQ(trials.subjects[0].trial, (Numbers{10, 12, 7}));
  EXPECT_EQ(trials.subjects[0].block, (Whole{0, 0, 1}));
  EXPECT_EQ(trials.block_names, (std::vector<std::string>{"x", "y"}));
  const Trials plain = read("subjID,choice,outcome\n1,1,1\n1,2,0\n");
  EXPECT_TRUE(plain.subjects[0].trial.empty());
  EXPECT_TRUE(plain.block_names.empty());
}

TEST(ReadTrials, SessionsBesideBlocks) {
  const std::string text =
      "subjID,session,block,choice,outcome\n"
      "1,1,1,1,1\n1,1,2,2,0\n1,2,1,1,0\n1,2,2,2,1\n";
  const Trials both = read(text);
  EXPECT_EQ(both.subjects[0].block, (Whole{0, 1, 2, 3}));
  EXPECT_EQ(both.subjects[0].outcome, (Numbers{1, 0, 0, 1}));  // in the order of the file
  EXPECT_EQ(both.block_names, (std::vector<std::string>{"1/1", "1/2", "2/1", "2/2"}));
  EXPECT_EQ(warnings(both),
            std::vector<std::string>{"values start anew with each \"session\" and each \"block\": `block = "
                                     "session` or `block = block` to go by one of them"});
  const Trials one = read(text, {.block = "session"});
  EXPECT_EQ(one.subjects[0].block, (Whole{0, 0, 1, 1}));
  EXPECT_TRUE(one.warnings.empty());
}

TEST(ReadTrials, TellsOfChoicesThatMayBeNoOptions) {
  std::string text = "subjID,choice,outcome\n";
  for (int i = 0; i < 400; ++i)
    text += std::to_string(i / 100 + 1) + "," + (i == 7 || i == 9 ? "9" : std::to_string(i % 2)) + ",1\n";
  const Trials trials = read(text);
  EXPECT_EQ(trials.options, 10);
  ASSERT_FALSE(trials.warnings.empty());
  const std::string told =
      "option 9 is chosen in 2 of 400 trials, by 1 of 4 subjects: if it is no option, leave these trials out "
      "(NA)";
  EXPECT_EQ(warnings(trials)[0], told);
  // A number behind a gap, however often; a rare word.
  const Trials gap = read("subjID,choice,outcome\n1,0,1\n1,1,1\n2,9,1\n1,9,0\n");
  EXPECT_EQ(warnings(gap)[1],
            "option 9 is chosen in 2 of 4 trials, by 2 of 2 subjects: if it is no option, "
            "leave these trials out (NA)");
  std::string words = "subjID,choice,outcome\n";
  for (int i = 0; i < 300; ++i) words += i == 5 ? "1,lfet,1\n" : i % 2 == 0 ? "1,left,1\n" : "1,right,0\n";
  EXPECT_EQ(warnings(read(words))[0],
            "option lfet is chosen in 1 of 300 trials, by 1 of 1 subjects: if it is no option, leave these "
            "trials out (NA)");
  EXPECT_TRUE(read("subjID,choice,outcome\n1,1,1\n1,2,0\n1,3,1\n").warnings.empty());
}

// Subjects of 60 trials each, who choose as `choice(subject, trial)` says.
template <class Choice>
std::string table_of(int subjects, Choice choice) {
  std::string text = "subjID,choice,outcome\n";
  for (int s = 1; s <= subjects; ++s) {
    for (int t = 0; t < 60; ++t)
      text += std::to_string(s) + "," + choice(s, t) + "," + (t % 3 == 0 ? "1" : "0") + "\n";
  }
  return text;
}

TEST(ReadTrials, TellsOfMissedTrialsThatBecomeAnOption) {
  const auto missed = [](const std::string& code) {
    return table_of(4, [code](int, int t) {
      return t == 7 || t == 40 ? code : t % 4 == 0 ? std::string("1") : std::string("2");
    });
  };
  // 8 of 240 trials: 1 in 30, and option 1 is chosen in 56.
  const std::string told =
      " is chosen in 8 of 240 trials, by 4 of 4 subjects: if it is no option, leave these trials out (NA)";
  EXPECT_EQ(warnings(read(missed("0"))), std::vector<std::string>{"option 0" + told});
  EXPECT_EQ(warnings(read(missed("3"))), std::vector<std::string>{"option 3" + told});
  EXPECT_EQ(warnings(read(missed("late"), {.coding = Coding::names})),
            std::vector<std::string>{"option late" + told});
  // A 0 that is nearly as frequent as a seldom chosen option.
  const std::string seldom = table_of(4, [](int, int t) {
    return std::string(t == 7 || t == 40 ? "0" : t % 20 == 0 ? "1" : "2");
  });
  EXPECT_EQ(warnings(read(seldom)), std::vector<std::string>{"option 0" + told});
  EXPECT_TRUE(read(seldom, {.coding = Coding::from_zero}).warnings.empty());
  // Who says how many there are is believed.
  EXPECT_TRUE(read(missed("0"), {.options = 3}).warnings.empty());
  // Two options of which one is seldom chosen are two options, and so are three of about the same frequency.
  EXPECT_TRUE(read(table_of(4, [](int, int t) { return t % 30 == 0 ? "1" : "2"; })).warnings.empty());
  EXPECT_TRUE(read(table_of(4, [](int, int t) {
                return t % 10 == 0 ? "0" : t % 3 == 0 ? "1" : "2";
              })).warnings.empty());
}

TEST(ReadTrials, TellsOfChoicesWrittenInTwoWays) {
  const Trials halves =
      read(table_of(4, [](int s, int t) { return std::to_string((t % 3 == 0 ? 0 : 1) + s % 2); }));
  EXPECT_EQ(halves.options, 3);
  EXPECT_EQ(
      warnings(halves),
      std::vector<std::string>{
          "no subject chooses more than 2 of the 3 options: 1 and 2 by 2 subjects such as 1, 0 and 1 by "
          "2 subjects such as 2; if some of them write the same choices in another way, write them alike "
          "(`options = 3` if there are so many)"});
  EXPECT_TRUE(read(table_of(4, [](int s, int t) { return std::to_string((t % 3 == 0 ? 0 : 1) + s % 2); }),
                   {.options = 3})
                  .warnings.empty());
  // One who chooses all of them writes in one way.
  EXPECT_TRUE(read(table_of(4, [](int s, int t) {
                return std::to_string(s == 3 ? t % 3 : (t % 3 == 0 ? 0 : 1) + s % 2);
              })).warnings.empty());
  const Trials capitals = read(table_of(2, [](int s, int t) {
    return std::string(t % 3 == 0 ? (s == 1 ? "left" : "Left") : (s == 1 ? "right" : "Right"));
  }));
  EXPECT_EQ(warnings(capitals)[1],
            "options left and Left differ only in capitals, and there is 1 more such word: if they are the "
            "same, write them alike");
  EXPECT_EQ(warnings(read("subjID,choice,outcome\ns1,1,1\ns1,2,0\nS1,1,1\nS1,2,0\n")),
            std::vector<std::string>{
                "subjects s1 and S1 differ only in capitals: if they are the same, write them alike"});
  EXPECT_EQ(warnings(read("subjID,choice,outcome\n01,1,1\n01,2,0\n1,1,1\n1,2,0\n")),
            std::vector<std::string>{
                "subjects 01 and 1 are the same number: if they are the same, write them alike"});
  EXPECT_EQ(
      warnings(read("subjID,block,choice,outcome\n1,\u00C4b,1,1\n1,\u00E4b,2,0\n")),
      std::vector<std::string>{
          "blocks \u00C4b and \u00E4b differ only in capitals: if they are the same, write them alike"});
}

TEST(ReadTrials, TellsOfLossesOfBothSigns) {
  const std::string names = "subjID,choice,gain,loss\n";
  const Trials both = read(names + "1,1,1,0\n1,2,0,-1\n1,1,0,2\n1,2,0,-3\n");
  EXPECT_EQ(both.subjects[0].loss, (Numbers{0, -1, -2, -3}));
  EXPECT_EQ(warnings(both), std::vector<std::string>{
                                "column \"loss\" has 2 in line 4 and -1 in line 3: its sign is passed over, "
                                "and both are losses"});
  EXPECT_TRUE(read(names + "1,1,1,0\n1,2,0,-1\n").warnings.empty());
  EXPECT_TRUE(read(names + "1,1,1,0\n1,2,0,1\n").warnings.empty());
}

TEST(ReadTrials, TellsOfGainsBelowZero) {
  EXPECT_EQ(
      warnings(read("subjID,choice,gain,loss\n1,1,1,0\n1,2,-2,0\n1,1,-1,-1\n")),
      std::vector<std::string>{"column \"gain\" has -2 in line 3: it is taken as it is, a gain below 0"});
}

TEST(ReadTrials, TellsOfOutcomesThatAreAllTheSame) {
  const auto table = [](int subjects_that_vary, int trials) {
    std::string text = "subjID,choice,outcome\n";
    for (int s = 0; s < 2; ++s) {
      for (int t = 0; t < trials; ++t)
        text += fmt::format("{},{},{}\n", s, 1 + t % 2, s < subjects_that_vary ? t % 2 : 1);
    }
    return text;
  };
  EXPECT_EQ(
      warnings(read(table(0, 10))),
      std::vector<std::string>{"every subject had the same outcome on every trial: the trials say nothing "
                               "about learning from it, and estimates of it come from the prior"});
  EXPECT_EQ(
      warnings(read(table(1, 10))),
      std::vector<std::string>{
          "subject 1 had the same outcome on every trial: the trials say nothing about learning from it"});
  EXPECT_TRUE(read(table(2, 10)).warnings.empty());
  EXPECT_TRUE(read(table(0, 9)).warnings.empty());
}

TEST(ReadTrials, NamesRowsThatAreLeftOutFirst) {
  const std::vector<std::string> told =
      warnings(read("subjID,choice,outcome\na,2,1\na,2,0\n,1,0\nb,1,0\nb,2,1\n"));
  ASSERT_EQ(told.size(), 2U);
  EXPECT_EQ(told[0], "1 row with missing fields left out: line 4");
}

TEST(ReadTrials, OrdersByATrialNumberOfAnyUsualName) {
  for (const std::string name : {"trial", "Trial_Number", "trialno", "TrialNum", "trial_index"}) {
    const Trials trials = read("subjID,choice,outcome," + name + "\n1,1,0,3\n1,2,1,1\n1,1,1,2\n");
    EXPECT_EQ(trials.subjects[0].outcome, (Numbers{1, 1, 0})) << name;
  }
}

TEST(ReadTrials, SaysWhichColumnsItTook) {
  const auto note = [](const std::string& text, const ReadTrialsOptions& options = {}) {
    const Trials trials = read(text, options);
    EXPECT_EQ(trials.notes.size(), 1U);
    return trials.notes.at(0);
  };
  EXPECT_EQ(note("id,subject,choice,reward,Outcome,rt\n9,1,1,5,1,0.3\n8,1,2,0,0,0.4\n"),
            "columns: subject=subject, choice=choice, outcome=Outcome; not used: id, reward, rt");
  EXPECT_EQ(note("id,subject,choice,reward,Outcome\n9,1,1,5,1\n9,1,2,0,0\n",
                 {.subject = "id", .outcome = "reward"}),
            "columns: subject=id, choice=choice, outcome=reward; not used: subject, Outcome");
  EXPECT_EQ(note("subjID,session,block,trial,choice,gain,loss\n1,1,1,1,1,1,0\n1,1,1,2,2,0,1\n"),
            "columns: subject=subjID, choice=choice, gain=gain, loss=loss, session=session, block=block, "
            "trial=trial");
  EXPECT_EQ(note("subjID,choice,outcome,a,b,c,d,e,f,g,h,i,j\n1,1,1,,,,,,,,,,\n1,2,0,,,,,,,,,,\n"),
            "columns: subject=subjID, choice=choice, outcome=outcome; not used: a, b, c, d, e, f, g, h and 2 "
            "more");
}

TEST(ReadTrials, ReadsTablesAsOtherReadersDo) {
  const std::string table = "subjID,choice,outcome\n1,1,1\n1,2,0\n1,1,0\n";
  EXPECT_EQ(
      refusal("# exported, today\n" + table),
      "[read_trials] trials.txt, line 1: 2 fields, but the lines from line 2 on have 3: `skip = 1` passes "
      "over what stands before the table");
  EXPECT_EQ(read("# exported, today\n" + table, {.skip = 1}).size(), 3);
  EXPECT_EQ(
      refusal(table, {.skip = 1}),
      "[read_trials] trials.txt, line 2: there is no line of names, such as subjID,choice,outcome: this "
      "one has the number 1");
  EXPECT_EQ(refusal(table, {.skip = 9}), "[read_trials] trials.txt: 9 lines are to be skipped, there are 4");
  const Trials ends = read("subjID,choice,outcome,\n1,1,1,\n1,2,0,\n");
  EXPECT_EQ(warnings(ends),
            std::vector<std::string>{"every line ends in a separator: the empty last column is none"});
  EXPECT_EQ(ends.notes.at(0), "columns: subject=subjID, choice=choice, outcome=outcome");
  EXPECT_TRUE(read("subjID,choice,outcome,\n1,1,1,\n1,2,0,x\n").warnings.empty());
  const Trials told = read("sep=;\nsubjID;choice;outcome\n1;1;0,5\n1;2;0\n");
  EXPECT_EQ(told.subjects[0].outcome, (Numbers{0.5, 0}));
  EXPECT_EQ(warnings(told).front(), "line 1 names the separator (sep=): it is no part of the table");
  EXPECT_EQ(refusal("subjID,,,choice,outcome\n1,,,1,1\n"),
            "[read_trials] trials.txt, line 1: two columns have no name, one of them is number 3");
}

TEST(ReadTrials, SaysWhatNumbersMayBeChoices) {
  const std::string hint = ": NA says that nothing was chosen, `coding = names` that numbers are names";
  EXPECT_EQ(
      refusal("subjID,choice,outcome\n1,1,1\n1,-1,0\n"),
      "[read_trials] trials.txt, line 3: column \"choice\" must hold whole numbers from 0 to 15 or from 1 "
      "to 16, got \"-1\"" +
          hint);
  EXPECT_EQ(
      refusal("subjID,choice,outcome\n1,10,1\n1,20,0\n"),
      "[read_trials] trials.txt, line 3: column \"choice\" must hold whole numbers from 0 to 15 or from 1 "
      "to 16, got \"20\"" +
          hint);
  EXPECT_EQ(refusal("subjID,choice,outcome\n1,0,1\n1,20,0\n"),
            "[read_trials] trials.txt, line 3: column \"choice\" must hold whole numbers from 0 to 15, got "
            "\"20\"" +
                hint);
  EXPECT_EQ(read("subjID,choice,outcome\n1,10,1\n1,20,0\n", {.coding = Coding::names}).option_names,
            (std::vector<std::string>{"10", "20"}));
}

TEST(ReadTrials, TellsOfLargeNumbersThatMayStandForMissingOnes) {
  std::string text = table_of(1, [](int, int t) { return t % 2 == 0 ? "1" : "2"; }) + "1,2,99\n";
  EXPECT_EQ(
      warnings(read(text)),
      std::vector<std::string>{"column \"outcome\": 99 (once, in line 62) may stand for a missing value: "
                               "it is read as a number"});
}

TEST(ReadTrials, OffersAndCues) {
  const Trials offered = read("subjID,choice,outcome,offered\n1,1,1,1+3\n1,3,0,2+3\n1,2,0,1+2+3\n");
  EXPECT_EQ(offered.subjects[0].offered, (Bits{0b101, 0b110, 0b111}));
  const Trials cues = read("subjID,choice,outcome,cues_1,cues_2\n1,1,1,A+C,B\n1,2,0,B,A\n1,1,1,C,\n");
  EXPECT_EQ(cues.cues, 3);
  EXPECT_EQ(cues.cue_names, (std::vector<std::string>{"A", "B", "C"}));
  EXPECT_EQ(cues.subjects[0].cues, (Bits{0b101, 0b010, 0b010, 0b001, 0b100, 0}));
  EXPECT_EQ(cues.subjects[0].offered, (Bits{0b11, 0b11, 0b01}));
  const Trials predict = read("subjID,choice,outcome,cues\n1,no,0,A\n1,yes,1,A+B\n");
  EXPECT_EQ(predict.subjects[0].cues, (Bits{0, 1, 0, 3}));
  EXPECT_EQ(predict.subjects[0].learned, (Bits{1, 3}));
}

TEST(ReadTrials, RowsWithMissingFieldsAreCountedAndNamed) {
  const Trials trials = read("subjID,choice,outcome\n1,NA,1\n1,1,1\n1,2,\n2,NA,NA\n1,2,0\n");
  EXPECT_EQ(trials.subjects.size(), 1U);
  EXPECT_EQ(trials.subjects[0].choice, (Whole{0, 1}));
  EXPECT_EQ(warnings(trials), (std::vector<std::string>{"3 rows with missing fields left out: lines 2, 4, 5",
                                                        "subject 2 has no complete row and is left out"}));
}

TEST(ReadTrials, MissingChoicesAreNoOptions) {
  for (const std::string word : {"n/a", "N/A", "NULL", "null", "None", "-", ".", "?"}) {
    for (const std::string choices : {"12", "ab"}) {
      const Trials trials = read("subjID,choice,outcome\n1," + choices.substr(0, 1) + ",1\n1," + word +
                                 ",1\n1," + choices.substr(1) + ",0\n");
      EXPECT_EQ(trials.options, 2) << word;
      EXPECT_EQ(warnings(trials), std::vector<std::string>{"1 row with missing fields left out: line 3"})
          << word;
    }
  }
  EXPECT_EQ(refusal("subjID,choice,outcome\n1,1,1\n1,2,1\n1,abc,1\n"),
            "[read_trials] trials.txt, line 4: column \"choice\" holds \"abc\", and the number 1 in line 2: "
            "if both "
            "are names, say so (`coding = names`)");
  EXPECT_EQ(read("subjID,choice,outcome\n1,1,1\n1,2,1\n1,abc,1\n", {.coding = Coding::names}).option_names,
            (std::vector<std::string>{"1", "2", "abc"}));
  EXPECT_EQ(
      refusal("subjID,choice,outcome\n1,+,1\n1,-,1\n"),
      "[read_trials] trials.txt, line 3: column \"choice\" holds \"+\" and \"-\", which stands for a missing "
      "value: write words for both");
}

TEST(ReadTrials, SaysHowItReadsOtherPeoplesFiles) {
  const Trials trials =
      read("subjID;choice;outcome\rJ\xF6rg;links;0,5\rJ\xF6rg;rechts;1\rJ\xF6rg;links;-999\r");
  EXPECT_EQ(trials.subjects[0].id, "J\u00F6rg");
  EXPECT_EQ(trials.subjects[0].outcome, (Numbers{0.5, 1, -999}));
  EXPECT_EQ(
      warnings(trials),
      (std::vector<std::string>{
          "line 2: \"J\u00F6rg\" is not written in UTF-8: such letters are read as Windows-1252 (Latin-1)",
          "column \"outcome\": \"0,5\" in line 2 is read as a number with a decimal comma",
          "column \"outcome\": -999 (once, in line 4) may stand for a missing value: it is read as a "
          "number"}));
  EXPECT_EQ(
      refusal("subjID;choice;outcome\n1;1;0.5\n1;2;0,5\n"),
      "[read_trials] trials.txt, line 3: column \"outcome\" has a decimal comma in \"0,5\", and a point in "
      "\"0.5\" in line 2");
  EXPECT_EQ(refusal("subjID,choice,outcome\n1,1,\"0,5\"\n"),
            "[read_trials] trials.txt, line 2: column \"outcome\" must hold numbers, got \"0,5\"");
  EXPECT_EQ(
      refusal("subjID,choice,outcome\n1,1,1e160\n"),
      "[read_trials] trials.txt, line 2: column \"outcome\": 1e160 is too large, at most 1e+100 is possible");
  EXPECT_EQ(read("\xEF\xBB\xBF\n\nsubjID\tchoice\toutcome\n1\t1\t1\n   \n\n1\t2\t0\n").size(), 2);
}

TEST(ReadTrials, RefusesWithFileAndLine) {
  EXPECT_EQ(refusal(""),
            "[read_trials] trials.txt: the file is empty: a line with the names of the columns is expected");
  EXPECT_EQ(
      refusal("subjID,choise,outcome\n1,1,1\n"),
      "[read_trials] trials.txt, line 1: no column \"choice\" among subjID, choise, outcome; did you mean "
      "\"choise\"?");
  EXPECT_EQ(refusal("subjID,choice,gain\n1,1,1\n"),
            "[read_trials] trials.txt, line 1: no column \"loss\" among subjID, choice, gain");
  EXPECT_EQ(
      refusal("subjID,choice,outcome\n1,1,1\n1,x,1\n", {.coding = Coding::from_one}),
      "[read_trials] trials.txt, line 3: column \"choice\" must hold whole numbers from 1 to 16, got \"x\"");
  EXPECT_EQ(refusal("subjID,choice,outcome\n1,1,1\n1,3,1\n", {.options = 2}),
            "[read_trials] trials.txt, line 3: column \"choice\" must hold whole numbers from 0 to 1 or from "
            "1 to 2, "
            "got \"3\": NA says that nothing was chosen, `coding = names` that numbers are names");
  EXPECT_EQ(refusal("subjID,choice,outcome\n1,1,good\n"),
            "[read_trials] trials.txt, line 2: column \"outcome\" must hold numbers, got \"good\"");
  EXPECT_EQ(refusal("subjID,choice,outcome\n1,1,inf\n"),
            "[read_trials] trials.txt, line 2: column \"outcome\" must hold numbers, got \"inf\"");
  EXPECT_EQ(refusal("subjID,choice,outcome\n1,1\n"),
            "[read_trials] trials.txt, line 2: 2 fields, 3 columns are expected");
  EXPECT_EQ(refusal("subjID,choice,outcome\n1,1,1,\n"),
            "[read_trials] trials.txt, line 2: 4 fields, 3 columns are expected: the line ends in a "
            "separator, that "
            "of the names does not");
  EXPECT_EQ(refusal("subjID,choice,outcome\n"), "[read_trials] trials.txt: there are no rows of trials");
  EXPECT_EQ(refusal("subjID,choice,outcome\n1,NA,1\n"),
            "[read_trials] trials.txt: every row has a missing field");
  EXPECT_EQ(refusal("subjID,trial,choice,outcome\n1,1,1,1\n1,1,2,1\n"),
            "[read_trials] trials.txt, line 3: trial 1 of subject 1 was already on line 2; where trials are "
            "counted "
            "anew, a column \"block\" must say so");
  EXPECT_EQ(refusal("subjID,choice,outcome,offered\n1,1,1,2+3\n1,2,1,2+3\n1,3,1,2+3\n"),
            "[read_trials] trials.txt, line 2: the choice is 1, which was not offered");
  EXPECT_EQ(refusal("subjID,choice,outcome,offered\n1,1,1,1+7\n"),
            "[read_trials] trials.txt, line 2: \"1+7\" offers \"7\", which is not an option: 1, 2");
  EXPECT_EQ(refusal("subjID,choice,outcome\n1,1,1\n", {.block = "session"}),
            "[read_trials] trials.txt, line 1: no column \"session\" among subjID, choice, outcome");
  EXPECT_EQ(refusal("a,a\n1,1\n"), "[read_trials] trials.txt, line 1: two columns are called \"a\"");
}

void expect_same(const Trials& a, const Trials& b) {
  EXPECT_EQ(a.options, b.options);
  EXPECT_EQ(a.cues, b.cues);
  ASSERT_EQ(a.subjects.size(), b.subjects.size());
  for (std::size_t s = 0; s < a.subjects.size(); ++s) {
    EXPECT_EQ(a.subjects[s].id, b.subjects[s].id);
    EXPECT_EQ(a.subjects[s].choice, b.subjects[s].choice);
    EXPECT_EQ(a.subjects[s].outcome, b.subjects[s].outcome);
    EXPECT_EQ(a.subjects[s].gain, b.subjects[s].gain);
    EXPECT_EQ(a.subjects[s].loss, b.subjects[s].loss);
    EXPECT_EQ(a.subjects[s].block, b.subjects[s].block);
    EXPECT_EQ(a.subjects[s].offered, b.subjects[s].offered);
    EXPECT_EQ(a.subjects[s].cues, b.subjects[s].cues);
    EXPECT_EQ(a.subjects[s].learned, b.subjects[s].learned);
  }
}

TEST(WriteTrials, IsReadBackToTheLastDigit) {
  const TemporaryFolder folder;
  const std::vector<testing::RandomTrials> kinds{
      {.options = 3},
      {.options = 2, .blocks = true, .losses = true},
      {.options = 3, .offered = true},
      {.trials = 60, .options = 2, .cues = 3},
      {.trials = 60, .options = 2, .cues = 3, .predict = true},
  };
  for (const testing::RandomTrials& kind : kinds) {
    for (const char* name : {"made.tsv", "made.csv"}) {
      Trials trials = random_trials(kind, 17);
      trials.subjects[0].id = "a \"b\",\tc";
      write_trials(folder / name, trials);
      Trials again = read_trials(folder / name, {.options = trials.options});
      if (kind.cues > 0 && !kind.predict) {  // the reader says what was offered
        for (Subject& s : again.subjects) s.offered.clear();
      }
      expect_same(trials, again);
    }
  }
  EXPECT_EQ(folder.list(), "made.csv made.tsv");
}

TEST(WriteTrials, RefusesWhatNoColumnSays) {
  const TemporaryFolder folder;
  Trials trials = random_trials({.options = 2, .cues = 3, .predict = true}, 1);
  trials.subjects[0].cues[0] = 1;
  EXPECT_EQ(refusal_of([&] { write_trials(folder / "made.tsv", trials); }),
            "[write_trials] subject 100, trial 1: no column says which cues learn here");
  EXPECT_EQ(folder.list(), "");
}

TEST(CheckTrials, RefusesWhatCannotBe) {
  const auto message = [](const auto& change) {
    Trials trials = random_trials({.options = 3, .offered = true}, 3);
    change(trials);
    return refusal_of([&] { check_trials(trials); });
  };
  EXPECT_EQ(message([](Trials& t) { t.subjects[1].choice[2] = 3; }),
            "[choice] subject 101, trial 3: choice 4 of 3 options");
  EXPECT_EQ(message([](Trials& t) { t.subjects[1].offered[2] = 0; }).substr(0, 37),
            "[choice] subject 101, trial 3: choice");
  EXPECT_EQ(message([](Trials& t) { t.subjects[0].outcome[0] = std::numeric_limits<double>::infinity(); }),
            "[choice] subject 100, trial 1: the outcome is not a finite number");
  EXPECT_EQ(message([](Trials& t) { t.subjects[0].outcome.pop_back(); }),
            "[choice] subject 100 has 30 choices, but 29 of \"outcome\" instead of 30");
  EXPECT_EQ(message([](Trials& t) { t.subjects[2] = Subject(), t.subjects[2].id = "x"; }),
            "[choice] subject x has no trials");
  EXPECT_EQ(message([](Trials& t) { t.options = 17; }), "[choice] trials have 2 to 16 options, got 17");
}

TEST(ReadTrials, PublishedFiles) {
  LIKELY_SHARED_DATA(folder, "hbayesdm");
  const Trials two = read_trials(folder / "bandit2arm_exampleData.txt");
  EXPECT_EQ(two.subjects.size(), 20U);
  EXPECT_EQ(two.size(), 2000);
  EXPECT_EQ(two.options, 2);
  const Trials four = read_trials(folder / "bandit4arm_exampleData.txt");
  EXPECT_EQ(four.options, 4);
  EXPECT_TRUE(four.has_losses());
  EXPECT_EQ(four.subjects[0].id, "102");
}

}  // namespace
}  // namespace likely::choice
