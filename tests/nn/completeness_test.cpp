// Every layer can be had by the umbrella of nn/, says what cannot be of what it learns, and has a word in
// descriptions of networks, so that a new one cannot be forgotten.
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <regex>
#include <set>
#include <string>

#include "tests/support/declarations.hpp"
#include "tests/support/temporary_folder.hpp"

namespace likely::testing {

namespace {

namespace fs = std::filesystem;

// What has no word of its own.
const std::map<std::string, std::string> kWithoutWord = {
    {"Apply", "holds a function, which no description has"},
    {"Residual", "is made by nn/network.cpp, as it holds networks"},
};
// What needs no misfit().
const std::map<std::string, std::string> kMayBeEmpty = {
    {"LayerNorm", "weight and bias may each be empty"},
    {"GroupNorm", "weight and bias may each be empty"},
    {"Residual", "its layers say it themselves"},
};

TEST(CompletenessOfLayers, EveryLayerIsInTheUmbrellaAndInDescriptionsAndSaysWhatCannotBe) {
  static const std::regex kClass(R"re((?:class|struct) (\w+) \{([\s\S]*?)\n\};)re");
  const std::string umbrella = read_bytes("likely/nn/nn.hpp");
  std::string words;
  for (const auto& entry : fs::directory_iterator("likely/nn")) {
    if (entry.path().filename().string().starts_with("layer_kinds")) words += without_comments(entry.path());
  }
  int layers = 0;
  std::set<std::string> excused;
  for (const auto& entry : fs::directory_iterator("likely/nn")) {
    if (entry.path().extension() != ".hpp") continue;
    const std::string text = without_comments(entry.path());
    for (std::sregex_iterator found(text.begin(), text.end(), kClass), end; found != end; ++found) {
      const std::string name = (*found)[1], body = (*found)[2];
      if (body.find("LIKELY_PARTS(") == std::string::npos || body.find("operator()") == std::string::npos)
        continue;
      SCOPED_TRACE(name);
      ++layers;
      EXPECT_NE(umbrella.find("#include \"" + entry.path().string() + "\"\n"), std::string::npos)
          << "likely/nn/nn.hpp does not include " << entry.path();
      if (kWithoutWord.contains(name)) {
        excused.insert(name);
      } else {
        EXPECT_TRUE(std::regex_search(words, std::regex("\\b" + name + "\\b")))
            << "no likely/nn/layer_kinds*.cpp makes one";
      }
      if (body.find("LIKELY_PARTS()") != std::string::npos) continue;
      if (kMayBeEmpty.contains(name)) {
        excused.insert(name);
      } else {
        EXPECT_NE(body.find("std::string misfit() const"), std::string::npos)
            << "what is loaded into it is not checked";
      }
    }
  }
  EXPECT_GE(layers, 30) << "the headers were not read";
  for (const auto* excuses : {&kWithoutWord, &kMayBeEmpty}) {
    for (const auto& [name, why] : *excuses) EXPECT_TRUE(excused.contains(name)) << name << " is no layer";
  }
}

}  // namespace

}  // namespace likely::testing
