// Every law of likely/prob can be had by its umbrella and is in the table of laws, so that a new one cannot
// be forgotten.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <string>

#include "tests/support/declarations.hpp"
#include "tests/support/laws.hpp"
#include "tests/support/temporary_folder.hpp"

namespace likely::testing {

namespace {

// The table is of laws of one number. Where the others are tested.
const std::map<std::string, std::string> kElsewhere = {
    {"Categorical", "tests/prob/categorical_test.cpp"}, {"Concrete", "tests/prob/relaxed_test.cpp"},
    {"ExpConcrete", "tests/prob/relaxed_test.cpp"},     {"RelaxedBernoulli", "tests/prob/relaxed_test.cpp"},
    {"Dirichlet", "tests/prob/vectors_test.cpp"},       {"MultivariateNormal", "tests/prob/vectors_test.cpp"},
    {"Independent", "tests/prob/compose_test.cpp"},     {"Mixture", "tests/prob/compose_test.cpp"},
    {"Transformed", "tests/prob/compose_test.cpp"},
};

// The laws that a header declares: classes with a log_prob.
std::set<std::string> laws_in(const std::filesystem::path& header) {
  std::set<std::string> found;
  for (const std::string& function : declared_functions(without_comments(header))) {
    const std::size_t end = function.find("::log_prob(");
    if (end != std::string::npos) found.insert(function.substr(0, end));
  }
  return found;
}

TEST(CompletenessOfLaws, EveryLawIsInTheTableOfLaws) {
  const std::string umbrella = read_bytes("likely/prob/prob.hpp");
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator("likely/prob")) {
    if (entry.path().extension() != ".hpp") continue;
    for (const std::string& name : laws_in(entry.path())) {
      ++count;
      EXPECT_NE(umbrella.find("#include \"" + entry.path().string() + "\"\n"), std::string::npos)
          << "likely/prob/prob.hpp does not include " << entry.path();
      const bool listed =
          std::any_of(laws().begin(), laws().end(), [&](const Law& law) { return law.name == name; });
      const auto elsewhere = kElsewhere.find(name);
      EXPECT_TRUE(listed || elsewhere != kElsewhere.end()) << name << " is not in tests/support/laws.cpp";
      if (elsewhere != kElsewhere.end()) {
        EXPECT_NE(read_bytes(elsewhere->second).find(name), std::string::npos)
            << elsewhere->second << " does not have " << name;
      }
    }
  }
  EXPECT_GE(count, laws().size() + kElsewhere.size()) << "the headers were not read";
}

}  // namespace

}  // namespace likely::testing
