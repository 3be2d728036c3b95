// Every class of likely/optim that keeps state says what cannot be, and is in the tests of changed parts and
// of damaged state, so that a new one cannot be forgotten.
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "tests/support/declarations.hpp"
#include "tests/support/temporary_folder.hpp"

namespace likely::testing {

namespace {

// What steps have been made for, and still nothing is missing.
const std::map<std::string, std::string> kMayHaveForgotten = {
    {"Langevin", "remembers a count alone, which misfit() demands"},
    {"Lbfgs", "forgets what no longer fits; what is there must be there in pairs, which misfit() demands"},
};

struct Keeper {
  std::string name;
  std::string body;                 // of the class
  std::set<std::string> functions;  // without the name of the class
  bool is_optimizer() const { return by_gradient() || by_loss(); }
  bool by_gradient() const { return functions.contains("step(Model, Model)"); }
  bool by_loss() const { return functions.contains("step(Model, Loss)"); }
};

// The names by which users know a class: "using Adam = BasicAdam<AdamOptions>;" for a template.
std::vector<std::string> names_of(const std::string& name, const std::string& text) {
  const std::regex alias("using (\\w+) = " + name + "<\\w+>;");
  std::vector<std::string> names;
  for (std::sregex_iterator found(text.begin(), text.end(), alias), end; found != end; ++found)
    names.push_back((*found)[1]);
  return names.empty() ? std::vector<std::string>{name} : names;
}

// The classes with parts in the headers that the umbrella includes.
std::vector<Keeper> keepers_of_state() {
  static const std::regex kInclude(R"re(#include "(likely/optim/\w+\.hpp)")re");
  static const std::regex kClass(R"re((?:class|struct) (\w+) \{([\s\S]*?)\n\};)re");
  const std::string umbrella = read_bytes("likely/optim/optim.hpp");
  std::vector<Keeper> all;
  for (std::sregex_iterator header(umbrella.begin(), umbrella.end(), kInclude), end; header != end;
       ++header) {
    const std::string text = without_comments((*header)[1].str());
    const std::set<std::string> functions = declared_functions(text);
    for (std::sregex_iterator found(text.begin(), text.end(), kClass); found != end; ++found) {
      const std::string name = (*found)[1];
      Keeper keeper{name, (*found)[2], {}};
      if (keeper.body.find("LIKELY_PARTS(") == std::string::npos) continue;
      for (const std::string& function : functions) {
        if (function.starts_with(name + "::")) keeper.functions.insert(function.substr(name.size() + 2));
      }
      for (const std::string& known : names_of(name, text)) {
        keeper.name = known;
        all.push_back(keeper);
      }
    }
  }
  return all;
}

// From the line of a file that begins so to the next test.
std::string part_of(const std::filesystem::path& file, const std::string& begin) {
  const std::string text = read_bytes(file);
  const std::size_t start = text.find("\n" + begin);
  EXPECT_NE(start, std::string::npos) << file << " has no " << begin;
  return start == std::string::npos ? "" : text.substr(start, text.find("\nTEST", start + 1) - start);
}

bool has_word(const std::string& text, const std::string& word) {
  return std::regex_search(text, std::regex("\\b" + word + "\\b"));
}

TEST(CompletenessOfOptimizers, EveryKeeperOfStateSaysWhatCannotBe) {
  int optimizers = 0;
  for (const Keeper& keeper : keepers_of_state()) {
    SCOPED_TRACE(keeper.name);
    EXPECT_TRUE(keeper.functions.contains("misfit()")) << "what is loaded into it is not checked";
    if (!keeper.is_optimizer()) continue;
    ++optimizers;
    EXPECT_NE(keeper.functions.contains("missing_state(vector<bool>)"),
              kMayHaveForgotten.contains(keeper.name))
        << "a training that is resumed without its state is not noticed";
    EXPECT_EQ(keeper.functions.contains("steps_made(vector<bool>)"), has_word(keeper.body, "Buffer steps"))
        << "counts of steps that do not follow from those of the training are not noticed";
  }
  EXPECT_GE(optimizers, 8) << "the headers were not read";
}

TEST(CompletenessOfOptimizers, EveryKeeperOfStateIsInTheTestsOfState) {
  const std::string changed = part_of("tests/optim/changed_parts_test.cpp", "class ChangedParts");
  const std::string put_in_steps =
      part_of("tests/optim/changed_parts_test.cpp", "TEST(OptimizerState, OfAnotherShape");
  const std::string put_in_searches =
      part_of("tests/optim/changed_parts_test.cpp", "TEST(OptimizerState, OfSearches");
  const std::string saved = part_of("tests/optim/state_test.cpp", "TEST_F(StateFile, OfEveryOptimizer");
  const std::string damaged = part_of("tests/optim/state_test.cpp", "TEST_F(StateFile, ThatDoesNotFit");
  const std::string helpers = part_of("tests/optim/state_test.cpp", "TEST_F(StateFile, OfAnAverage");
  const std::string resumed =
      part_of("tests/train/hostile_run_test.cpp", "TEST_F(HostileRun, StatesOfEveryOptimizer");
  const std::string by_hand =
      part_of("tests/train/run_test.cpp", "TEST(Run, RefusesAnOptimizerThatStepsByHand");
  const std::string fuzzed = read_bytes("tests/fuzz/state_targets.cpp");
  for (const Keeper& keeper : keepers_of_state()) {
    const auto expect_in = [&](const std::string& tests, const std::string& which) {
      EXPECT_TRUE(has_word(tests, keeper.name)) << keeper.name << " is not in " << which;
    };
    if (!keeper.is_optimizer()) {
      expect_in(helpers, "tests/optim/state_test.cpp: OfAnAverageAndAPlateauToo");
      continue;
    }
    if (keeper.by_gradient()) expect_in(changed, "the types of tests/optim/changed_parts_test.cpp");
    expect_in(keeper.by_gradient() ? put_in_steps : put_in_searches,
              "tests/optim/changed_parts_test.cpp: OptimizerState");
    expect_in(saved, "tests/optim/state_test.cpp: OfEveryOptimizerIsAllThatIsNeeded");
    expect_in(damaged, "tests/optim/state_test.cpp: ThatDoesNotFitIsRefused");
    expect_in(resumed, "tests/train/hostile_run_test.cpp: StatesOfEveryOptimizerAreChecked");
    expect_in(by_hand, "tests/train/run_test.cpp: RefusesAnOptimizerThatStepsByHandAndWouldNotBeKept");
    expect_in(fuzzed, "tests/fuzz/state_targets.cpp");
  }
}

}  // namespace

}  // namespace likely::testing
